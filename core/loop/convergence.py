"""Whether a loop can converge: is feedback specific, are flaws repairable, does the target stand still.

Counted over a run's loop traces. Several failures of one sample are not independent, so intervals
allow for samples as clusters. A condition is met or not only when the whole interval says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from core.loop.facts import Facts, read_again
from core.loop.stop import Arm
from core.loop.summary import Summary
from core.statistics.interval import Result, Undefined, clustered_rate, rate

SPECIFIC = 0.5
"""Feedback counts as specific when more than half of the failures have a place and a change."""
REPAIRS = 0.1
"""A flaw counts as repairable when more than one revision in ten repairs it."""
FLIPS = 0.05
"""The target stands still when at most one text in twenty gets another verdict when read again."""


class Met(StrEnum):
    """Whether a condition holds."""

    YES = "yes"
    NO = "no"
    OPEN = "not known yet"


@dataclass(frozen=True)
class OfCriterion:
    """One criterion: failures with a place and a change; failed → passed; passed → did not."""

    specific: Result
    repaired: Result
    damaged: Result


@dataclass(frozen=True)
class Convergence:
    """The three conditions over a run.

    `specific`: failures with a place and a change ÷ failures. `by_round`: drafts accepted in a
    round ÷ drafts of that round whose earlier ones were all rejected; `repair` is that of round
    two, the first revision. `contracts` counts different contracts, `unnamed` traces that do not
    say theirs. `flips`: texts with another verdict ÷ texts read more than once; `reread` says which
    texts those are.
    """

    traces: int
    specific: Result
    by_criterion: Mapping[str, OfCriterion]
    by_round: Mapping[int, Result]
    contracts: int
    unnamed: int
    flips: Result
    reread: str = "texts in these traces"

    @property
    def repair(self) -> Result:
        """Of the failed first drafts that were revised, the share accepted in round two."""
        return self.by_round.get(2, Undefined("not measured: no failed draft was revised", 0, 0))

    @property
    def is_specific(self) -> Met:
        """Whether feedback says where and what."""
        return above(self.specific, SPECIFIC)

    @property
    def is_repairable(self) -> Met:
        """Whether feedback turns failures into passes."""
        return above(self.repair, REPAIRS)

    @property
    def is_still(self) -> Met:
        """Whether every trace was judged by one contract, and the same text got the same verdict."""
        if self.contracts > 1:
            return Met.NO
        if isinstance(self.flips, Undefined):
            return Met.OPEN
        if self.flips.low > FLIPS:
            return Met.NO
        return Met.YES if self.contracts == 1 and self.flips.high <= FLIPS else Met.OPEN


def above(result: Result, bar: float) -> Met:
    """Return YES if the whole interval is above `bar`, NO if it is all below, else OPEN."""
    if isinstance(result, Undefined):
        return Met.OPEN
    return Met.YES if result.low > bar else Met.NO if result.high < bar else Met.OPEN


def convergence(summaries: Sequence[Summary], facts: Sequence[Facts]) -> Convergence | None:
    """Return the three conditions over the loop traces, or None without any.

    Summary and facts of each trace stand at the same place. Whether the judge flips is counted
    over the traces of both arms.
    """
    of = [(s.sample_id, f) for s, f in zip(summaries, facts, strict=True) if s.arm is Arm.LOOP]
    loops = [f for _, f in of]
    if not loops:
        return None
    named = {f.contract for f in loops if f.contract}
    by: dict[str, dict[str, list[int]]] = {}
    for sample, f in of:
        for key, *counts in f.counts:
            sums = by.setdefault(key, {}).setdefault(sample, [0] * len(counts))
            for at, count in enumerate(counts):
                sums[at] += count
    every: dict[str, list[int]] = {}
    for samples in by.values():
        for sample, counts in samples.items():
            both = every.setdefault(sample, [0, 0])
            both[0] += counts[0]
            both[1] += counts[1]
    return Convergence(
        traces=len(loops),
        specific=_share(np.array(list(every.values())), "not measured: no draft failed"),
        by_criterion={key: _criterion(np.array(list(one.values()))) for key, one in by.items()},
        by_round=_by_round(loops),
        contracts=len(named),
        unnamed=sum(not f.contract for f in loops),
        flips=_flips(summaries, facts),
    )


def _criterion(counts: NDArray[np.int64]) -> OfCriterion:
    """Return the shares of one criterion from its counts, (samples, 6)."""
    specific, failures, repaired, unrepaired, lost, kept = counts.T
    return OfCriterion(
        _share(np.column_stack([specific, failures]), "no failures"),
        _share(np.column_stack([repaired, repaired + unrepaired]), "no failure was revised"),
        _share(np.column_stack([lost, lost + kept]), "no pass was revised"),
    )


def _share(counts: NDArray[np.int64], nothing: str) -> Result:
    """Return Σk/Σn of (samples, 2) counts k and n, with samples as clusters."""
    if not counts.size or not counts[:, 1].any():
        return Undefined(nothing, 0, 0)
    some = counts[counts[:, 1] > 0]
    return clustered_rate(some[:, 0], some[:, 1], nothing=nothing)


def _by_round(loops: Sequence[Facts]) -> dict[int, Result]:
    """Return the repair rate of each round from 2 on, whose earlier drafts were all rejected."""
    tried: dict[int, int] = {}
    accepted: dict[int, int] = {}
    for f in loops:
        for at, mark in enumerate(f.accepted):
            if at and mark != "?":
                tried[at + 1] = tried.get(at + 1, 0) + 1
                accepted[at + 1] = accepted.get(at + 1, 0) + (mark == "1")
            if mark != "0":
                break
    return {n: rate(accepted[n], tried[n], nothing="none") for n in sorted(tried)}


def _flips(summaries: Sequence[Summary], facts: Sequence[Facts]) -> Result:
    """Count texts that one evaluator read more than once, and those it then read differently."""
    again: dict[tuple[int, int], bool] = {}
    for (i, mine), (j, theirs) in read_again(summaries, facts):
        text = (j, theirs.round)
        flipped = bool(facts[i].differing(mine.said, theirs.said, facts[j]))
        again[text] = again.get(text, False) or flipped
    nothing = "not measured: no text was judged twice"
    return rate(sum(again.values()), len(again), nothing=nothing)
