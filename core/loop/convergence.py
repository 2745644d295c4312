"""Whether a loop can converge: is feedback specific, are flaws repairable, does the target stand still.

Counted over a run's loop traces. Several failures of one sample are not independent, so intervals
allow for samples as clusters. A condition is met or not only when the whole interval says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.loop.facts import Facts, Reading
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
    say theirs. `flips`: texts with another verdict ÷ texts read more than once.
    """

    traces: int
    specific: Result
    by_criterion: Mapping[str, OfCriterion]
    by_round: Mapping[int, Result]
    contracts: int
    unnamed: int
    flips: Result

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
    keys = list(dict.fromkeys(k for f in loops for k in (*f.failures, *f.moves)))
    named = {f.contract for f in loops if f.contract}
    return Convergence(
        traces=len(loops),
        specific=_share(
            ((sample, k, n) for sample, f in of for k, n in f.failures.values()),
            "not measured: no draft failed",
        ),
        by_criterion={key: _criterion(key, of) for key in keys},
        by_round=_by_round(loops),
        contracts=len(named),
        unnamed=sum(not f.contract for f in loops),
        flips=_flips(summaries, facts),
    )


def _criterion(key: str, of: Sequence[tuple[str, Facts]]) -> OfCriterion:
    moves = [(sample, *m) for sample, f in of if (m := f.moves.get(key)) is not None]
    failures = [(sample, *x) for sample, f in of if (x := f.failures.get(key)) is not None]
    return OfCriterion(
        _share(failures, "no failures"),
        _share(((s, a, a + b) for s, a, b, _, _ in moves), "no failure was revised"),
        _share(((s, c, c + d) for s, _, _, c, d in moves), "no pass was revised"),
    )


def _share(counts: Iterable[tuple[str, int, int]], nothing: str) -> Result:
    """Return Σk/Σn of (sample, k, n) with samples as clusters."""
    by: dict[str, list[int]] = {}
    for sample, k, n in counts:
        if n:
            both = by.setdefault(sample, [0, 0])
            both[0] += k
            both[1] += n
    if not by:
        return Undefined(nothing, 0, 0)
    hits, all_ = zip(*by.values(), strict=True)
    return clustered_rate(hits, all_, nothing=nothing)


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
    """Count texts of a sample that one evaluator read more than once under one contract.

    A first draft that both arms share is judged once and stands in both: the same words about it
    are one reading.
    """
    first: dict[tuple[str, ...], tuple[Arm, Reading]] = {}
    again: dict[tuple[str, ...], bool] = {}
    for s, f in zip(summaries, facts, strict=True):
        for r in f.readings:
            key = (s.sample_id, r.text, f.contract, r.evaluator)
            arm, was = first.setdefault(key, (s.arm, r))
            shared = arm is not s.arm and r.round == was.round and r.mark == was.mark
            if was is not r and not shared:
                flipped = any(was.said.get(k, v) != v for k, v in r.said.items())
                again[key] = again.get(key, False) or flipped
    nothing = "not measured: no text was judged twice"
    return rate(sum(again.values()), len(again), nothing=nothing)
