"""Another judge or an edited contract over the recorded drafts: where the loops would have stopped."""

from __future__ import annotations

import streamlit as st

from core.errors import InputError
from core.loop.rejudge import Again, Rejudged
from core.judging.prompt import judged_criteria
from core.runs.pace import dollars, duration
from core.runs.rejudging import rejudge
from core.runs.starting import refuse_to_start, start_judging
from core.runs.summary import Estimate, estimate
from core.store.contracts import Version, versions
from core.store.draft_outputs import Drafts, add_drafts, drafts_of
from core.store.judge_config import judge_configs
from core.store.judgements import JudgeKind
from core.store.runs import RunKind, runs_of
from core.store.store import Project
from core.store.trace_sources import filter_by
from core.wording import plural
from pages.parts import state
from pages.parts.guard import guarded
from pages.parts.judge_live import watch
from pages.parts.judge_setup import Form, setup_form
from pages.parts.panels import small
from pages.parts.running import prices, runs, secrets
from pages.parts.sight import hidden_trace_ids
from pages.parts.trace_from import pick_source
from pages.parts.workspace import store
from pages.parts.workspace import version as newest

RECORDED = "recorded"
SHOWN = 2_000
GROUPS = {
    "wrongly": "Earlier, wrongly",
    "earlier": "Earlier",
    "changed": "Ends otherwise",
    "unknown": "Unknown",
    "all": "All",
}


def rejudge_view(project: Project) -> None:
    """Draw the choice of contract and judge, the sentence, the counts, the traces, the judge run."""
    known = versions(store(), project.id)
    if not known:
        st.text("This project has no contract, so there is nothing to judge the drafts by.")
        return
    by_number = {str(v.number): v for v in known}
    names = {
        str(j.id): j.name
        for j in judge_configs(store(), project.id).values()
        if j.kind is not JudgeKind.CODE
    }
    one, two, three = st.columns(3)
    with one:
        number = state.pick(
            "under", "Contract", list(by_number), show=lambda n: _named(by_number[n], known[0])
        )
    version = by_number[number or str(known[0].number)]
    judged = bool(judged_criteria(version.contract))
    judge = RECORDED
    with two:
        if judged:
            judge = (
                state.pick(
                    "by", "Judge", [RECORDED, *names],
                    show=lambda j: "As recorded" if j == RECORDED else names[j],
                )
                or RECORDED
            )  # fmt: skip
        else:
            small(
                "Judge", "None needed: code checks decide every criterion of this contract, free."
            )
    with three:
        key = pick_source(project)
    who = None if judge == RECORDED else int(judge)
    found = _judged(project.id, project.revision, key, who, version.id, version)
    with st.container(border=True):
        for line in sentences(found, "this judge" if who is not None else "this contract"):
            st.text(line)
    small(
        "Code checks of the chosen contract were run again on every draft. The stop rule is each "
        "trace's own. After the first round that is decided otherwise the writer would have got "
        "other feedback: later drafts are the recorded ones, not those it would have written."
    )
    _counts(found)
    _listed(project, found)
    if judged:
        _ask(project, version, key)


def _named(version: Version, newest_one: Version) -> str:
    name = f" · {version.name}" if version.name else ""
    return f"Version {version.number}{name}" + (" (newest)" if version is newest_one else "")


@st.cache_resource(max_entries=10, show_spinner="Judging the recorded drafts again …")
def _judged(
    project_id: int, revision: int, key: str, judge: int | None, version_id: int, _version: Version
) -> Rejudged:
    return rejudge(store(), project_id, _version, judge, filter_by(key))


def sentences(found: Rejudged, what: str) -> list[str]:
    """Say how many traces would have stopped earlier, how many of them wrongly, what is unknown."""
    n = len(found.rows)
    known = found.count("known")
    if not known:
        return [
            f"Nothing can be said yet: with {what} the end of none of the {plural(n, 'trace')} is "
            "known. " + _unknown(found)
        ]
    earlier, wrongly = found.count("earlier"), found.count("wrongly")
    lacking = found.count("label_lacking")
    how = f", {wrongly:,} of them wrongly." if earlier else "."
    if lacking == earlier > 0:
        how = "; how many of them wrongly is not known: no gold label says so."
    elif lacking:
        how = f", {wrongly:,} to {wrongly + lacking:,} of them wrongly: {lacking:,} lack a gold label."
    lines = [f"With {what} {plural(earlier, 'trace')} would have stopped earlier{how}"]
    if wrongly:
        bad = sum(r.earlier and r.accepts_bad for r in found.rows)
        lost = sum(r.earlier and r.gives_up for r in found.rows)
        parts = [f"{bad:,} accept a draft whose gold label is FAIL"] if bad else []
        parts += [f"{lost:,} give up where the loop went on to a good draft"] if lost else []
        lines[0] += f" {' and '.join(parts)}."
    lines.append(
        f"{found.alike:,} end as recorded; {found.otherwise:,} end in the same round by another "
        f"exit; {found.later:,} stop later."
    )
    if n - known:
        lines.append(f"Unknown: {n - known:,} of {n:,}. {_unknown(found)}")
    return lines


def _unknown(found: Rejudged) -> str:
    parts = []
    if went_on := found.went_on:
        parts.append(f"{went_on:,} would have gone on past their last recorded draft")
    if unjudged := sum(r.was is not None and r.unjudged for r in found.rows):
        parts.append(f"{unjudged:,} need a verdict that was never given")
    if own := sum(r.was is None for r in found.rows):
        parts.append(f"{own:,} have no known end in the record itself")
    return "; ".join(parts) + "." if parts else ""


def _counts(found: Rejudged) -> None:
    known = [r for r in found.rows if r.known]
    if not known:
        return
    rows = []
    for title, of in (
        ("As recorded", [(r.was, r.was_rounds, r.was_good) for r in known]),
        ("Judged again", [(r.now, r.rounds, r.good) for r in known]),
    ):
        got = [good for exit, _, good in of if exit == "PASS"]
        rows.append(
            {
                "": title,
                "Accepted": f"{len(got):,} of {len(known):,}",
                "right": sum(g is True for g in got),
                "wrong": sum(g is False for g in got),
                "no gold label": sum(g is None for g in got),
                "Drafts": sum(n for _, n, _ in of),
            }
        )
    st.dataframe(
        rows, hide_index=True,
        alt="Accepted, right and wrong, as recorded and judged again, over traces known both ways.",
    )  # fmt: skip
    small(f"Over the {plural(len(known), 'trace')} whose end is known both ways.")


def _kept(r: Again, group: str) -> bool:
    return {
        "wrongly": r.wrongly,
        "earlier": r.earlier,
        "changed": r.known and (r.now is not r.was or r.rounds != r.was_rounds),
        "unknown": not r.known,
    }.get(group, True)


def _listed(project: Project, found: Rejudged) -> None:
    hidden = hidden_trace_ids(project, newest(project))
    seen = [r for r in found.rows if r.trace_id not in hidden]
    counts = {key: sum(_kept(r, key) for r in seen) for key in GROUPS}
    groups = [key for key in GROUPS if counts[key] or key == "all"]
    group = state.pick(
        "group", "Traces", groups, show=lambda key: f"{GROUPS[key]} ({counts[key]:,})",
        widget=st.segmented_control, required=True, label_visibility="collapsed",
    )  # fmt: skip
    rows = [r for r in seen if _kept(r, group or "all")]
    table = f"traces.again.{group}.{len(rows)}"

    def picked() -> None:
        at = st.session_state[table].selection.rows
        if at:
            state.put("trace", rows[at[0]].trace_id)
            state.put("round", str(max(1, rows[at[0]].rounds)))
            state.put("view", "replay")

    st.dataframe(
        [
            {
                "Trace": r.trace_id,
                "Sample": r.sample_id,
                "Recorded": "not known" if r.was is None else f"{r.was.value}, round {r.was_rounds}",
                "Judged again": f"unknown: {r.why}" if r.now is None
                else f"{r.now.value}, round {r.rounds}",
                "Its draft": {True: "✓ good", False: "✕ bad", None: "– no label"}[r.good]
                if r.now is not None else "",
                "Earlier": ("wrongly" if r.wrongly else "yes") if r.earlier else "",
            }
            for r in rows[:SHOWN]
        ],
        hide_index=True, key=table, on_select=picked, selection_mode="single-row", height=260,
        alt="Traces as recorded and judged again, one a row.",
    )  # fmt: skip
    more = f" The first {SHOWN:,} are listed." if len(rows) > SHOWN else ""
    gone = f" {plural(len(hidden), 'trace')} hidden until you have labelled their text."
    small(f"Choose a row to replay it at the round where it ends.{more}{gone if hidden else ''}")


# --- asking a judge about the drafts ---------------------------------------------------------


def _ask(project: Project, version: Version, key: str) -> None:
    found = [r for r in runs_of(store(), project.id) if r.kind is RunKind.JUDGE]
    started = st.session_state.get("traces.judge_run")
    if started in {r.id for r in found}:
        watch(started)
    with st.expander("Ask a judge about the recorded drafts", key="traces.ask"):
        drafts = _drafts(project.id, project.revision, key)
        many = len(drafts.ids) + drafts.lacking
        small(
            f"{plural(many, 'distinct draft')} of these traces. They are judged like outputs, and are "
            "in no label queue and no rate. What a judge has answered before is not paid for again."
        )
        if drafts.other_input:
            small(
                f"{plural(drafts.other_input, 'draft')} left out: their sample has another input now."
            )
        if any(r.unfinished for r in found):
            small("A judge run is under way. Wait until it is done, paused or cancelled.")
            return
        try:
            form = setup_form(project, version)
        except InputError as error:
            st.error("This judge cannot be set up.")
            st.text(str(error))
            return
        _start(project, version, key, form, drafts, many)


@st.cache_resource(max_entries=10, show_spinner=False)
def _drafts(project_id: int, revision: int, key: str) -> Drafts:
    return drafts_of(store(), project_id, filter_by(key))


@st.cache_resource(max_entries=20, show_spinner="Counting what is to be asked …")
def _estimate(project_id: int, revision: int, judge: str, ids: tuple[int, ...], version_id: int, _version: Version, _form: Form) -> Estimate:  # fmt: skip
    return estimate(store(), project_id, _version, _form.setup, prices(), outputs=ids)


def _start(
    project: Project, version: Version, key: str, form: Form, drafts: Drafts, many: int
) -> None:
    trouble = None
    try:
        refuse_to_start(form.setup, form.budget, prices(), secrets)
    except InputError as error:
        trouble = str(error)
        st.warning("This judge cannot be called yet.")
        st.text(trouble)
    if drafts.lacking:
        small("Prepare the drafts first: then what the run takes can be said.")
        st.button(
            f"Prepare {plural(drafts.lacking, 'draft')}", key="traces.prepare",
            on_click=_prepare, args=(project.id, key),
        )  # fmt: skip
        return
    if not many:
        small("There is no draft to ask about.")
        return
    guess = _estimate(
        project.id, project.revision, form.setup.judge_hash, drafts.ids, version.id, version, form
    )
    st.text(
        f"{plural(guess.calls, 'call')}, about {guess.tokens_in:,} tokens in and "
        f"{guess.tokens_out:,} out: {dollars(guess.usd)}, about {duration(guess.seconds)}"
    )
    st.button(
        "Judge the drafts", type="primary", key="traces.judge", disabled=trouble is not None,
        on_click=_begin, args=(project.id, version, form, drafts.ids),
    )  # fmt: skip


@guarded
def _prepare(project_id: int, key: str) -> None:
    add_drafts(store(), project_id, filter_by(key))


@guarded
def _begin(project_id: int, version: Version, form: Form, ids: tuple[int, ...]) -> None:
    run = start_judging(
        store(), project_id, version, form.setup, prices(), secrets, outputs=ids,
        budget=form.budget,
    )  # fmt: skip
    st.session_state["traces.judge_run"] = run.id
    if run.judge_id is not None:
        state.put("by", str(run.judge_id))
    runs().wake()
