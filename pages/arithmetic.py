"""Arithmetic: does the loop beat trying again, what does it cost, what do critic errors do?"""

from pages.parts.shell import ensure

ensure()

import streamlit as st

from pages.parts import arithmetic_inputs as inputs
from pages.parts import arithmetic_panels as panels
from pages.parts import state
from pages.parts.arithmetic_assumed import assumed
from pages.parts.arithmetic_costs import costs
from pages.parts.arithmetic_decide import decide
from pages.parts.arithmetic_measured import measured
from pages.parts.arithmetic_published import published
from pages.parts.arithmetic_scenarios import scenario_panel
from pages.parts.panels import page_title

VIEWS = {
    "figures": "Figures",
    "costs": "Costs, a month",
    "decide": "What would change it",
    "measured": "Measured arms",
    "published": "Published runs",
    "scenarios": "Scenarios",
}

HELP = (
    "Figures, costs and what would change the decision follow from the inputs above. Measured arms "
    "and published runs bring numbers for them. Scenarios keeps inputs under a name."
)

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
    found = inputs.scenario_from_boxes(texts, critic_row)

if found is not None:
    with top:
        panels.message(found, example)
    with first:
        panels.yardsticks(found.sheet, example)
    with picture:
        panels.picture(found.sheet)
else:
    with top:
        inputs.problem()

view = state.pick(
    "view", "Look at", list(VIEWS), show=VIEWS.__getitem__, widget=st.segmented_control,
    required=True, help=HELP,
)  # fmt: skip
if view == "measured":
    measured(panels.cap_of(found), texts, example)
elif view == "published":
    published(texts)
elif found is None:
    st.stop()
elif view == "costs":
    costs(found)
elif view == "decide":
    decide(found)
elif view == "scenarios":
    scenario_panel(found, texts)
else:
    panels.figures(found.sheet, example)
    panels.tries(found.sheet)
    panels.rounds(found.sheet, example)
if found is not None:
    assumed(found.sheet)
