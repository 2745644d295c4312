"""Calibration records, looks at the test part, and drift of a judge on a frozen anchor set."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.charts import RateRow
from core.charts_agreement import history_charts
from core.statistics.confusion import count
from core.store import anchors as a
from core.store.calibrations import records, record_calibration
from core.store.contracts import Version
from core.store.judgements import JudgeKind, judges
from core.verdict import OVERALL
from core.wording import count_of, criterion_name, plural, rate
from core.wording_agreement import FAR, FRR, drift_line
from pages.parts import state
from pages.parts.agreement_numbers import View, changed_since
from pages.parts.agreement_panels import marks, side_by_side
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.reviewer import named
from pages.parts.workspace import store


def record_view(view: View) -> None:
    """Draw the records of the judge in view, then its drift."""
    if view.version is None or view.judge is None:
        small("There is no contract yet: a record belongs to one of its versions.")
        return
    _records(view, view.version, view.judge)
    _drift(view, view.version, view.judge)


def _who() -> str:
    return named() or "somebody"


def _records(view: View, version: Version, judge: int) -> None:
    st.subheader("Calibration record", anchor=False)
    st.caption(
        "What the judge's rates on whole outputs were, on which labels, and when. The contract's "
        "page and the first page show the newest; it says so when labels, judge or contract change."
    )
    st.button(
        f"Record for version {version.number} now", key="agreement.record", type="primary",
        on_click=_record, args=(view, version, judge),
    )  # fmt: skip
    found = records(store(), view.project.id, judge=judge)
    if not found:
        small("Nothing recorded yet.")
        return
    rows = []
    for one in found:
        changed = changed_since(view.project, one, version)
        rows.append(
            {
                "When (UTC)": one.at[:16].replace("T", " "),
                "Version": one.number,
                "Part": one.part or "all",
                "n": one.n,
                "False accepts": rate(one.false_accept_rate),
                "of bad": count_of(one.false_accept_rate),
                "False rejects": rate(one.false_reject_rate),
                "of good": count_of(one.false_reject_rate),
                "By": one.who,
                "Holds": "yes" if not changed else f"out of date: {'; '.join(changed)}",
                "Labels": one.data_hash[:8],
                "Judge": one.judge_hash[:8],
            }
        )
    st.dataframe(rows, hide_index=True)


@guarded
def _record(view: View, version: Version, judge: int) -> None:
    record_calibration(
        store(), view.project.id, version, judge, _who(), chosen=view.chosen, part=view.part
    )


def _drift(view: View, version: Version, judge: int) -> None:
    st.subheader("Drift", anchor=False)
    st.caption(
        "The same outputs, judged again: only that tells a judge that changed from inputs that did. "
        "Freeze a set once, have it judged again later, and take a reading each time."
    )
    if any(
        one.id == judge and one.kind is JudgeKind.RECORDED
        for one in judges(store(), view.project.id)
    ):
        small(
            "This judge's verdicts were imported, so it is judged again where it runs: import its "
            "new verdicts under the same name, then take the next reading."
        )
    sets = {str(one.id): one for one in a.anchor_sets(store(), view.project.id)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name of a new set", "Anchor set", key="anchor.name", width=220)
        st.number_input(
            "Outputs, drawn at random", 1, 100_000, 100, key="anchor.size", width=240,
            help="From those with a gold label and a verdict of this judge.",
        )  # fmt: skip
        st.button("Freeze", key="anchor.freeze", on_click=_freeze, args=(view,))
    if not sets:
        small("No set is frozen yet.")
        return
    chosen = state.pick(
        "anchor", "Anchor set", list(sets), width=320,
        show=lambda k: f"{sets[k].name} ({plural(len(sets[k].outputs), 'output')})",
    )  # fmt: skip
    one = sets[chosen or next(iter(sets))]
    st.button(
        "Take a reading now", key="anchor.read", on_click=_read, args=(view, one, version, judge)
    )
    found = [r for r in a.readings(store(), one) if r.judge_id == judge]
    if not found:
        small("This judge has no reading on this set.")
        return
    _history(view, one, found)


@guarded
def _freeze(view: View) -> None:
    results = view.counted.results
    both = (results.gold[OVERALL] >= 0) & (results.judge[OVERALL] >= 0)
    ids = results.outputs[both]
    size = min(int(st.session_state["anchor.size"]), len(ids))
    drawn = np.random.default_rng(view.project.id).permutation(ids)[:size]
    made = a.freeze(
        store(), view.project.id, st.session_state["anchor.name"], [int(i) for i in drawn], _who()
    )
    state.put("anchor", str(made.id))


@guarded
def _read(view: View, one: a.AnchorSet, version: Version, judge: int) -> None:
    a.take_reading(store(), view.project.id, one, version, judge, _who())


def _history(view: View, one: a.AnchorSet, found: list[a.Reading]) -> None:
    """Draw the readings as they came, and the paired test of the last against the first."""
    results = view.counted.results
    wanted = a.gold_of(results, one, view.key)
    rows, points = [], []
    for reading in found:
        c = count(wanted, reading.said(view.key, len(one.outputs)))
        at = reading.at[:16].replace("T", " ")
        rows.append(
            {
                "When (UTC)": at,
                FAR: rate(c.false_accept_rate),
                "of bad": count_of(c.false_accept_rate),
                FRR: rate(c.false_reject_rate),
                "of good": count_of(c.false_reject_rate),
                "Unscored": c.unscored,
                "By": reading.who,
            }
        )
        points += [
            (at, RateRow(at, FAR, c.false_accept_rate)),
            (at, RateRow(at, FRR, c.false_reject_rate)),
        ]
    st.text(criterion_name(view.key))
    if len(found) > 1:
        first, last = found[0], found[-1]
        pairs = a.compare(results, one, first, last, view.key)
        st.text(f"First against last: {drift_line(pairs, a.judged_anew(first, last))}")
        if len(found) > 2:
            before = found[-2]
            pairs = a.compare(results, one, before, last, view.key)
            st.text(f"Last but one against last: {drift_line(pairs, a.judged_anew(before, last))}")
        side_by_side(
            [one.to_dict() for one in history_charts(points, dict(marks(view)))],
            "Both rates on the anchor set at each reading; the table below holds the numbers.",
            first=1,
        )
    else:
        small("One reading: have the set judged again, then take another.")
    st.dataframe(rows, hide_index=True)
