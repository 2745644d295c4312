"""Home: where the open project stands, from contract to decision, and the next thing to do."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from pages.parts import home_panels as panels
from pages.parts.panels import page_title
from pages.parts.workspace import project

open_now = project()
page_title(
    "Evaluator Bench",
    "One model writes, something that is not the writer checks, failures go back. Find out whether "
    "the check can be trusted and whether the loop beats simply trying again.",
)
if open_now is None:
    panels.no_project()
else:
    st.subheader("Where this project stands", anchor=False)
    panels.steps(panels.steps_of(open_now))
panels.projects(open_now)
