"""Saving the contract being written: where it stands, the way to a version, and what stands in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from core.contract.difference import differences, stale
from core.contract.merge import merge
from core.errors import InputError, StaleSaveError
from core.store import drafts
from core.store.contracts import Version
from core.store.contracts import versions as all_versions
from core.store.effects import effects, renames
from core.store.store import Project
from core.wording import plural
from pages.parts import state
from pages.parts.contract_desk import (
    Desk,
    Reading,
    can_undo,
    left_notes,
    say,
    turn_form,
    undo,
    write,
)
from pages.parts.contract_ready import ready_popover
from pages.parts.contract_tables import changes_table
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.workspace import store

_OPEN = "contract.save"
EVALUATOR_TAB = "Evaluator, stop rule and limits"
ABOUT_THE_WHOLE = ("what the criteria do not examine", "what the evaluator knows")
"""Places of errors that are mended on that tab."""


def save_bar(
    desk: Desk, reading: Reading, more: Callable[[Desk], None] = lambda desk: None
) -> None:
    """Draw where the draft stands and the way to save it; `more` adds to the same row."""
    trouble = reading.trouble
    with st.container(horizontal=True, vertical_alignment="center"):
        base = f"version {desk.draft.based_on}" if desk.draft.based_on else "a blank contract"
        st.text(f"Unsaved changes to {base}" if desk.stored else f"No changes to {base}")
        with st.popover(
            "Save as a version", disabled=not desk.stored, key=_OPEN, on_change="rerun"
        ):
            author = state.get("reviewer") or ""
            st.text_input("Your name", value=author, key="contract.author")
            st.text_input("What changed, in a few words", key="contract.name")
            st.toggle(
                "Mark as ready",
                key="contract.ready",
                help="Needs a line on what the criteria do not examine, and checks that judge "
                "their own examples as written.",
            )
            _meanings(desk, reading)
            st.button(
                "Save", type="primary", on_click=_save, args=(desk,), disabled=trouble is not None
            )
            missing = st.session_state.pop("contract.missing", None)
            if missing:
                st.error(missing)
        if desk.stored:
            st.button("Undo", on_click=undo, args=(desk,), disabled=not can_undo(desk))
            st.button("Discard changes", on_click=_discard, args=(desk,))
        elif desk.version is not None:
            ready_popover(desk.project, desk.version, "bar")
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
    if desk.stored and newest > desk.draft.based_on and desk.version is not None:
        _both(desk, reading, desk.version)


def _both(desk: Desk, reading: Reading, newest: Version) -> None:
    """Draw what a colleague saved meanwhile beside what is unsaved here, and put them together."""
    st.warning(
        f"Version {newest.number} was saved after you started. Your changes are kept here; nothing "
        "of either is lost. Putting your changes on top keeps both."
    )
    st.button(
        f"Put my changes on top of version {newest.number}",
        on_click=_rebase,
        args=(desk, newest),
    )
    base = _version(desk.project, desk.draft.based_on)
    if base is None:
        return
    left, right = st.columns(2)
    theirs = differences(base.contract, newest.contract, renames(base, newest))
    with left:
        small(f"Version {newest.number} by {newest.author}: {plural(len(theirs), 'change')}")
        changes_table(theirs)
    with right:
        if reading.contract is None:
            small("Yours: unsaved, and not yet a whole contract.")
            return
        mine = differences(base.contract, reading.contract, desk.draft.renames)
        small(f"Yours, unsaved: {plural(len(mine), 'change')}")
        changes_table(mine)


def _version(project: Project, number: int) -> Version | None:
    return next((v for v in all_versions(store(), project.id) if v.number == number), None)


def _meanings(desk: Desk, reading: Reading) -> None:
    """Ask, for every reworded criterion, whether the labels given so far still stand."""
    if reading.contract is None or desk.version is None:
        return
    if desk.version.number != desk.draft.based_on:
        return
    for key in stale(desk.version.contract, reading.contract, desk.draft.renames).labels:
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
            key=_meaning(key),
            label_visibility="collapsed",
        )


def _meaning(key: str) -> str:
    return f"contract.meaning.{key}"


@guarded
def _save(desk: Desk) -> None:
    author = st.session_state["contract.author"].strip()
    if not author:
        # Said where the person looks: the popover stays open.
        st.session_state["contract.missing"] = "Type your name: a version has an author."
        return
    st.session_state[_OPEN] = False
    keys = [str(c.get("key", "")) for c in desk.data["criteria"]]
    try:
        saved = drafts.publish_draft(
            store(),
            desk.project.id,
            desk.draft,
            author=author,
            name=st.session_state["contract.name"],
            ready=st.session_state.get("contract.ready", False),
            same_meaning=[k for k in keys if st.session_state.get(_meaning(k)) == "same"],
        )
    except (InputError, StaleSaveError) as error:
        if isinstance(error, InputError) and error.place in ABOUT_THE_WHOLE:
            st.session_state["contract.tab"] = EVALUATOR_TAB
        say(False, "Not saved. Your changes are kept.", str(error))
        return
    # The draft goes; what was said about the text it was filled from stays to be read.
    st.session_state[left_notes(desk)] = desk.draft.notes
    for left in ("contract.ready", "contract.name", *map(_meaning, keys)):
        st.session_state.pop(left, None)
    state.put("draft", None)
    turn_form()
    if saved.number == desk.draft.based_on:
        say(True, f"Nothing differs from version {saved.number}: no new version was made.", "")
    else:
        say(True, f"Saved as version {saved.number}.", _made_stale(desk.project, saved))


def _made_stale(project: Project, saved: Version) -> str:
    """Say how many labels a version made stale and where they are, "" for none."""
    done = effects(store(), project.id, all_versions(store(), project.id))
    labels = sum(e.labels for e in done if e.version == saved.number and not e.labels_stand)
    if not labels:
        return ""
    return (
        f"Stale by this: {plural(labels, 'label')}, in no count until looked at again. Label lists "
        "them under “Wording changed”."
    )


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
    base = drafts.fresh(_version(desk.project, desk.draft.based_on)).contract
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
