"""The contract being written: the stored draft behind the form, saving it, its versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.contract.contract import Contract
from core.contract.difference import stale
from core.contract.finding import Finding
from core.contract.lint import lint_data
from core.contract.merge import merge
from core.errors import InputError, StaleSaveError
from core.store import drafts
from core.store.contracts import Version, refuse_incomplete, say_same_meaning
from core.store.contracts import versions as all_versions
from core.store.store import Project
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.workspace import store


_SHOWN = "contract.shown"
UNDO = 50
"""Changes that can be taken back, the newest first."""


@dataclass(frozen=True)
class Desk:
    """What the editor works on: the open draft (not yet stored while nothing was changed)."""

    project: Project
    version: Version | None
    draft: drafts.Draft
    stored: bool

    @property
    def data(self) -> dict[str, Any]:
        """The contract being written, as plain data."""
        return self.draft.contract

    def key(self, *parts: object) -> str:
        """Return a widget key; it changes when criteria are added, moved or thrown away."""
        turn = st.session_state.get("contract.turn", 0)
        return ".".join(map(str, ("contract", self.project.id, self.draft.based_on, turn, *parts)))


def open_desk(project: Project, version: Version | None) -> Desk:
    """Return the draft the address names, else the one left open here, else the newest version."""
    kept = f"contract.draft.{project.id}"
    draft_id = state.get("draft") or st.session_state.get(kept)
    found = drafts.load_draft(store(), project.id, draft_id) if draft_id else None
    if found is None:
        state.put("draft", None)
        st.session_state.pop(kept, None)
        desk = Desk(project, version, drafts.fresh(version), False)
    else:
        state.put("draft", found.id)
        st.session_state[kept] = found.id
        desk = Desk(project, version, found, True)
    shown = (project.id, desk.draft.id)
    if st.session_state.get(_SHOWN) != shown:
        # Another draft than this tab drew last: no field may show what was typed into that one.
        st.session_state[_SHOWN] = shown
        turn_form()
    return desk


def _latest(desk: Desk) -> Desk:
    """Return the desk with its draft as stored now: another tab may have written to it."""
    found = drafts.load_draft(store(), desk.project.id, desk.draft.id) if desk.stored else None
    return desk if found is None else replace(desk, draft=found)


@guarded
def write(desk: Desk, draft: drafts.Draft, *, turn: bool = False) -> None:
    """Store the draft; `turn` when criteria moved, so that every form starts afresh from it."""
    steps = _steps(desk.draft.id)
    steps.append(desk.draft)
    del steps[:-UNDO]
    _put(desk, draft)
    if turn:
        turn_form()


def _put(desk: Desk, draft: drafts.Draft) -> None:
    """Store a draft under its id, or as a new one when there is none (any more)."""
    if desk.stored and drafts.write_draft(store(), draft):
        return
    made = drafts.add_draft(store(), desk.project.id, draft)
    st.session_state[f"contract.steps.{made}"] = _steps(desk.draft.id)
    st.session_state.pop("contract.steps.", None)
    st.session_state[_SHOWN] = (desk.project.id, made)
    st.session_state[f"contract.draft.{desk.project.id}"] = made
    state.put("draft", made)


def _steps(draft_id: str) -> list[drafts.Draft]:
    """Return what a draft was before each of its last changes in this tab."""
    found: list[drafts.Draft] = st.session_state.setdefault(f"contract.steps.{draft_id}", [])
    return found


@guarded
def _undo(desk: Desk) -> None:
    """Take the last change back, the version it was based on too."""
    before = _steps(desk.draft.id).pop()
    _put(desk, replace(before, id=desk.draft.id))
    turn_form()


def turn_form() -> None:
    """Give every widget a new key, so that it shows the draft and not what was typed before."""
    st.session_state["contract.turn"] = st.session_state.get("contract.turn", 0) + 1


@guarded
def set_value(desk: Desk, path: tuple[str | int, ...], key: str, clean: Any = None) -> None:
    """Put a widget's value into the draft at `path`; None removes the last part."""
    desk = _latest(desk)
    value = st.session_state[key]
    value = clean(value) if clean else value
    data = json.loads(json.dumps(desk.data))
    place = data
    for part in path[:-1]:
        place = place[part] if isinstance(place, list) else place.setdefault(part, {})
    if value is None:
        place.pop(path[-1], None)
    else:
        place[path[-1]] = value
    write(desk, replace(desk.draft, contract=data))


def lint_of(desk: Desk) -> list[Finding]:
    """Return what lint finds in the draft, kept until the draft changes."""
    return _lint(json.dumps(desk.data, sort_keys=True))


@st.cache_resource(max_entries=50, show_spinner=False)
def _lint(data: str) -> list[Finding]:
    return lint_data(json.loads(data))


def left_notes(desk: Desk) -> str:
    """Return the session key of notes on a pasted text that no draft holds (any more)."""
    return f"contract.notes.{desk.project.id}"


def say(good: bool, what: str, more: str = "") -> None:
    """Keep a message for the top of the page after the next run; `more` is shown verbatim."""
    st.session_state["contract.said"] = (good, what, more)


# --- saving ----------------------------------------------------------------------------------


def save_bar(desk: Desk, more: Callable[[Desk], None] = lambda desk: None) -> None:
    """Draw where the draft stands and the way to save it; `more` adds to the same row."""
    trouble = _trouble(desk)
    with st.container(horizontal=True, vertical_alignment="center"):
        base = f"version {desk.draft.based_on}" if desk.draft.based_on else "a blank contract"
        st.text(f"Unsaved changes to {base}" if desk.stored else f"No changes to {base}")
        with st.popover("Save as a version", disabled=not desk.stored):
            author = state.get("reviewer") or ""
            st.text_input("Your name", value=author, key="contract.author")
            st.text_input("What changed, in a few words", key="contract.name")
            st.toggle(
                "Mark as ready",
                key="contract.ready",
                help="Needs a line on what the criteria do not examine, and checks that judge "
                "their own examples as written.",
            )
            _meanings(desk, trouble)
            st.button(
                "Save", type="primary", on_click=_save, args=(desk,), disabled=trouble is not None
            )
        if desk.stored:
            st.button("Undo", on_click=_undo, args=(desk,), disabled=not _steps(desk.draft.id))
            st.button("Discard changes", on_click=_discard, args=(desk,))
        more(desk)
    said = st.session_state.pop("contract.said", None)
    if said:
        (st.success if said[0] else st.error)(said[1])
        if said[2]:
            st.text(said[2])
    if desk.stored and trouble:
        st.warning("Not ready to be saved:")
        st.text(trouble)
    newest = desk.version.number if desk.version else 0
    if desk.stored and newest > desk.draft.based_on:
        st.warning(
            f"Version {newest} was saved after you started. Your changes are kept here. What it "
            "changed is under Versions; putting your changes on top keeps both."
        )
        st.button(
            f"Put my changes on top of version {newest}",
            on_click=_rebase,
            args=(desk, desk.version),
        )


def _meanings(desk: Desk, trouble: str | None) -> None:
    """Ask, for every reworded criterion, whether the labels given so far still stand."""
    if trouble or desk.version is None or desk.version.number != desk.draft.based_on:
        return
    new = Contract.from_data(drafts.tidy(desk.data))
    for key in stale(desk.version.contract, new, desk.draft.renames).labels:
        st.text(f"The question or an example of {key!r} changed:")
        st.segmented_control(
            "Do its labels still stand?",
            ["new", "same"],
            format_func={
                "new": "New meaning: labels go stale",
                "same": "Same meaning: keep labels",
            }.get,
            default="new",
            required=True,
            key=f"contract.meaning.{key}",
            label_visibility="collapsed",
        )


def _keep_labels(desk: Desk, saved: Version) -> None:
    if desk.version is None:
        return
    back = {new: old for old, new in desk.draft.renames.items()}
    for criterion in saved.contract.criteria:
        if st.session_state.get(f"contract.meaning.{criterion.key}") == "same":
            before = desk.version.contract.criterion(back.get(criterion.key, criterion.key))
            say_same_meaning(
                store(),
                desk.project.id,
                before.question_hash,
                criterion.question_hash,
                saved.author,
            )


def _trouble(desk: Desk) -> str | None:
    try:
        refuse_incomplete(Contract.from_data(drafts.tidy(desk.data)))
    except InputError as error:
        return str(error)
    return None


@guarded
def _save(desk: Desk) -> None:
    if not st.session_state["contract.author"].strip():
        say(False, "Not saved.", "Type your name: a version has an author.")
        return
    try:
        saved = drafts.publish_draft(
            store(),
            desk.project.id,
            desk.draft,
            author=st.session_state["contract.author"],
            name=st.session_state["contract.name"],
            ready=st.session_state.get("contract.ready", False),
        )
    except (InputError, StaleSaveError) as error:
        say(False, "Not saved.", str(error))
        return
    _keep_labels(desk, saved)
    # The draft goes; what was said about the text it was filled from stays to be read.
    st.session_state[left_notes(desk)] = desk.draft.notes
    for left in ("contract.ready", "contract.name"):
        st.session_state.pop(left, None)
    state.put("draft", None)
    turn_form()
    say(True, f"Saved as version {saved.number}.", "")


@guarded
def _discard(desk: Desk) -> None:
    # The draft stays in the store under its id; the address of before brings it back.
    state.put("draft", None)
    st.session_state.pop(f"contract.draft.{desk.project.id}", None)
    turn_form()
    say(True, "Changes put aside. Go back in your browser to undo.", "")


@guarded
def _rebase(desk: Desk, newest: Version) -> None:
    """Take over what others saved meanwhile and keep this draft's own changes on top."""
    found = {v.number: v for v in all_versions(store(), desk.project.id)}
    base = drafts.fresh(found.get(desk.draft.based_on)).contract
    merged = merge(base, desk.data, newest.contract.to_data(), desk.draft.origins)
    write(
        desk,
        replace(
            desk.draft, contract=merged.contract, origins=merged.origins, based_on=newest.number
        ),
        turn=True,
    )
    said = (
        "Both are in the draft now."
        if not merged.conflicts
        else "Both are in the draft now; decide on:"
    )
    say(True, said, "\n".join(merged.conflicts))
