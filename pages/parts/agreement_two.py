"""Two judges on the same outputs: paired tables, tests, shared errors, and what each costs."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.statistics.comparison import Paired, TwoJudges, two_judges
from core.statistics.confusion import FAIL, MISSING, PASS
from core.store.judge_costs import judge_cost
from core.store.judgements import JudgeKind, judges
from core.store.results import Results
from core.wording import criterion_name
from core.wording_agreement import compared, cost_line, paired_clusters_line, shared_line
from pages.parts import state
from pages.parts.agreement_numbers import View
from pages.parts.agreement_panels import one_case
from pages.parts.panels import small
from pages.parts.sight import say_hidden, sight
from pages.parts.workspace import store

WRONG = {"both": "Both wrong", "first": "Only the first wrong", "second": "Only the second wrong"}


def two_view(view: View) -> None:
    """Draw the judge in view against another one on the criterion in view."""
    known = [j for j in judges(store(), view.project.id) if j.id != view.judge and j.outputs]
    # The code checks speak of few criteria: another judge comes first.
    others = {str(j.id): j for j in sorted(known, key=lambda j: j.kind is JudgeKind.CODE)}
    if not others:
        small("There is no second judge: import its verdicts or run it on the Judge page.")
        return
    other = state.pick("other", "Against", list(others), show=lambda k: others[k].name, width=260)
    assert other is not None
    first, second = view.counted.results, view.other(int(other))
    names = view.name, others[other].name
    found = two_judges(
        first.gold[view.key], first.judge[view.key], second.judge[view.key], first.clusters
    )
    st.subheader(f"{names[0]} and {names[1]}", anchor=False)
    for line in two_lines(view, found, names, int(other)):
        st.text(line)
    for title, pairs, right in (
        ("Bad outputs", found.bad, "rejected"),
        ("Good outputs", found.good, "passed"),
    ):
        _table(title, pairs, names, right)
    if (shared := paired_clusters_line(found.right)) is not None:
        small(shared)
    if found.left_out or found.unlabelled:
        small(
            f"Left out: {found.left_out:,} outputs without a verdict of one of the two; "
            f"{found.unlabelled:,} both judged have no gold label."
        )
    _read(view, first, second, int(other))


def two_lines(view: View, found: TwoJudges, names: tuple[str, str], other: int) -> list[str]:
    """Return the comparison in words."""
    first, second = names
    if not found.right.n:
        return [
            f"No output has a gold label on {criterion_name(view.key)} and a verdict of both judges."
        ]
    lines = [
        compared(found.right, first, second, "Right"),
        compared(found.bad, first, second, "Bad outputs rejected"),
        compared(found.good, first, second, "Good outputs passed"),
        shared_line(found.shared_errors),
    ]
    for judge, name in ((view.judge, first), (other, second)):
        cost = None if judge is None else judge_cost(store(), judge)
        per = None if cost is None else cost.per_thousand
        lines.append(cost_line(name, per, cost is not None and cost.usd is None))
    return lines


def _table(title: str, pairs: Paired, names: tuple[str, str], right: str) -> None:
    small(f"{title}. Rows: {names[0]}, columns: {names[1]}.")
    if not pairs.n:
        small("None was judged by both.")
        return
    yes, no = right.capitalize(), f"Not {right}"
    st.dataframe(
        [
            {"": yes, yes: pairs.both, no: pairs.first_only},
            {"": no, yes: pairs.second_only, no: pairs.neither},
        ],
        hide_index=True,
    )


def _read(view: View, first: Results, second: Results, other: int) -> None:
    """Draw the outputs both got wrong, or only one of them, one at a time."""
    gold, a, b = first.gold[view.key], first.judge[view.key], second.judge[view.key]
    scored = np.isin(gold, (PASS, FAIL)) & (a != MISSING) & (b != MISSING)
    one, two = (a == PASS) != (gold == PASS), (b == PASS) != (gold == PASS)
    masks = {"both": one & two, "first": one & ~two, "second": two & ~one}
    lists = {k: [int(i) for i in first.outputs[scored & mask]] for k, mask in masks.items()}
    which = state.pick(
        "panel", "Read", list(WRONG), width=300, show=lambda k: f"{WRONG[k]} ({len(lists[k])})"
    )
    ids = lists[which or "both"]
    hidden = sight(view.project, view.version)
    if hidden is not None:
        everything, ids = ids, hidden.shown(view.key, ids)
        say_hidden(view.project, hidden, len(everything) - len(ids), "output", "two")
    if not ids:
        small("None to read.")
        return
    shown = state.get("output")
    at = ids.index(int(shown)) if shown and shown.isdigit() and int(shown) in ids else 0
    with st.container(horizontal=True, vertical_alignment="center"):
        for text, shortcut, to in (("Previous", "Left", at - 1), ("Next", "Right", at + 1)):
            st.button(
                text, key=f"two.{text}", disabled=not 0 <= to < len(ids), shortcut=shortcut,
                on_click=state.put, args=("output", str(ids[min(max(to, 0), len(ids) - 1)])),
            )  # fmt: skip
        st.caption(f"{at + 1} of {len(ids)}")
    one_case(view, ids[at], hidden, other)
