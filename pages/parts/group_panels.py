"""Sorting notes into groups, naming a group, and making it a criterion of the contract."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.contract.suggest import write as written
from core.labelling.grouping import criterion_from_group
from core.store import groups as g
from core.store.contracts import Version
from core.store.store import Project
from pages.parts import state
from pages.parts.contract_desk import Desk, open_desk, write
from pages.parts.guard import guarded
from pages.parts.labeller.labeller import Reviewer
from pages.parts.panels import empty, small, visible
from pages.parts.shell import page_at
from pages.parts.sorter.sorter import sorter, steps
from pages.parts.workspace import store

NO_NOTES = (
    "There are no notes of yours to group. Label outputs as a whole and say in a few words why."
)


def group_screen(project: Project, version: Version | None, reviewer: Reviewer) -> None:
    """Draw the notes and groups, then what can be made of the group that is open."""
    notes = g.own_notes(store(), project.id, reviewer.id)
    groups = g.note_groups(store(), project.id)
    if not notes:
        empty(NO_NOTES, "Label outputs", "label", view="label")
    wanted = state.get("group")
    opened = next((one for one in groups if str(one.id) == wanted), groups[0] if groups else None)
    sorter(store(), project, reviewer, notes, groups, opened)
    if opened is not None:
        left, right = st.columns([11, 9], gap="medium", border=True)
        inside = {note.output_id for note in notes if note.group == opened.id}
        with left:
            _promotion(project, reviewer, opened, inside, open_desk(project, version))
        with right:
            _group(project, opened, groups)
    _removed(project)


def _turn() -> None:
    st.session_state["group.turn"] = st.session_state.get("group.turn", 0) + 1


def _group(project: Project, group: g.NoteGroup, groups: list[g.NoteGroup]) -> None:
    """Draw the open group's name, and merging and deleting it."""
    # The name is part of the key, so that the field shows what is stored, after an undo too.
    key = f"group.name.{group.id}.{st.session_state.get('group.turn', 0)}.{group.name}"
    st.text_input(
        "Name: what is wrong in these outputs",
        value=visible(group.name),
        max_chars=g.MAX_NAME,
        key=key,
        on_change=_rename,
        args=(project, group, key),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        others = {str(one.id): one.name for one in groups if one.id != group.id}
        if others:
            into = st.selectbox(
                "Merge into",
                list(others),
                index=None,
                format_func=others.__getitem__,
                key=f"group.into.{group.id}",
                placeholder="Merge into …",
                label_visibility="collapsed",
                width=150,
            )
            st.button(
                "Merge",
                key="group.merge",
                on_click=_merge,
                args=(project, group, into),
                disabled=into is None,
            )
        st.button("Delete", key="group.delete", on_click=_remove, args=(project, group))


def _promotion(
    project: Project, reviewer: Reviewer, group: g.NoteGroup, inside: set[int], desk: Desk
) -> None:
    """Draw the criterion this group would make, or the one it made."""
    keys = [str(one.get("key", "")) for one in desk.data["criteria"]]
    if group.criterion in keys:
        small(f"This group became the criterion {group.criterion!r}.")
        if st.button("Open the criterion", key="group.criterion.open"):
            _jump(group.criterion)
        return
    labelled = g.own_labelled(store(), project.id, reviewer.id)
    made = criterion_from_group(
        group.name,
        [one for output, one in labelled.items() if output in inside],
        [one for output, one in labelled.items() if output not in inside],
        keys,
    )
    by = f"code, {written(made['check'])}" if "check" in made else "a judge"
    wanted = {"pass_example": "No output for the example that passes yet.",
              "fail_example": "No output for the example that fails yet."}  # fmt: skip
    lacks = [said for name, said in wanted.items() if not made[name]]
    small(made["question"], f"Checked by {by}.", *lacks)
    if st.button(
        "Make this a criterion",
        key="group.criterion",
        type="primary",
        shortcut="M",
        help="Adds it to the contract's unsaved changes, with one output of this group and one "
        "from outside it as examples, and opens it there. Everything can be edited.",
    ):
        _promote(project, group, desk, made)
        _jump(made["key"])


@guarded
def _promote(project: Project, group: g.NoteGroup, desk: Desk, made: dict[str, Any]) -> None:
    data = {**desk.data, "criteria": [*desk.data["criteria"], made]}
    draft = replace(desk.draft, contract=data, origins=(*desk.draft.origins, ""))
    g.note_criterion(store(), project.id, group.id, made["key"])
    write(desk, draft, turn=True)


def _jump(criterion: str | None) -> None:
    state.put("criterion", criterion)
    st.switch_page(page_at("contract"))


@guarded
def _rename(project: Project, group: g.NoteGroup, key: str) -> None:
    name = st.session_state[key]
    _turn()  # Whatever becomes of it, the field shows what is stored.
    steps(project.id).append(g.rename_group(store(), project.id, group.id, name))


@guarded
def _merge(project: Project, group: g.NoteGroup, into: str) -> None:
    steps(project.id).append(g.merge_groups(store(), project.id, group.id, int(into)))
    state.put("group", into)


@guarded
def _remove(project: Project, group: g.NoteGroup) -> None:
    steps(project.id).append(g.remove_group(store(), project.id, group.id))


def _removed(project: Project) -> None:
    """Draw the groups that were deleted, each with the way back."""
    gone = g.note_groups(store(), project.id, removed=True)
    if not gone:
        return
    with st.popover(f"Deleted groups ({len(gone)})"):
        for group in gone[-20:]:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.text(group.name)
                st.button(
                    "Bring back",
                    key=f"group.back.{group.id}",
                    on_click=_restore,
                    args=(project, group),
                )


@guarded
def _restore(project: Project, group: g.NoteGroup) -> None:
    steps(project.id).append(g.restore_group(store(), project.id, group.id))
