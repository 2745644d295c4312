"""A run at a glance: exits and rounds, paths of scores counted, and trace by trace to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.charts_traces import Binned, PathPanel, binned_paths, path_panels
from core.loop.score_paths import PathFacts, counted_paths, path_facts
from core.loop.summary import Summary
from core.store.store import Project
from core.store.trace_sources import Grid
from core.wording import plural
from pages.parts import state
from pages.parts import trace_panels as panels
from pages.parts.panels import small
from pages.parts.sight import hidden_trace_ids
from pages.parts.trace_from import EVERYTHING, narrowed, pick_source, rounds_of
from pages.parts.trace_list import YES_NO, filters, kept
from pages.parts.trace_panels import TraceNumbers
from pages.parts.workspace import version

A_PAGE = 24
LISTED = 1_000
SORTS = {
    "stored": "As they came",
    "rounds": "Most rounds first",
    "calls": "Most calls first",
    "low": "Lowest last score first",
    "gain": "Largest gain first",
    "fall": "Largest fall first",
}


def overview(project: Project, everything: TraceNumbers) -> None:
    """Draw what a run came to, the paths of its scores, and its traces."""
    key = EVERYTHING
    left, _ = st.columns(2)
    with left:
        key = pick_source(project)
    found = narrowed(project.id, project.revision, key, everything)
    panels.headline(found)
    _exits(found)
    _paths(project, key)
    panels.check_against_labels(found)
    panels.loop_against_retry(found)
    panels.arms_table(found)
    panels.shapes_table(found)
    _traces(project, key, found)


def _exits(found: TraceNumbers) -> None:
    st.subheader("Exits, by the round they came in", anchor=False)
    counts = Counter((exit_of(s), s.rounds) for s in found.summaries)
    rounds = sorted({n for _, n in counts})
    st.dataframe(
        [
            {
                "Exit": exit,
                **{f"Round {n}": f"{counts[exit, n]:,}" if counts[exit, n] else "" for n in rounds},
                "All": f"{sum(counts[exit, n] for n in rounds):,}",
            }
            for exit in dict.fromkeys(e for e, _ in counts)
        ],
        hide_index=True,
        alt="How many traces ended by each exit after how many drafts.",
    )


def exit_of(s: Summary) -> str:
    """Return the exit of a trace in a word."""
    return "not recorded" if s.exit is None else s.exit.value


@st.cache_resource(max_entries=12, show_spinner=False)
def _binned(
    project_id: int, revision: int, key: str, _found: TraceNumbers
) -> tuple[list[Binned], float | None]:
    grid = rounds_of(project_id, revision, key)
    exits = {s.trace_id: exit_of(s) for s in _found.summaries}
    groups = [exits.get(name, "not recorded") for name in grid.trace_ids]
    cells, width = counted_paths(groups, grid.number, grid.score)
    return [Binned(c.group, c.round, round(c.score, 6), c.n) for c in cells], width


def _paths(project: Project, key: str) -> None:
    found = narrowed(project.id, project.revision, key, panels.numbers(project))
    cells, width = _binned(project.id, project.revision, key, found)
    if not cells:
        return
    st.subheader("Scores round by round, by exit", anchor=False)
    order = list(dict.fromkeys(exit_of(s) for s in found.summaries))
    shown = [group for group in order if any(c.group == group for c in cells)]
    charts = binned_paths(cells, shown)
    with st.container(horizontal=True):
        for group, chart in zip(shown, charts, strict=True):
            said = "; ".join(
                f"round {c.round}, score {c.score:g}: {c.n:,}" for c in cells if c.group == group
            )
            st.altair_chart(chart, width="content", alt=f"Traces that ended in {group}. {said}")
    bins = "" if width is None else f" Scores are put into bins of {width:g}, named by their start."
    small(
        f"All {plural(len(found.summaries), 'trace')} are in it: each number counts those that have "
        f"that score in that round.{bins}"
    )


# --- trace by trace --------------------------------------------------------------------------


@st.cache_resource(max_entries=12, show_spinner=False)
def facts(project_id: int, revision: int, key: str) -> tuple[PathFacts, dict[str, int]]:
    """Return what traces are ordered by, and the row of each trace in their grid."""
    grid = rounds_of(project_id, revision, key)
    return path_facts(grid.score), {name: i for i, name in enumerate(grid.trace_ids)}


def scores_of(grid: Grid, row: int) -> list[tuple[int, float | None]]:
    """Return the scores of one trace, (round, score or None) for every recorded round."""
    return [
        (int(n), None if np.isnan(score) else float(score))
        for n, score in zip(grid.number[row], grid.score[row], strict=True)
        if n > 0
    ]


def in_a_row(scores: Sequence[tuple[int, float | None]]) -> str:
    """Return scores as text: "1 › 2 › 3", a dash where a round has none."""
    return " › ".join("–" if score is None else f"{score:.6g}" for _, score in scores)


def _traces(project: Project, key: str, found: TraceNumbers) -> None:
    st.subheader("Trace by trace", anchor=False)
    hidden = hidden_trace_ids(project, version(project))
    wanted = filters(found)
    left = [s for s in found.summaries if kept(s, wanted) and s.trace_id not in hidden]
    if hidden:
        small(f"{plural(len(hidden), 'trace')} hidden until you have labelled their text.")
    if not left:
        st.caption("No trace is like that. Widen the filters.")
        return
    grid = rounds_of(project.id, project.revision, key)
    by, row_of = facts(project.id, project.revision, key)
    one, two = st.columns([1, 2], vertical_alignment="bottom")
    with one:
        sort = state.pick("sort", "Order", list(SORTS), show=SORTS.__getitem__) or "stored"
    left = _sorted(left, sort, by, row_of)
    pages = -(-len(left) // A_PAGE)
    asked = state.get("page", "1") or "1"
    page = min(max(int(asked), 1), pages) if asked.isdigit() else 1
    with two, st.container(horizontal=True, vertical_alignment="center"):
        for name, to in (("Previous page", page - 1), ("Next page", page + 1)):
            st.button(
                name, key=f"traces.page.{name}", disabled=not 1 <= to <= pages,
                on_click=state.put, args=("page", str(to)),
            )  # fmt: skip
        shown = left[(page - 1) * A_PAGE : page * A_PAGE]
        start = (page - 1) * A_PAGE + 1
        small(f"{start:,}–{start + len(shown) - 1:,} of {plural(len(left), 'trace')} in pictures")
    _pictures(shown, grid, row_of)
    _table(left, grid, row_of)


def _sorted(some: list[Summary], sort: str, by: PathFacts, row_of: dict[str, int]) -> list[Summary]:
    if sort == "stored":
        return some
    if sort in ("rounds", "calls"):
        return sorted(some, key=lambda s: -int(getattr(s, sort)))
    values, sign = {"low": (by.last, 1), "gain": (by.gain, -1), "fall": (by.fall, -1)}[sort]

    def place(s: Summary) -> float:
        at = row_of.get(s.trace_id)
        value = np.nan if at is None else values[at]
        return float("inf") if np.isnan(value) else sign * float(value)

    return sorted(some, key=place)


def _pictures(shown: Sequence[Summary], grid: Grid, row_of: dict[str, int]) -> None:
    made = []
    for s in shown:
        scores = scores_of(grid, row_of[s.trace_id]) if s.trace_id in row_of else []
        note = exit_of(s) + (
            {True: " ✓ good", False: " ✕ bad"}.get(s.good, "") if s.accepted else ""
        )
        made.append(PathPanel(f"{s.sample_id} · {s.arm.value}", note, [(s.trace_id, scores)]))
    top = float(np.nanmax(grid.score)) if not np.isnan(grid.score).all() else 1.0
    st.html(path_panels(made, max(1, int(grid.number.max(initial=1))), top or 1.0))


def _table(left: Sequence[Summary], grid: Grid, row_of: dict[str, int]) -> None:
    rows = left[:LISTED]
    key = f"traces.all.{hash(tuple(s.trace_id for s in rows))}"

    def picked() -> None:
        at = st.session_state[key].selection.rows
        if at:
            state.put("trace", rows[at[0]].trace_id)
            state.put("round", None)
            state.put("view", "replay")

    st.dataframe(
        [
            {
                "Trace": s.trace_id,
                "Sample": s.sample_id,
                "Arm": s.arm.value,
                "Exit": exit_of(s),
                "Accepted": YES_NO[s.accepted],
                "Label": {True: "✓ good", False: "✕ bad", None: "–"}[s.good],
                "Rounds": s.rounds,
                "Calls": s.calls,
                "Scores": in_a_row(scores_of(grid, row_of[s.trace_id]))
                if s.trace_id in row_of
                else "",
            }
            for s in rows
        ],
        hide_index=True,
        height=280,
        key=key,
        on_select=picked,
        selection_mode="single-row",
        alt="The traces that fit the filters, one a row.",
    )
    more = f" The first {LISTED:,} of {len(left):,} are listed." if len(left) > LISTED else ""
    small(f"Choose a row to replay it; choose a heading to sort.{more}")
