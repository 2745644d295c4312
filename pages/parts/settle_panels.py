"""Settling: who reads what, and the splits one at a time with everything said about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.labelling.settling import Standing, by_disagreement, splits
from core.statistics.confusion import MISSING
from core.store.blind import standing
from core.store.contracts import Version
from core.store.settling import (
    Decision,
    LabelTable,
    Reader,
    SplitCase,
    adjudicate,
    split_cases,
)
from core.store.store import Project
from core.verdict import LabelValue
from core.wording import coefficient, criterion_name
from pages.parts import state
from pages.parts.acts import Acts, acts_of, may, paint
from pages.parts.guard import guarded, say_what_failed
from pages.parts.labeller.labeller import Question, Reviewer, question
from pages.parts.panels import MARKS, small, verbatim, visible
from pages.parts.settle_agreement import agreement_panel, contract_button
from pages.parts.settle_numbers import agreements, labels, now
from pages.parts.sight import start_again, stop
from pages.parts.workspace import store

PANELS = {"splits": "Splits", "agreement": "Agreement"}
WHY_OWN = (
    "You see colleagues' labels only where your own is stored: seen before, they would sway yours."
)
WHY_ALL = "You see everybody's labels. Do not label these outputs now: what you saw would sway you."
ASIDE = 4
"""Reviewers side by side in one row."""


@dataclass(frozen=True)
class Here:
    """The split on the screen, as its buttons know it; `seq` is the act they would make."""

    project_id: int
    reviewer: int
    output_id: int
    asked: Question
    before: Decision | None
    following: int | None
    seq: int


def settle(project: Project, reviewer: Reviewer) -> None:
    """Draw the view: who is reading, then the splits or the agreement."""
    reader = Reader(reviewer.id, not standing(store(), reviewer.id).labelling)
    with st.container(horizontal=True, vertical_alignment="center"):
        panel = state.pick(
            "panel", "Show", list(PANELS), show=PANELS.__getitem__, widget=st.radio, horizontal=True,
            label_visibility="collapsed",
        )  # fmt: skip
        st.space("stretch")
        # A button and no switch: a switch that has the focus swallows the keys below.
        st.button(
            "Back to labelling" if reader.settling else "I am settling, not labelling",
            key=f"settle.settling.{project.id}.{reviewer.id}.button",
            on_click=start_again if reader.settling else stop,
            args=(project.id, reviewer.id),
        )
    small(f"Reviewer: {reviewer.name}. {WHY_ALL if reader.settling else WHY_OWN}")
    if panel == "agreement":
        agreement_panel(project, reader)
    else:
        splits_panel(project, reader)


# --- the splits, one at a time -------------------------------------------------------------------


@st.fragment
def splits_panel(project: Project, reader: Reader) -> None:
    """Draw one split of one criterion with everything said about it, and the keys to settle it."""
    say_what_failed()
    project, current = now(project)
    table = labels(project, current, reader)
    found = agreements(table)
    lists = {key: _split_ids(table, key) for key in by_disagreement(found)}

    def title(key: str) -> str:
        ids, waiting = lists[key]
        said = f"{len(waiting)} of {len(ids)} splits open" if ids else "no splits"
        return f"{criterion_name(key)} · {said}"

    with st.container(horizontal=True, vertical_alignment="center"):
        key = state.pick(
            "criterion", "Criterion", list(lists), show=title,
            label_visibility="collapsed", width=380,
        )  # fmt: skip
        assert key is not None
        st.space("stretch")
        if found[key].split:
            contract_button(key, "splits")
    if found[key].standing in (Standing.FIX, Standing.OPEN):
        small(f"Alpha {coefficient(found[key].alpha)}. {found[key].says}")
    asked = question(current.contract if current else None, key)
    ids, waiting = lists[key]
    acts = _acts(project.id, reader.reviewer)
    output = acts["at"] if acts["at"] in ids else waiting[0] if waiting else None
    case = _case(project, current, key, output, reader)
    _keys(project, reader, asked, ids, waiting, case)
    if case is None:
        _nothing_open(lists, key, reader)
        return
    early = "That key came too early and did nothing: press it again. " if acts["early"] else ""
    _votes(asked, case, f"{early}{ids.index(case.output.id) + 1} of {len(ids)}")
    _text(asked, case)


def _split_ids(table: LabelTable, key: str) -> tuple[list[int], list[int]]:
    """Return the outputs people split on, ties first, and those of them still to be settled."""
    rows = splits(table.codes[key])
    waiting = rows[table.settled[key][rows] == MISSING]
    return table.outputs[rows].tolist(), table.outputs[waiting].tolist()


def _case(
    project: Project, current: Version | None, key: str, output: int | None, reader: Reader
) -> SplitCase | None:
    wanted = [] if output is None else [output]
    found = split_cases(store(), project.id, current, key, wanted, reader)
    return found[0] if found else None


def _acts(project_id: int, reviewer: int) -> Acts:
    """Return what this tab did: its client id, how many acts, and those that can be undone.

    The split in view is kept here, not in the address: the browser's address lags behind fast
    keys, and a key must never meet a split that was left already.
    """
    return acts_of(f"settle.acts.{project_id}.{reviewer}")


def _keys(
    project: Project, reader: Reader, asked: Question, ids: Sequence[int], waiting: Sequence[int],
    case: SplitCase | None,
) -> None:  # fmt: skip
    """Draw the buttons. Their keys name the split and the act: a late key press finds none."""
    acts = _acts(project.id, reader.reviewer)
    seq = acts["seq"] + 1
    at = len(ids) if case is None else ids.index(case.output.id)
    later = [i for i in [*ids[at + 1 :], *ids[:at]] if i in set(waiting)]
    before = None if case is None else case.decision_of(reader.reviewer)
    here = Here(
        project.id, reader.reviewer, 0 if case is None else case.output.id, asked, before,
        later[0] if later else None, seq,
    )  # fmt: skip
    name = f"{asked.key}.{here.output_id}.{seq}"
    paint(acts, name)
    with st.container(horizontal=True, vertical_alignment="center"):
        for text, key, verdict in (
            ("✓ PASS", "1", LabelValue.PASS),
            ("✕ FAIL", "2", LabelValue.FAIL),
            ("Leave undecided", "3", LabelValue.UNSURE),
        ):
            if case is not None:
                st.button(
                    text, key=f"settle.{verdict}.{name}", shortcut=key,
                    on_click=_decide, args=(here, verdict),
                )  # fmt: skip
        if case is not None:
            st.text_input(
                "Note with the decision", key=f"settle.note.{name}", width=180,
                value=before.note if before else "", label_visibility="collapsed",
                placeholder="Why (then Tab)",
            )  # fmt: skip
        st.space("stretch")
        for text, shortcut, to in (("Back", "Left", at - 1), ("Next", "Right", at + 1)):
            st.button(
                text, key=f"settle.{text}.{name}", shortcut=shortcut,
                disabled=not 0 <= to < len(ids), on_click=acts.__setitem__,
                args=("at", ids[to] if 0 <= to < len(ids) else None),
            )  # fmt: skip
        st.button(
            "Undo", key=f"settle.undo.{name}", shortcut="U", disabled=not (acts["done"] or before),
            on_click=_undo, args=(here,),
        )  # fmt: skip


@guarded
def _decide(here: Here, verdict: LabelValue) -> None:
    acts = _acts(here.project_id, here.reviewer)
    if not may(acts, here.seq):
        return
    note = st.session_state.get(f"settle.note.{here.asked.key}.{here.output_id}.{here.seq}", "")
    _store(here, here.output_id, here.asked, verdict, note)
    acts["done"].append((here.output_id, here.asked, here.before))
    acts["at"] = here.following


@guarded
def _undo(here: Here) -> None:
    acts = _acts(here.project_id, here.reviewer)
    if not may(acts, here.seq):
        return
    last = (here.output_id, here.asked, None)
    output, asked, before = acts["done"][-1] if acts["done"] else last
    _store(here, output, asked, before.verdict if before else None, before.note if before else "")
    del acts["done"][-1:]
    state.put("criterion", asked.key)
    acts["at"] = output


def _store(here: Here, output: int, asked: Question, verdict: LabelValue | None, note: str) -> None:
    acts = _acts(here.project_id, here.reviewer)
    adjudicate(
        store(), here.project_id, output, asked.key, verdict, here.reviewer, note.strip(),
        client=acts["client"], seq=here.seq, question_hash=asked.hash,
    )  # fmt: skip
    acts["seq"] = here.seq


def _votes(asked: Question, case: SplitCase, place: str) -> None:
    """Show the question, every label with its note side by side, and what was decided."""
    with st.container(horizontal=True):
        st.text(asked.text)
        st.space("stretch")
        st.caption(place, width="content")
    for start in range(0, len(case.votes), ASIDE):
        row = case.votes[start : start + ASIDE]
        for column, vote in zip(st.columns(max(len(row), 2)), row, strict=False):
            with column, st.container(border=True, height="stretch", gap="xxsmall"):
                st.text(f"{MARKS[vote.verdict]}  {vote.reviewer}")
                if vote.note:
                    st.text(visible(vote.note))
    for decision in case.decisions:
        said = (
            f"left undecided by {decision.reviewer}"
            if decision.verdict is LabelValue.UNSURE
            else f"{MARKS[decision.verdict]}, settled by {decision.reviewer}"
        )
        st.text(said + (f": {visible(decision.note)}" if decision.note else ""))


def _text(asked: Question, case: SplitCase) -> None:
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.caption("Output")
        verbatim(case.output.text)
        small(f"Sample {case.output.sample_id}, trial {case.output.trial}")
    with right:
        if case.output.input:
            st.caption("Task input")
            verbatim(case.output.input, height=200)
        for what, text in (("passes", asked.pass_example), ("fails", asked.fail_example)):
            if text:
                st.caption(f"An example that {what}")
                verbatim(text, height=140)


def _nothing_open(lists: dict[str, tuple[list[int], list[int]]], key: str, reader: Reader) -> None:
    """Say what is done here, and lead to the next criterion with open splits."""
    following = next((k for k, (_, waiting) in lists.items() if waiting), None)
    with st.container(border=True, horizontal_alignment="center"):
        ids, _ = lists[key]
        name = criterion_name(key)
        st.text(
            f"Every split on {name} is settled or left undecided. Left goes back through them."
            if ids
            else f"No two labels {'' if reader.settling else 'you may see '}differ on {name}."
        )
        if not reader.settling:
            st.text(
                "Outputs you have not labelled yourself are not among them; “I am settling, not "
                "labelling” shows all."
            )
        if following is not None and following != key:
            st.button(
                f"Go on with {criterion_name(following)}", type="primary",
                on_click=state.put, args=("criterion", following),
            )  # fmt: skip
