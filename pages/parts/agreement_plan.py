"""The true pass rate behind the verdicts, how many labels are needed, and which to make next."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.errors import InputError
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN
from core.statistics.interval import ClusteredEstimate, Estimate, Result, Undefined
from core.statistics.planning import labels_for_limit, labels_for_width, outlook
from core.store.measured import corrected
from core.wording import criterion_name, percent, read_share, share_text
from core.wording_agreement import (
    FAR,
    FRR,
    cluster_line,
    next_line,
    outlook_line,
    pass_rate_lines,
    plan_line,
)
from pages.parts import state
from pages.parts.agreement_numbers import View
from pages.parts.agreement_top import ask_chosen
from pages.parts.panels import small
from pages.parts.shell import page_at

NEXT = 20
LIVE = "300ms"
AIMS = {"limit": "Show a limit to hold", "width": "Reach a width of the interval"}


def pass_rate_lines_of(view: View) -> list[str]:
    """Return the true pass rate in words, as the answer about sampling allows it."""
    found, judged = corrected(view.counted.results, view.key, view.chosen)
    lines = pass_rate_lines(found, judged)
    if view.chosen == "elsewhere" and isinstance(found.corrected, Estimate):
        lines[0] = (
            f"Good share of the {judged:,} judged outputs without a label: "
            f"{lines[0].split(': ', 1)[1]} It assumes that the judge errs there as often as on the "
            "labelled ones."
        )
    if view.cells.by_cluster is not None and isinstance(found.corrected, Estimate):
        lines.append("Some outputs share a sample: these intervals allow for it.")
    return lines


def pass_rate_view(view: View) -> None:
    """Ask how labels were chosen, then draw the corrected good share and the labels-only one."""
    st.subheader(f"How many are really good · {criterion_name(view.key)}", anchor=False)
    ask_chosen(view)
    for line in pass_rate_lines_of(view):
        st.text(line)
    passed = view.counted.results.judge[view.key]
    n = int(np.count_nonzero(passed != MISSING))
    if n:
        k = int(np.count_nonzero(passed == PASS))
        small(f"The judge itself passes {k:,} of {n:,} ({percent(k / n)}): not corrected.")


def plan_view(view: View) -> None:
    """Draw what labels would bring: for a limit or width, the next twenty, and which to make."""
    st.subheader("How many labels", anchor=False)
    columns = st.columns(2, gap="large")
    for column, name, result, limit, kind, share in (
        (columns[0], FAR, view.rates.false_accept_rate, view.limits[0], "bad", _share(view, False)),
        (columns[1], FRR, view.rates.false_reject_rate, view.limits[1], "good", _share(view, True)),
    ):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{name}**")
            _plan(name, result, limit, kind, share)
    st.subheader("What the next labels would bring", anchor=False)
    for line in outlook_lines(view):
        st.text(line)
    st.subheader("Which outputs next", anchor=False)
    st.text(next_words(view))
    if (said := cluster_line(view.cells)) is not None:
        small(f"{said} Outputs of new samples teach more than more outputs of these.")
    if st.button("Set up the queue", key="agreement.queue"):
        state.put_view("label", "queue")
        st.switch_page(page_at("label"))


def _share(view: View, good: bool) -> float:
    """Return how common good (or bad) outputs are: as measured, one half where nothing is known."""
    c = view.cells
    return ((c.good if good else c.bad) + 0.5) / (c.n + 1)


def _deff(result: Result) -> float:
    return result.deff if isinstance(result, ClusteredEstimate) else 1.0


def _plan(name: str, result: Result, limit: float | None, kind: str, share: float) -> None:
    key = f"plan.{kind}"
    aim = st.selectbox("Aim", list(AIMS), format_func=AIMS.__getitem__, key=f"{key}.aim")
    default = share_text(limit or 0.1) if aim == "limit" else "10 %"
    target = st.text_input(
        "Limit" if aim == "limit" else "Width, from end to end", default, key=f"{key}.{aim}",
        live=LIVE,
    )  # fmt: skip
    measured = result.value if isinstance(result, Estimate) else (limit or 0.1) / 2
    known = isinstance(result, Estimate)
    guess = st.text_input(
        f"True rate, {'as measured' if known else 'a guess'}", share_text(round(measured, 4)),
        key=f"{key}.guess.{measured}", live=LIVE,
    )  # fmt: skip
    try:
        aimed, note = read_share("Limit" if aim == "limit" else "Width", target)
        rate, also = read_share("True rate", guess)
        make = labels_for_limit if aim == "limit" else labels_for_width
        found = make(aimed, rate, kind=share, deff=_deff(result))
    except InputError as error:
        st.text(f"✕ {error}")
        return
    small(*[text for text in (note, also) if text])
    st.text(plan_line(found, kind, share))
    if not isinstance(found, Undefined) and isinstance(result, Estimate) and result.k is not None:
        small(f"{result.n:,} {kind} ones are labelled so far.")


def outlook_lines(view: View) -> list[str]:
    """Return what the next labels are expected to bring for both rates, in words."""
    lines = []
    for name, result, limit, good in (
        (FAR, view.cells.false_accept_rate, view.limits[0], False),
        (FRR, view.cells.false_reject_rate, view.limits[1], True),
    ):
        found = outlook(
            result.k or 0, result.n, NEXT, kind=_share(view, good), limit=limit or None,
            deff=_deff(result),
        )  # fmt: skip
        lines.append(outlook_line(found, NEXT, name))
    return lines


def next_words(view: View) -> str:
    """Say which outputs to label next, by what the judge said of those without a label."""
    results = view.counted.results
    gold, judge = results.gold[view.key], results.judge[view.key]
    counts = [
        (what, int(np.count_nonzero((gold == MISSING) & (judge == code))))
        for what, code in (
            ("passed", PASS), ("failed", FAIL), ("UNKNOWN", UNKNOWN), ("not judged", MISSING),
        )
    ]  # fmt: skip
    open_ = [
        limit is None or not isinstance(one, Estimate) or one.low <= limit < one.high
        for one, limit in zip(
            (view.rates.false_accept_rate, view.rates.false_reject_rate), view.limits, strict=True
        )
    ]
    return next_line(counts, *open_)
