"""Two runs side by side: the same samples aligned, what each accepted, and every pair of paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from core.charts_traces import PathPanel, path_panels
from core.loop.summary import Summary, paired
from core.statistics.interval import Undefined
from core.store.store import Project
from core.wording import plural
from pages.parts import state
from pages.parts.panels import small
from pages.parts.shell import page_at
from pages.parts.sight import hidden_trace_ids
from pages.parts.trace_from import name_of, narrowed, rounds_of, say_scripted, sources
from pages.parts.trace_overview import exit_of, facts, in_a_row, scores_of
from pages.parts.trace_panels import ARMS, TraceNumbers, points, tested
from pages.parts.workspace import version

Pair = tuple[Summary, Summary]
PANELS, LISTED = 12, 1_000
KINDS = {
    "first": "Only the first accepted",
    "second": "Only the second accepted",
    "differ": "End differently",
    "all": "All",
}


def compare_view(project: Project, everything: TraceNumbers) -> None:
    """Draw the choice of two sources, what both came to, and their samples aligned."""
    known = sources(project.id, project.revision)
    if len(known) < 2:
        _second_run()
        return
    left, right = st.columns(2)
    with left:
        first = state.pick("from", "First", list(known), show=lambda k: name_of(known, k))
    others = [k for k in known if k != first]
    with right:
        second = state.pick("beside", "Second", others, show=lambda k: name_of(known, k))
    if first is None or second is None:
        return
    say_scripted([known[first], known[second]])
    one = narrowed(project.id, project.revision, first, everything)
    two = narrowed(project.id, project.revision, second, everything)
    pairs, alone, repeated = aligned(one.summaries, two.summaries)
    if not pairs:
        st.text("The two share no sample and trial: there is nothing to align.")
        return
    with st.container(border=True):
        for line in said(pairs):
            st.text(line)
    left_out = [(alone, "traces without a partner"), (repeated, "that share sample, trial and arm")]
    if gone := "; ".join(f"{n:,} {what}" for n, what in left_out if n):
        small(f"Left out: {gone}.")
    _totals(pairs)
    hidden = hidden_trace_ids(project, version(project))
    seen = [p for p in pairs if p[0].trace_id not in hidden and p[1].trace_id not in hidden]
    if len(seen) < len(pairs):
        small(f"{plural(len(pairs) - len(seen), 'pair')} hidden until you have labelled the text.")
    _pairs(project, first, second, seen)


def _second_run() -> None:
    """Say that one run is no comparison, with the two ways to another one."""
    with st.container(border=True):
        st.text("There is one run here. Run a second loop, or import the traces of another.")
        with st.container(horizontal=True):
            if st.button("Run a second loop", type="primary", key="traces.second"):
                state.put_view("loop", "run")
                st.switch_page(page_at("loop"))
            st.button(
                "Import traces", key="traces.second.import", on_click=state.put,
                args=("view", "import"),
            )  # fmt: skip


def aligned(one: Sequence[Summary], two: Sequence[Summary]) -> tuple[list[Pair], int, int]:
    """Return pairs of one sample, trial and arm, how many have no partner, how many are repeated.

    Where the two have no arm in common (loops in one run, retries in the other), whatever the arm.
    """
    by: dict[tuple[str, str, str], tuple[list[Summary], list[Summary]]] = defaultdict(
        lambda: ([], [])
    )
    across = not {s.arm for s in one} & {s.arm for s in two}
    for at, some in enumerate((one, two)):
        for s in some:
            by[s.sample_id, s.trial, "" if across else s.arm.value][at].append(s)
    pairs, alone, repeated = [], 0, 0
    for a, b in by.values():
        if len(a) > 1 or len(b) > 1:
            repeated += len(a) + len(b)
        elif a and b:
            pairs.append((a[0], b[0]))
        else:
            alone += 1
    return pairs, alone, repeated


def said(pairs: Sequence[Pair]) -> list[str]:
    """Say which of two runs accepted more on the same samples, with the interval."""
    known = [(a, b) for a, b in pairs if a.accepted is not None and b.accepted is not None]
    lines = [f"{plural(len(pairs), 'trace')} of each run are aligned by sample, trial and arm."]
    first, second = pairs[0]
    if first.arm is not second.arm:
        lines = [
            f"{plural(len(pairs), 'trace')} of each run are aligned by sample and trial: "
            f"{ARMS[first.arm].lower()} first, {ARMS[second.arm].lower()} second."
        ]
    if len(known) < len(pairs):
        lines[0] += f" {len(pairs) - len(known):,} pairs lack an outcome and are not compared."
    if not known:
        return lines
    # Loop and retries of one sample share a first draft: each arm is compared by itself.
    arms = list(dict.fromkeys(a.arm for a, _ in known))
    for arm in arms:
        mine = _said_of([p for p in known if p[0].arm is arm])
        many = len(arms) > 1
        lines += [f"{ARMS[arm]}: {s}" if many else s[0].upper() + s[1:] for s in mine]
    return lines


def _said_of(known: Sequence[Pair]) -> list[str]:
    found = paired(known)
    lines = [
        f"accepted {found.first:,} and {found.second:,} of {len(known):,}; both {found.both:,}, "
        f"only the first {found.first_only:,}, only the second {found.second_only:,}, neither "
        f"{found.neither:,}."
    ]
    if isinstance(found.difference, Undefined):
        lines.append(f"not tested: {found.difference.reason}.")
    else:
        word = {1: "the first accepts more", 2: "the second accepts more", None: "can't tell"}
        lines.append(
            f"{word[found.winner]}. Difference {points(found.difference)}; {tested(found)}."
        )
    return lines


def _totals(pairs: Sequence[Pair]) -> None:
    rows = []
    for at, title in enumerate(("First", "Second")):
        some = [pair[at] for pair in pairs]
        yes = [s for s in some if s.accepted]
        rows.append(
            {
                "": title,
                "Accepted": f"{len(yes):,} of {len(some):,}",
                "right": sum(s.good is True for s in yes),
                "wrong": sum(s.good is False for s in yes),
                "no gold label": sum(s.good is None for s in yes),
                "Rounds": sum(s.rounds for s in some),
                "Calls": sum(s.calls for s in some),
            }
        )
    st.dataframe(rows, hide_index=True, alt="What both runs came to over the aligned traces.")


def _fits(pair: Pair, kind: str) -> bool:
    a, b = pair
    return {
        "first": a.accepted is True and b.accepted is False,
        "second": a.accepted is False and b.accepted is True,
        "differ": (exit_of(a), a.rounds) != (exit_of(b), b.rounds),
    }.get(kind, True)


def _pairs(project: Project, first: str, second: str, seen: list[Pair]) -> None:
    counts = {k: sum(_fits(p, k) for p in seen) for k in KINDS}
    kind = state.pick(
        "aligned", "Samples", [k for k in KINDS if counts[k] or k == "all"],
        show=lambda k: f"{KINDS[k]} ({counts[k]:,})", widget=st.segmented_control, required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    rows = [p for p in seen if _fits(p, kind or "all")]
    if not rows:
        return
    grids = [rounds_of(project.id, project.revision, k) for k in (first, second)]
    places = [facts(project.id, project.revision, k)[1] for k in (first, second)]

    def scores(pair: Pair, at: int) -> list[tuple[int, float | None]]:
        row = places[at].get(pair[at].trace_id)
        return [] if row is None else scores_of(grids[at], row)

    made = [
        PathPanel(
            f"{p[0].sample_id} · {p[0].arm.value}",
            f"{exit_of(p[0])} | {exit_of(p[1])}",
            [("first", scores(p, 0)), ("second", scores(p, 1))],
        )
        for p in rows[:PANELS]
    ]
    known = [g.score for g in grids if not np.isnan(g.score).all()]
    top = max((float(np.nanmax(s)) for s in known), default=1.0)
    st.html(path_panels(made, max(int(g.number.max(initial=1)) for g in grids), top or 1.0))
    small(
        f"First run: solid with dots. Second: dashed with squares. {min(PANELS, len(rows)):,} of "
        f"{plural(len(rows), 'pair')} are drawn, the first of the table."
    )
    _table(rows, scores)


def _table(
    rows: Sequence[Pair], scores: Callable[[Pair, int], Sequence[tuple[int, float | None]]]
) -> None:
    key = f"traces.pairs.{len(rows)}.{rows[0][0].trace_id}.{rows[0][1].trace_id}"
    shown = rows[:LISTED]

    def picked() -> None:
        cells = st.session_state[key].selection.cells
        if cells:
            row, column = cells[0]
            state.put("trace", shown[row][1 if column.endswith("2") else 0].trace_id)
            state.put("round", None)
            state.put("view", "replay")

    st.dataframe(
        [
            {
                "Sample": p[0].sample_id,
                "Arm": p[0].arm.value,
                **{
                    f"{name} {at + 1}": value
                    for name, get in _COLUMNS.items()
                    for at in (0, 1)
                    for value in (get(p[at]),)
                },
                "Scores 1": in_a_row(scores(p, 0)),
                "Scores 2": in_a_row(scores(p, 1)),
            }
            for p in shown
        ],
        hide_index=True, height=320, key=key, on_select=picked, selection_mode="single-cell",
        alt="Aligned samples, one a row, both runs beside each other.",
    )  # fmt: skip
    more = f" The first {LISTED:,} of {len(rows):,} are listed." if len(rows) > LISTED else ""
    small(f"Choose a cell to replay that run's trace; columns ending in 2 are the second's.{more}")


_COLUMNS = {
    "Exit": exit_of,
    "Label": lambda s: {True: "✓ good", False: "✕ bad", None: "–"}[s.good],
    "Rounds": lambda s: s.rounds,
    "Calls": lambda s: s.calls,
}
