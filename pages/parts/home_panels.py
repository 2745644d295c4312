"""The parts of the home page below the five questions: the projects and samples of this workspace."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.store.store import Project
from pages.parts import state
from pages.parts.panels import small
from pages.parts.workspace import add_sample, store
from sample_data.samples import SAMPLES


def no_project() -> None:
    """Draw the empty state."""
    with st.container(border=True):
        st.text("No project is open. Make one under Projects on the left, or add a sample below.")


def projects(open_now: Project | None) -> None:
    """Draw the projects of this workspace, then the samples that are not open."""
    known = store().projects()
    st.subheader("Projects and samples", anchor=False)
    for project in known:
        about = "Open now" if open_now is not None and project.id == open_now.id else ""
        _row(
            project.title, about, "Open", f"open.{project.id}", state.put, ("project", project.slug)
        )
    here = {p.sample_slug for p in known}
    gone = {p.sample_slug for p in store().projects(removed=True)}
    for slug, sample in SAMPLES.items():
        name = slug.replace("_", "-")
        if name not in here:
            action = "Bring back" if name in gone else "Add"
            _row(sample.title, sample.description, action, f"add.{slug}", add_sample, (slug,))


def _row(
    title: str, about: str, action: str, key: str, call: Callable[..., None], args: tuple[str, ...]
) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container(gap="xxsmall"):
            st.text(title)
            if about:
                small(about)
        st.button(action, key=f"home.{key}", on_click=call, args=args)
