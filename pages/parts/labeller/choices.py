"""What to label: one criterion or all at once, and which outputs; the choice is in the address."""

from __future__ import annotations

import streamlit as st

from core.labelling.filters import Filter
from core.store.contracts import Version
from core.verdict import OVERALL
from core.wording import criterion_name
from pages.parts import state
from pages.parts.labeller.feed import Asked, question

ASKING = {"one": "One criterion", "all": "All criteria"}
LISTS = {
    Filter.ALL: "All outputs",
    Filter.UNLABELLED: "Unlabelled",
    Filter.DEFERRED: "Deferred",
    Filter.UNSURE: "Unsure",
    Filter.STALE: "Wording changed",
    Filter.DISAGREED: "Others disagree",
    Filter.LOOPS: "From loop runs",
}


def choose(current: Version | None) -> Asked:
    """Draw the choices into the row that is open and return what is asked of the reviewer."""
    contract = current.contract if current else None
    criteria = list(contract.keys) if contract else []
    asking = None
    if len(criteria) > 1:
        asking = state.pick(
            "asking", "How many criteria", list(ASKING), show=ASKING.__getitem__,
            widget=st.radio, horizontal=True, label_visibility="collapsed",
        )  # fmt: skip
    if asking == "all":
        keys = criteria
    else:
        chosen = state.pick(
            "criterion", "Criterion", [*criteria, OVERALL], show=criterion_name,
            label_visibility="collapsed", width=200,
        )  # fmt: skip
        keys = [chosen or OVERALL]
    which = state.pick(
        "list", "Which outputs", [str(one) for one in Filter], show=lambda one: LISTS[Filter(one)],
        label_visibility="collapsed", width=150,
        help="Told from your own labels. Others disagree: only where you have labelled already.",
    )  # fmt: skip
    return Asked(tuple(question(contract, key) for key in keys), Filter(which or Filter.ALL))
