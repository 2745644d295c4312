"""Disagreements one at a time: why judge and people differ, by key, and what that leaves to do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.labelling.disagreement import Reason
from core.store.blind import set_standing
from core.store.disagreements import Given, reasons, save_reason
from core.store.from_disagreements import add_missed, note_unclear
from core.store.labels import find_reviewer, save_reviewer
from core.store.outputs import load_outputs
from core.store.settling import adjudicate
from core.text import person_key
from core.verdict import LabelValue
from core.wording import plural
from core.wording_agreement import REASONS, todo_line
from pages.parts import state
from pages.parts.acts import Acts, acts_of, may, paint
from pages.parts.agreement_numbers import View, counted, todo_of
from pages.parts.agreement_panels import one_case
from pages.parts.guard import guarded, say_what_failed
from pages.parts.labeller.labeller import question
from pages.parts.panels import small
from pages.parts.reviewer import named, signed_in
from pages.parts.shell import page_at
from pages.parts.sight import say_hidden, sight
from pages.parts.workspace import store

SHOWN = {
    "all": "All disagreements",
    "false_accept": "Bad outputs passed",
    "false_reject": "Good outputs failed",
}
KEYS = {Reason.RELABEL: "1", Reason.JUDGE: "2", Reason.UNCLEAR: "3", Reason.MISSED: "4"}
HELP = {
    Reason.RELABEL: "Settles the output as the judge said; everybody's own label stays a vote.",
    Reason.JUDGE: "The label stands. Counted, so that you see which criteria the judge gets wrong.",
    Reason.UNCLEAR: "Puts a note with this output into the contract draft.",
    Reason.MISSED: "Adds a criterion checked by code to the contract draft, with this output as "
    "what must fail; your note says what is wrong with it.",
}


@dataclass(frozen=True)
class Here:
    """The disagreement on the screen, as its buttons know it; `seq` is the act they would make."""

    view: View
    output_id: int
    good: bool
    before: Given | None
    following: int | None
    seq: int
    who: str


def why_view(view: View) -> None:
    """Draw who reads, the disagreements one at a time, and the to-do list they add up to."""
    if view.version is None:
        small("There is no contract yet: reasons belong to its criteria.")
        return
    if not signed_in():
        key = "agreement.who"
        st.session_state[key] = state.get("reviewer") or ""
        st.text_input(
            "Your name", key=key, width=260, max_chars=80, on_change=_name,
            help="Reasons and relabels belong to a person.",
        )  # fmt: skip
    if not person_key(named()):
        small("Give your name to say why they differ.")
    one_by_one(view)


def _name() -> None:
    state.put("reviewer", st.session_state["agreement.who"].strip() or None)


def _fresh(view: View) -> View:
    """Return the view as it is this moment: a fragment outlives a run of the page."""
    project = replace(view.project, revision=store().revision(view.project.id))
    return replace(
        view,
        project=project,
        counted=counted(
            project, view.version, view.evaluator, view.column, view.value, view.chosen, view.part
        ),
    )


@st.fragment
def one_by_one(view: View) -> None:
    """Draw one disagreement with the keys to say why, then the tally."""
    say_what_failed()
    view = _fresh(view)
    assert view.version is not None
    assert view.judge is not None
    cells = view.counted.results
    accepts, rejects = cells.cell(view.key, False, True), cells.cell(view.key, True, False)
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = state.pick(
            "panel", "Show", list(SHOWN), show=SHOWN.__getitem__, label_visibility="collapsed",
            width=240,
        )  # fmt: skip
        st.space("stretch")
        st.caption(
            f"{len(accepts)} passed and bad, {len(rejects)} failed and good", width="content"
        )
    wanted = {"all": [*accepts, *rejects], "false_accept": accepts, "false_reject": rejects}
    ids = wanted[shown or "all"]
    everything, hidden = ids, sight(view.project, view.version)
    if hidden is not None:
        ids = hidden.shown(view.key, ids)
        say_hidden(view.project, hidden, len(everything) - len(ids), "output", "why")
    given = reasons(store(), view.project.id, view.version, view.judge, view.key)
    acts = _acts(view)
    waiting = [i for i in ids if i not in given]
    output = acts["at"] if acts["at"] in ids else waiting[0] if waiting else None
    _keys(view, acts, ids, waiting, output, output in set(accepts), given)
    if acts["done"] and acts.get("said"):
        small(acts["said"])
    if output is None:
        with st.container(border=True):
            st.text(_nothing_to_say(view, shown or "all", len(everything), len(ids)))
    else:
        st.text(question(view.version.contract, view.key).text)
        if (one := given.get(output)) is not None:
            small(f"{REASONS[one.reason]}, said {one.who}{f': {one.note}' if one.note else '.'}")
        one_case(view, output, hidden)
    _tally(view)


def _nothing_to_say(view: View, shown: str, all_of_them: int, seen: int) -> str:
    """Say why no disagreement waits: none there is, none this person may see, or all are done."""
    if seen:
        have = "The one disagreement has" if seen == 1 else f"All {seen} disagreements have"
        shown_to_you = "" if seen == all_of_them else ", of those you may see"
        return f"{have} a reason{shown_to_you}. Left goes back through them."
    if all_of_them:
        return "Those they differ on are hidden from you for now: label them first."
    if not view.cells.n:
        return "No output here has both a label and a verdict."
    return {
        "all": "Judge and people agree on every output here.",
        "false_accept": "The judge passed no output here that people call bad.",
        "false_reject": "The judge failed no output here that people call good.",
    }[shown]


def _acts(view: View) -> Acts:
    return acts_of(f"agreement.acts.{view.project.id}.{view.evaluator}.{view.key}")


def _keys(
    view: View, acts: Acts, ids: list[int], waiting: list[int], output: int | None, accept: bool,
    given: dict[int, Given],
) -> None:  # fmt: skip
    """Draw the buttons. Their keys name the output and the act: a late key press finds none."""
    seq = acts["seq"] + 1
    at = len(ids) if output is None else ids.index(output)
    still = set(waiting)
    later = [i for i in [*ids[at + 1 :], *ids[:at]] if i in still]
    name = f"{view.key}.{output}.{seq}"
    paint(acts, name)
    here = Here(
        view, output or 0, not accept, given.get(output or 0), later[0] if later else None, seq,
        named(),
    )  # fmt: skip
    known = bool(person_key(named()))
    with st.container(horizontal=True, vertical_alignment="center"):
        for reason, text in REASONS.items():
            if output is not None and (reason is not Reason.MISSED or accept):
                st.button(
                    text, key=f"why.{reason}.{name}", shortcut=KEYS[reason], help=HELP[reason],
                    disabled=not known, on_click=_say, args=(here, reason),
                )  # fmt: skip
        if output is not None:
            st.text_input(
                "Note", key=f"why.note.{name}", width=240, label_visibility="collapsed",
                placeholder="Why (then Tab)",
            )  # fmt: skip
        st.space("stretch")
        for text, shortcut, to in (("Back", "Left", at - 1), ("Next", "Right", at + 1)):
            st.button(
                text, key=f"why.{text}.{name}", shortcut=shortcut,
                disabled=not 0 <= to < len(ids), on_click=acts.__setitem__,
                args=("at", ids[to] if 0 <= to < len(ids) else None),
            )  # fmt: skip
        st.button(
            "Undo", key=f"why.undo.{name}", shortcut="U", disabled=not acts["done"],
            on_click=_undo, args=(here,),
        )  # fmt: skip
        early = "That key came too early and did nothing: press it again. " if acts["early"] else ""
        st.caption(
            early + (f"{at + 1} of {len(ids)}" if output is not None else ""), width="content"
        )


@guarded
def _say(here: Here, reason: Reason) -> None:
    acts = _acts(here.view)
    if not may(acts, here.seq):
        return
    view = here.view
    assert view.version is not None
    note = st.session_state.get(f"why.note.{view.key}.{here.output_id}.{here.seq}", "").strip()
    # One act: a reason without its relabel, or the other way round, would say what nobody said.
    with store().write():
        _store(here, here.output_id, reason, note)
        if reason is Reason.RELABEL:
            verdict = LabelValue.FAIL if here.good else LabelValue.PASS
            _relabel(here, here.output_id, verdict, note)
    acts["said"] = _into_draft(here, reason, note)
    acts["done"].append((here.output_id, reason, here.before))
    acts["at"] = here.following
    acts["seq"] = here.seq


@guarded
def _undo(here: Here) -> None:
    acts = _acts(here.view)
    if not acts["done"] or not may(acts, here.seq):
        return
    output, reason, before = acts["done"][-1]
    with store().write():
        _store(here, output, before and before.reason, before.note if before else "")
        if reason is Reason.RELABEL:
            _relabel(here, output, None, "")
    acts["said"] = ""
    del acts["done"][-1:]
    acts["at"] = output
    acts["seq"] = here.seq


def _store(here: Here, output: int, reason: Reason | None, note: str) -> None:
    view = here.view
    assert view.version is not None
    assert view.judge is not None
    save_reason(
        store(), view.project.id, view.version, view.judge, output, view.key, reason,
        who=here.who, note=note,
    )  # fmt: skip


def _relabel(here: Here, output: int, verdict: LabelValue | None, note: str) -> None:
    """Settle an output; who was no reviewer becomes one who does not label, having seen it all."""
    project = here.view.project.id
    joined = find_reviewer(store(), project, here.who) is not None
    reviewer, _ = save_reviewer(store(), project, here.who)
    if not joined:
        set_standing(store(), project, reviewer, labelling=False)
    acts = _acts(here.view)
    asked = question(here.view.version and here.view.version.contract, here.view.key)
    adjudicate(
        store(), project, output, here.view.key, verdict, reviewer, note,
        client=acts["client"], seq=here.seq, question_hash=asked.hash,
    )  # fmt: skip


def _into_draft(here: Here, reason: Reason, note: str) -> str:
    """Put what belongs there into this tab's contract draft; returns what was done, in words."""
    if reason not in (Reason.UNCLEAR, Reason.MISSED):
        return ""
    project = here.view.project.id
    kept = f"contract.draft.{project}"
    draft = st.session_state.get(kept)
    found = load_outputs(store(), project, [here.output_id])
    text = found[0].text if found else ""
    if reason is Reason.UNCLEAR:
        made = note_unclear(store(), project, draft, here.view.key, text, note)
        said = "Noted with this output in the contract draft."
    else:
        made, ready = add_missed(store(), project, draft, text, note)
        said = (
            "A criterion with its check is in the contract draft: give it an example that passes."
            if ready
            else "A criterion is in the contract draft, with this output as what fails: choose its "
            "check there."
        )
    st.session_state[kept] = made
    # The form of the contract page must not show what it held before.
    st.session_state.pop("contract.shown", None)
    return said


def _tally(view: View) -> None:
    """Draw what the reasons add up to, and the way to the contract draft."""
    found = todo_of(view.project, view.version)
    if not found:
        return
    st.subheader("What the reasons ask for", anchor=False)
    small("Of all judges, for the criteria as they are worded now.")
    for one in found:
        st.text(todo_line(one))
    n = sum(one.count for one in found)
    if st.button(f"Open the contract ({plural(n, 'reason')})", key="why.contract"):
        if view.key in (view.version.contract.keys if view.version else ()):
            state.put("criterion", view.key)
        st.switch_page(page_at("contract"))
