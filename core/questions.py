"""Where a project stands: contract, labels, judge, baseline, decision; each answered from counts.

An answer is yes, no or not known yet, with the numbers behind it and one thing to do next. The
decision is never more than the steps before it: all yes, or the first that is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.contract.contract import Limits
from core.loop.summary import Arms
from core.statistics.comparison import Paired
from core.statistics.interval import Result, Undefined
from core.wording import count_of, decimal, plural, rate


class State(StrEnum):
    """The three answers there are."""

    YES = "yes"
    NO = "no"
    OPEN = "not known yet"


@dataclass(frozen=True)
class Step:
    """One step of a project: its question and answer, the numbers, what to do next, and where.

    `link` holds what else the address of `page` should say, such as the filter to open it with.
    """

    title: str
    asks: str
    state: State
    numbers: tuple[str, ...]
    todo: str
    page: str
    view: str | None = None
    link: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Measured:
    """A judge as measured against gold: false-accept and false-reject rate.

    `in_traces` when the gold came with recorded traces, which is then where its mistakes are.
    `record` says when the rates were last recorded, and whether that still holds.
    """

    name: str
    far: Result
    frr: Result
    in_traces: bool = False
    record: str = ""


def contract_step(number: int | None, criteria: int, findings: int, labels: int = 0) -> Step:
    """Is there a saved version whose criteria lint finds nothing wrong with?

    `labels` counts what people said about outputs as a whole: their notes lead to criteria.
    """
    title, asks = "Contract", "Could a stranger tell what passes and what fails?"
    if number is None:
        none = "No version saved yet."
        if labels:
            said = (none, "The notes on labelled outputs say what to ask.")
            return Step(title, asks, State.OPEN, said, "Group the notes", "label", "group")
        said = (none, "Not sure what to ask? Label some outputs first and say why in a note.")
        return Step(title, asks, State.OPEN, said, "Write a criterion", "contract")
    numbers = (
        f"Version {number}, {plural(criteria, 'criterion', 'criteria')}.",
        f"{plural(findings, 'lint finding')}." if findings else "Lint finds nothing.",
    )
    state, todo = (State.NO, "Read the findings") if findings else (State.YES, "Read the contract")
    return Step(title, asks, state, numbers, todo, "contract")


def labels_step(
    outputs: int, labelled: int, labels: int, reviewers: int, traces_with_gold: int = 0
) -> Step:
    """Have people labelled every output, or did gold come with the traces?"""
    title, asks = "Labels", "Have people said which outputs are good?"
    if not outputs:
        said = ("No outputs yet.",)
        return Step(title, asks, State.OPEN, said, "Import outputs", "label", "import")
    if not labels and traces_with_gold:
        gold = ("Nobody has labelled here.", f"Gold came with {plural(traces_with_gold, 'trace')}.")
        return Step(title, asks, State.YES, gold, "See the traces", "traces", "overview")
    if not labels:
        said = (f"None of {plural(outputs, 'output')} labelled.",)
        return Step(title, asks, State.OPEN, said, "Label the first outputs", "label", "label")
    numbers = (
        f"{labelled:,} of {plural(outputs, 'output')} labelled.",
        f"{plural(labels, 'label')} by {plural(reviewers, 'person', 'people')}.",
    )
    if labelled < outputs:
        return Step(title, asks, State.OPEN, numbers, "Label more outputs", "label", "label")
    return Step(title, asks, State.YES, numbers, "Compare with a judge", "agreement")


def judge_step(measured: Sequence[Measured], limits: Limits) -> Step:
    """Is one judge shown to be inside both limits, by the upper ends of its intervals?"""
    title, asks = "Judge", "Is it inside your limits for false accepts and false rejects?"
    if not measured:
        said = ("Nobody has judged yet.",)
        return Step(title, asks, State.OPEN, said, "Run the checks", "judge")
    numbers = []
    for one in measured:
        numbers += [
            one.name,
            f"False accepts: {_said(one.far)}",
            f"False rejects: {_said(one.frr)}",
            *([one.record] if one.record else []),
        ]
    limit = (limits.false_accept_rate, limits.false_reject_rate)
    if None in limit:
        return Step(title, asks, State.OPEN, tuple(numbers), "Set the limits", "contract")
    states = [_inside(((one.far, limit[0] or 0), (one.frr, limit[1] or 0))) for one in measured]
    state = next((s for s in (State.YES, State.OPEN, State.NO) if s in states), State.OPEN)
    todo = "Label more outputs" if state is State.OPEN else "Read its mistakes"
    if any(m.in_traces for m in measured):
        wrong = (("accepted", "wrong"),)
        return Step(
            title, asks, state, tuple(numbers), "Read its mistakes", "traces", "replay", wrong
        )
    page = "agreement" if any(not isinstance(m.far, Undefined) for m in measured) else "label"
    return Step(title, asks, state, tuple(numbers), todo, page)


def baseline_step(arms: Arms | None, recorded: str = "") -> Step:
    """Does feedback rescue more failed first drafts than trying again, on the same samples?

    `recorded` says in a line what baseline was recorded on the contract, and whether it still holds.
    """
    title, asks = "Baseline", "Does feedback beat simply trying again?"
    if arms is None:
        said = ("Loop and retries have not been run on the same samples.",)
        return Step(title, asks, State.OPEN, said, "Import traces", "traces", "import")
    numbers = [f"Of {plural(arms.rescued.n, 'failed first draft')}:"]
    numbers += _rescues("rescued", arms.rescued)
    if arms.rescued_right is not None:
        numbers += _rescues("rescued and right", arms.rescued_right)
    pairs = arms.rescued_right or arms.rescued
    winner = None if arms.clustered else pairs.winner
    state = {None: State.OPEN, 1: State.YES, 2: State.NO}[winner]
    numbers += [recorded] if recorded else []
    todo = "See both arms" if winner else "See what would tell"
    return Step(title, asks, state, tuple(numbers), todo, "traces", "overview")


def decision_step(before: Sequence[Step]) -> Step:
    """Use the loop when all steps are yes; else the first no, else the first open one, is next."""
    title, asks = "Decision", "Use this loop for this task?"
    yes = sum(step.state is State.YES for step in before)
    numbers = (f"{yes} of {plural(len(before), 'step')} answered yes.",)
    for state in (State.NO, State.OPEN):
        for step in before:
            if step.state is state:
                why = "is no" if state is State.NO else "is not known yet"
                return Step(
                    title,
                    asks,
                    state,
                    (*numbers, f"{step.title} {why}: that comes first."),
                    step.todo,
                    step.page,
                    step.view,
                    step.link,
                )
    return Step(title, asks, State.YES, (*numbers, "Use it."), "See the arithmetic", "arithmetic")


def _rescues(what: str, pairs: Paired) -> list[str]:
    said = [f"{what}: loop {pairs.first}, retries {pairs.second}"]
    if not isinstance(pairs.difference, Undefined):
        d = pairs.difference
        low, high = decimal(d.low * 100, 1), decimal(d.high * 100, 1)
        said[0] += f", difference {decimal(d.value * 100, 1)} points (95 %: {low} to {high})."
    return said


def _inside(rates: Sequence[tuple[Result, float]]) -> State:
    """YES when every upper end is within its limit, NO when a lower end is above, else OPEN."""
    if any(not isinstance(r, Undefined) and r.low > limit for r, limit in rates):
        return State.NO
    if all(not isinstance(r, Undefined) and r.high <= limit for r, limit in rates):
        return State.YES
    return State.OPEN


def _said(result: Result) -> str:
    return result.reason if isinstance(result, Undefined) else f"{rate(result)}, {count_of(result)}"
