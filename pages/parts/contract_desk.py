"""The contract being written: the stored draft behind the form, and every change to it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.contract.contract import Contract
from core.contract.finding import Finding
from core.contract.lint import lint_data
from core.errors import InputError
from core.store import drafts
from core.store.contracts import Version, refuse_incomplete
from core.store.store import Project
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.workspace import store


_SHOWN = "contract.shown"
UNDO = 50
"""Changes that can be taken back, the newest first."""
_LAST = "contract.last"
ONE_EDIT = 5.0
"""Seconds within which changes to the same field are one step of undo: typing sends pauses."""


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
def write(
    desk: Desk, draft: drafts.Draft, *, turn: bool = False, field: tuple[str | int, ...] = ()
) -> None:
    """Store the draft; `turn` when criteria moved, so that every form starts afresh from it.

    `field` is the place a person is typing in: what follows there soon after is the same step.
    """
    steps = _steps(desk.draft.id)
    last, at = st.session_state.get(_LAST, ((), 0.0))
    if not (field and last == field and time.monotonic() - at < ONE_EDIT and steps):
        steps.append(desk.draft)
        del steps[:-UNDO]
    st.session_state[_LAST] = (field, time.monotonic())
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


def can_undo(desk: Desk) -> bool:
    """Return whether a change made in this tab can be taken back."""
    return bool(_steps(desk.draft.id))


@guarded
def undo(desk: Desk) -> None:
    """Take the last change back, the version it was based on too."""
    before = _steps(desk.draft.id).pop()
    st.session_state.pop(_LAST, None)
    _put(desk, replace(before, id=desk.draft.id))
    turn_form()


def turn_form() -> None:
    """Give every widget a new key, so that it shows the draft and not what was typed before."""
    st.session_state["contract.turn"] = st.session_state.get("contract.turn", 0) + 1


@guarded
def set_value(desk: Desk, path: tuple[str | int, ...], key: str, clean: Any = None) -> None:
    """Put a widget's value into the draft at `path`; None removes the last part."""
    value = st.session_state[key]
    value = clean(value) if clean else value
    with store().write():
        # Read and written in one act: another tab may be typing into the same draft.
        desk = _latest(desk)
        data = json.loads(json.dumps(desk.data))
        place = data
        for part in path[:-1]:
            place = place[part] if isinstance(place, list) else place.setdefault(part, {})
        if value is None:
            place.pop(path[-1], None)
        else:
            place[path[-1]] = value
        write(desk, replace(desk.draft, contract=data), field=path)


@dataclass(frozen=True)
class Reading:
    """What can be said about a draft: lint's findings, and the contract or why it is none yet."""

    findings: list[Finding]
    contract: Contract | None
    trouble: str | None


def read_draft(desk: Desk) -> Reading:
    """Return what can be said about the draft, worked out once until it changes."""
    return _read(json.dumps(desk.data))


@st.cache_resource(max_entries=20, show_spinner=False)
def _read(text: str) -> Reading:
    data = json.loads(text)
    findings = lint_data(data)
    try:
        contract = Contract.from_data(drafts.tidy(data))
        refuse_incomplete(contract)
    except InputError as error:
        return Reading(findings, None, str(error))
    return Reading(findings, contract, None)


def left_notes(desk: Desk) -> str:
    """Return the session key of notes on a pasted text that no draft holds (any more)."""
    return f"contract.notes.{desk.project.id}"


def say(good: bool, what: str, more: str = "") -> None:
    """Keep a message for the top of the page after the next run; `more` is shown verbatim."""
    st.session_state["contract.said"] = (good, what, more)
