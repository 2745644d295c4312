"""Evidence: what published studies measured, by the kind of feedback."""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from core.contract.ladder import LADDER, EvaluatorType
from pages.parts import evidence_panels as panels
from pages.parts import state
from pages.parts.panels import page_title
from pages.parts.workspace import project, version
from sample_data.evidence import Source, chosen, studies

ALL = "all"

page_title(
    "Evidence",
    "What published studies measured when a model's work was checked and revised.",
)
st.text(
    "Feedback helped where it brought in something the model did not know. A model judging itself "
    "gained on style and lost on reasoning. Every figure comes from a benchmark, most with models "
    "of 2023 or 2024, and was noted from a published overview: see the paper before you quote it."
)

open_now = project()
mine = panels.your_contract(open_now, version(open_now) if open_now else None, studies())

sources = {ALL: "Everything", **panels.SOURCES}
rows = {ALL: "Any row", **{row.value: rung.title for row, rung in LADDER.items()}}
left, right = st.columns(2)
with left:
    view = state.pick("view", "Feedback from", list(sources), show=lambda key: sources[key])
with right:
    row = state.pick("row", "Speaks to this ladder row", list(rows), show=lambda key: rows[key])

source = None if view in (None, ALL) else Source(view)
found = chosen(studies(), source, None if row in (None, ALL) else EvaluatorType(row))
if found:
    panels.picture(found, source)
    panels.cards(found, source, mine)
else:
    with st.container(border=True):
        st.text("No study here has this kind of feedback and speaks to this row.")
        st.button("Show all studies", key="evidence.reset", on_click=panels.show, args=(ALL,))
panels.unmeasured()
