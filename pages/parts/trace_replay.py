"""One trace, round by round: draft and what changed, verdicts with evidence, feedback, exit."""

from __future__ import annotations

import html

import streamlit as st

from core.contract.contract import Contract
from core.loop.changes import Kind, word_changes
from core.loop.replay import Replay, replay
from core.loop.reread import false_pass
from core.loop.stop import Arm
from core.loop.summary import was_accepted
from core.loop.trace import Round, Trace
from core.store.store import Project
from core.store.paths import arms_of_sample
from core.store.traces import by_held_contract, held_contracts, load_trace
from core.wording import exit_words, plural
from pages.parts import state
from pages.parts.panels import MARKS, small, verbatim, visible
from pages.parts.trace_calls import calls_panel
from pages.parts.trace_panels import ARMS
from pages.parts.trace_verdicts import evidence, grid, other_verdicts, scores
from pages.parts.workspace import store

SCRIPTED = "Scripted: a rule wrote or judged these drafts. No model has read anything."
OUTCOME = {True: "accepted", False: "not accepted, flagged", None: "whether accepted is not known"}


def replay_panel(project: Project, trace_id: str) -> None:
    """Draw one trace at the round the address names, or at its first."""
    trace = load_trace(store(), project.id, trace_id)
    if trace is None:
        st.caption("This trace is no longer in the project.")
        return
    trace = by_held_contract(trace, _held(project.id, project.revision))
    again = replay(trace)
    _heading(project, trace, again)
    if not trace.rounds:
        st.caption("No round of this trace was recorded.")
        return
    numbers = sorted({r.number for r in trace.rounds} | set(trace.gaps))
    asked = state.get("round")
    if asked is not None and state.get("trace") is None:
        # An address names the round of a trace, not of whichever trace comes first that day.
        state.put("trace", trace_id)
    here = _step(trace, numbers)
    if asked is not None and asked != str(here):
        st.caption(f"The round in the address is not in this trace; this is round {here}.")
    returned = again.returned_round if trace.returned_round is None else trace.returned_round
    left, right = st.columns([6, 5], gap="large")
    with left:
        _draft(trace, here, returned)
        calls_panel(project, trace, here)
    with right:
        evidence(trace, here)
        grid(trace, numbers, here, returned)
        other_verdicts(trace, here)
        scores(trace, numbers)


@st.cache_resource(max_entries=10, show_spinner=False)
def _held(project_id: int, revision: int) -> dict[str, Contract]:
    return held_contracts(store(), project_id)


def _heading(project: Project, trace: Trace, again: Replay) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(ARMS[trace.arm], anchor=False, width="content")
        st.text(f"{trace.trace_id}   ·   sample {trace.sample_id}, trial {trace.trial}")
        _others(project, trace)
    small(*outcome_lines(trace, again))
    if trace.extra.get("scripted") is True:
        small(SCRIPTED)


def _others(project: Project, trace: Trace) -> None:
    """Draw the way to the other traces of this sample: a button to one, a list of more."""
    of = arms_of_sample(store(), project.id, trace.sample_id, trace.trial)
    others = {name: arm for arm, name in of if name != trace.trace_id}
    if len(others) == 1:
        [(name, arm)] = others.items()
        st.button(
            f"See {ARMS[arm].lower()} on this sample",
            key=f"traces.other.{name}",
            on_click=_open,
            args=(name,),
        )
    elif others:
        key = f"traces.others.{trace.trace_id}"

        def chosen() -> None:
            if st.session_state[key] is not None:
                _open(st.session_state[key])

        st.selectbox(
            "Other traces of this sample", list(others), index=None, key=key, width=330,
            placeholder=f"{len(others)} other traces of this sample", on_change=chosen,
            label_visibility="collapsed",
        )  # fmt: skip


def _open(trace_id: str) -> None:
    state.put("trace", trace_id)
    state.put("round", None)


def outcome_lines(trace: Trace, again: Replay) -> list[str]:
    """Return in words how the trace ended, what it handed back, and the shapes it shows."""
    rule = trace.rule
    limits = {} if rule is None else {"cap": rule.cap, "window": rule.window}
    ended = again.exit if trace.exit is None else trace.exit
    words = exit_words(ended and ended.value, **limits)
    lines = ["How it ended is not recorded." if ended is None else f"Exit {words}."]
    if trace.exit is None and again.exit is not None:
        lines[0] += " (Not recorded; by its own stop rule.)"
    if claim := false_pass(trace):
        lines.append(f"The verdicts say otherwise: {claim}.")
    if again.exit is not None and trace.exit is not None and again.exit is not trace.exit:
        lines.append(
            f"By its own stop rule it ends otherwise: {exit_words(again.exit.value, **limits)}, "
            f"after {plural(again.rounds, 'round')}."
        )
    if again.exit is None:
        lines.append(f"Replayed by its own stop rule it cannot be told: {again.censored}.")
    lines += _handed_back(trace, again)
    if trace.gaps:
        lines.append(f"Never recorded: round {', '.join(map(str, trace.gaps))}.")
    shapes = [f"Shape: {s.name} – {s.why}. {s.first_response}" for s in again.shapes]
    return lines + shapes


def _handed_back(trace: Trace, again: Replay) -> list[str]:
    """Return a line about the draft that was handed back; without a usable one, the errors too."""
    returned = again.returned_round if trace.returned_round is None else trace.returned_round
    this = None if returned is None else trace.round(returned)
    kept = OUTCOME[was_accepted(trace, again.exit)]
    if this is not None and this.made:
        gold = "no gold label" if this.gold is None else f"gold label {MARKS[this.gold.value]}"
        if this.read:
            return [f"Handed back: the draft of round {returned} ({kept}; {gold})."]
        unread = "has no judgement that can be read" if this.judgement else "was never judged"
        line = f"No usable draft: the record hands back round {returned}, which {unread}"
        return [f"{line} ({kept}; {gold}).", *_errors(trace)]
    if returned is not None:
        what = "there is no such round in it" if this is None else "it has no draft"
        return [f"The record hands back round {returned}, but {what} ({kept}).", *_errors(trace)]
    usable = any(r.made and r.read for r in trace.rounds)
    return ["No draft is handed back."] if usable else ["No usable draft.", *_errors(trace)]


def _errors(trace: Trace) -> list[str]:
    """Return a line for each round without a usable draft, at most five."""
    found = []
    for r in trace.rounds:
        if r.made and r.read:
            continue
        why = r.error or (r.judgement.detail if r.judgement else "")
        if r.judgement is not None and r.judgement.unscored is not None:
            why = f"{r.judgement.unscored.value}{': ' if why else ''}{why}"
        found.append(f"Round {r.number}: {why or ('never judged' if r.made else 'no draft')}.")
    more = [f"And {plural(len(found) - 5, 'more round')}."] if len(found) > 5 else []
    return found[:5] + more


def _shown(numbers: list[int]) -> int:
    """Return the round the address names, or the first."""
    asked = state.get("round")
    return int(asked) if asked and asked.isdigit() and int(asked) in numbers else numbers[0]


def _move(numbers: list[int], by: int) -> None:
    # From where the cursor is now, which may be further than what was drawn.
    at = numbers.index(_shown(numbers)) + by
    state.put("round", str(numbers[min(max(at, 0), len(numbers) - 1)]))


KEYS = (
    ("First", "Home", -1_000_000),
    ("Previous", "Left", -1),
    ("Next", "Right", 1),
    ("Last", "End", 1_000_000),
)
"""The one map of keys: label of the button, its key, rounds to go. The buttons show their keys."""


def _step(trace: Trace, numbers: list[int]) -> int:
    """Draw the buttons and the slider; return the number of the round that is shown."""
    here = _shown(numbers)
    at = numbers.index(here)
    if len(numbers) < 2:
        st.text("One round.")
        return here
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, key, by in KEYS:
            st.button(
                label, key=f"traces.{label.lower()}", shortcut=key, on_click=_move, args=(numbers, by),
                disabled=at == (0 if by < 0 else len(numbers) - 1),
            )  # fmt: skip
        # A key per trace: the positions of another trace are other positions.
        slide = f"traces.slide.{trace.trace_id}"
        st.session_state[slide] = here
        st.select_slider(
            "Round",
            numbers,
            key=slide,
            label_visibility="collapsed",
            format_func=lambda n: f"Round {n}" + ("" if trace.round(n) else ", not recorded"),
            on_change=lambda: state.put("round", str(st.session_state[slide])),
        )
    return here


# --- the draft --------------------------------------------------------------------------------


def _draft(trace: Trace, here: int, returned: int | None) -> None:
    this = trace.round(here)
    with st.container(horizontal=True, vertical_alignment="center"):
        title = f"Round {here}" + (" · handed back" if here == returned else "")
        st.subheader(title, anchor=False, width="content")
        before = None if this is None or this.draft is None else _compared_with(trace, here)
    if this is None:
        st.text(
            "This round was never recorded. It counts as nothing: not as a fail, not as a pass."
        )
        return
    if not this.made:
        st.text("The generator gave no draft.")
    elif this.draft is None:
        st.text("The text of this draft was not recorded, only its fingerprint.")
    elif before is not None and before.draft is not None:
        _changes(before.draft, this.draft)
    else:
        verbatim(this.draft)
    small(_facts(this))
    if this.error:
        st.caption("Error")
        verbatim(this.error, height=160)
    if this.feedback:
        st.caption("Feedback exactly as sent to the generator for this draft")
        verbatim(this.feedback, height=220)
    elif here != trace.first_number:
        retry = trace.arm is Arm.RETRY
        st.caption(
            "No feedback: a retry is a fresh draw." if retry else "No feedback was recorded."
        )
    if trace.input:
        with st.expander("Task input"):
            verbatim(trace.input)


NOTHING = "nothing"
BEFORE = "before"


def _compared_with(trace: Trace, here: int) -> Round | None:
    """Draw the choice of the earlier round a draft is compared with; returns it, or None."""
    earlier = [r for r in trace.rounds if r.number < here and r.draft is not None]
    if not earlier:
        return None
    options = [BEFORE, *(str(r.number) for r in earlier[:-1]), NOTHING]
    names = {BEFORE: f"Changed since round {earlier[-1].number}", NOTHING: "Draft alone"}
    chosen = state.pick(
        "since", "Compare", options,
        show=lambda k: names.get(k, f"Changed since round {k}"),
        help="Added words are underlined, removed ones struck through.",
        label_visibility="collapsed", width=240,
    )  # fmt: skip
    if chosen == NOTHING:
        return None
    return earlier[-1] if chosen == BEFORE else trace.round(int(chosen or 0))


def _changes(before: str, after: str) -> None:
    """Show a draft with added words underlined and removed ones struck through."""
    if before == after:
        st.caption("Word for word the same as before.")
        verbatim(after)
        return
    tags = {
        Kind.SAME: "{}",
        Kind.ADDED: '<ins style="text-decoration:underline;text-decoration-thickness:2px;'
        'background:rgba(0,114,178,0.18)">{}</ins>',
        Kind.REMOVED: '<del style="text-decoration:line-through;text-decoration-thickness:2px;'
        'background:rgba(213,94,0,0.18)">{}</del>',
    }
    body = "".join(
        tags[piece.kind].format(html.escape(visible(piece.text)))
        for piece in word_changes(before, after)
    )
    st.html(
        '<div style="white-space:pre-wrap;overflow-wrap:anywhere;max-height:420px;overflow:auto;'
        "border:1px solid rgba(128,138,150,0.35);border-radius:6px;padding:0.7rem 0.9rem;"
        f'line-height:1.55" tabindex="0">{body}</div>'
    )


def _facts(r: Round) -> str:
    score = "no score" if r.score is None else f"score {float(r.score):.6g}"
    parts = [score, plural(r.generate_calls, "generate call"), plural(r.judge_calls, "judge call")]
    if r.reused:
        parts.append("judgement reused from the same draft")
    if r.tokens_in is not None or r.tokens_out is not None:
        cached = f" ({r.tokens_cached:,} from the cache)" if r.tokens_cached else ""
        parts.append(f"{r.tokens_in or 0:,} tokens in{cached}, {r.tokens_out or 0:,} out")
    if r.seconds is not None:
        parts.append(f"{r.seconds:.2f} s")
    if r.usd is not None:
        parts.append(f"{r.usd:.6f} USD")
    parts.append("no gold label" if r.gold is None else f"gold label {MARKS[r.gold.value]}")
    return " · ".join(parts)
