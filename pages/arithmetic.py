"""Arithmetic: does the loop beat trying again, what does it cost, what do critic errors do?"""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from pages.parts import arithmetic_inputs as inputs
from pages.parts import arithmetic_panels as panels
from pages.parts.arithmetic_measured import measured
from pages.parts.panels import page_title

page_title(
    "Arithmetic",
    "Whether revising with feedback beats trying again, what it costs, and what a critic's errors do.",
)

preset, texts = inputs.chosen()
top = st.container()
left, right = st.columns([2, 5], gap="medium")
first, picture, critic_row = right.container(), right.container(), right.container()
with left:
    example = inputs.example_picker(preset)
    sheet = inputs.sheet_from_boxes(texts, critic_row)

if sheet is None:
    with top:
        inputs.problem()
    st.stop()

with top:
    panels.message(sheet, example)
with first:
    panels.yardsticks(sheet, example)
with picture:
    panels.picture(sheet)
panels.figures(sheet, example)
panels.tries(sheet)
panels.rounds(sheet, example)
measured(sheet, texts, example)
panels.assumed(sheet)
