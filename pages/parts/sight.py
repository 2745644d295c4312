"""What is hidden from a person who labels here, said on the screen, and the one way out of it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.store.blind import Sight, hidden_traces, set_standing, sight_of
from core.store.contracts import Version
from core.store.store import Project
from core.wording import plural
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.reviewer import named
from pages.parts.workspace import store


@dataclass(frozen=True)
class Seen:
    """A sight with the traces that hold the text of a hidden output."""

    sight: Sight
    traces: frozenset[str]


def sight(project: Project, current: Version | None) -> Sight | None:
    """Return what the person at this screen may see of the project, None for everything."""
    name = named()
    found = _seen(project.id, project.revision, name, current) if name else None
    return None if found is None else found.sight


def hidden_trace_ids(project: Project, current: Version | None) -> frozenset[str]:
    """Return the ids of the traces that the person at this screen may not see yet."""
    name = named()
    found = _seen(project.id, project.revision, name, current) if name else None
    return frozenset() if found is None else found.traces


@st.cache_resource(max_entries=50, show_spinner=False)
def _seen(project_id: int, revision: int, name: str, _version: Version | None) -> Seen | None:
    # By person and revision: every label and every act of stopping raises it.
    found = sight_of(store(), project_id, _version, name)
    return None if found is None else Seen(found, hidden_traces(store(), project_id, found))


def say_hidden(project: Project, found: Sight, hidden: int, what: str, where: str) -> None:
    """Say that something is hidden and why; `where` tells this button from others on the page."""
    if not hidden:
        return
    name = named()
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        is_, it = ("is", "it") if hidden == 1 else ("are", "them")
        small(
            f"{plural(hidden, what)} {is_} hidden from {name}, who has yet to label {it}: what "
            "others and the judge said would sway the label."
        )
        st.button(
            "I am not labelling here any more",
            key=f"sight.stop.{where}",
            help="You then see everything. It is recorded with the time; labels you give later "
            "are no longer blind.",
            on_click=stop,
            args=(project.id, found.reviewer_id),
        )


@guarded
def stop(project_id: int, reviewer_id: int) -> None:
    """Record that this reviewer labels here no more."""
    set_standing(store(), project_id, reviewer_id, labelling=False)


@guarded
def start_again(project_id: int, reviewer_id: int) -> None:
    """Record that this reviewer labels here again."""
    set_standing(store(), project_id, reviewer_id, labelling=True)
