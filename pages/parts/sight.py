"""What is hidden from a person who labels here, said on the screen, and the one way out of it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.store.blind import Sight, hidden_traces, set_standing, sight_of
from core.store.contracts import Version
from core.store.labels import save_reviewer
from core.store.store import Project
from core.text import person_key
from core.wording import plural
from pages.parts import state
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
    found = _seen(project.id, project.revision, named(), current)
    return None if found is None else found.sight


def hidden_trace_ids(project: Project, current: Version | None) -> frozenset[str]:
    """Return the ids of the traces that the person at this screen may not see yet."""
    found = _seen(project.id, project.revision, named(), current)
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
    is_, it = ("is", "it") if hidden == 1 else ("are", "them")
    those = f"{plural(hidden, what)} {is_} hidden"
    sway = "what others and the judge said would sway the label."
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if not person_key(name):
            small(f"{those}: people are labelling here, and {sway} Who is reading?")
            key = f"sight.name.{where}"
            st.text_input(
                "Your name", key=key, max_chars=80, placeholder="Your name", width=220,
                label_visibility="collapsed", on_change=_name, args=(key,),
            )  # fmt: skip
            return
        if found.reviewer_id:
            small(f"{those} from {name}, who has yet to label {it}: {sway}")
        else:
            small(f"{those} from {name}, who may be about to label {it}: {sway}")
        st.button(
            "I am not labelling here any more" if found.reviewer_id else "I am not labelling here",
            key=f"sight.stop.{where}",
            help="You then see everything. It is recorded with the time; labels you give later "
            "are no longer blind.",
            on_click=stop,
            args=(project.id, found.reviewer_id),
        )


def _name(key: str) -> None:
    given = str(st.session_state[key])
    if person_key(given):
        state.put("reviewer", given)


@guarded
def stop(project_id: int, reviewer_id: int) -> None:
    """Record that this reviewer labels here no more; 0 is the person at this screen, new here."""
    who = reviewer_id or save_reviewer(store(), project_id, named())[0]
    set_standing(store(), project_id, who, labelling=False)


@guarded
def start_again(project_id: int, reviewer_id: int) -> None:
    """Record that this reviewer labels here again."""
    set_standing(store(), project_id, reviewer_id, labelling=True)
