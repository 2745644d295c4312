"""A loop by hand: type each draft, see what the checks say, what a writer would get, how it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.contract.contract import Budget, Keep, StopRule
from core.errors import InputError
from core.judging.prompt import judged_criteria
from core.loop.by_hand import ByHand, Typed
from core.loop.generator import (
    Attempt,
    GeneratorOptions,
    first_call,
    revision_call,
)
from core.loop.stop import Arm
from core.store.contracts import Version
from core.store.hand_loops import (
    HandLoop,
    begin_hand,
    drop_hand,
    keep_hand,
    load_hand,
    open_hands,
    save_hand,
)
from core.store.store import Project
from core.verdict import CriterionVerdict, Verdict
from core.wording import exit_words, plural
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.loop_hand_rounds import rounds
from pages.parts.loop_setup import KEEP, all_samples, keys
from pages.parts.panels import small, verbatim, visible
from pages.parts.trace_panels import ARMS
from pages.parts.workspace import store

WORDS = (Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN)


def hand_view(project: Project, version: Version | None) -> None:
    """Draw the loop the address names, or the form that begins one."""
    if version is None:
        st.text("There is no contract yet: write the criteria first.")
        return
    named = state.get("draft")
    if named is None or not named.isdigit():
        _begin_form(project, version)
        return
    try:
        hand = load_hand(store(), project.id, int(named))
    except InputError as error:
        st.text(str(error))
        _begin_form(project, version)
        return
    _loop(hand)


# --- beginning -------------------------------------------------------------------------------


def _begin_form(project: Project, version: Version) -> None:
    samples = {s.key: s for s in all_samples(project.id, project.revision)}
    agreed = version.contract.stop
    with st.container(border=True):
        small(
            "You are the writer. Code checks judge each draft as you send it; what a judge or a "
            "person would decide, you decide. No model, no key."
        )
        sample = st.selectbox(
            "Task", [*samples, None], **keys(project, "hand.sample"),
            format_func=lambda k: "No sample: the contract's task alone" if k is None
            else _short(samples[k].sample_id, samples[k].input),
        )  # fmt: skip
        left, right = st.columns(2)
        arm = left.selectbox(
            "Arm", list(Arm), format_func=ARMS.__getitem__, **keys(project, "hand.arm")
        )
        one, two, three = st.columns(3)
        cap = one.number_input("Cap, drafts", 1, 100, agreed.cap, **keys(project, "hand.cap"))
        window = two.number_input(
            "Window, rounds", 1, 100, agreed.window, **keys(project, "hand.window")
        )
        a_round = 2 if judged_criteria(version.contract) else 1
        agreed_calls = agreed.budget.calls and max(agreed.budget.calls, a_round)
        calls = three.number_input(
            "Budget, calls", min_value=a_round, value=agreed_calls, placeholder="no limit",
            **keys(project, "hand.calls"),
            help="Each draft is one call. A round begins only if a draft and its judge still fit; "
            "if not, the exit is BUDGET.",
        )  # fmt: skip
        keep = right.selectbox(
            "Without a pass, hand back", list(Keep), index=list(Keep).index(agreed.keep),
            format_func=KEEP.__getitem__, **keys(project, "hand.keep"),
        )  # fmt: skip
        rule = StopRule(
            cap=int(cap), window=int(window), keep=keep, on_failure=agreed.on_failure,
            budget=Budget(calls=calls and int(calls)),
        )  # fmt: skip
        # No callback: it would get the fields as they were before the one just typed in.
        if st.button("Begin", type="primary", key="hand.begin"):
            _begin(project, version, sample, arm, rule)
            st.rerun()
    if begun := open_hands(store(), project.id)[:10]:
        st.subheader("Begun and not kept", anchor=False)
        for hand in begun:
            task = "no sample" if hand.sample is None else hand.sample.sample_id
            st.button(
                f"{hand.id} · {task} · {plural(len(hand.typed), 'draft')}",
                key=f"hand.open.{hand.id}", on_click=_open, args=(hand.id,),
            )  # fmt: skip


def _short(sample_id: str, text: str) -> str:
    line = " ".join(visible(text).split())
    return f"{sample_id} · {line[:90]}{'…' if len(line) > 90 else ''}"


@guarded
def _begin(
    project: Project, version: Version, sample: int | None, arm: Arm, rule: StopRule
) -> None:
    _open(begin_hand(store(), project.id, version, sample, arm, rule).id)


def _open(hand: int | None) -> None:
    state.put("draft", None if hand is None else str(hand))


# --- one loop --------------------------------------------------------------------------------


def _loop(hand: HandLoop) -> None:
    loop = hand.loop()
    _status(hand, loop)
    left, right = st.columns(2, gap="medium")
    with left:
        _task(hand)
        if loop.asks:
            _ask(hand, loop)
        elif loop.exit is None:
            _write(hand, loop)
        else:
            _ended(hand, loop)
    with right:
        rounds(hand.contract, loop)


def _status(hand: HandLoop, loop: ByHand) -> None:
    rule = hand.stop
    where = (
        f"Ended. Exit {exit_words(loop.exit.value, cap=rule.cap, window=rule.window)}."
        if loop.exit is not None
        else f"Draft {len(hand.typed)} waits for your verdict."
        if loop.asks
        else f"Draft {len(hand.typed) + 1} of at most {rule.cap}."
    )
    with st.container(border=True):
        st.text(f"{ARMS[hand.arm]} by hand {hand.id} · {where}")
        with st.container(horizontal=True):
            st.button(
                "Undo the last draft", key="hand.undo", disabled=not hand.typed or _kept(hand),
                on_click=_save, args=(hand, hand.typed[:-1]),
            )  # fmt: skip
            if loop.exit is None:
                st.button(
                    "Stop here", key="hand.stop", disabled=not hand.typed, on_click=_save,
                    args=(hand, hand.typed, True), help="Ends it with CANCELLED.",
                )  # fmt: skip
            st.button("Begin another", key="hand.other", on_click=_open, args=(None,))
            if not _kept(hand):
                st.button("Throw away", key="hand.drop", type="tertiary", on_click=_drop,
                          args=(hand,))  # fmt: skip


def _kept(hand: HandLoop) -> bool:
    return hand.trace_id is not None


def _task(hand: HandLoop) -> None:
    contract = hand.version.contract
    if contract.task:
        with st.expander("The contract's task"):
            verbatim(contract.task, height=160)
    if hand.sample is not None and hand.sample.input:
        small(f"Input of {visible(hand.sample.sample_id)}")
        verbatim(hand.sample.input, height=160)


def _write(hand: HandLoop, loop: ByHand) -> None:
    last = hand.typed[-1].draft if hand.typed else ""
    retry = hand.arm is Arm.RETRY
    if loop.feedback and not retry:
        st.caption("Feedback as a writer would get it")
        verbatim(loop.feedback, height=220)
    elif hand.typed and retry:
        small("A retry is told nothing of the draft before: write a new one.")
    number = len(hand.typed) + 1
    key = f"hand.{hand.id}.draft.{number}.{hand.revision}"
    st.text_area(f"Draft {number}", "" if retry else last, height=220, key=key)
    st.button(
        "Judge this draft", type="primary", key="hand.judge", on_click=_judge, args=(hand, key)
    )
    _whole_request(hand, loop, last)


def _whole_request(hand: HandLoop, loop: ByHand, last: str) -> None:
    with st.expander("The whole request a writer would get"):
        contract, writer = hand.contract, GeneratorOptions("by hand")
        input = "" if hand.sample is None else hand.sample.input
        if hand.typed and hand.arm is Arm.LOOP:
            call = revision_call(contract, input, Attempt(last, loop.feedback), writer)
        else:
            call = first_call(contract, input, writer)
        st.code(visible(call.messages[0].text), language=None, wrap_lines=True)


def _ask(hand: HandLoop, loop: ByHand) -> None:
    st.caption(f"Draft {len(hand.typed)}: what you say of it")
    verbatim(hand.typed[-1].draft, height=160)
    places = {key: f"hand.{hand.id}.{len(hand.typed)}.{key}" for key in loop.asks}
    left_over = 0
    for key, place in places.items():
        criterion = hand.contract.criterion(key)
        with st.container(border=True):
            st.text(visible(criterion.question or key))
            word = st.radio(
                f"Verdict on {key}", [str(w) for w in WORDS], index=None, horizontal=True,
                key=f"{place}.word",
                label_visibility="collapsed",
            )  # fmt: skip
            st.text_input(
                "Evidence: where in the draft", key=f"{place}.evidence",
                help="A failure without a place is feedback nobody can act on.",
            )  # fmt: skip
            if word in ("FAIL", "UNKNOWN"):
                st.text_input("What to change", key=f"{place}.change")
            left_over += word is None
    st.button(
        "Give these verdicts", type="primary", key="hand.verdicts", disabled=left_over > 0,
        on_click=_give, args=(hand, places),
    )  # fmt: skip
    if left_over:
        small(f"{plural(left_over, 'criterion', 'criteria')} without a verdict yet.")


def _ended(hand: HandLoop, loop: ByHand) -> None:
    returned = loop.state.returned
    if returned is None:
        st.text("No draft is handed back: none was judged.")
    else:
        accepted = "accepted" if loop.state.accepted else "not accepted, flagged"
        st.caption(f"Handed back: draft {returned} ({accepted})")
        verbatim(hand.typed[returned - 1].draft)
    if hand.trace_id is None:
        st.button("Keep as a trace", type="primary", key="hand.keep", on_click=_keep, args=(hand,))
        return
    st.text(f"Kept as the trace “{hand.trace_id}”, marked as written by hand.")
    st.button("Replay it", key="hand.replay", on_click=_replay, args=(hand.trace_id,))
    if st.session_state.pop("hand.go", False):
        from pages.parts.shell import page_at

        st.switch_page(page_at("traces"))


def _replay(trace_id: str) -> None:
    state.put("trace", trace_id)
    state.put("round", None)
    state.put_view("traces", "replay")
    st.session_state["hand.go"] = True


@guarded
def _save(hand: HandLoop, typed: Sequence[Typed], stopped: bool = False) -> None:
    save_hand(store(), hand, typed, stopped=stopped)


# Fields are read when the button is pressed: what was typed last, without leaving the field, is not
# yet in what the page was drawn from.
@guarded
def _judge(hand: HandLoop, field: str) -> None:
    draft = st.session_state[field]
    if not draft.strip():
        raise InputError(f"draft {len(hand.typed) + 1}", "it is empty.", "Type the draft first.")
    save_hand(store(), hand, (*hand.typed, Typed(draft)))


@guarded
def _give(hand: HandLoop, places: Mapping[str, str]) -> None:
    said = {
        key: CriterionVerdict(
            Verdict(st.session_state[f"{place}.word"]),
            st.session_state.get(f"{place}.evidence", "").strip(),
            st.session_state.get(f"{place}.change", "").strip(),
        )
        for key, place in places.items()
    }
    save_hand(store(), hand, (*hand.typed[:-1], Typed(hand.typed[-1].draft, said)))


@guarded
def _keep(hand: HandLoop) -> None:
    keep_hand(store(), hand)


@guarded
def _drop(hand: HandLoop) -> None:
    drop_hand(store(), hand)
    _open(None)
