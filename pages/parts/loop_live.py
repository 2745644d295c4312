"""One loop run as people watch it: traces growing, how they ended, how fast, what it cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import streamlit as st

from core.contract.criterion import CheckedBy
from core.labelling.filters import Filter
from core.runs.loop_live import Growing, growing
from core.runs.loop_setup import LoopSetup
from core.runs.loops import version_of
from core.runs.loop_summary import LoopSummary, summarise_loops
from core.runs.pace import dollars, duration, elapsed
from core.runs.waiting import waiting_drafts
from core.store.loops import Reason, queued_drafts
from core.store.runs import Run, RunState, Wish, load_run
from core.store.store import now
from core.wording import plural
from pages.parts import state
from pages.parts.judge_live import EVERY, STATES
from pages.parts.panels import small, visible
from pages.parts.running import go_on_with, wish
from pages.parts.shell import page_at
from pages.parts.trace_panels import ARMS
from pages.parts.workspace import store

SHOWN = 30
"""Traces under way, and ended ones, in the table."""


def watch(run_id: int, hidden: frozenset[str]) -> None:
    """Draw a run, again every second while it is under way or waits for labels.

    Of the traces in `hidden` no score and no exit is shown: who looks has yet to label their text.
    """
    run = load_run(store(), run_id)
    if run.unfinished or _waits(run):
        _live(run_id, run.state, hidden)
    else:
        _draw(run, hidden)


def _waits(run: Run) -> bool:
    return run.state is RunState.PAUSED and run.wish is Wish.LABELS


@st.fragment(run_every=EVERY)
def _live(run_id: int, was: RunState, hidden: frozenset[str]) -> None:
    run = load_run(store(), run_id)
    if run.unfinished != (was in (RunState.WAITING, RunState.RUNNING)):
        # The whole page: what can be started, read and pressed is another now.
        st.rerun()
    _draw(run, hidden)


def _draw(run: Run, hidden: frozenset[str]) -> None:
    found = summarise_loops(store(), run)
    with st.container(border=True):
        _headline(run, found)
        st.progress(min(found.traces / run.total, 1.0) if run.total else 0.0)
        _numbers(run, found)
        if run.error and not _waits(run):
            st.text(f"Why it stopped: {run.error}")
        _people(run)
        _buttons(run)
        _traces(run, hidden)


def _headline(run: Run, found: LoopSummary) -> None:
    said = STATES[run.state]
    if run.state is RunState.RUNNING and run.wish is Wish.PAUSE:
        said = "Pausing: calls in the air are awaited, they are paid for"
    if run.state is RunState.RUNNING and run.wish is Wish.CANCEL:
        said = "Cancelling: calls in the air are awaited, they are paid for"
    if _waits(run):
        said = "Waits for labels"
    st.text(f"Run {run.id} · {said} · {found.traces:,} of {plural(run.total, 'trace')} ended")


def _numbers(run: Run, found: LoopSummary) -> None:
    if found.exits:
        exits = sorted(found.exits.items(), key=lambda x: -x[1])
        so_far = "Exits so far: " if found.traces < run.total else "Exits: "
        st.text(so_far + " · ".join(f"{name} {n:,}" for name, n in exits))
    money, seconds = found.spent, elapsed(run, now())
    speed = f" · {found.traces / seconds:,.1f} traces a second" if found.traces and seconds else ""
    cost = dollars(money.usd) + (f" of {dollars(run.budget.usd)}" if run.budget.usd else "")
    calls = plural(money.calls, "call")
    if run.budget.calls is not None:
        calls += f" of {run.budget.calls:,}"
    st.text(
        f"{cost} · {calls} · {money.tokens_in:,} tokens in, {money.tokens_out:,} out · "
        f"{duration(seconds)}{speed}"
    )
    if found.reused:
        small(f"{plural(found.reused, 'draft')} came back; the earlier judgement was taken again.")
    if found.unscored:
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in sorted(found.unscored.items()))
        st.text(f"Unscored so far: {reasons}. No verdict, and in no rate.")
    if money.maybe_billed:
        st.text(
            f"{plural(money.maybe_billed, 'call')} may have been billed: no answer came before the "
            "connection or the program ended."
        )


def _people(run: Run) -> None:
    """Say which drafts people are asked about, and lead there."""
    open_ = sum(not complete for _, complete in waiting_drafts(store(), run))
    queued = queued_drafts(store(), run.id)
    if open_:
        st.text(f"{plural(open_, 'draft')} for a person to judge; the traces go on then.")
        people = [c.key for c in version_of(store(), run).contract.criteria
                  if c.checked_by is CheckedBy.PERSON]  # fmt: skip
        _label("Label what it waits for", run, people)
    spots = sum(q.reason is Reason.SPOT_CHECK for q in queued)
    flagged = Counter(q.why for q in queued if q.reason is Reason.FLAGGED)
    if spots or flagged:
        # Why stands here and not in the queue: whoever labels must not know how the loop ended.
        why = " · ".join(f"{name} {n:,}" for name, n in flagged.most_common())
        st.text(
            f"In the label queue: {plural(spots, 'spot check')} of accepted drafts, "
            f"{plural(flagged.total(), 'flagged draft')}{f' ({why})' if why else ''}. "
            "Their labels tell whether the run was right."
        )
        if not open_:
            _label("Label them", run, [])


def _label(words: str, run: Run, criteria: list[str]) -> None:
    """Lead to the list of drafts from loop runs; with one criterion in `criteria`, to that."""
    if st.button(words, key=f"loop.label.{run.id}", type="primary"):
        state.put_view("label", "label")
        state.put("list", str(Filter.LOOPS))
        state.put("asking", "one" if len(criteria) == 1 else "all")
        if len(criteria) == 1:
            state.put("criterion", criteria[0])
        st.switch_page(page_at("label"))


def _buttons(run: Run) -> None:
    with st.container(horizontal=True):
        if run.unfinished:
            st.button(
                "Pause", key=f"loop.pause.{run.id}", on_click=wish, args=(run.id, Wish.PAUSE),
                disabled=run.wish is not None,
            )  # fmt: skip
        if run.unfinished or _waits(run):
            st.button(
                "Cancel", key=f"loop.cancel.{run.id}", on_click=wish, args=(run.id, Wish.CANCEL),
                disabled=run.wish is Wish.CANCEL,
                help="What has ended stays; the run can still be gone on with.",
            )  # fmt: skip
        if not run.unfinished and run.state is not RunState.DONE and not _waits(run):
            st.button("Go on", key=f"loop.resume.{run.id}", type="primary", on_click=go_on_with,
                      args=(run.id,))  # fmt: skip
            if run.budget.usd is not None or run.budget.calls is not None:
                st.button("Go on without a budget", key=f"loop.free.{run.id}", on_click=go_on_with,
                          args=(run.id, True))  # fmt: skip


def _traces(run: Run, hidden: frozenset[str]) -> None:
    lines = growing(store(), run, SHOWN)
    if not lines:
        return
    rounds = max((len(g.steps) for g in lines if g.trace_id not in hidden), default=0)
    rows = [_row(g, rounds, hide=g.trace_id in hidden) for g in lines]
    key = f"loop.traces.{run.id}.{run.unfinished}"

    def picked() -> None:
        at = st.session_state[key].selection.rows
        if at:
            st.session_state["loop.open"] = lines[at[0]].trace_id

    more: dict[str, object] = {}
    if not run.unfinished:
        more = {"on_select": picked, "selection_mode": "single-row", "key": key}
    st.dataframe(
        rows, hide_index=True, height="content" if len(rows) < 10 else 360,
        alt="Traces of the run, one a row, with a column for each round.", **more,
    )  # fmt: skip
    setup = LoopSetup.from_data(run.config)
    shared = " Both arms share round 1." if setup.shared else ""
    small(
        f"Traces under way and the {SHOWN} that ended last; a round shows its score.{shared}"
        + ("" if run.unfinished else " Choose a row to replay it.")
        + (" Hidden: you have yet to label the text." if hidden else "")
    )
    opened = st.session_state.pop("loop.open", None)
    if opened is not None:
        state.put("trace", opened)
        state.put("round", None)
        state.put_view("traces", "replay")
        st.switch_page(page_at("traces"))


def _row(g: Growing, rounds: int, *, hide: bool) -> dict[str, str]:
    if hide:
        # How many rounds it took would tell, too.
        g = replace(g, steps=(), exit=None)
    steps = [*g.steps, *[""] * (rounds - len(g.steps))]
    return {
        "Sample": visible(g.sample_id),
        "Draw": g.trial,
        "Arm": ARMS[g.arm],
        "Exit": "hidden" if hide else "under way" if g.exit is None else g.exit.value,
        **{f"Round {n}": step for n, step in enumerate(steps, 1)},
    }
