"""What measured arms say besides their rates: what selection does, what one draw cannot tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.statistics.arms import RETRY, Arms, Draft, Trace
from core.statistics.attempts import Attempts, next_after_failures
from core.statistics.comparison import Paired
from core.statistics.interval import Estimate, Result, Undefined


@dataclass(frozen=True)
class Retries:
    """The draws of the retry arm, task by task.

    `attempts` counts every scored draw. `stopped`: drawing a task ended at its first pass, so that
    pass@k over k cannot be read from the counts, while the fresh share by the cap and ρ can (a
    likelihood does not mind when drawing stopped). `most`: the most draws one task has.
    """

    attempts: Attempts
    stopped: bool
    most: int


def retries(drafts: Iterable[Draft], *, gold: bool = False) -> Retries:
    """Return the retry arm's draws that passed, or with `gold` are good; others are left out.

    Each trial of a task is a task of its own here.
    """
    of: dict[tuple[str, str], list[bool]] = {}
    for d in drafts:
        won = d.gold if gold else d.passed
        if d.arm == RETRY and won is not None:
            of.setdefault((d.task, d.trial), []).append(won)
    some = list(of.values())
    most = max((len(x) for x in some), default=0)
    return Retries(
        Attempts.of([len(x) for x in some], [sum(x) for x in some]),
        stopped=most > 1 and any(len(x) < most and x[-1] for x in some),
        most=most,
    )


def first_against_final(traces: Iterable[Trace]) -> Paired | None:
    """Return final against first drafts of the loop, by gold; None where none has both labels.

    "First side" of the pair is the final draft: `first_only` counts tasks mended, `second_only`
    tasks spoilt. A trace of one draft has the same draft on both sides.
    """
    both = [
        (t.drafts[-1].gold, t.drafts[0].gold)
        for t in traces
        if t.drafts[-1].gold is not None and t.drafts[0].gold is not None
    ]
    if not both:
        return None
    return Paired(
        both.count((True, True)), both.count((True, False)), both.count((False, True)),
        both.count((False, False)),
    )  # fmt: skip


@dataclass(frozen=True)
class RoundRow:
    """One round: repair rate there, and what the next fresh draw would pass with as many failures.

    `fresh` is a/(a+b+t) at the fitted difficulty; None where that is not known.
    """

    round: int
    repair: Result
    fresh: float | None


def by_round(found: Arms, draws: Attempts) -> list[RoundRow]:
    """Return the loop's repair rate per round beside a fresh draw after as many failures.

    Both fall from round to round because harder tasks are left over: a falling rate alone does not
    show that feedback loses power.
    """
    rho, p = draws.correlation, found.p1
    known = isinstance(rho, Estimate) and isinstance(p, Estimate)
    return [
        RoundRow(
            n,
            rate,
            next_after_failures(p.value, rho.value, n - 1)
            if known and isinstance(rho, Estimate) and isinstance(p, Estimate)
            else None,
        )
        for n, rate in found.repair_rate.items()
    ]


def draws_that_would_do(found: Arms, cap: int) -> tuple[int, int]:
    """Return how many more draws give F at the cap, and how many give ρ, with one draw a task so far.

    F_cap needs cap - 1 more draws of every task whose first draw failed; ρ one more of every task.
    """
    failed = sum(trace.first is False for some in found.pairs.values() for _, trace in some)
    return (cap - 1) * failed, sum(len(some) for some in found.pairs.values())


def undefined_reason(result: Result) -> str:
    """Return why a figure is undefined, or nothing."""
    return result.reason if isinstance(result, Undefined) else ""
