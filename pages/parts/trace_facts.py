"""Shapes over a run and its convergence, counted once a revision for everything that shows them.

Convergence apart: the overview does not show it, and over ten thousand traces it would wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.contract.contract import Limits
from core.loop.convergence import Convergence, convergence
from core.loop.run_shapes import RunShapes, run_shapes
from core.loop.summary import Summary
from core.runs.steadiness import steadiness
from core.statistics.interval import Undefined
from core.store.contracts import Version, latest_version
from core.store.judgements import JudgeKind, judges
from core.store.store import Project
from core.store.trace_facts import load_facts
from core.store.traces import load_summaries
from core.verdict import OVERALL
from pages.parts import collector
from pages.parts.workspace import store


@dataclass(frozen=True)
class Look:
    """All summaries of a project with the shapes a whole run shows, and those shapes.

    Not the facts: kept, they are a hundred thousand lists that the collector walks every time.
    """

    summaries: Sequence[Summary]
    shapes: RunShapes


def look(project: Project) -> Look:
    """Return what a project's traces show together."""
    return look_at(project.id, project.revision)


@st.cache_resource(max_entries=10, show_spinner="Looking over the traces …")
def look_at(project_id: int, revision: int) -> Look:
    """Return what a project's traces show at a revision; by the limits of its newest contract."""
    with collector.paused():
        return _look_at(project_id)


def _look_at(project_id: int) -> Look:
    current = latest_version(store(), project_id)
    summaries = load_summaries(store(), project_id)
    facts = load_facts(store(), project_id)
    found = run_shapes(summaries, facts, current.contract.limits if current else Limits())
    shown = []
    for one in summaries:
        names = tuple(shape.name for shape in found.by_trace.get(one.trace_id, ()))
        shown.append(one if names == one.shapes else replace(one, shapes=names))
    return Look(shown, found)


def converges(project: Project) -> Convergence | None:
    """Return the three conditions over a project's loop traces, or None without any."""
    return _converges(project.id, project.revision)


@st.cache_resource(max_entries=10, show_spinner="Looking over the traces …")
def _converges(project_id: int, revision: int) -> Convergence | None:
    with collector.paused():
        facts = load_facts(store(), project_id)
        seen = convergence(look_at(project_id, revision).summaries, facts)
        del facts
    current = latest_version(store(), project_id)
    if seen is not None and current is not None and isinstance(seen.flips, Undefined):
        seen = _by_repeats(project_id, current, seen)
    return seen


def _by_repeats(project_id: int, current: Version, seen: Convergence) -> Convergence:
    """Return the convergence with the flip rate of the judge that judged most outputs twice.

    A loop judges no text twice, so its own traces seldom say how steady the judge is.
    """
    best = seen
    for judge in judges(store(), project_id):
        if judge.kind is JudgeKind.MODEL:
            flips = steadiness(store(), project_id, current, judge.id).measured[OVERALL].flip_rate
            if flips.n > best.flips.n:
                best = replace(seen, flips=flips, reread=f"outputs judged twice by {judge.name}")
    return best
