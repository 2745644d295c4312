"""Which traces a view is about: all of the project, one file's, or one run's."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.loop.whatif import Paths
from core.loop.stop import Arm
from core.loop.summary import by_arm, compare_arms
from core.store.paths import TraceFilter, paths_of
from core.store.store import Project
from core.store.trace_sources import (
    Grid,
    Source,
    filter_by,
    round_grid,
    source_by_trace,
    sources_of,
)
from core.wording import plural
from pages.parts import collector, state
from pages.parts.panels import small
from pages.parts.trace_panels import TraceNumbers
from pages.parts.trace_replay import SCRIPTED
from pages.parts.workspace import store

EVERYTHING = "all"


@st.cache_resource(max_entries=10, show_spinner=False)
def sources(project_id: int, revision: int) -> Mapping[str, Source]:
    """Return a project's sources by key."""
    return {s.key: s for s in sources_of(store(), project_id)}


@st.cache_resource(max_entries=10, show_spinner=False)
def _by_trace(project_id: int, revision: int) -> Mapping[str, str]:
    return source_by_trace(store(), project_id)


@st.cache_resource(max_entries=20, show_spinner="Counting the traces …")
def narrowed(project_id: int, revision: int, key: str, _found: TraceNumbers) -> TraceNumbers:
    """Return the numbers of one source's traces alone."""
    if key == EVERYTHING or list(sources(project_id, revision)) == [key]:
        return _found
    of = _by_trace(project_id, revision)
    mine = [s for s in _found.summaries if of.get(s.trace_id) == key]
    if len(mine) == len(_found.summaries):
        return _found
    return TraceNumbers(tuple(mine), by_arm(mine), compare_arms(mine))


@st.cache_resource(max_entries=12, show_spinner="Reading the rounds …")
def rounds_of(project_id: int, revision: int, key: str, arm: str | None = None) -> Grid:
    """Return the numbers of the rounds of a source's traces (of one arm)."""
    with collector.paused():
        return round_grid(store(), project_id, _filter(key, arm))


@st.cache_resource(max_entries=12, show_spinner="Reading the walks …")
def walks(project_id: int, revision: int, key: str, arm: str | None) -> tuple[Paths, Grid]:
    """Return the walks of a source's traces (of one arm) and the numbers of their rounds."""
    with collector.paused():
        paths = Paths(paths_of(store(), project_id, _filter(key, arm)))
    return paths, rounds_of(project_id, revision, key, arm)


def _filter(key: str, arm: str | None) -> TraceFilter:
    found = filter_by(key)
    return TraceFilter(Arm(arm) if arm else None, found.run_id, found.import_id)


def pick_source(project: Project) -> str:
    """Draw the choice of a source where there are several; returns its key, or all."""
    known = sources(project.id, project.revision)
    chosen = EVERYTHING
    if len(known) > 1:
        chosen = (
            state.pick("from", "Traces", [EVERYTHING, *known], show=lambda k: name_of(known, k))
            or EVERYTHING
        )
    elif known:
        chosen = next(iter(known))
    say_scripted([known[chosen]] if chosen in known else list(known.values()))
    return chosen


def name_of(known: Mapping[str, Source], key: str) -> str:
    """Return a source in words, with how many traces it brought."""
    if key == EVERYTHING:
        return f"All {plural(sum(s.traces for s in known.values()), 'trace')}"
    return f"{known[key].name} ({plural(known[key].traces, 'trace')})"


def say_scripted(some: list[Source]) -> None:
    """Say so where a script made the traces."""
    if any(s.scripted for s in some):
        small(SCRIPTED)
