"""The open workspace as pages see it: the store, the open project, reads cached by revision."""

from __future__ import annotations

import streamlit as st

from core.store.contracts import Version, latest_version
from core.store.store import Project, Store, open_store
from pages.parts import state


@st.cache_resource(show_spinner="Opening the workspace …")
def store() -> Store:
    """Return the workspace of this server, opened once."""
    return open_store()


def project() -> Project | None:
    """Return the project that is open, or None when there is none."""
    projects = {p.slug: p for p in store().projects()}
    slug = state.get("project")
    if slug not in projects:
        slug = next(iter(projects), None)
        state.put("project", slug)
    return None if slug is None else projects[slug]


def need_project() -> Project:
    """Return the open project, or draw the empty state and end the page."""
    found = project()
    if found is None:
        st.info("No project is open. Make one, or bring back the sample, in the sidebar.")
        st.stop()
    return found


@st.cache_data(max_entries=200, show_spinner=False)
def _version(project_id: int, revision: int) -> Version | None:
    return latest_version(store(), project_id)


def version(of: Project) -> Version | None:
    """Return the newest contract version of a project, or None."""
    return _version(of.id, of.revision)


def sidebar() -> None:
    """Draw the project picker."""
    with st.sidebar:
        titles = {p.slug: p.title for p in store().projects()}
        state.pick("project", "Project", list(titles), show=lambda slug: titles[slug])
