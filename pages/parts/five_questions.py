"""The five questions of a project, answered from what it holds, each with one thing to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.answers import decision_step
from core.contract.contract import Limits
from core.contract.lint import lint
from core.errors import InputError
from core.glossary import help_of
from core.loop.stop import Arm
from core.loop.task_costs import TaskCosts, task_costs
from core.providers.scripted import SCRIPTED
from core.questions import (
    Examples,
    Labelled,
    Measured,
    State,
    Step,
    baseline_question,
    calibrated_question,
    criteria_question,
    repairable_question,
    separation_question,
)
from core.runs.example_counts import examples_of
from core.statistics.interval import Undefined
from core.statistics.uncertainty import Prices
from core.store.baselines import newest_baseline
from core.store.contracts import Version
from core.store.judgements import JudgeKind, judges
from core.store.progress import load_progress
from core.store.runs import RunKind, runs_of
from core.store.scenarios import scenarios
from core.store.store import Project
from core.store.trace_facts import load_facts
from core.verdict import OVERALL
from core.wording_agreement import todo_line
from pages.parts import state
from pages.parts.agreement_numbers import said_of_record, todo_of
from pages.parts.arithmetic_fields import read
from pages.parts.numbers import agreement
from pages.parts.panels import small
from pages.parts.shell import page_at
from pages.parts.trace_facts import converges
from pages.parts.trace_panels import TraceNumbers
from pages.parts.trace_panels import numbers as trace_numbers
from pages.parts.workspace import store, version

MARKS = {State.YES: "✓ yes", State.NO: "✕ no", State.OPEN: "○ not known yet"}
WORDS = {
    "Criteria": "criterion",
    "Separation": "separation",
    "Repairable": "r",
    "Calibrated": "far",
    "Baseline": "single shot",
    "Decision": "decision",
}
"""The word of the glossary that each question leans on."""
EVALUATOR_TAB = "Evaluator, stop rule and limits"


def questions_of(project: Project) -> list[Step]:
    """Return the five questions of a project answered, and the decision they lead to."""
    current = version(project)
    p = load_progress(store(), project.id)
    traces = trace_numbers(project)
    recorded = newest_baseline(store(), project.id)
    contract = None if current is None else current.contract
    first = (
        criteria_question(None, 0, 0, Examples(), p.labels)
        if current is None
        else criteria_question(
            current.number,
            len(current.contract.criteria),
            len(lint(current.contract)),
            examples_of(store(), project.id, current.contract),
        )
    )
    asked = tuple(todo_line(one) for one in todo_of(project, current)[:3])
    rates = measured(project, current, traces)
    played = _scripted(project)
    before = [
        replace(first, numbers=(*first.numbers, *asked)),
        separation_question(contract, rates),
        _with(repairable_question(converges(project)), played),
        calibrated_question(
            rates,
            contract.limits if contract else Limits(),
            Labelled(p.outputs, p.labelled, p.labels, p.reviewers),
        ),
        _with(
            baseline_question(
                traces.compared, costs_of(project), "" if recorded is None else recorded.words
            ),
            played,
        ),
    ]
    return [*before, decision_step(before)]


def _scripted(project: Project) -> tuple[str, ...]:
    """Say that loops were run without a model, if any were: their traces count like others."""
    ran = [r for r in runs_of(store(), project.id) if r.kind is RunKind.LOOP]
    played = [r for r in ran if r.config["model"] == SCRIPTED]
    if not played:
        return ()
    if len(ran) == 1:
        return ("The loop run here was scripted: it says nothing about a model.",)
    return (f"{len(played)} of {len(ran)} loop runs here scripted: those say nothing of a model.",)


def _with(step: Step, more: tuple[str, ...]) -> Step:
    return replace(step, numbers=(*step.numbers, *more))


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


def costs_of(project: Project) -> TaskCosts | Undefined | None:
    """Return what a task costs at the prices of the newest saved scenario; None without prices."""
    prices = prices_of(project)
    return None if prices is None else _costs(project.id, project.revision, prices)


def prices_of(project: Project) -> Prices | None:
    """Return the prices of the newest saved scenario that prices calls and a bad end."""
    for saved in sorted(scenarios(store(), project.id), key=lambda s: s.id, reverse=True):
        try:
            one = read(saved.inputs)  # type: ignore[arg-type]
        except (InputError, KeyError):
            continue  # Saved by an older version with other inputs.
        if one.priced and (one.costs.hand_over or one.costs.wrong):
            return one.costs.prices(one.inputs.critic)
    return None


@st.cache_resource(max_entries=20, show_spinner=False)
def _costs(project_id: int, revision: int, _prices: Prices) -> TaskCosts | Undefined:
    # Saving a scenario raises the revision, so it stands for the prices in the key too.
    from core.store.traces import load_summaries

    return task_costs(load_summaries(store(), project_id), load_facts(store(), project_id), _prices)


def questions(project: Project, found: Sequence[Step]) -> None:
    """Draw the questions one below the other: answer, numbers, one thing to do, the alternative."""
    st.subheader("Five questions", anchor=False, help=help_of("five questions"))
    for number, step in enumerate(found, 1):
        main = step is found[-1]
        with st.container(border=True):
            asks, answer = st.columns([3, 5], vertical_alignment="center")
            with asks.container(gap="xxsmall"):
                title = step.title if main else f"{number}. {step.title}"
                st.markdown(f"**{title}**", help=help_of(WORDS[step.title]))
                small(step.asks)
                st.text(MARKS[step.state])
            with answer.container(gap="small"):
                small(*step.numbers)
                with st.container(horizontal=True, vertical_alignment="center"):
                    # What it opens is set before anything is drawn: it may be this very page.
                    if st.button(
                        step.todo,
                        key=f"home.{step.title}",
                        type="primary" if main else "secondary",
                        on_click=_aim,
                        args=(step,),
                    ):
                        st.switch_page(page_at(step.page))
                    if step.otherwise and not main:
                        small(f"If no: {step.otherwise[0].lower()}{step.otherwise[1:]}")


def _aim(step: Step) -> None:
    """Set what the page that a question leads to opens with."""
    if step.page == "contract":
        st.session_state["contract.tab"] = EVALUATOR_TAB if step.view else "Criteria"
    else:
        state.put_view(step.page, step.view)
    for name, value in step.link:
        state.put(name, value)  # type: ignore[arg-type]
