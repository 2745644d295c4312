"""The stop rule applied: which exit a finished round leads to, and whether another round fits.

There is no exit that waits for an evaluator to run out of complaints: a model asked for faults
finds faults, so such a loop ends late, or never, or on an evaluator that approves everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from pydantic import ValidationError

from core.contract.contract import Budget, StopRule, exact
from core.errors import InputError, show


class Arm(StrEnum):
    """`loop` feeds the failures back; `retry` draws afresh: the same check, the same cap."""

    LOOP = "loop"
    RETRY = "retry"


class Exit(StrEnum):
    """Why a loop ended. Only PASS is accepted."""

    PASS = "PASS"
    PLATEAU = "PLATEAU"
    CYCLE = "CYCLE"
    NO_CHANGE = "NO_CHANGE"
    CAP = "CAP"
    BUDGET = "BUDGET"
    EVALUATOR_ERROR = "EVALUATOR_ERROR"
    GENERATOR_ERROR = "GENERATOR_ERROR"
    CANCELLED = "CANCELLED"

    @property
    def no_progress(self) -> bool:
        """Whether this exit is of the family "no progress"."""
        return self in NO_PROGRESS


NO_PROGRESS = frozenset({Exit.PLATEAU, Exit.CYCLE, Exit.NO_CHANGE})


@dataclass(frozen=True, slots=True)
class Cost:
    """What calls used up. None is "not recorded", which is not 0.

    `tokens_in` holds all input tokens; `tokens_cached` is the part of them read from a cache.
    `seconds` and `usd` are finite and not negative.
    """

    calls: int = 0
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    seconds: float | None = None
    usd: float | None = None


NO_COST = Cost()
ONE_CALL = Cost(calls=1)


@dataclass(frozen=True, slots=True)
class Spent:
    """Running totals, exact: ten times 0.1 is 1. What was not recorded adds nothing."""

    calls: int = 0
    tokens: int = 0
    seconds: Fraction = Fraction(0)
    usd: Fraction = Fraction(0)

    def plus(self, cost: Cost) -> Spent:
        """Return the totals after `cost`."""
        return Spent(
            self.calls + cost.calls,
            self.tokens + (cost.tokens_in or 0) + (cost.tokens_out or 0),
            self.seconds + exact(cost.seconds) if cost.seconds else self.seconds,
            self.usd + exact(cost.usd) if cost.usd else self.usd,
        )

    def minus(self, earlier: Spent) -> Spent:
        """Return what was spent since `earlier`."""
        return Spent(
            self.calls - earlier.calls,
            self.tokens - earlier.tokens,
            self.seconds - earlier.seconds,
            self.usd - earlier.usd,
        )

    def at_least(self, other: Spent) -> Spent:
        """Return the larger of the two, quantity by quantity."""
        return Spent(
            max(self.calls, other.calls),
            max(self.tokens, other.tokens),
            max(self.seconds, other.seconds),
            max(self.usd, other.usd),
        )


NOTHING_SPENT = Spent()


def fits(budget: Budget, spent: Spent, next_round: Spent) -> bool:
    """Return whether a round that costs `next_round` still fits under every ceiling.

    Reaching a ceiling exactly is inside it. A ceiling that is already used up lets nothing start,
    even when nothing is known about the cost of the next round.
    """
    pairs = (
        (budget.calls, spent.calls, next_round.calls),
        (budget.tokens, spent.tokens, next_round.tokens),
        (budget.seconds, spent.seconds, next_round.seconds),
        (budget.usd, spent.usd, next_round.usd),
    )
    return all(
        limit is None or (used < (top := exact(limit)) and used + more <= top)
        for limit, used, more in pairs
    )


def exit_after(
    rule: StopRule,
    arm: Arm,
    *,
    passed: bool,
    repeat: Exit | None,
    stale: int,
    drafts: int,
    another_fits: bool,
) -> Exit | None:
    """Return the exit after a scored round, or None to go on.

    The order of tests is PASS, then CYCLE / NO_CHANGE, then PLATEAU, then CAP, then BUDGET.
    `repeat` is the exit a repeated draft stands for; repeats and plateaus end the loop arm only,
    because in the retry arm a repeat is a draw like any other. `stale` counts the rounds without
    a higher score, `drafts` the drafts made.
    """
    if passed:
        return Exit.PASS
    if arm is Arm.LOOP:
        if repeat is not None:
            return repeat
        if stale >= rule.window:
            return Exit.PLATEAU
    if drafts >= rule.cap:
        return Exit.CAP
    return None if another_fits else Exit.BUDGET


def changed_rule(
    rule: StopRule | None, *, cap: object = None, window: object = None
) -> StopRule | None:
    """Return `rule` with another cap or window; None when nothing says how to stop.

    Without a rule a cap alone makes one that never ends on a plateau (window = cap), since no
    window was ever stated. Raises InputError for a cap or window that is not a whole number ≥ 1.
    """
    if cap is None and window is None:
        return rule
    if rule is None and cap is None:
        return None
    changes = {k: v for k, v in (("cap", cap), ("window", window)) if v is not None}
    base = {"window": cap} if rule is None else rule.model_dump()
    try:
        return StopRule.model_validate({**base, **changes})
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raise InputError(
            f"stop rule, {name}", f"{show(changes.get(name))} is not a whole number of 1 or more."
        ) from error
