"""Running a judge: configure, see exactly what is sent, try one output, estimate, start, watch."""

from __future__ import annotations

import json
from dataclasses import replace

import streamlit as st

from core.errors import InputError
from core.judging.prompt import build_call, new_nonce, requests_for
from core.runs.judging import refuse_unjudgeable
from core.runs.pace import dollars, duration
from core.runs.readings import replies_about
from core.runs.starting import refuse_to_start, start_judging
from core.runs.summary import Estimate, estimate
from core.store.blind import Sight
from core.store.contracts import Version
from core.store.judge_config import judge_configs
from core.store.outputs import StoredOutput, current_ids, load_outputs
from core.store.runs import Run, RunKind, runs_of
from core.store.store import Project
from core.wording import plural
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.judge_live import STATES, watch
from pages.parts.judge_setup import Form, setup_form
from pages.parts.panels import mark, small, verbatim, visible
from pages.parts.running import prices, runs, secrets
from pages.parts.sight import say_hidden, sight
from pages.parts.workspace import store


def run_view(project: Project, version: Version | None) -> None:
    """Draw everything about judge runs: the newest one on top, then the form for the next."""
    found = [r for r in runs_of(store(), project.id) if r.kind is RunKind.JUDGE]
    busy = any(r.unfinished for r in found)
    if found:
        _runs(project, found)
    if version is None:
        st.text("There is no contract yet: write the criteria first.")
        return
    try:
        refuse_unjudgeable(version.contract)
    except InputError as error:
        st.text(str(error))
        return
    st.subheader("Set up a judge", anchor=False)
    left, right = st.columns(2, gap="medium")
    try:
        with left:
            form = setup_form(project, version)
    except InputError as error:
        with right:
            st.error("This judge cannot be set up.")
            st.text(str(error))
        return
    with right:
        _key(form)
        _doubts(form)
        _try_one(project, version, form, busy)
        _start(project, version, form, busy)
    _exactly(project, version, form)


def _runs(project: Project, found: list[Run]) -> None:
    judges = judge_configs(store(), project.id)

    def name(run: Run) -> str:
        judge = judges.get(run.judge_id or 0)
        return "?" if judge is None else judge.name

    by_id = {str(r.id): r for r in found}
    shown = state.pick(
        "run", "Run", list(by_id),
        show=lambda i: f"{i} · {name(by_id[i])} · {plural(by_id[i].total, 'judgement')} · "
        f"{'under way' if by_id[i].unfinished else STATES[by_id[i].state].lower()}",
    )  # fmt: skip
    if shown is not None:
        watch(int(shown))


def _key(form: Form) -> None:
    """Say what keeps this judge from being called, before anything is spent."""
    trouble = _trouble(form)
    if trouble is not None:
        st.warning("This judge cannot be called yet.")
        st.text(trouble)


def _doubts(form: Form) -> None:
    with st.container(border=True):
        st.markdown("**Why this judge may be the wrong one**")
        for line in form.doubts:
            st.text(line)


# --- one output first ------------------------------------------------------------------------


def _picked(project: Project) -> StoredOutput:
    ids = current_ids(store(), project.id)
    key = f"judge.{project.id}.sample"
    if st.session_state.get(key) not in ids:
        st.session_state.pop(key, None)
    texts = {o.id: o for o in load_outputs(store(), project.id, ids[:200])}
    chosen = st.selectbox(
        "Output to try", list(texts), key=key, persist_state="session",
        format_func=lambda i: f"{texts[i].sample_id}, trial {texts[i].trial}",
    )  # fmt: skip
    return texts[chosen]


def _try_one(project: Project, version: Version, form: Form, busy: bool) -> None:
    st.subheader("Try one output", anchor=False)
    output = _picked(project)
    every = replies_about(store(), version, form.setup, [output]).get(output.id, [])
    readings = [r for r in every if r.repeat == 1]
    seen = sight(project, version)
    hidden = seen is not None and not _may_see(seen, version, output.id)
    trouble = _trouble(form)
    # No callback here or below: it would get the form as it was before the field just typed in.
    if st.button(
        "Judge this output alone", key="judge.try",
        disabled=bool(readings) or busy or trouble is not None,
        help="Paid once: the run later takes this answer from the ledger.",
    ):  # fmt: skip
        _begin(project, version, form, [output.id])
        st.rerun()
    if seen is not None and hidden and readings:
        say_hidden(project, seen, 1, "output", "try")
        return
    for reading in readings:
        for key, verdict in reading.read.verdicts.items():
            st.text(f"{mark(verdict)}  {key}")
            if verdict.evidence or verdict.change:
                more = verdict.change and f"→ {verdict.change}"
                verbatim("\n".join(x for x in (verdict.evidence, more) if x), height=160)
        if reading.read.unscored is not None:
            st.text(f"– no verdict ({reading.read.unscored}): {reading.read.detail}")
        if reading.read.repaired:
            small("Repaired to be read: " + "; ".join(reading.read.repaired))
    if readings:
        with st.expander("The reply as it came"):
            for reading in readings:
                st.code(visible(reading.raw), language=None, wrap_lines=True)


def _may_see(seen: Sight, version: Version, output: int) -> bool:
    return all(seen.may_see(key, output) for key in version.contract.keys)


def _trouble(form: Form) -> str | None:
    """Return the one line about why nothing could be called, or None."""
    try:
        refuse_to_start(form.setup, form.budget, prices(), secrets)
    except InputError as error:
        return str(error)
    return None


# --- the run ---------------------------------------------------------------------------------


@st.cache_resource(max_entries=40, show_spinner="Counting what is to be asked …")
def _estimate(project_id: int, revision: int, judge: str, repeats: int, concurrency: int, _version: Version, _form: Form) -> Estimate:  # fmt: skip
    return estimate(store(), project_id, _version, _form.setup, prices())


def _start(project: Project, version: Version, form: Form, busy: bool) -> None:
    st.subheader("Judge all outputs", anchor=False)
    if busy:
        small(
            "A run is under way. The next one can be started when it is done, paused or cancelled."
        )
        return
    setup = form.setup
    found = _estimate(
        project.id, project.revision, setup.judge_hash, setup.repeats, setup.concurrency,
        version, form,
    )  # fmt: skip
    with st.container(border=True):
        st.text(
            f"{plural(found.calls, 'call')}, about {found.tokens_in:,} tokens in and "
            f"{found.tokens_out:,} out: {dollars(found.usd)}, about {duration(found.seconds)}"
        )
        if found.reused:
            small(f"{plural(found.reused, 'answer')} paid for before, taken from the ledger.")
        small(
            f"From {plural(found.basis, 'earlier call')} of this judge."
            if found.basis
            else "By rule of thumb; after the first call it goes by what this judge takes."
        )
    trouble = _trouble(form)
    if st.button("Start the run", type="primary", key="judge.start", disabled=trouble is not None):
        _begin(project, version, form, None)
        st.rerun()
    small(
        "It goes on when this page is closed. After a restart of the program it goes on as soon as "
        "somebody opens the app, or runs evaluator-bench worker."
    )


@guarded
def _begin(project: Project, version: Version, form: Form, outputs: list[int] | None) -> None:
    setup = form.setup if outputs is None else replace(form.setup, repeats=1)
    run = start_judging(
        store(), project.id, version, setup, prices(), secrets,
        outputs=outputs, budget=form.budget,
    )  # fmt: skip
    state.put("run", str(run.id))
    runs().wake()


# --- exactly what is sent --------------------------------------------------------------------


def _exactly(project: Project, version: Version, form: Form) -> None:
    """Show the request as text, byte for byte but for the marks, which every run draws anew."""
    with st.expander("The request exactly as it is sent"):
        ids = current_ids(store(), project.id)
        chosen = st.session_state.get(f"judge.{project.id}.sample", ids[0])
        [output] = load_outputs(store(), project.id, [chosen])
        setup = form.setup
        requests = requests_for(
            version.contract, setup.options, output.input, output.text, output.reference
        )
        at = 0
        if len(requests) > 1:
            keys = [r.criteria[0].key for r in requests]
            at = keys.index(st.selectbox("Criterion", keys, key="judge.exactly"))
        call = build_call(requests[at], setup.options, setup.instructions, new_nonce())
        effort = "" if call.effort is None else f" · effort {call.effort}"
        small(
            f"Model {call.model} · at most {call.max_tokens:,} tokens of reply{effort}. The marks "
            "around the data (20 letters and digits) are drawn anew for each run."
        )
        st.caption("System")
        st.code(visible(call.system), language=None, wrap_lines=True)
        st.caption("User")
        st.code(visible(call.messages[0].text), language=None, wrap_lines=True)
        st.caption("Form of the reply (JSON schema)")
        st.code(json.dumps(dict(call.schema or {}), indent=1), language=None, wrap_lines=True)
