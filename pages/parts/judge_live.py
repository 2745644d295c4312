"""One run as people watch it: how far, how fast, what it cost, what is unscored and why."""

from __future__ import annotations

import streamlit as st

from core.providers.scripted import SCRIPTED
from core.providers.settings import other_server
from core.runs.examples import ROLE as SELF_TEST
from core.runs.pace import Pace, cache_words, cost_words, dollars, duration, pace
from core.runs.starting import go_on_at
from core.runs.summary import Summary, summarise
from core.store.ledger import spent
from core.store.runs import Run, RunKind, RunState, Wish, load_run
from core.store.store import now
from core.wording import plural
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.panels import small
from pages.parts.running import go_on_with, prices, runs, secrets, wish
from pages.parts.workspace import store

EVERY = 1.0
"""Seconds between two looks at a run that is under way."""

STATES = {
    RunState.WAITING: "Waiting to be started",
    RunState.RUNNING: "Running",
    RunState.PAUSED: "Paused",
    RunState.CANCELLED: "Cancelled",
    RunState.DONE: "Done",
    RunState.FAILED: "Stopped by an error",
}


def watch(run_id: int) -> Run:
    """Draw a run, again every second while it is under way, and return it as it stands."""
    run = load_run(store(), run_id)
    if run.unfinished:
        _live(run_id)
    else:
        _draw(run)
    return run


@st.fragment(run_every=EVERY)
def _live(run_id: int) -> None:
    run = load_run(store(), run_id)
    if not run.unfinished:
        # The whole page: results are there now, and nothing is left to watch.
        st.rerun()
    _draw(run)


def _draw(run: Run) -> None:
    found = summarise(store(), run)
    with st.container(border=True):
        _headline(run, found)
        share = found.done / found.total if found.total else 0.0
        st.progress(min(share, 1.0))
        _numbers(run, found, pace(found, run, now()))
        if run.error:
            st.text(f"Why it stopped: {run.error}")
        _buttons(run)


def _headline(run: Run, found: Summary) -> None:
    said = STATES[run.state]
    if run.state is RunState.RUNNING and run.wish is Wish.PAUSE:
        said = "Pausing: calls in the air are awaited, they are paid for"
    if run.state is RunState.RUNNING and run.wish is Wish.CANCEL:
        said = "Cancelling: calls in the air are awaited, they are paid for"
    st.text(f"Run {run.id} · {said} · {found.done:,} of {found.total:,} judged")


def _numbers(run: Run, found: Summary, at: Pace) -> None:
    money = found.spent
    speed = "" if at.per_second is None else f" · {at.per_second:,.1f} a second"
    left = ""
    if run.state is RunState.RUNNING and at.left:
        left = f" · about {duration(at.left)} left"
    cost = cost_words(money)
    if run.budget.usd is not None:
        cost += f" of {dollars(run.budget.usd)}"
    calls = plural(money.calls, "call")
    if run.budget.calls is not None:
        calls += f" of {run.budget.calls:,}"
    st.text(
        f"{cost} · {calls} · {money.tokens_in:,} tokens in, {money.tokens_out:,} out · "
        f"{duration(at.seconds)}{speed}{left}"
    )
    if found.paid:
        small(f"{plural(found.paid, 'judgement')} had been paid for before and cost nothing now.")
    if found.unscored:
        so_far = " so far" if run.unfinished else ""
        reasons = ", ".join(f"{n:,} {reason}" for reason, n in sorted(found.unscored.items()))
        st.text(f"Unscored{so_far}: {reasons}. No verdict, and in no rate.")
    if money.maybe_billed:
        st.text(
            f"{plural(money.maybe_billed, 'call')} may have been billed: no answer came before the "
            "connection or the program ended."
        )
    cache = cache_words(found)
    if cache and run.config.get("model") != SCRIPTED:
        small(cache)


def _buttons(run: Run) -> None:
    with st.container(horizontal=True):
        if run.unfinished:
            st.button(
                "Pause", key=f"judge.pause.{run.id}", on_click=wish, args=(run.id, Wish.PAUSE),
                disabled=run.wish is not None,
            )  # fmt: skip
            st.button(
                "Cancel", key=f"judge.cancel.{run.id}", on_click=wish, args=(run.id, Wish.CANCEL),
                disabled=run.wish is Wish.CANCEL,
                help="What is judged stays; the run can still be gone on with.",
            )  # fmt: skip
        if run.judge_id is not None and not run.unfinished:
            st.button(
                "Read the results", key=f"judge.read.{run.id}", on_click=_read,
                args=(run.judge_id,),
            )  # fmt: skip
        if not run.unfinished and run.state is not RunState.DONE:
            st.button("Go on", key=f"judge.resume.{run.id}", type="primary", on_click=go_on_with,
                      args=(run.id,))  # fmt: skip
            if run.budget.usd is not None or run.budget.calls is not None:
                st.button("Go on without a budget", key=f"judge.free.{run.id}", on_click=go_on_with,
                          args=(run.id, True))  # fmt: skip
            if run.error and run.kind is RunKind.JUDGE and run.config["model"] != SCRIPTED:
                with st.popover("Correct the address"):
                    _elsewhere(run)


def _elsewhere(run: Run) -> None:
    """Draw the address a stopped run asked at, to be corrected."""
    address, older = f"judge.at.{run.id}", f"judge.at.older.{run.id}"
    st.text_input(
        "Address of the server", other_server(run.config.get("base_url")) or "", key=address,
        placeholder="https://api.anthropic.com",
    )  # fmt: skip
    st.toggle("Headers of older servers", bool(run.config.get("older")), key=older)
    small(
        "Another address is another judge: it judges the same outputs under a name of its own. "
        "A key is read anew from secrets.toml when the run goes on."
    )
    st.button(
        "Go on there", key=f"judge.there.{run.id}", type="primary", on_click=_go_on_there,
        args=(run, address, older),
    )  # fmt: skip


@guarded
def _go_on_there(run: Run, address: str, older: str) -> None:
    given = st.session_state[address].strip() or None
    there = go_on_at(store(), run, given, st.session_state[older], prices(), secrets)
    state.put("run", str(there.id))
    # The form for the next run begins with what was corrected, not with what was wrong.
    st.session_state[f"judge.{run.project_id}.base_url"] = given or ""
    st.session_state[f"judge.{run.project_id}.older"] = st.session_state[older]
    runs().wake()


def _read(judge: int) -> None:
    state.put_view("judge", "results")
    state.put("judge", str(judge))


@st.fragment(run_every=EVERY)
def small_watch(run_id: int) -> None:
    """Draw a run of the contract's self-test in one line, again every second while it runs."""
    run = load_run(store(), run_id)
    if not run.unfinished:
        st.rerun()
    done = spent(store(), run).replies
    st.text(f"{SELF_TEST}: {done} of {run.total} examples judged …")
