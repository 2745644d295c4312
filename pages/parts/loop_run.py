"""Running loops: the newest run on top, then the form for the next, what it will take, the start."""

from __future__ import annotations

import streamlit as st

from core.errors import InputError
from core.runs.loop_setup import refuse_empty_tasks, refuse_unloopable
from core.runs.loop_start import refuse_to_loop, start_loops
from core.runs.loop_summary import LoopEstimate, estimate_loops
from core.runs.pace import dollars, duration
from core.store.contracts import Version
from core.store.runs import Run, RunKind, runs_of
from core.store.store import Project
from core.wording import plural
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.judge_live import STATES
from pages.parts.loop_live import watch
from pages.parts.loop_setup import Form, loop_form
from pages.parts.panels import small
from pages.parts.sight import hidden_trace_ids, say_hidden, sight
from pages.parts.running import prices, runs, secrets
from pages.parts.workspace import store


def run_view(project: Project, version: Version | None) -> None:
    """Draw everything about loop runs."""
    found = [r for r in runs_of(store(), project.id) if r.kind is RunKind.LOOP]
    if found:
        hidden = hidden_trace_ids(project, version)
        _runs(found, hidden)
        if hidden and (seen := sight(project, version)) is not None:
            say_hidden(project, seen, len(hidden), "trace", "loop")
    if version is None:
        st.text("There is no contract yet: write the criteria first.")
        return
    try:
        refuse_unloopable(version.contract)
    except InputError as error:
        st.text(str(error))
        return
    st.subheader("Set up a run", anchor=False)
    left, right = st.columns([3, 2], gap="medium")
    try:
        with left:
            form = loop_form(project, version)
        with right:
            _start(project, version, form, any(r.unfinished for r in found))
    except InputError as error:
        with right:
            st.error("This loop cannot be run.")
            st.text(str(error))


def _runs(found: list[Run], hidden: frozenset[str]) -> None:
    by_id = {str(r.id): r for r in found}
    shown = state.pick(
        "run", "Run", list(by_id),
        show=lambda i: f"{i} · {by_id[i].config['arms']} · writer {by_id[i].config['model']} · "
        f"{plural(by_id[i].total, 'trace')} · "
        f"{'under way' if by_id[i].unfinished else STATES[by_id[i].state].lower()}",
    )  # fmt: skip
    if shown is not None:
        watch(int(shown), hidden)


@st.cache_resource(max_entries=40, show_spinner="Counting what is to be asked …")
def _estimate(project_id: int, revision: int, what: str, at_once: int, keys: tuple[int, ...], _version: Version, _form: Form) -> LoopEstimate:  # fmt: skip
    return estimate_loops(store(), project_id, _version, _form.setup, prices(), samples=keys)


def _start(project: Project, version: Version, form: Form, busy: bool) -> None:
    refuse_empty_tasks(version.contract, {s.sample_id: s.input for s in form.samples})
    if form.warnings:
        with st.container(border=True):
            st.markdown("**Why this judge may be the wrong one**")
            for line in form.warnings:
                st.text(line)
    setup = form.setup.fitting(version.contract)
    if setup.scripted:
        small(
            "Scripted: the writer hands out the contract's own examples and the judge compares "
            "words. It shows the bench at work, and says nothing about a model."
        )
    found = _estimate(
        project.id, project.revision, setup.what_hash, setup.concurrency, tuple(form.keys),
        version, form,
    )  # fmt: skip
    with st.container(border=True):
        st.markdown("**What it will take**")
        st.text(f"{plural(found.tasks, 'task')} in {plural(len(setup.arms.arms), 'arm')}")
        if found.calls:
            st.text(f"{found.least:,} to {plural(found.calls, 'call')}")
            st.text(f"At most about {found.tokens_in:,} tokens in and {found.tokens_out:,} out")
            st.text(f"At most {dollars(found.usd)}, about {duration(found.seconds)}")
        small(
            "The least if every first draft passes, the most if none ever does.",
            f"From {plural(found.basis, 'earlier call')} of these models."
            if found.basis
            else "By rule of thumb; after the first run it goes by what these models take.",
        )
    trouble = _trouble(form)
    if trouble is not None:
        st.warning("These models cannot be called yet.")
        st.text(trouble)
    # No callback: it would get the form as it was before the field just typed in.
    if st.button(
        "Start the run", type="primary", key="loop.start", disabled=busy or trouble is not None
    ):
        _begin(project, version, form)
        st.rerun()
    small(
        "A run is under way. The next one can be started when it is done, paused or cancelled."
        if busy
        else "It goes on when this page is closed, and after a restart of the program."
    )


def _trouble(form: Form) -> str | None:
    """Return the one line about why nothing could be called, or None."""
    try:
        refuse_to_loop(form.setup, form.budget, prices(), secrets)
    except InputError as error:
        return str(error)
    return None


@guarded
def _begin(project: Project, version: Version, form: Form) -> None:
    run = start_loops(
        store(), project.id, version, form.setup, prices(), secrets,
        samples=form.keys, budget=form.budget,
    )  # fmt: skip
    state.put("run", str(run.id))
    runs().wake()
