"""The open workspace as pages see it: the store, the open project, reads cached by revision."""

from __future__ import annotations

import streamlit as st

from core.errors import InputError
from core.files.folder import load_folder
from core.store.contracts import Version, latest_version
from core.store.store import Project, Store, open_store
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.shell import page_at
from sample_data.samples import SAMPLES


@st.cache_resource(show_spinner="Opening the workspace …")
def store() -> Store:
    """Return the workspace of this server, opened once."""
    return open_store()


def project() -> Project | None:
    """Return the project that is open, or None when there is none."""
    projects = {p.slug: p for p in store().projects()}
    slug = state.get("project", next(iter(projects), None))
    # An address that names a project which is not here opens no other one in its place.
    return projects.get(slug or "")


def need_project() -> Project:
    """Return the open project, or draw the empty state and end the page."""
    found = project()
    if found is None:
        with st.container(border=True, horizontal_alignment="center"):
            named = state.get("project")
            st.text("No project is open. Make one, or add a sample, on the first page.")
            if named:
                st.text(
                    f"The address names {named!r}, which is not in this workspace or was removed."
                )
            if st.button("Go to the first page", type="primary"):
                st.switch_page(page_at("home"))
        st.stop()
    return found


@st.cache_resource(max_entries=200, show_spinner=False)
def _version(project_id: int, revision: int) -> Version | None:
    return latest_version(store(), project_id)


def version(of: Project) -> Version | None:
    """Return the newest contract version of a project, or None."""
    return _version(of.id, of.revision)


def open_samples() -> None:
    """Fill a workspace that has never held a project with the first sample."""
    if not store().projects() and not store().projects(removed=True):
        add_sample(next(iter(SAMPLES)))


@guarded
def add_sample(slug: str) -> None:
    """Open a sample project: as it was left if it was removed, else fresh from its files."""
    sample = SAMPLES[slug]
    name = slug.replace("_", "-")
    found = store().project(name)
    if found is None:
        load_folder(
            store(),
            sample.folder,
            title=sample.title,
            slug=name,
            note=sample.note,
            author="Evaluator Bench",
        )
    elif found.removed:
        store().restore_project(found.id)
    state.put("project", name)


_OPEN = "projects.open"
"""The session key of whether the popover of projects is open."""


def sidebar() -> None:
    """Draw the project picker, and making, removing and bringing back projects."""
    open_samples()
    open_now = project()
    with st.sidebar:
        titles = {p.slug: p.title for p in store().projects()}
        if titles:
            # A project that is not here stays in the address: pages say so, and open no other.
            named = state.get("project")
            known = titles if open_now or not named else {named: "Choose a project", **titles}
            state.pick("project", "Project", list(known), show=lambda slug: known[slug])
        with st.container():  # Always there: a popover that is open stays the one it is.
            if open_now is not None and open_now.note:
                small(open_now.note)
        with st.popover("Projects", width="stretch", key=_OPEN, on_change="rerun"):
            _projects(open_now)


def _projects(open_now: Project | None) -> None:
    st.text_input("New project", key="projects.title", placeholder="Name", on_change=_create)
    if "projects.error" in st.session_state:
        st.text(st.session_state.pop("projects.error"))
    here = {p.slug for p in store().projects()}
    left = {p.slug for p in store().projects(removed=True)}
    for slug, sample in SAMPLES.items():
        if slug.replace("_", "-") not in here:
            act = "Bring back" if slug.replace("_", "-") in left else "Add"
            st.button(
                f"{act} the sample: {sample.title}",
                key=f"projects.sample.{slug}",
                on_click=add_sample,
                args=(slug,),
                width="stretch",
            )
    for gone in store().projects(removed=True):
        if gone.sample_slug is None:
            st.text(gone.title)
            st.button(
                "Bring back",
                key=f"projects.back.{gone.id}",
                on_click=guarded(store().restore_project),
                args=(gone.id,),
            )
    if open_now is not None:
        if open_now.sample_slug is not None:
            st.button(
                "Start this sample afresh",
                key="projects.fresh",
                on_click=_afresh,
                args=(open_now,),
                width="stretch",
                help="Loads it again as shipped. What was done to it moves to the removed projects.",
            )
        st.button(
            "Remove this project from the list",
            key="projects.remove",
            on_click=_remove,
            args=(open_now.id,),
            width="stretch",
            help="Nothing is deleted: it can be brought back here.",
        )


@guarded
def _create() -> None:
    title = st.session_state["projects.title"]
    if not title.strip():
        return
    try:
        made = store().create_project(title)
    except InputError as error:
        st.session_state["projects.error"] = str(error)
        return
    st.session_state["projects.title"] = ""
    st.session_state[_OPEN] = False
    state.put("project", made.slug)


@guarded
def _afresh(open_now: Project) -> None:
    store().retire_project(open_now.id)
    add_sample((open_now.sample_slug or "").replace("-", "_"))


@guarded
def _remove(project_id: int) -> None:
    store().remove_project(project_id)
    state.put("project", None)
