"""Loop: run the evaluator-optimizer loop on models, or go through one by hand."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from pages.parts import state
from pages.parts.loop_hand import hand_view
from pages.parts.loop_run import run_view
from pages.parts.panels import title
from pages.parts.workspace import need_project, version

VIEWS = {"run": "Run on models", "hand": "By hand"}

project = need_project()
current = version(project)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    title("Loop")
    view = state.pick(
        "view", "View", list(VIEWS), show=VIEWS.__getitem__, widget=st.radio, horizontal=True,
        label_visibility="collapsed",
    )  # fmt: skip
st.caption(
    "A writer drafts, the contract's evaluator judges, the failures go back, until a stop rule ends "
    "it. Beside it plain retries, to see whether feedback beats trying again."
)
if view == "run":
    run_view(project, current)
else:
    hand_view(project, current)
