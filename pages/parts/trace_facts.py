"""Shapes over a run and its convergence, counted once a revision for everything that shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.contract.contract import Limits
from core.loop.convergence import Convergence, convergence
from core.loop.run_shapes import RunShapes, run_shapes
from core.loop.summary import Summary
from core.store.contracts import latest_version
from core.store.store import Project
from core.store.trace_facts import load_facts
from core.store.traces import load_summaries
from pages.parts.workspace import store


@dataclass(frozen=True)
class Look:
    """All summaries of a project with the shapes a whole run shows, those shapes, convergence."""

    summaries: Sequence[Summary]
    shapes: RunShapes
    convergence: Convergence | None


def look(project: Project) -> Look:
    """Return what a project's traces show together."""
    return look_at(project.id, project.revision)


@st.cache_resource(max_entries=10, show_spinner="Looking over the traces …")
def look_at(project_id: int, revision: int) -> Look:
    """Return what a project's traces show at a revision; by the limits of its newest contract."""
    current = latest_version(store(), project_id)
    summaries = load_summaries(store(), project_id)
    facts = load_facts(store(), project_id)
    found = run_shapes(summaries, facts, current.contract.limits if current else Limits())
    shown = []
    for one in summaries:
        names = tuple(shape.name for shape in found.by_trace.get(one.trace_id, ()))
        shown.append(one if names == one.shapes else replace(one, shapes=names))
    return Look(shown, found, convergence(summaries, facts))
