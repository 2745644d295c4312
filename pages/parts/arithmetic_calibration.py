"""A critic's measured error rates, offered for the boxes of the arithmetic page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.statistics.interval import Result, Undefined
from core.statistics.uncertainty import Input
from core.store.calibrations import newest_rates
from core.store.judgements import JudgeKind, judges
from core.store.store import Project
from core.verdict import OVERALL
from core.wording import count_of, rate, rate_typed
from pages.parts.arithmetic_fields import Texts
from pages.parts.guard import guarded
from pages.parts.numbers import agreement
from pages.parts.panels import small
from pages.parts.workspace import project, store, version


@dataclass(frozen=True)
class Measured:
    """A critic as measured: whose rates, from what, and the two rates."""

    name: str
    far: Result
    frr: Result


def newest_calibration(of: Project) -> Measured | None:
    """Return the newest measured error rates of a model judge of this project, or None.

    The newest calibration record; without one what is measured now, on whole outputs against gold
    under the newest contract version, of the judge that came last and has both rates.
    """
    record = newest_rates(store(), of.id)
    if record is not None:
        return Measured(
            f"{record.judge}, recorded {record.date}",
            record.false_accept_rate,
            record.false_reject_rate,
        )
    for judge in reversed(judges(store(), of.id)):
        if judge.kind is JudgeKind.CODE:
            continue
        found = agreement(of, version(of), judge.id)[OVERALL]
        both = found.false_accept_rate, found.false_reject_rate
        if not any(isinstance(one, Undefined) for one in both):
            return Measured(judge.name, *both)
    return None


def prefill(texts: Texts, use: Callable[[Texts], None]) -> None:
    """Draw the offer to take over measured rates; nothing where there are none."""
    here = project()
    found = None if here is None else newest_calibration(here)
    if found is None:
        return
    far, frr = Input.of(found.far), Input.of(found.frr)
    if far is None or frr is None:
        return
    into: Texts = {"far": rate_typed(far), "frr": rate_typed(frr)}
    if all(texts[name] == typed for name, typed in into.items()):
        small(f"Measured on this project's labels, judge {found.name}: {_said(found)}.")
        return
    st.button(
        "Use this project's measured error rates", key="arithmetic.prefill",
        on_click=guarded(use), args=(texts | into,),
        help="The judge measured last on this project's labels, with its interval.",
    )  # fmt: skip
    small(f"{found.name}: {_said(found)}.")


def _said(found: Measured) -> str:
    return (
        f"passes bad {rate(found.far)}, {count_of(found.far)}; "
        f"fails good {rate(found.frr)}, {count_of(found.frr)}"
    )
