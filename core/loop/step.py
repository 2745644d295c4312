"""`step(state, event) -> state`: the loop as a pure function, for running and for replaying alike.

A state says what it expects next: a draft, a judgement, or nothing because it has ended. Whoever
drives it (a run with real calls, a replay of a log, a test with a script) feeds the event that
happened. Every draft is judged, so a loop that never passes makes two calls a round where a judge
is asked: generate, evaluate, generate, evaluate …

Only a draft with a scored judgement is ever handed back. When there is none (the first call
failed, say) `returned` is None and `flag` says "no usable draft" with the errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar

from core.contract.contract import Contract, Keep, StopRule
from core.contract.criterion import CheckedBy
from core.judging.judgement import Judgement
from core.loop.stop import (
    NO_COST,
    NOTHING_SPENT,
    ONE_CALL,
    Arm,
    Cost,
    Exit,
    Spent,
    exit_after,
    fits,
)
from core.loop.trace import Outcome, Round, Trace, outcome_by, uses_judge
from core.text import fingerprint
from core.verdict import LabelValue, Unscored


class Expects(StrEnum):
    """What a state waits for."""

    GENERATE = "generate"
    EVALUATE = "evaluate"
    NOTHING = "nothing"


# --- events ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DraftMade:
    """The generator gave a draft. `fingerprint` is computed from the draft unless it is given."""

    draft: str | None
    cost: Cost = ONE_CALL
    feedback: str = ""
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The evaluator answered; after the run's own re-asking, so an unscored outcome is final."""

    outcome: Outcome
    judgement: Judgement | None = None
    cost: Cost = NO_COST


@dataclass(frozen=True, slots=True)
class GeneratorFailed:
    """The generator gave no draft, after the run's own retries."""

    error: str
    cost: Cost = NO_COST
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class EvaluatorFailed:
    """The evaluator gave no judgement, after the run's own retries."""

    reason: Unscored
    error: str
    cost: Cost = NO_COST


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Somebody stopped the run; the draft in hand, if any, is logged as not judged."""


Event = DraftMade | Judged | GeneratorFailed | EvaluatorFailed | Cancelled


def judged(contract: Contract, judgement: Judgement, cost: Cost) -> Judged:
    """Return the event for a judgement under `contract`."""
    return Judged(outcome_by(contract, judgement), judgement, cost)


# --- state ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """Where a loop stands; frozen, made by `start` and `step` only.

    `rounds` holds the closed rounds, `open_round` the draft that waits for its judgement. `best`
    is the number of the round with the highest score (ties: the earliest). `stale` counts scored
    rounds since the score last rose. `dearest` is the most a round has used up so far, which is
    what the next one is expected to need; `exit` is None until the loop has ended.
    """

    rule: StopRule
    arm: Arm
    calls_per_round: int
    first_number: int = 1
    rounds: tuple[Round, ...] = ()
    outcomes: tuple[Outcome | None, ...] = ()
    open_round: Round | None = None
    best: int | None = None
    stale: int = 0
    spent: Spent = NOTHING_SPENT
    spent_before_round: Spent = NOTHING_SPENT
    dearest: Spent = NOTHING_SPENT
    exit: Exit | None = None
    returned: int | None = None

    @property
    def expects(self) -> Expects:
        """What has to happen next."""
        if self.exit is not None:
            return Expects.NOTHING
        return Expects.GENERATE if self.open_round is None else Expects.EVALUATE

    @property
    def accepted(self) -> bool:
        """Whether the loop ended with an accepted draft."""
        return self.exit is Exit.PASS

    @property
    def drafts(self) -> int:
        """Number of drafts made so far; what the cap counts."""
        return sum(r.made for r in self.rounds) + (self.open_round is not None)

    @property
    def number(self) -> int:
        """Number of the round that is open or comes next."""
        return self.first_number + len(self.rounds)

    @property
    def draft(self) -> Round | None:
        """The round whose draft is handed back, or None."""
        if self.returned is None:
            return None
        return self.rounds[self.returned - self.first_number]

    @property
    def flag(self) -> str:
        """Why the returned draft is not an accepted one; empty while running or after PASS."""
        if self.exit is None or self.exit is Exit.PASS:
            return ""
        errors = "; ".join(r.error for r in self.rounds if r.error)
        why = f"{self.exit.value}: " + (
            "no usable draft" if self.returned is None else f"round {self.returned} is not accepted"
        )
        return why + (f" ({errors})" if errors else "")


def start(rule: StopRule, arm: Arm, *, uses_judge: bool, first_number: int = 1) -> State:
    """Return the state before the first draft; already ended (BUDGET) if no round fits at all.

    `uses_judge`: whether a round needs room for a judge call beside the generate call.
    `first_number` is 1, or 0 when replaying a log that counts from 0.
    """
    state = State(rule, arm, 2 if uses_judge else 1, first_number)
    return state if _another_fits(state) else replace(state, exit=Exit.BUDGET)


def start_for(contract: Contract, arm: Arm) -> State:
    """Return the state before the first draft of a run under `contract`."""
    return start(contract.stop, arm, uses_judge=uses_judge(contract))


def step(state: State, event: Event) -> State:
    """Return the state after `event`. Raises ValueError for an event that is not expected.

    A cancel that arrives after the end changes nothing.
    """
    if isinstance(event, Cancelled):
        return state if state.exit is not None else _cancel(state)
    expected = {
        Expects.GENERATE: (DraftMade, GeneratorFailed),
        Expects.EVALUATE: (Judged, EvaluatorFailed),
        Expects.NOTHING: (),
    }[state.expects]
    if not isinstance(event, expected):
        raise ValueError(f"{type(event).__name__} came where {state.expects.value} was expected")
    if isinstance(event, DraftMade):
        return _draft_made(state, event)
    if isinstance(event, GeneratorFailed):
        failed = _add_cost(
            Round(state.number, None, None, feedback=event.feedback, generate_calls=0),
            event.cost, "generate_calls",
        )  # fmt: skip
        failed = replace(failed, error=event.error or "the generator failed")
        return end(_close(_spend(state, event.cost), failed, None), Exit.GENERATOR_ERROR)
    if isinstance(event, EvaluatorFailed):
        outcome = Outcome(None, None, event.reason, event.error)
        return _judged(state, Judged(outcome, None, event.cost))
    return _judged(state, event)


def run(state: State, events: Iterable[Event]) -> State:
    """Return the state after all events, in order."""
    for event in events:
        state = step(state, event)
    return state


def to_trace(
    state: State,
    trace_id: str,
    sample_id: str,
    *,
    trial: str = "1",
    input: str = "",
    contract: Contract | str | None = None,
    gold: dict[int, LabelValue] | None = None,
    extra: dict[str, Any] | None = None,
) -> Trace:
    """Return the log of a state as a trace; `gold` gives labels by round number.

    The rounds carry who checked each criterion when `contract` is the contract itself. A draft
    that still waits for its judgement is logged as a round that nobody read.
    """
    who: dict[str, CheckedBy] = (
        {c.key: c.checked_by for c in contract.criteria} if isinstance(contract, Contract) else {}
    )
    rounds = state.rounds if state.open_round is None else (*state.rounds, state.open_round)
    named = tuple(
        replace(
            r,
            gold=(gold or {}).get(r.number),
            checked_by={k: who[k] for k in _keys(r) if k in who},
        )
        for r in rounds
    )
    return Trace(
        trace_id, state.arm, sample_id, trial, input, contract, state.rule, named,
        state.exit, state.returned, extra or {},
    )  # fmt: skip


def _keys(r: Round) -> tuple[str, ...]:
    return tuple(r.judgement.verdicts) if r.judgement is not None else ()


_T = TypeVar("_T", State, Round)


def _but(old: _T, **changes: Any) -> _T:
    """Return `old` with some fields changed.

    As `dataclasses.replace`, without running `__init__` over every field again: a replay of ten
    thousand traces makes half a million of these.
    """
    new = object.__new__(type(old))
    new.__dict__.update(old.__dict__)
    new.__dict__.update(changes)
    return new


# --- the parts of a step --------------------------------------------------------------------


def _draft_made(state: State, event: DraftMade) -> State:
    """Open a round; in the loop arm a draft seen before is closed at once, its judgement reused."""
    mark = event.fingerprint
    if mark is None and event.draft is not None:
        mark = fingerprint(event.draft)
    opened = _add_cost(
        Round(state.number, event.draft, mark, feedback=event.feedback, generate_calls=0),
        event.cost, "generate_calls",
    )  # fmt: skip
    state = _spend(state, event.cost)
    seen = [i for i, r in enumerate(state.rounds) if mark is not None and r.fingerprint == mark]
    if state.arm is Arm.RETRY or not seen:
        return _but(state, open_round=opened)
    earlier = state.rounds[seen[0]]
    reused = _but(opened, judgement=earlier.judgement, score=earlier.score, reused=True)
    repeat = Exit.NO_CHANGE if seen[-1] == len(state.rounds) - 1 else Exit.CYCLE
    return _finish(state, reused, state.outcomes[seen[0]], repeat)


def _judged(state: State, event: Judged) -> State:
    """Close the open round with its judgement."""
    opened = state.open_round
    assert opened is not None  # `step` lets nothing else through
    outcome, judgement = event.outcome, event.judgement
    closed = _add_cost(opened, event.cost, "judge_calls")
    state = _spend(state, event.cost)
    if outcome.unscored is None:
        closed = _but(closed, judgement=judgement, score=outcome.score)
        return _finish(state, closed, outcome, None)
    error = outcome.detail or f"the evaluator gave no judgement: {outcome.unscored.value}"
    judgement = replace(judgement or Judgement(), unscored=outcome.unscored, detail=error)
    closed = _but(closed, judgement=judgement, error=error)
    return end(_close(state, closed, outcome), Exit.EVALUATOR_ERROR)


def _finish(state: State, closed: Round, outcome: Outcome | None, repeat: Exit | None) -> State:
    """Close a scored round and see whether the loop ends with it."""
    state = _close(state, closed, outcome)
    leads_to = exit_after(
        state.rule,
        state.arm,
        passed=outcome is not None and outcome.accepted is True,
        repeat=repeat,
        stale=state.stale,
        drafts=state.drafts,
        another_fits=_another_fits(state),
    )
    return state if leads_to is None else end(state, leads_to)


def _close(state: State, closed: Round, outcome: Outcome | None) -> State:
    """Append a round; keep the best (a round without a score is never best and never stale)."""
    best, stale = state.best, state.stale
    score = None if outcome is None else outcome.score
    if score is not None:
        top = None if best is None else state.rounds[best - state.first_number].score
        if top is None or score > top:
            best, stale = closed.number, 0
        else:
            stale += 1
    return _but(
        state,
        rounds=(*state.rounds, closed),
        outcomes=(*state.outcomes, outcome),
        open_round=None,
        best=best,
        stale=stale,
        dearest=state.dearest.at_least(state.spent.minus(state.spent_before_round)),
        spent_before_round=state.spent,
    )


def end(state: State, leads_to: Exit) -> State:
    """End the loop: the passing round, else the best or last draft that has a score."""
    returned = state.best
    if leads_to is Exit.PASS:
        returned = state.rounds[-1].number
    elif state.rule.keep is Keep.LAST:
        scored = [r.number for r in state.rounds if r.score is not None]
        returned = scored[-1] if scored else None
    return _but(state, exit=leads_to, returned=returned)


def _cancel(state: State) -> State:
    if state.open_round is not None:
        state = _close(state, state.open_round, None)
    return end(state, Exit.CANCELLED)


def _another_fits(state: State) -> bool:
    next_round = replace(state.dearest, calls=state.calls_per_round)
    return fits(state.rule.budget, state.spent, next_round)


def _spend(state: State, cost: Cost) -> State:
    return _but(state, spent=state.spent.plus(cost))


def _add_cost(to: Round, cost: Cost, calls_field: str) -> Round:
    """Return the round with `cost` added; what neither part recorded stays None."""
    changes: dict[str, Any] = {calls_field: getattr(to, calls_field) + cost.calls}
    for name in ("tokens_in", "tokens_out", "tokens_cached", "seconds", "usd"):
        had, more = getattr(to, name), getattr(cost, name)
        if more is not None:
            changes[name] = more if had is None else had + more
    return _but(to, **changes)
