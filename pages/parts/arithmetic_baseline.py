"""Recording a measured baseline on the contract version, and showing the ones recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core.statistics.interval import Undefined
from core.statistics.uncertainty import Input
from core.store.baselines import Numbers, baselines, record_baseline
from core.store.store import Project
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.reviewer import signed_in
from pages.parts.workspace import store, version

if TYPE_CHECKING:
    from pages.parts.arithmetic_arms import Report


def numbers_of(report: Report) -> Numbers:
    """Return what is recorded: the counts, and how sure the loop is the cheaper arm per good output."""
    from core.statistics.decision import Decision

    cheaper = single = None
    if report.truth is not None:
        cap = max(len(report.arms.loop.by_round), len(report.arms.retry.by_round))
        case = report.truth.case(cap, rho=Input.of(report.likeness))
        if not isinstance(case, Undefined):
            found = Decision(case)
            cheaper, single = found.cheaper(), found.cheaper("single")
    return Numbers.of(report.arms, cheaper=cheaper, cheaper_than_single=single)


def baseline_panel(here: Project, report: Report) -> None:
    """Draw the button that records the baseline, and what was recorded before."""
    current = version(here)
    if current is None:
        small("Save a contract version, and this baseline can be recorded on it.")
        return

    def record() -> None:
        who = signed_in() or state.get("reviewer") or ""
        record_baseline(store(), here.id, current.number, numbers_of(report), author=who)

    st.button(
        f"Record as the baseline of version {current.number}", key="arithmetic.baseline",
        on_click=guarded(record),
        help="Keeps who, when, the numbers and which traces they come from with the contract "
        "version. It goes out of date when traces are added.",
    )  # fmt: skip
    small(*(one.words for one in baselines(store(), here.id)[:5]))
