"""What was imported from which file, and the button that takes it back."""

from __future__ import annotations

import streamlit as st

from core.store.store import Project
from core.store.undo_import import Act, acts_of, undo_import
from core.wording import plural
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.workspace import store

SHOWN = 10
_NAMES = {
    "outputs": ("output", "outputs"),
    "labels": ("label", "labels"),
    "verdicts": ("judged output", "judged outputs"),
    "judgements": ("judged output", "judged outputs"),
    "traces": ("trace", "traces"),
}


def imports_screen(project: Project) -> None:
    """Draw a project's imports, newest first, each with a button that takes it back."""
    done = st.session_state.pop("import.undone", None)
    if done:
        st.success("Taken back.")
        st.text(done)
    acts = acts_of(store(), project.id)
    if not acts:
        return
    with st.expander("Imports, and taking one back", expanded=bool(done)):
        small(
            "Taking an import back removes the labels, verdicts, traces and outputs it brought. "
            "Outputs that somebody has labelled, judged or queued since stay, and so does a "
            "contract that was made with it."
        )
        for act in acts[:SHOWN]:
            name, counts, when, button = st.columns([4, 3, 3, 2], vertical_alignment="center")
            name.text(act.file_name)
            counts.text(_counted(act.new))
            when.text(act.at[:16].replace("T", " "))
            button.button(
                "Take back", key=f"import.undo.{act.ids[0]}", on_click=_undo, args=(project, act)
            )
        if len(acts) > SHOWN:
            small(f"{len(acts) - SHOWN:,} earlier imports are not shown.")


def _counted(counts: dict[str, int]) -> str:
    found = [plural(n, *_NAMES[name]) for name, n in counts.items() if n and name in _NAMES]
    return ", ".join(found) or "nothing new"


@guarded
def _undo(project: Project, act: Act) -> None:
    counts = undo_import(store(), project.id, act)
    stayed = counts.pop("stayed")
    kept = f"; {plural(stayed, 'output')} stayed, in use since" if stayed else ""
    st.session_state["import.undone"] = f"{act.file_name}: {_counted(counts)}{kept}."
