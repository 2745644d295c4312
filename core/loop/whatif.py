"""What another cap or window would have made of recorded rounds, for all traces and rules at once.

Whatever the cap and the window, a replay walks the same rounds: they only say how early it ends.
So each trace is replayed once, through `step`, with neither of them binding; the `Path` of that
walk answers every other rule by looking along it, which is done for all traces in one array
operation. The answer equals a replay of each trace under that rule.

A rule that needs a round nobody recorded is censored there: never observed, in no count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.contract.contract import Budget, StopRule
from core.errors import InputError, show
from core.loop.replay import outcomes_of, walked
from core.loop.stop import Arm, Exit
from core.loop.trace import Outcome, Trace
from core.statistics.comparison import Paired
from core.statistics.interval import TAIL, Estimate, Result, Undefined
from core.verdict import LabelValue

_UNBOUND = 1_000_000
CENSORED = -1
EXITS = tuple(Exit)
_AT_ONCE = frozenset({Exit.PASS, Exit.CYCLE, Exit.NO_CHANGE})
"""Exits that are tested before PLATEAU and CAP in their round."""


@dataclass(frozen=True, slots=True)
class Path:
    """The walk of one trace, one entry for each round at whose end PLATEAU and CAP are tested.

    That is every scored round but a last one that passed or repeated. `stale`: scored rounds since
    the score last rose; `calls`: used up so far; `good`: gold of the round that would be handed back
    there (1 PASS, 0 FAIL, -1 none); `returned`: its number (0: none). `end` is how the walk ended with cap and window unbound (None: a needed round was never
    recorded), with the same numbers there and the drafts made. `cap` and `window` are the trace's own rule, None without one.
    """

    sample_id: str
    arm: Arm
    stale: tuple[int, ...]
    calls: tuple[int, ...]
    good: tuple[int, ...]
    returned: tuple[int, ...]
    end: Exit | None
    end_rounds: int
    end_calls: int
    end_good: int
    end_returned: int
    cap: int | None
    window: int | None

    def under(self, cap: int, window: int) -> tuple[Exit | None, int | None]:
        """Return the exit under another cap and window, and the round handed back.

        The exit is None where a needed round was never recorded. One row of `Paths.ends`.
        """
        for i, stale in enumerate(self.stale):
            if self.arm is Arm.LOOP and stale >= window:
                return Exit.PLATEAU, self.returned[i] or None
            if i + 1 >= cap:
                return Exit.CAP, self.returned[i] or None
        return self.end, None if self.end is None else self.end_returned or None

    def to_json(self) -> list[Any]:
        """Return the path as JSON values, for storing."""
        return [
            self.sample_id, self.arm.value, list(self.stale), list(self.calls), list(self.good),
            list(self.returned), None if self.end is None else self.end.value, self.end_rounds,
            self.end_calls, self.end_good, self.end_returned, self.cap, self.window,
        ]  # fmt: skip

    @classmethod
    def from_json(cls, values: Sequence[Any]) -> Path:
        """Return what `to_json` was called on."""
        sample, arm, stale, calls, good, returned, end, *rest = values
        return cls(
            sample, Arm(arm), tuple(stale), tuple(calls), tuple(good), tuple(returned),
            None if end is None else Exit(end), *rest,
        )  # fmt: skip


def path_of(trace: Trace) -> Path:
    """Return the walk of a trace; the budget stays the trace's own, keep too."""
    return path_from(trace, outcomes_of(trace))


def path_from(trace: Trace, outcomes: Sequence[Outcome | None]) -> Path:
    """Return the walk of a trace whose judgements' meanings (`outcomes_of`) are at hand."""
    own = trace.rule
    base = StopRule(budget=Budget()) if own is None else own
    unbound = base.model_copy(update={"cap": _UNBOUND, "window": _UNBOUND})
    state, _ = walked(trace, unbound, outcomes)
    assert state is not None  # a rule was given
    gold = {r.number: _GOLD.get(r.gold or LabelValue.UNSURE, -1) for r in trace.rounds}
    stale: list[int] = []
    calls: list[int] = []
    returned: list[int] = []
    best: int | None = None
    last: int | None = None
    top: Any = None
    behind = used = 0
    ended_there = state.exit in _AT_ONCE or (state.outcomes and not _scored(state.outcomes[-1]))
    for closed in state.rounds[: -1 if ended_there else None]:
        used += closed.calls
        if closed.score is not None:
            last = closed.number
            if top is None or closed.score > top:
                best, top, behind = closed.number, closed.score, 0
            else:
                behind += 1
        handed = best if base.keep == "best" else last
        stale.append(behind)
        calls.append(used)
        returned.append(handed or 0)
    back = None if state.exit is None else state.returned
    return Path(
        sample_id=trace.sample_id,
        arm=trace.arm,
        stale=tuple(stale),
        calls=tuple(calls),
        good=tuple(gold.get(n, -1) for n in returned),
        returned=tuple(returned),
        end=state.exit,
        end_rounds=state.drafts,
        end_calls=state.spent.calls,
        end_good=-1 if back is None else gold.get(back, -1),
        end_returned=back or 0,
        cap=None if own is None else own.cap,
        window=None if own is None else own.window,
    )


def _scored(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.unscored is None


_GOLD = {LabelValue.PASS: 1, LabelValue.FAIL: 0}


@dataclass(frozen=True)
class Ends:
    """How every trace ends under one rule, arrays over the traces.

    `exit` indexes `EXITS`, CENSORED where it was never observed; `returned` (0: nothing) and `good`
    (1, 0, -1 unlabelled) are meaningful where observed, `calls` and `rounds` the least elsewhere.
    """

    exit: NDArray[np.int64]
    calls: NDArray[np.int64]
    rounds: NDArray[np.int64]
    good: NDArray[np.int64]
    returned: NDArray[np.int64]

    @cached_property
    def observed(self) -> NDArray[np.bool_]:
        """Traces whose end under the rule is known."""
        return np.asarray(self.exit != CENSORED)

    @cached_property
    def accepted(self) -> NDArray[np.bool_]:
        """Traces that end in PASS."""
        return np.asarray(self.exit == EXITS.index(Exit.PASS))

    def same_as(self, other: Ends) -> bool:
        """Whether every trace ends here, and in the same round by the same exit as there."""
        pairs = ((self.exit, other.exit), (self.rounds, other.rounds))
        return bool(self.observed.all()) and all(np.array_equal(a, b) for a, b in pairs)

    @property
    def counts(self) -> dict[str, int]:
        """Return the counts a screen shows, under the names of the `replay` command."""
        good = self.good[self.accepted]
        return {
            "traces": len(self.exit),
            "observed": int(self.observed.sum()),
            "censored": int((~self.observed).sum()),
            "accepted": int(self.accepted.sum()),
            "accepted_good": int((good == 1).sum()),
            "accepted_unlabelled": int((good == -1).sum()),
            "calls": int(self.calls[self.observed].sum()),
        }

    @property
    def exits(self) -> dict[str, int]:
        """Return how many observed traces end by each exit."""
        which, n = np.unique(self.exit[self.observed], return_counts=True)
        return {EXITS[int(e)].value: int(k) for e, k in zip(which, n, strict=True)}


class Paths:
    """The walks of many traces as arrays: traces down, rounds across, padded behind the end."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.samples = [p.sample_id for p in paths]
        self.longest = max((len(p.stale) for p in paths), default=0)
        width = max(1, self.longest)
        self._loop = np.array([p.arm is Arm.LOOP for p in paths], dtype=bool)
        self._stale = _padded([p.stale for p in paths], width)
        self._calls = _padded([p.calls for p in paths], width)
        self._good = _padded([p.good for p in paths], width)
        self._returned = _padded([p.returned for p in paths], width)
        self._tested = np.arange(width) < np.array([[len(p.stale)] for p in paths]).reshape(-1, 1)
        ends = [CENSORED if p.end is None else EXITS.index(p.end) for p in paths]
        self._end = np.array(ends, dtype=np.int64)
        self._end_rounds = np.array([p.end_rounds for p in paths], dtype=np.int64)
        self._end_calls = np.array([p.end_calls for p in paths], dtype=np.int64)
        self._end_good = np.array([p.end_good for p in paths], dtype=np.int64)
        self._end_returned = np.array([p.end_returned for p in paths], dtype=np.int64)
        self._own_cap = np.array([p.cap or _UNBOUND for p in paths], dtype=np.int64)
        self._own_window = np.array([p.window or _UNBOUND for p in paths], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def repeated(self) -> bool:
        """Whether several traces share a sample, so that they are not independent."""
        return len(set(self.samples)) < len(self.samples)

    @property
    def rules(self) -> int:
        """How many different rules the traces were recorded under."""
        return len(set(zip(self._own_cap.tolist(), self._own_window.tolist(), strict=True)))

    @property
    def usual_rule(self) -> tuple[int | None, int | None]:
        """The cap and the window that most traces were recorded under; None: no rule."""
        if not len(self):
            return None, None
        own = np.stack([self._own_cap, self._own_window])
        rules, n = np.unique(own, axis=1, return_counts=True)
        cap, window = (int(x) for x in rules[:, n.argmax()])
        return None if cap == _UNBOUND else cap, None if window == _UNBOUND else window

    def ends(self, cap: int | None = None, window: int | None = None) -> Ends:
        """Return how the traces end with this cap and window; None leaves each its own.

        Raises InputError for a cap or window below 1.
        """
        for name, value in (("cap", cap), ("window", window)):
            if value is not None and value < 1:
                where = f"stop rule, {name}"
                raise InputError(where, f"{show(value)} is below 1.", "Use 1 or more.")
        caps = self._own_cap if cap is None else np.full(len(self), cap)
        windows = self._own_window if window is None else np.full(len(self), window)
        plateau = self._loop[:, None] & (self._stale >= windows[:, None])
        number = np.arange(1, self._stale.shape[1] + 1)
        hit = (plateau | (number >= caps[:, None])) & self._tested
        stopped = hit.any(axis=1)
        at = hit.argmax(axis=1)
        row = np.arange(len(self))
        by = np.where(plateau[row, at], EXITS.index(Exit.PLATEAU), EXITS.index(Exit.CAP))
        return Ends(
            exit=np.where(stopped, by, self._end),
            calls=np.where(stopped, self._calls[row, at], self._end_calls),
            rounds=np.where(stopped, at + 1, self._end_rounds),
            good=np.where(stopped, self._good[row, at], self._end_good),
            returned=np.where(stopped, self._returned[row, at], self._end_returned),
        )

    def grid(self, caps: Sequence[int], windows: Sequence[int]) -> list[dict[str, int]]:
        """Return the counts of every cap with every window, `cap` and `window` among them."""
        return [
            {"cap": cap, "window": window, **self.ends(cap, window).counts}
            for cap in caps
            for window in windows
        ]


def _padded(rows: Sequence[Sequence[int]], width: int) -> NDArray[np.int64]:
    out = np.zeros((len(rows), width), dtype=np.int64)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out


# --- the best rule for a goal ---------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """What one task costs: a call, a wrong output accepted, a hand-over to a person.

    All in one unit of the person's choice, each finite and >= 0, not all 0.
    """

    call: float
    wrong: float
    hand_over: float

    def __post_init__(self) -> None:
        prices = (self.call, self.wrong, self.hand_over)
        if not all(np.isfinite(x) and x >= 0 for x in prices) or not any(prices):
            raise InputError(
                "cost", f"{show(prices)} will not do.", "Give amounts of 0 or more, one above 0."
            )

    def costs(self, ends: Ends) -> NDArray[np.float64]:
        """Return the cost of each trace; NaN where it was not observed or a label is needed."""
        unknown = ~ends.observed
        if self.wrong:
            unknown = unknown | (ends.accepted & (ends.good == -1))
        cost = (
            self.call * ends.calls
            + self.wrong * (ends.accepted & (ends.good == 0))
            + self.hand_over * ~ends.accepted
        )
        return np.where(unknown, np.nan, cost)


@dataclass(frozen=True)
class BestRule:
    """The rule that was cheapest on one half of the samples, and what it cost on the other half.

    `chosen_on` and `checked_on` are mean costs per trace; the first flatters the rule that won.
    `against` is the cost of the recorded rule on the checked half, `saved` what the choice costs
    less than it there, sample by sample.
    """

    cap: int
    window: int
    chosen_on: float
    checked_on: Result
    against: Result
    saved: Result
    samples_chosen: int
    samples_checked: int


def best_rule(
    paths: Paths, goal: Goal, caps: Sequence[int], windows: Sequence[int], seed: int = 0
) -> BestRule | Undefined:
    """Choose cap and window on one half of the samples, and cost the choice on the other half.

    Halves are by sample, so that several traces of one sample stay together. Only rules whose
    end is known for every trace can be chosen: what is left out is never left out by chance.
    """
    half = np.array([_half(sample, seed) for sample in paths.samples], dtype=bool)
    names = np.array(paths.samples)
    if len(set(names[half])) < 2 or len(set(names[~half])) < 2:
        return Undefined(
            "too few samples to choose on one half and check on the other", None, len(paths)
        )
    best: tuple[float, int, int] | None = None
    for cap in caps:
        for window in windows:
            costs = goal.costs(paths.ends(cap, window))
            if np.isnan(costs).any():
                continue
            key = (float(costs[half].mean()), cap, window)
            best = key if best is None else min(best, key)
    if best is None:
        why = "no rule was observed to its end on every trace"
        if goal.wrong:
            why += ", with a gold label on everything it accepts"
        return Undefined(why, None, len(paths))
    chosen_on, cap, window = best
    mine, own = goal.costs(paths.ends(cap, window))[~half], goal.costs(paths.ends())[~half]
    return BestRule(
        cap, window, chosen_on,
        checked_on=_mean_cost(mine, names[~half]),
        against=_mean_cost(own, names[~half]),
        saved=_mean_cost(own - mine, names[~half], least=-np.inf),
        samples_chosen=len(set(names[half])), samples_checked=len(set(names[~half])),
    )  # fmt: skip


def _half(sample: str, seed: int) -> bool:
    digest = blake2b(f"{seed}\n{sample}".encode("utf-8", "surrogatepass")).digest()
    return digest[0] % 2 == 0


def _mean_cost(costs: NDArray[np.float64], samples: NDArray[Any], least: float = 0.0) -> Result:
    if np.isnan(costs).any():
        return Undefined("not every end was observed and labelled", None, len(costs))
    from scipy.special import stdtrit

    # Traces of one sample are alike: the interval is of the mean of sample means, with Student's t.
    _, which = np.unique(samples, return_inverse=True)
    means = np.bincount(which, costs) / np.bincount(which)
    value, n = float(means.mean()), len(means)
    reach = float(stdtrit(n - 1, 1 - TAIL) * means.std(ddof=1) / np.sqrt(n))
    return Estimate(value, max(least, value - reach), value + reach, None, n)


def against(mine: Ends, other: Ends) -> Paired:
    """Return acceptance under two rules, trace by trace; traces censored by either are left out."""
    both = mine.observed & other.observed
    a, b = mine.accepted[both], other.accepted[both]
    each, first, second = int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum())
    return Paired(each, first, second, a.size - each - first - second)
