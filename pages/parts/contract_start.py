"""Ways to begin a contract: blank, a sample's, a pasted rubric, a file, reviewers' notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from core.contract.criterion import CheckedBy
from core.contract.rubric import describe, split_rubric, to_draft
from core.errors import InputError
from core.files.contracts import parse_contract, read_contract
from core.labelling.grouping import criterion_from_group
from core.store import drafts
from core.store import groups as g
from core.store.labels import find_reviewer
from core.wording import plural
from pages.parts import state
from pages.parts.contract_desk import Desk, left_notes, say, write
from pages.parts.guard import guarded
from pages.parts.panels import visible
from pages.parts.reviewer import signed_in
from pages.parts.shell import page_at
from pages.parts.workspace import store
from sample_data.samples import SAMPLES

_MANY = 8
"""Lines of notes shown at full height; more of them scroll."""


def start_from(desk: Desk) -> None:
    """Draw the popover with every way to begin; each fills the draft and overwrites no version."""
    with st.popover("Start from …"):
        st.caption("Fills the editor as unsaved changes. Saved versions stay as they are.")
        st.button("A blank contract", on_click=_blank, args=(desk,))
        slug = st.selectbox(
            "A sample's contract", list(SAMPLES), format_func=lambda s: SAMPLES[s].title,
            key="contract.start.sample",
        )  # fmt: skip
        st.button("Use this sample", on_click=_sample, args=(desk, slug))
        st.text_area(
            "A rubric in prose", key="contract.start.rubric", height=140,
            placeholder="1. At most 60 words.\n2. Mentions the refund.\n3. Must not blame the customer.",
            help="Lists, checklists, tables, headings, weights and sentences with must or should are "
            "understood. What becomes no criterion is listed.",
        )  # fmt: skip
        st.button("Split into criteria", on_click=_rubric, args=(desk,))
        file = st.file_uploader(
            "A contract file", type=["yaml", "yml", "json"], key="contract.start.file"
        )
        if file is not None:
            st.button("Use this file", on_click=_file, args=(desk, file.name, file.getvalue()))
        _reviewers_notes(desk)


def _reviewers_notes(desk: Desk) -> None:
    """Offer the groups that notes were sorted into, and the way to sort more."""
    st.text("Reviewers' notes")
    reviewer = _reviewer(desk)
    groups = g.note_groups(store(), desk.project.id)
    own = "" if reviewer is None else (
        f"{plural(g.count_notes(store(), desk.project.id, reviewer), 'note')} of yours, "
    )  # fmt: skip
    st.caption(f"{own}{plural(len(groups), 'group')} in this project.")
    new = [one for one in groups if one.criterion not in _keys(desk)]
    with st.container(horizontal=True):
        st.button(
            f"Add {plural(len(new), 'group')} as criteria" if new else "Add groups as criteria",
            key="contract.start.groups", on_click=_groups, args=(desk,), disabled=not new,
            help="Adds one criterion for each group that is none yet, named as the group is, with "
            "outputs you labelled as examples. A judge checks them; where code could, it is offered.",
        )  # fmt: skip
        if st.button("Group notes", key="contract.start.notes"):
            state.put_view("label", "group")
            st.switch_page(page_at("label"))


def _reviewer(desk: Desk) -> int | None:
    name = signed_in() or state.get("reviewer") or ""
    return find_reviewer(store(), desk.project.id, name) if name.strip() else None


def _keys(desk: Desk) -> list[str]:
    return [str(one.get("key", "")) for one in desk.data["criteria"]]


def notes_of_start(desk: Desk) -> None:
    """Draw what a pasted text did not become, and what was read in other words, until dismissed."""
    notes = desk.draft.notes or st.session_state.get(left_notes(desk), ())
    if not notes:
        return
    lines = {
        "Left out:": [line for left_out, line in notes if left_out],
        "Made criteria, to be looked at:": [line for left_out, line in notes if not left_out],
    }
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text("From the pasted rubric")
            st.space("stretch")
            st.button("Dismiss", key="contract.notes.dismiss", on_click=_dismiss, args=(desk,))
        height = 240 if len(notes) > _MANY else "content"
        with st.container(height=height, border=False):
            for heading, found in lines.items():
                if found:
                    st.caption(heading)
                    st.text("\n".join(visible(line) for line in found))


@guarded
def _dismiss(desk: Desk) -> None:
    st.session_state.pop(left_notes(desk), None)
    if desk.draft.notes:
        write(desk, replace(desk.draft, notes=()))


def _fill(
    desk: Desk,
    data: Mapping[str, Any],
    said: str,
    more: str = "",
    notes: tuple[tuple[bool, str], ...] = (),
) -> None:
    """Put a contract's data into the draft; criteria the version has under the same key stay it."""
    known = set() if desk.version is None else set(desk.version.contract.keys)
    origins = tuple(str(c["key"]) if c.get("key") in known else "" for c in data["criteria"])
    content = {**desk.data, **data}
    st.session_state.pop(left_notes(desk), None)
    write(desk, replace(desk.draft, contract=content, origins=origins, notes=notes), turn=True)
    say(True, said, more)


@guarded
def _blank(desk: Desk) -> None:
    _fill(desk, drafts.fresh(None).contract, "A blank contract. Undo brings back what was here.")


@guarded
def _sample(desk: Desk, slug: str) -> None:
    contract = read_contract(SAMPLES[slug].contract)
    _fill(desk, contract.to_data(), "Filled from the sample.", SAMPLES[slug].title)


@guarded
def _file(desk: Desk, name: str, data: bytes) -> None:
    try:
        contract = parse_contract(data, name)
    except InputError as error:
        say(False, "This file cannot be used. The draft is as it was.", str(error))
        return
    _fill(desk, contract.to_data(), "Filled from the file.", name)


@guarded
def _rubric(desk: Desk) -> None:
    text = st.session_state["contract.start.rubric"]
    try:
        rubric = split_rubric(text)
    except InputError as error:
        say(False, "This rubric cannot be used. The draft is as it was.", str(error))
        return
    notes = tuple((note.left_out, describe(note)) for note in rubric.notes)
    if not rubric.criteria:
        st.session_state[left_notes(desk)] = notes
        say(False, "No criterion was found in this text. The draft is as it was.", "")
        return
    said = f"Split into {plural(len(rubric.criteria), 'criterion', 'criteria')}: read each."
    _fill(desk, to_draft(rubric), said, notes=notes)


@guarded
def _groups(desk: Desk) -> None:
    """Add a criterion for each group that is none yet; a judge checks it until somebody chooses."""
    reviewer = _reviewer(desk)
    own = [] if reviewer is None else g.own_notes(store(), desk.project.id, reviewer)
    labelled = {} if reviewer is None else g.own_labelled(store(), desk.project.id, reviewer)
    criteria, taken = list(desk.data["criteria"]), _keys(desk)
    new = [one for one in g.note_groups(store(), desk.project.id) if one.criterion not in taken]
    for group in new:
        inside = {note.output_id for note in own if note.group == group.id}
        made = criterion_from_group(
            group.name,
            [one for output, one in labelled.items() if output in inside],
            [one for output, one in labelled.items() if output not in inside],
            taken,
        )
        made.pop("check", None)
        made["checked_by"] = CheckedBy.JUDGE.value
        criteria.append(made)
        taken.append(made["key"])
        g.note_criterion(store(), desk.project.id, group.id, made["key"])
    origins = (*desk.draft.origins, *("" for _ in new))
    write(desk, replace(desk.draft, contract={**desk.data, "criteria": criteria}, origins=origins),
          turn=True)  # fmt: skip
    say(True, f"Added {plural(len(new), 'criterion', 'criteria')} from groups of notes: read each.")
