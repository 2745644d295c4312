"""The parts of the home page: five steps, then the projects and samples of this workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from core.contract.contract import Limits
from core.contract.lint import lint
from core.loop.stop import Arm
from core.questions import (
    Measured,
    State,
    Step,
    baseline_step,
    contract_step,
    decision_step,
    judge_step,
    labels_step,
)
from core.statistics.interval import Undefined
from core.store.baselines import newest_baseline
from core.store.contracts import Version
from core.store.judgements import JudgeKind, judges
from core.store.progress import load_progress
from core.store.store import Project
from core.verdict import OVERALL
from core.wording_agreement import todo_line
from pages.parts import state
from pages.parts.agreement_numbers import said_of_record, todo_of
from pages.parts.numbers import agreement
from pages.parts.panels import small
from pages.parts.shell import page_at
from pages.parts.trace_panels import TraceNumbers
from pages.parts.trace_panels import numbers as trace_numbers
from pages.parts.workspace import add_sample, store, version
from sample_data.samples import SAMPLES

MARKS = {State.YES: "✓ yes", State.NO: "✕ no", State.OPEN: "○ not known yet"}


def steps_of(project: Project) -> list[Step]:
    """Return the five steps of a project, the decision last."""
    current = version(project)
    p = load_progress(store(), project.id)
    traces = trace_numbers(project)
    recorded = newest_baseline(store(), project.id)
    first = (
        contract_step(None, 0, 0, p.labels)
        if current is None
        else contract_step(
            current.number, len(current.contract.criteria), len(lint(current.contract))
        )
    )
    asked = tuple(todo_line(one) for one in todo_of(project, current)[:3])
    before = [
        replace(first, numbers=(*first.numbers, *asked)),
        labels_step(
            p.outputs,
            p.labelled,
            p.labels,
            p.reviewers,
            sum(arm.check.n > 0 and arm.traces for arm in traces.arms.values()),
        ),
        judge_step(
            measured(project, current, traces), current.contract.limits if current else Limits()
        ),
        baseline_step(traces.compared, "" if recorded is None else recorded.words),
    ]
    return [*before, decision_step(before)]


def measured(project: Project, current: Version | None, traces: TraceNumbers) -> list[Measured]:
    """Return every judge against gold; without labels, the check as the traces' gold shows it."""
    known = judges(store(), project.id)
    chosen = [j for j in known if j.kind is not JudgeKind.CODE] or known
    found = []
    for one in chosen[:3]:
        shown = agreement(project, current, one.id)[OVERALL]
        found.append(
            Measured(
                one.name, shown.false_accept_rate, shown.false_reject_rate,
                record=said_of_record(project, current, one.id),
            )
        )  # fmt: skip
    loop = traces.arms.get(Arm.LOOP)
    if loop is not None and loop.labelled and all(isinstance(m.far, Undefined) for m in found):
        c = loop.check
        return [
            Measured("The check, on final drafts", c.false_accept_rate, c.false_reject_rate, True)
        ]
    return found


def steps(found: Sequence[Step]) -> None:
    """Draw the steps one below the other: question, answer, numbers, one thing to do."""
    for number, step in enumerate(found, 1):
        with st.container(border=True):
            asks, answer, numbers, todo = st.columns([3, 2, 5, 3], vertical_alignment="center")
            with asks.container(gap="xxsmall"):
                st.markdown(f"**{number}. {step.title}**")
                small(step.asks)
            answer.text(MARKS[step.state])
            with numbers:
                small(*step.numbers)
            main = step is found[-1]
            if todo.button(
                step.todo,
                key=f"home.{step.title}",
                width="stretch",
                type="primary" if main else "secondary",
            ):
                state.put_view(step.page, step.view)
                for name, value in step.link:
                    state.put(name, value)
                st.switch_page(page_at(step.page))


def no_project() -> None:
    """Draw the empty state."""
    with st.container(border=True):
        st.text("No project is open. Make one under Projects on the left, or add a sample below.")


def projects(open_now: Project | None) -> None:
    """Draw the projects of this workspace, then the samples that are not open."""
    known = store().projects()
    st.subheader("Projects and samples", anchor=False)
    for project in known:
        about = "Open now" if open_now is not None and project.id == open_now.id else ""
        _row(
            project.title, about, "Open", f"open.{project.id}", state.put, ("project", project.slug)
        )
    here = {p.sample_slug for p in known}
    gone = {p.sample_slug for p in store().projects(removed=True)}
    for slug, sample in SAMPLES.items():
        name = slug.replace("_", "-")
        if name not in here:
            action = "Bring back" if name in gone else "Add"
            _row(sample.title, sample.description, action, f"add.{slug}", add_sample, (slug,))


def _row(
    title: str, about: str, action: str, key: str, call: Callable[..., None], args: tuple[str, ...]
) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container(gap="xxsmall"):
            st.text(title)
            if about:
                small(about)
        st.button(action, key=f"home.{key}", on_click=call, args=args)
