"""What disagreements between judges and people ask of the contract, on the pages that can act."""

from __future__ import annotations

import streamlit as st

from core.store.contracts import Version
from core.store.store import Project
from core.wording import plural
from core.wording_agreement import todo_line
from pages.parts.agreement_numbers import todo_of


def todo_panel(project: Project, current: Version | None) -> None:
    """Draw the to-do list that reasons of disagreements add up to, if there is one."""
    found = todo_of(project, current)
    if not found:
        return
    n = sum(one.count for one in found)
    with st.expander(f"To do, from {plural(n, 'disagreement')} with the judge"):
        for one in found:
            st.text(todo_line(one))
