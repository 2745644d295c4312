"""One trace, round by round: draft and what changed, verdicts with evidence, feedback, exit."""

from __future__ import annotations

import html
import streamlit as st

from core.charts import score_path
from core.contract.contract import Contract
from core.loop.changes import Kind, word_changes
from core.loop.replay import Replay, replay
from core.loop.stop import Arm
from core.loop.summary import was_accepted
from core.loop.trace import Round, Trace
from core.store.store import Project
from core.store.traces import arms_of_sample, load_trace
from core.verdict import CriterionVerdict
from core.wording import exit_words, plural
from pages.parts import state
from pages.parts.panels import MARKS, mark, small, verbatim, visible
from pages.parts.trace_panels import ARMS
from pages.parts.workspace import store

COLOURS = {
    "✓": "background-color: #0072B2; color: #FFFFFF",
    "✕": "background-color: #D55E00; color: #14181D",
    "?": "background-color: #6B727C; color: #FFFFFF",
}
OUTCOME = {True: "accepted", False: "not accepted, flagged", None: "whether accepted is not known"}
NO_VERDICT = "– no verdict"
GAP = "– not recorded"


def replay_panel(project: Project, trace_id: str) -> None:
    """Draw one trace at the round the address names, or at its first."""
    trace = load_trace(store(), project.id, trace_id)
    if trace is None:
        st.caption("This trace is no longer in the project.")
        return
    again = replay(trace)
    _heading(project, trace, again)
    if not trace.rounds:
        st.caption("No round of this trace was recorded.")
        return
    numbers = sorted({r.number for r in trace.rounds} | set(trace.gaps))
    here = _step(trace, numbers)
    returned = again.returned_round if trace.returned_round is None else trace.returned_round
    left, right = st.columns([6, 5], gap="large")
    with left:
        _draft(trace, here, returned)
    with right:
        _grid(trace, numbers, here, returned)
        _evidence(trace, here)
        _scores(trace, numbers)


def _heading(project: Project, trace: Trace, again: Replay) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(ARMS[trace.arm], anchor=False, width="content")
        st.text(f"{trace.trace_id}   ·   sample {trace.sample_id}, trial {trace.trial}")
        for arm, other in arms_of_sample(store(), project.id, trace.sample_id, trace.trial):
            if other != trace.trace_id:
                st.button(
                    f"See {ARMS[arm].lower()} on this sample",
                    key=f"traces.other.{other}",
                    on_click=_open,
                    args=(other,),
                )
    with st.container(border=True):
        st.text("\n".join(outcome_lines(trace, again)))


def _open(trace_id: str) -> None:
    state.put("trace", trace_id)
    state.put("round", None)


def outcome_lines(trace: Trace, again: Replay) -> list[str]:
    """Return in words how the trace ended, what it handed back, and the shapes it shows."""
    rule = trace.rule
    limits = {} if rule is None else {"cap": rule.cap, "window": rule.window}
    ended = again.exit if trace.exit is None else trace.exit
    lines = [f"Exit {exit_words(ended and ended.value, **limits)}."]
    if trace.exit is None and again.exit is not None:
        lines[0] += " (Not recorded; by its own stop rule.)"
    if again.exit is not None and trace.exit is not None and again.exit is not trace.exit:
        lines.append(
            f"By its own stop rule it ends otherwise: {exit_words(again.exit.value, **limits)}, "
            f"after {plural(again.rounds, 'round')}."
        )
    if again.exit is None:
        lines.append(f"Replayed by its own stop rule it cannot be told: {again.censored}.")
    returned = again.returned_round if trace.returned_round is None else trace.returned_round
    if returned is None:
        lines.append("No draft is handed back.")
    else:
        this = trace.round(returned)
        gold = None if this is None or this.gold is None else this.gold.value
        label = "no gold label" if gold is None else f"gold label {MARKS[gold]}"
        kept = OUTCOME[was_accepted(trace, again)]
        lines.append(f"Handed back: the draft of round {returned} ({kept}; {label}).")
    if trace.gaps:
        lines.append(f"Never recorded: round {', '.join(map(str, trace.gaps))}.")
    shapes = [f"Shape: {s.name} – {s.why}. {s.first_response}" for s in again.shapes]
    return lines + shapes


def _shown(numbers: list[int]) -> int:
    """Return the round the address names, or the first."""
    asked = state.get("round")
    return int(asked) if asked and asked.isdigit() and int(asked) in numbers else numbers[0]


def _move(numbers: list[int], by: int) -> None:
    # From where the cursor is now, which may be further than what was drawn.
    at = numbers.index(_shown(numbers)) + by
    state.put("round", str(numbers[min(max(at, 0), len(numbers) - 1)]))


def _step(trace: Trace, numbers: list[int]) -> int:
    """Draw the buttons and the slider; return the number of the round that is shown."""
    here = _shown(numbers)
    at = numbers.index(here)
    back, on, slide = st.columns([1, 1, 5], vertical_alignment="center")
    back.button(
        "Previous",
        key="traces.back",
        shortcut="Left",
        disabled=at == 0,
        width="stretch",
        on_click=_move,
        args=(numbers, -1),
    )
    on.button(
        "Next",
        key="traces.next",
        shortcut="Right",
        disabled=at == len(numbers) - 1,
        width="stretch",
        on_click=_move,
        args=(numbers, 1),
    )
    if len(numbers) > 1:
        # A key per trace: the positions of another trace are other positions.
        key = f"traces.slide.{trace.trace_id}"
        st.session_state[key] = here
        slide.select_slider(
            "Round",
            numbers,
            key=key,
            label_visibility="collapsed",
            format_func=lambda n: f"Round {n}" + ("" if trace.round(n) else ", not recorded"),
            on_change=lambda: state.put("round", str(st.session_state[key])),
        )
    else:
        slide.text("One round.")
    return here


# --- the draft --------------------------------------------------------------------------------


def _draft(trace: Trace, here: int, returned: int | None) -> None:
    this = trace.round(here)
    st.subheader(f"Round {here}" + (" · handed back" if here == returned else ""), anchor=False)
    if this is None:
        st.text(
            "This round was never recorded. It counts as nothing: not as a fail, not as a pass."
        )
        return
    before = _draft_before(trace, here)
    if not this.made:
        st.text("The generator gave no draft.")
    elif this.draft is None:
        st.text("The text of this draft was not recorded, only its fingerprint.")
    else:
        compare = before is not None and before.draft is not None
        if compare and st.toggle(
            f"Show what changed since round {before.number if before else ''}",
            value=True,
            key="traces.changes",
        ):
            assert before is not None and before.draft is not None
            _changes(before.draft, this.draft)
        else:
            st.caption("Draft")
            verbatim(this.draft)
    small(_facts(this))
    if this.error:
        st.caption("Error")
        verbatim(this.error, height=160)
    if this.feedback:
        st.caption("Feedback as sent to the generator for this draft")
        verbatim(this.feedback, height=220)
    elif here != trace.first_number:
        retry = trace.arm is Arm.RETRY
        st.caption(
            "No feedback: a retry is a fresh draw." if retry else "No feedback was recorded."
        )
    if trace.input:
        with st.expander("Task input"):
            verbatim(trace.input)


def _draft_before(trace: Trace, here: int) -> Round | None:
    earlier = [r for r in trace.rounds if r.number < here and r.draft is not None]
    return earlier[-1] if earlier else None


def _changes(before: str, after: str) -> None:
    """Show a draft with added words underlined and removed ones struck through."""
    if before == after:
        st.caption("Word for word the same as before.")
        verbatim(after)
        return
    st.caption("Added words are underlined, removed ones struck through.")
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
        parts.append(f"{r.tokens_in or 0:,} tokens in, {r.tokens_out or 0:,} out")
    if r.seconds is not None:
        parts.append(f"{r.seconds:.2f} s")
    if r.usd is not None:
        parts.append(f"{r.usd:.6f} USD")
    parts.append("no gold label" if r.gold is None else f"gold label {MARKS[r.gold.value]}")
    return " · ".join(parts)


# --- the verdicts -----------------------------------------------------------------------------


def _grid(trace: Trace, numbers: list[int], here: int, returned: int | None) -> None:
    """Draw criteria by rounds; a cell opens its round."""
    import pandas as pd

    st.caption("Verdicts by round. Choose a cell to go to its round.")
    names = {n: f"{n}{' ●' if n == here else ''}{' ⏎' if n == returned else ''}" for n in numbers}
    rows: dict[str, list[str]] = {key: [] for key in trace.keys}
    rows = {"score": [], **rows}
    for n in numbers:
        this = trace.round(n)
        for key in trace.keys:
            rows[key].append(_cell(this, key))
        rows["score"].append(_score(this))
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(names.values()))
    frame.insert(0, "criterion", list(rows))
    key = f"traces.grid.{trace.trace_id}.{here}"

    def picked() -> None:
        cells = st.session_state[key].selection.cells
        back = {name: n for n, name in names.items()}
        if cells and cells[0][1] in back:
            state.put("round", str(back[cells[0][1]]))

    st.dataframe(
        frame.style.map(lambda text: COLOURS.get(str(text)[:1], ""), subset=list(names.values())),
        hide_index=True,
        key=key,
        on_select=picked,
        selection_mode="single-cell",
        height="content" if len(rows) <= 16 else 560,
        column_config={"criterion": st.column_config.TextColumn("criterion", pinned=True)},
        alt="Verdict of every criterion in every round.",
    )
    small("● shown here" + ("" if returned is None else "   ⏎ handed back"))


def _cell(r: Round | None, key: str) -> str:
    if r is None:
        return GAP
    verdict: CriterionVerdict | None = r.judgement.verdicts.get(key) if r.judgement else None
    if verdict is None:
        return NO_VERDICT
    if verdict.verdict is None:
        return f"– {verdict.unscored}"
    return MARKS[verdict.verdict]


def _score(r: Round | None) -> str:
    if r is None:
        return GAP
    if r.score is not None:
        return f"{float(r.score):.6g}"
    return "– not read" if not r.read and r.judgement is None else "– no score"


def _evidence(trace: Trace, here: int) -> None:
    """List what was said of the round's draft, failures first."""
    this = trace.round(here)
    if this is None:
        return
    st.caption(f"Evidence in round {here}")
    if this.judgement is None:
        st.text("Nobody read this draft." if not this.read else "Only a score was recorded.")
        return
    if this.judgement.unscored is not None:
        st.text(f"Unscored: {this.judgement.unscored.value}. Not a fail, not a pass.")
        if this.judgement.detail and this.judgement.detail != this.error:
            verbatim(this.judgement.detail, height=120)
    said = this.judgement.verdicts
    order = sorted(
        said, key=lambda key: said[key].verdict is not None and said[key].verdict.accepts
    )
    rows = [
        {
            "Verdict": mark(said[key]),
            "Criterion": key,
            "Evidence": said[key].evidence,
            "What to change": said[key].change,
        }
        for key in order
    ]
    if not any(row["What to change"] for row in rows):
        rows = [{k: v for k, v in row.items() if k != "What to change"} for row in rows]
    failed = [row for row in rows if not row["Verdict"].startswith("✓")]
    for row in failed[:6]:
        text = [row["Evidence"], row.get("What to change") and f"→ {row['What to change']}"]
        st.text(f"{row['Verdict']}  {row['Criterion']}")
        if any(text):
            verbatim("\n".join(t for t in text if t), height=170)
    passed = rows if not failed else [row for row in rows if row not in failed[:6]]
    if passed:
        with st.expander(
            f"{plural(len(passed), 'other verdict' if failed else 'verdict')}, with evidence",
            expanded=not failed and len(passed) <= 4,
        ):
            st.dataframe(passed, hide_index=True)


def _scores(trace: Trace, numbers: list[int]) -> None:
    known = {r.number: float(r.score) for r in trace.rounds if r.score is not None}
    scored = [(n, known.get(n)) for n in numbers]
    if sum(score is not None for _, score in scored) < 2:
        return
    top = float(len(trace.keys)) if trace.keys else None
    if isinstance(trace.contract, Contract) and trace.contract.acceptance.rule == "threshold":
        top = float(trace.contract.total_weight)
    st.altair_chart(
        score_path(scored, top),
        alt="Score by round: "
        + ", ".join(f"{n}: {'none' if s is None else f'{s:g}'}" for n, s in scored),
    )
