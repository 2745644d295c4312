"""Five questions: is a loop worth having here, answered from what the workspace holds.

Criteria, separation, repairable, calibrated, baseline. An answer is yes, no or not known yet, with
the numbers behind it, one thing to do next, and what to do instead of a loop if it is no.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.contract.contract import Contract, Limits
from core.contract.ladder import LADDER, EvaluatorType
from core.loop.convergence import Convergence, Met
from core.loop.summary import Arms
from core.loop.task_costs import TaskCosts
from core.statistics.comparison import Paired
from core.statistics.interval import Estimate, Result, Undefined
from core.wording import count_of, decimal, dollars, percent, plural, rate

EVALUATOR = "evaluator"
"""The view of the contract page about evaluator, stop rule and limits."""


class State(StrEnum):
    """The three answers there are."""

    YES = "yes"
    NO = "no"
    OPEN = "not known yet"


@dataclass(frozen=True)
class Step:
    """One question: its answer, the numbers, what to do next and where, what to do instead.

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
    otherwise: str = ""


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


@dataclass(frozen=True)
class Examples:
    """The contract's own examples as its evaluator judges them: as written, not so, not tried.

    `elsewhere` are those of criteria that nothing here judges; they are not among the others.
    """

    right: int = 0
    wrong: int = 0
    untried: int = 0
    elsewhere: int = 0

    @property
    def all(self) -> int:
        """Examples in all."""
        return self.right + self.wrong + self.untried


@dataclass(frozen=True)
class Labelled:
    """How much people have said: current outputs, those labelled, labels, people."""

    outputs: int = 0
    labelled: int = 0
    labels: int = 0
    people: int = 0


def criteria_question(
    number: int | None, criteria: int, findings: int, examples: Examples, labels: int = 0
) -> Step:
    """Is every criterion binary, with two examples that the evaluator itself judges as written?

    `labels` counts what people said about outputs as a whole: their notes lead to criteria.
    """
    title, asks = "Criteria", "Binary, each with two examples the evaluator judges as written?"
    instead = "Label some outputs with notes first: the notes say what to ask."
    if number is None:
        none = "No version saved yet."
        if labels:
            said = (none, "The notes on labelled outputs say what to ask.")
            return Step(
                title,
                asks,
                State.OPEN,
                said,
                "Group the notes",
                "label",
                "group",
                otherwise=instead,
            )
        said = (none, "Not sure what to ask? Label some outputs first and say why in a note.")
        return Step(
            title, asks, State.OPEN, said, "Write a criterion", "contract", otherwise=instead
        )
    numbers = [
        f"Version {number}, {plural(criteria, 'criterion', 'criteria')}.",
        f"{plural(findings, 'lint finding')}." if findings else "Lint finds nothing.",
        f"{examples.right} of {plural(examples.all, 'example')} judged as written"
        + (f", {examples.wrong} otherwise" if examples.wrong else "")
        + (f", {examples.untried} not tried." if examples.untried else "."),
    ]
    if examples.elsewhere:
        numbers.append(
            f"{examples.elsewhere} more belong to verdicts given elsewhere or by people, and cannot "
            "be tried here."
        )
    state, todo = State.YES, "Read the contract"
    if findings:
        state, todo = State.NO, "Read the findings"
    elif examples.wrong:
        state, todo = State.NO, "Mend the examples"
    elif examples.untried:
        state, todo = State.OPEN, "Try the examples"
    return Step(title, asks, state, tuple(numbers), todo, "contract", otherwise=instead)


_KNOWS_A_FACT = (
    EvaluatorType.EXECUTED_CHECK,
    EvaluatorType.REFERENCE_ANSWER,
    EvaluatorType.TOOL_GROUNDED_CRITIC,
)


def separation_question(contract: Contract | None, measured: Sequence[Measured]) -> Step:
    """Does the evaluator know something the generator did not?

    A run, a reference or a fetched fact is something by itself. Written criteria are shown to be
    only by telling good from bad: the whole interval of bad outputs passed lies below that of good
    ones passed. Self-review knows nothing new, whatever it says.
    """
    title, asks = "Separation", "Does the evaluator know something the generator did not?"
    instead = "Climb the ladder, or take several independent drafts and reconcile them."
    if contract is None:
        said = ("No version saved yet.",)
        return Step(
            title, asks, State.OPEN, said, "Write a criterion", "contract", otherwise=instead
        )
    rung = contract.evaluator.type
    knows = contract.evaluator.knows.strip()
    numbers = [
        f"{LADDER[rung].title}. Adds: {LADDER[rung].adds[0].lower()}{LADDER[rung].adds[1:]}",
        f"Knows: {knows}" if knows else "Nobody has said what it knows.",
    ]
    tells: list[State] = []
    for one in measured:
        if isinstance(one.far, Undefined) or isinstance(one.frr, Undefined):
            continue
        tells.append(_tells_apart(one.far, one.frr))
        numbers.append(
            f"{one.name} fails {count_of(one.frr)} good outputs, {rate(one.frr)}, and passes "
            f"{count_of(one.far)} bad ones, {rate(one.far)}."
        )
    if rung is EvaluatorType.SELF_REVIEW:
        state, todo, page, view = State.NO, "Climb the ladder", "contract", EVALUATOR
    elif State.YES in tells:
        state, todo, page, view = State.YES, "See what it tells apart", "agreement", None
    elif State.NO in tells:
        state, todo, page, view = State.NO, "Climb the ladder", "contract", EVALUATOR
    elif rung in _KNOWS_A_FACT and knows:
        state, todo, page, view = State.YES, "Read the contract", "contract", EVALUATOR
    elif not knows:
        state, todo, page, view = State.OPEN, "Say what it knows", "contract", EVALUATOR
    else:
        state, todo, page, view = State.OPEN, "Label more outputs", "label", None
    return Step(title, asks, state, tuple(numbers), todo, page, view, otherwise=instead)


def _tells_apart(far: Estimate, frr: Estimate) -> State:
    if far.high < 1 - frr.high:
        return State.YES
    return State.NO if far.low > 1 - frr.low else State.OPEN


_STATES = {Met.YES: State.YES, Met.NO: State.NO, Met.OPEN: State.OPEN}


def repairable_question(found: Convergence | None) -> Step:
    """Does feedback turn fails into passes, and are failures specific?"""
    title, asks = "Repairable", "Does feedback turn fails into passes, and is it specific?"
    instead = "Find the fault first; let models debate the claim, or a person look at it."
    if found is None:
        said = ("No loop has been recorded.",)
        return Step(title, asks, State.OPEN, said, "Run a loop", "loop", "run", otherwise=instead)
    numbers = [
        f"Round {n}: {count_of(one)} accepted, {rate(one)}."
        for n, one in list(found.by_round.items())[:4]
    ] or ["No failed draft was revised."]
    specific = found.specific
    numbers.append(
        f"Specific failures: {_said(specific)}."
        if not isinstance(specific, Undefined)
        else f"Specific failures: {specific.reason}."
    )
    both = {_STATES[found.is_repairable], _STATES[found.is_specific]}
    state = State.NO if State.NO in both else State.YES if both == {State.YES} else State.OPEN
    todo = "See what stands in the way" if state is State.NO else "See the shapes"
    return Step(title, asks, state, tuple(numbers), todo, "traces", "shapes", otherwise=instead)


def calibrated_question(
    measured: Sequence[Measured], limits: Limits, labelled: Labelled | None = None
) -> Step:
    """Is one judge shown to be inside both limits, by the upper ends of its intervals?"""
    title, asks = "Calibrated", "Is it inside your limits for false accepts and false rejects?"
    instead = "Another judge, a code check, or a person for what it gets wrong."
    numbers: list[str] = []
    if any(m.in_traces for m in measured):
        numbers.append("Gold came with the traces.")
    elif labelled is not None and labelled.outputs:
        numbers.append(f"{labelled.labelled:,} of {plural(labelled.outputs, 'output')} labelled")
        by = f" by {plural(labelled.people, 'person', 'people')}" if labelled.people else ""
        numbers[-1] += f": {plural(labelled.labels, 'label')}{by}."
    if labelled is not None and not labelled.labelled and not measured:
        if not labelled.outputs:
            said = ("No outputs yet.",)
            return Step(
                title,
                asks,
                State.OPEN,
                said,
                "Import outputs",
                "label",
                "import",
                otherwise=instead,
            )
        todo = "Label the first outputs"
        return Step(
            title, asks, State.OPEN, tuple(numbers), todo, "label", "label", otherwise=instead
        )
    if not measured:
        numbers.append("Nobody has judged yet.")
        return Step(
            title, asks, State.OPEN, tuple(numbers), "Run the checks", "judge", otherwise=instead
        )
    for one in measured:
        numbers += [
            one.name,
            f"False accepts: {_said(one.far)}",
            f"False rejects: {_said(one.frr)}",
            *([one.record] if one.record else []),
        ]
    limit = (limits.false_accept_rate, limits.false_reject_rate)
    if None in limit:
        return Step(
            title,
            asks,
            State.OPEN,
            tuple(numbers),
            "Set the limits",
            "contract",
            EVALUATOR,
            otherwise=instead,
        )
    numbers.append(
        f"Your limits: {percent(limit[0] or 0, 0)} false accepts, "
        f"{percent(limit[1] or 0, 0)} false rejects."
    )
    states = [_inside(((one.far, limit[0] or 0), (one.frr, limit[1] or 0))) for one in measured]
    state = next((s for s in (State.YES, State.OPEN, State.NO) if s in states), State.OPEN)
    todo = "Label more outputs" if state is State.OPEN else "Read its mistakes"
    if any(m.in_traces for m in measured):
        wrong = (("accepted", "wrong"),)
        return Step(
            title, asks, state, tuple(numbers), "Read its mistakes", "traces", "replay", wrong,
            instead,
        )  # fmt: skip
    rated = any(not isinstance(m.far, Undefined) for m in measured)
    page = "label" if state is State.OPEN or not rated else "agreement"
    return Step(title, asks, state, tuple(numbers), todo, page, otherwise=instead)


def baseline_question(
    arms: Arms | None, costs: TaskCosts | Undefined | None, recorded: str = ""
) -> Step:
    """Does a task cost less in the loop than in retries and than in a single shot, paired?

    `costs` is None while nobody has set prices: then more rescued tasks are not enough for a yes.
    `recorded` says in a line what baseline was recorded on the contract, and if it still holds.
    """
    title, asks = "Baseline", "Does it cost less a task than retries and than a single shot?"
    instead = "Retries, or a single shot: whichever costs less a task."
    if arms is None:
        said = ("Loop and retries have not been run on the same samples.",)
        return Step(title, asks, State.OPEN, said, "Run a loop", "loop", "run", otherwise=instead)
    numbers = [f"Of {plural(arms.rescued.n, 'failed first draft')}:"]
    numbers += _rescues("rescued", arms.rescued)
    if arms.rescued_right is not None:
        numbers += _rescues("rescued and right", arms.rescued_right)
    numbers += [recorded] if recorded else []
    if isinstance(costs, TaskCosts):
        return _by_cost(title, asks, instead, numbers, costs)
    pairs = arms.rescued_right or arms.rescued
    state = State.NO if pairs.winner == 2 else State.OPEN
    if costs is None:
        numbers.append("What a task costs is not known: no saved scenario has prices.")
        if state is State.NO:
            return Step(title, asks, state, tuple(numbers), "See both arms", "traces",
                        "overview", otherwise=instead)  # fmt: skip
        return Step(title, asks, state, tuple(numbers), "Set the prices", "arithmetic", "costs",
                    otherwise=instead)  # fmt: skip
    numbers.append(f"What a task costs: {costs.reason}.")
    return Step(title, asks, state, tuple(numbers), "See what would tell", "traces", "overview",
                otherwise=instead)  # fmt: skip


def _by_cost(title: str, asks: str, instead: str, numbers: list[str], costs: TaskCosts) -> Step:
    single = "not known" if costs.single is None else dollars(costs.single)
    numbers.append(
        f"A task costs {dollars(costs.loop)} in the loop, {dollars(costs.retry)} in retries, "
        f"{single} in a single shot ({plural(costs.tasks, 'task')})."
    )
    for name, one in (("retries", costs.against_retry), ("a single shot", costs.against_single)):
        numbers.append(f"Against {name}: {_difference(one)}.")
    both = (costs.against_retry, costs.against_single)
    known = [one for one in both if isinstance(one, Estimate)]
    if any(one.low > 0 for one in known):
        state, todo = State.NO, "See both arms"
    elif len(known) == 2 and all(one.high < 0 for one in known):
        state, todo = State.YES, "See both arms"
    else:
        state, todo = State.OPEN, "See what would tell"
    return Step(title, asks, state, tuple(numbers), todo, "traces", "overview", otherwise=instead)


def _difference(result: Result) -> str:
    if isinstance(result, Undefined):
        return result.reason
    value, low, high = (_signed(x) for x in (result.value, result.low, result.high))
    return f"{value} a task (95 %: {low} to {high})"


def _signed(amount: float) -> str:
    return f"{'−' if amount < 0 else '+' if amount > 0 else ''}{dollars(abs(amount))}"


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
