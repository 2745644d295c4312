"""Loop against retries as measured: the same tasks, the same check, paired task by task.

A trace is one task in one arm: drafts in order, each passed or not by the check. In the retry arm
the round is the draw; a first draft both arms share stands in both. Drafts after the first pass do
not count. An unscored draft (no verdict) is in no rate and blocks acceptance. All figures are of
tasks that both arms ran; the others are counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np

from core.errors import InputError
from core.statistics.comparison import Paired, sign_flip_p
from core.statistics.interval import (
    TAIL,
    Estimate,
    Result,
    Undefined,
    Z,
    as_json,
    clustered_rate,
    rate,
)
from core.statistics.planning import Z_80, pairs_needed

LOOP: Literal["loop"] = "loop"
RETRY: Literal["retry"] = "retry"
ArmName = Literal["loop", "retry"]

Ask = Callable[["Trace"], bool | None]

NO_FAILURES = "not measured: no first draft failed"
ONE_DRAFT = "not measured: one draft per task"


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft: `passed` the check or not, None if unscored; `gold` likewise, None if unlabelled.

    `calls` is what the draft and its check cost in calls. `trial` tells repeated traces of a task
    apart; loop and retry of the same trial are a pair.
    """

    task: str
    arm: ArmName
    round: int
    passed: bool | None
    gold: bool | None = None
    calls: float = 1.0
    trial: str = ""


@dataclass(frozen=True)
class Trace:
    """The drafts of one task in one arm up to its first pass."""

    drafts: tuple[Draft, ...]

    @property
    def first(self) -> bool | None:
        """Whether the first draft passed; None if unscored."""
        return self.drafts[0].passed

    @property
    def accepted_at(self) -> int | None:
        """Number of the draft that passed, counted from 1, or None."""
        return len(self.drafts) if self.drafts[-1].passed else None

    @property
    def good(self) -> bool | None:
        """Gold of the accepted draft; False where none was accepted, None where unlabelled."""
        return self.drafts[-1].gold if self.accepted_at else False


def traces(drafts: Iterable[Draft]) -> dict[tuple[str, str, ArmName], Trace]:
    """Return the traces by (task, trial, arm), cut after the first pass.

    Rounds count from 1, or all of them from 0. Raises InputError for a draft given twice and for
    a round that is missing before the last one given.
    """
    rows = list(drafts)
    start = min((d.round for d in rows), default=1)
    if start not in (0, 1):
        raise InputError("round", f"the first round is {start}.", "Number rounds from 1.")
    of: dict[tuple[str, str, ArmName], dict[int, Draft]] = {}
    for d in rows:
        some = of.setdefault((d.task, d.trial, d.arm), {})
        if some.setdefault(d.round, d) is not d:
            raise InputError(_place(d), f"round {d.round} is given twice.", "Keep one.")
    found: dict[tuple[str, str, ArmName], Trace] = {}
    for key, some in of.items():
        kept: list[Draft] = []
        for number in range(start, max(some) + 1):
            if number not in some:
                raise InputError(
                    _place(next(iter(some.values()))), f"round {number} is missing.",
                    "Give every round up to the first pass.",
                )  # fmt: skip
            kept.append(some[number])
            if some[number].passed:
                break
        found[key] = Trace(tuple(kept))
    return found


def _place(d: Draft) -> str:
    return f"task {d.task!r}, {d.arm} arm" + (f", trial {d.trial!r}" if d.trial else "")


@dataclass(frozen=True)
class ArmCounts:
    """One arm over the paired traces. `accepted_good` is None without gold labels.

    `by_round`: traces accepted by round 1, 2 …; ÷ `traces` is the curve of accepted by round, all
    that started in the denominator, those that stopped early too.
    """

    traces: int
    accepted: int
    accepted_good: int | None
    calls: float
    by_round: tuple[int, ...]

    @property
    def calls_per_accepted(self) -> float | None:
        """All calls, failures included, ÷ accepted; None when nothing was accepted."""
        return self.calls / self.accepted if self.accepted else None

    def to_json(self) -> dict[str, float | int | None]:
        """Return the three figures of the `arms` command."""
        return {
            "accepted": self.accepted,
            "accepted_good": self.accepted_good,
            "calls_per_accepted": self.calls_per_accepted,
        }


@dataclass(frozen=True)
class Arms:
    """Every figure of measured arms, from the pairs (loop, retry) of each task.

    `pairs` maps a task to its pairs, one per trial. With `gold` acceptance in `paired` means
    accepted and good, and pairs with an unlabelled accepted draft are left out of it
    (`without_gold`). With several trials a task, rates allow for the tasks being clusters.
    """

    pairs: Mapping[str, Sequence[tuple[Trace, Trace]]]
    unpaired: int
    gold: bool

    @property
    def tasks(self) -> int:
        """Tasks run by both arms."""
        return len(self.pairs)

    @cached_property
    def clustered(self) -> bool:
        """Whether a task has several trials."""
        return any(len(some) > 1 for some in self.pairs.values())

    @cached_property
    def p1(self) -> Result:
        """First drafts of the loop that passed ÷ first drafts scored (accepted level)."""
        return self._rate(0, lambda t: t.first, "no paired tasks")

    @cached_property
    def repair_rate(self) -> dict[int, Result]:
        """For round 2, 3 …: passed ÷ drafts of that round whose draft before failed, scored."""
        last = max((len(t.drafts) for t in self._arm(0)), default=1)
        return {
            n: self._rate(0, partial(_passed_after_fail, number=n), "no draft of this round")
            for n in range(2, last + 1)
        }

    @cached_property
    def rescue_share(self) -> Result:
        """Of tasks whose first draft failed, the share the loop accepts by its cap.

        Undefined where nothing was revised.
        """
        return self._rescue(0)

    @cached_property
    def fresh_rate(self) -> Result:
        """F_2: of failed first drafts with a second draw, the share it rescues."""
        return self._rate(1, lambda t: _passed_after_fail(t, 2), NO_FAILURES)

    @cached_property
    def fresh_share(self) -> Result:
        """F_cap: of tasks whose first draft failed, the share retries accept by their cap.

        Undefined with one draw per task: what fresh draws rescue was never tried.
        """
        return self._rescue(1)

    def accepted_share(self, arm: ArmName) -> Result:
        """Return accepted ÷ traces of an arm; with several trials a task, tasks are clusters."""
        return self._rate(int(arm == RETRY), lambda t: t.accepted_at is not None, "no paired tasks")

    @cached_property
    def loop(self) -> ArmCounts:
        """The loop's counts."""
        return self._counts(0)

    @cached_property
    def retry(self) -> ArmCounts:
        """The retries' counts."""
        return self._counts(1)

    @cached_property
    def without_gold(self) -> int:
        """Pairs left out of `paired` because an accepted draft has no gold label."""
        if not self.gold:
            return 0
        return sum(
            a.good is None or b.good is None for some in self.pairs.values() for a, b in some
        )

    @cached_property
    def paired(self) -> Paired:
        """Pairs by which arm accepted (and was right, with gold labels)."""
        cells = Counter(both for some in self._won.values() for both in some)
        return Paired(
            cells[True, True], cells[True, False], cells[False, True], cells[False, False]
        )

    @cached_property
    def difference(self) -> Result:
        """Loop minus retry: Newcombe's interval, or with several trials a t interval of task means."""
        if not self.clustered:
            return self.paired.difference
        gaps = self._gaps
        n = len(gaps)
        if n < 2:
            return Undefined("no interval: several trials of one task", None, n)
        from scipy.special import stdtrit

        value = float(gaps.mean())
        half = float(stdtrit(n - 1, 1 - TAIL)) * float(gaps.std(ddof=1)) / math.sqrt(n)
        return Estimate(value, max(-1.0, value - half), min(1.0, value + half), None, n)

    @cached_property
    def p_sign_flip(self) -> float:
        """Two-sided sign-flip p of the task means; with one trial a task the exact McNemar p."""
        return sign_flip_p([
            (sum(a for a, _ in some) - sum(b for _, b in some), len(some))
            for some in self._won.values() if some
        ])  # fmt: skip

    @property
    def winner(self) -> ArmName | None:
        """The better arm where the interval of the difference leaves out 0, else None.

        With several trials a task the sign-flip test must agree, at .05.
        """
        found = self.difference
        if isinstance(found, Undefined) or found.low <= 0 <= found.high:
            return None
        if self.clustered and self.p_sign_flip > 0.05:
            return None
        return LOOP if found.low > 0 else RETRY

    @property
    def more_tasks(self) -> int | Undefined:
        """About how many more tasks would decide it with an 80 % chance, if all stays as seen.

        0 where it is decided. By Connor's formula (`planning.pairs_needed`), from the share of
        pairs that differ and the difference; undefined where the arms are level.
        """
        n = self.paired.n
        if self.winner is not None:
            return 0
        if not n:
            return Undefined("no pairs: no task was done by both", None, 0)
        if self.paired.first_only == self.paired.second_only:
            return Undefined("the arms are level: no number of tasks can be named", None, n)
        if self.clustered:
            gaps = self._gaps
            value, spread = float(gaps.mean()), float(gaps.std())
            if value == 0:
                return Undefined("the arms are level: no number of tasks can be named", None, n)
            return max(1, math.ceil(((Z + Z_80) * spread / value) ** 2) - len(gaps))
        apart = (self.paired.first_only + self.paired.second_only) / n
        gap = abs(self.paired.first_only - self.paired.second_only) / n
        return max(1, pairs_needed(apart, gap) - n)

    def to_json(self) -> dict[str, object]:
        """Return the keys of the `arms` command, in their fixed order."""
        pairs = self.paired
        return {
            "tasks": self.tasks,
            "unpaired": self.unpaired,
            "p1": as_json(self.p1),
            "repair_rate": {str(n): as_json(r) for n, r in self.repair_rate.items()},
            "rescue_share": as_json(self.rescue_share),
            "fresh_rate": as_json(self.fresh_rate),
            "fresh_share": as_json(self.fresh_share),
            "loop": self.loop.to_json(),
            "retry": self.retry.to_json(),
            "paired": {
                "both": pairs.both,
                "loop_only": pairs.first_only,
                "retry_only": pairs.second_only,
                "neither": pairs.neither,
                "p_exact": pairs.p_exact,
                "p_mid": pairs.p_mid,
                "difference": as_json(self.difference),
            },
            "winner": self.winner,
        }

    @cached_property
    def _won(self) -> dict[str, list[tuple[bool, bool]]]:
        """For each task its pairs as (loop won, retry won), those without gold left out."""

        def won(t: Trace) -> bool | None:
            return t.good if self.gold else t.accepted_at is not None

        return {
            task: [
                (x, y)
                for x, y in ((won(a), won(b)) for a, b in some)
                if x is not None and y is not None
            ]
            for task, some in self.pairs.items()
        }

    @cached_property
    def _gaps(self) -> np.ndarray:
        return np.array(
            [np.mean([int(a) - int(b) for a, b in some]) for some in self._won.values() if some]
        )

    def _arm(self, side: int) -> list[Trace]:
        return [pair[side] for some in self.pairs.values() for pair in some]

    def _rate(self, side: int, hit: Ask, nothing: str) -> Result:
        """Return the share of traces that hit (True), among those it is asked of (not None)."""
        told = [
            [x for x in (hit(pair[side]) for pair in some) if x is not None]
            for some in self.pairs.values()
        ]
        hits, asked = [sum(x) for x in told], [len(x) for x in told]
        if not self.clustered:
            return rate(sum(hits), sum(asked), nothing=nothing)
        return clustered_rate(np.array(hits, int), np.array(asked, int), nothing=nothing)

    def _rescue(self, side: int) -> Result:
        found = self._rate(side, _rescued, NO_FAILURES)
        if found.n and all(len(t.drafts) == 1 for t in self._arm(side)):
            return Undefined(ONE_DRAFT, 0, 0)
        return found

    def _counts(self, side: int) -> ArmCounts:
        some = self._arm(side)
        at = Counter(t.accepted_at for t in some)
        last = max((len(t.drafts) for t in some), default=0)
        by_round = np.cumsum([at[n] for n in range(1, last + 1)], dtype=int)
        accepted = [t for t in some if t.accepted_at]
        return ArmCounts(
            traces=len(some),
            accepted=len(accepted),
            accepted_good=sum(t.good is True for t in accepted) if self.gold else None,
            calls=sum(d.calls for t in some for d in t.drafts),
            by_round=tuple(by_round.tolist()),
        )


def measure(drafts: Iterable[Draft], *, gold: bool = False) -> Arms:
    """Return loop against retries from drafts of both arms; raises InputError as `traces` does."""
    found = traces(drafts)
    pairs: dict[str, list[tuple[Trace, Trace]]] = {}
    alone: dict[str, None] = {}
    for task, trial in dict.fromkeys((task, trial) for task, trial, _ in found):
        loop, retry = found.get((task, trial, LOOP)), found.get((task, trial, RETRY))
        if loop is None or retry is None:
            alone[task] = None
        else:
            pairs.setdefault(task, []).append((loop, retry))
    return Arms(pairs, sum(task not in pairs for task in alone), gold)


def _rescued(t: Trace) -> bool | None:
    return None if t.first is not False else t.accepted_at is not None


def _passed_after_fail(t: Trace, number: int) -> bool | None:
    """Return whether draft `number` passed; None if there is none, or a verdict is missing."""
    if len(t.drafts) < number or t.drafts[number - 2].passed is not False:
        return None
    return t.drafts[number - 1].passed
