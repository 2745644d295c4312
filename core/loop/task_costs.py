"""What a task costs in a loop, in retries and in a single shot, on the same tasks.

Calls, a hand-over for a task that ends unaccepted, and a wrong accept, each at its price. A single
shot is one draft, taken as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.loop.facts import Facts
from core.loop.stop import Arm
from core.loop.summary import Summary
from core.statistics.interval import Result, Undefined
from core.statistics.paired_mean import paired_mean
from core.statistics.uncertainty import Prices


@dataclass(frozen=True)
class TaskCosts:
    """Mean dollars a task of each arm over `tasks`, and loop minus the other two, paired.

    A negative difference says that the loop is cheaper. `single` is None where it is not known.
    """

    tasks: int
    loop: float
    retry: float
    single: float | None
    against_retry: Result
    against_single: Result


def task_costs(
    summaries: Sequence[Summary], facts: Sequence[Facts], prices: Prices
) -> TaskCosts | Undefined:
    """Return what a task costs; summary and facts of each trace stand at the same place.

    Of samples that have both arms, several trials of one sample averaged. Undefined where there
    are none, or where wrong accepts have a price and an accepted draft has no gold label.
    """
    of: dict[tuple[str, str], dict[Arm, list[tuple[Summary, Facts]]]] = {}
    for s, f in zip(summaries, facts, strict=True):
        of.setdefault((s.sample_id, s.trial), {}).setdefault(s.arm, []).append((s, f))
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for (sample, _), arms in of.items():
        if any(len(some) > 1 for some in arms.values()) or len(arms) < 2:
            continue
        (loop, first), (retry, _) = arms[Arm.LOOP][0], arms[Arm.RETRY][0]
        if loop.accepted is None or retry.accepted is None:
            continue
        pair = _of(loop, prices), _of(retry, prices)
        if None in pair:
            return Undefined("not measured: an accepted draft has no gold label", None, 0)
        rows.setdefault(sample, []).append((pair[0] or 0, pair[1] or 0, _single(first, prices)))
    if not rows:
        return Undefined("not measured: no task has both arms", None, 0)
    costs = np.array([np.mean(some, axis=0) for some in rows.values()])
    loops, retries, singles = costs.T
    known = not np.isnan(singles).any()
    missing = Undefined("not measured: a first draft has no gold label", None, len(rows))
    return TaskCosts(
        len(rows),
        float(loops.mean()),
        float(retries.mean()),
        float(singles.mean()) if known else None,
        paired_mean(loops - retries),
        paired_mean(loops - singles) if known else missing,
    )


def _of(s: Summary, prices: Prices) -> float | None:
    """Return what one trace cost; None where it is not known whether its accept was wrong."""
    later = prices.revision if s.arm is Arm.LOOP else prices.fresh
    cost = prices.fresh + later * max(s.rounds - 1, 0) + prices.critic * (s.calls - s.rounds)
    if not s.accepted:
        return cost + prices.hand_over
    if s.good is None:
        return cost if prices.wrong == 0 else None
    return cost if s.good else cost + prices.wrong


def _single(first: Facts, prices: Prices) -> float:
    """Return what the first draft alone would have cost; NaN where its label is missing."""
    if first.first_good is None:
        return prices.fresh if prices.wrong == 0 else float("nan")
    return prices.fresh + (0.0 if first.first_good else prices.wrong)
