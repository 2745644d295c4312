"""Uncertain inputs carried through the cost kernel: how sure is it that the loop pays?

Inputs measured by counts are drawn from Beta(k + ½, n - k + ½), all of them at once, 4,000 seeded
times; the kernel runs on all draws together. Typed inputs carry no sampling error and stay fixed.
All inputs are at truth level, as in `costs`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import cast

import numpy as np

from core.errors import InputError, show
from core.statistics.attempts import difficulty_nodes_many
from core.statistics.costs import MAX_CAP, Check, Flow, run_loop
from core.statistics.interval import (
    DRAWS,
    SEED,
    TAIL,
    Estimate,
    Floats,
    Result,
    Undefined,
    clopper_pearson,
    share,
    whole,
)


@dataclass(frozen=True)
class Input:
    """One rate: typed (`value` alone) or measured, `k` of `n`; limits as shown elsewhere."""

    value: float
    k: float | None = None
    n: float | None = None

    def __post_init__(self) -> None:
        share("input", self.value)
        if (self.k is None) != (self.n is None):
            raise InputError("input", "one count without the other.", "Give k and n, or neither.")
        if self.k is not None and self.n is not None and not (0 <= self.k <= self.n and self.n > 0):
            raise InputError("input", f"{show(self.k)} of {show(self.n)}.", "Give k of n, n > 0.")

    @classmethod
    def counted(cls, k: int, n: int) -> Input:
        """Return an input measured as k of n, n > 0."""
        return cls(whole("k", k, 0, whole("n", n)) / n, k, n)

    @classmethod
    def of(cls, result: Result) -> Input | None:
        """Return a measured rate as an input, None if it is undefined.

        A figure that is no count (reweighted, or over clusters) gets the number of items whose
        exact interval would be as wide as its own.
        """
        if isinstance(result, Undefined):
            return None
        if result.k is not None and type(result) is Estimate:
            return cls(result.value, result.k, result.n) if result.n else None
        low, high = 1e-3, 1e9
        for _ in range(80):
            n = math.sqrt(low * high)
            ends = clopper_pearson(result.value * n, n)
            wide = ends[1] - ends[0] > result.high - result.low
            low, high = (n, high) if wide else (low, n)
        return cls(result.value, result.value * high, high)

    @property
    def limits(self) -> tuple[float, float]:
        """The 95 % limits; the value twice where it was typed."""
        if self.k is None or self.n is None:
            return self.value, self.value
        return clopper_pearson(self.k, self.n)

    def draw(self, rng: np.random.Generator) -> Floats:
        """Return (DRAWS,) draws, or (1,) of a typed value."""
        if self.k is None or self.n is None:
            return np.array([self.value])
        return rng.beta(self.k + 0.5, self.n - self.k + 0.5, DRAWS)


NONE = Input(0.0)


@dataclass(frozen=True)
class Prices:
    """Costs in one unit: of a fresh draft, a revision, a critic's verdict; of ending badly.

    `hand_over`: a task that ends unaccepted; `wrong`: an accepted output that is bad.
    """

    fresh: float = 1.0
    revision: float = 1.0
    critic: float = 1.0
    hand_over: float = 0.0
    wrong: float = 0.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not (math.isfinite(value) and value >= 0):
                raise InputError(one.name, f"{show(value)} is no price.", "Give 0 or more.")


@dataclass(frozen=True)
class Case:
    """What is put into the kernel. `r`: one repair rate, or one per revision (cap - 1).

    `catches` and `misfires` are the code check's (share of bad, of good drafts it fails), `far`
    and `frr` the critic's; `rho`: how alike draws of a task are, for retries.
    """

    p: Input
    r: tuple[Input, ...]
    cap: int
    critic: bool = False
    catches: Input = Input(1.0)
    misfires: Input = NONE
    far: Input = NONE
    frr: Input = NONE
    damage: Input = NONE
    rho: float = 0.0
    prices: Prices = Prices()

    def __post_init__(self) -> None:
        whole("cap", self.cap, 1, MAX_CAP), share("rho", self.rho)
        if len(self.r) not in (1, self.cap - 1):
            raise InputError(
                "r", f"{len(self.r)} repair rates for {self.cap - 1} revisions.",
                "Give one, or one per revision (cap - 1).",
            )  # fmt: skip
        if not self.critic and (self.far != NONE or self.frr != NONE):
            raise InputError("far, frr", "they are errors of a critic.", "Add one or drop them.")

    @property
    def inputs(self) -> dict[str, Input]:
        """Every rate by name; repair rates as r, or r2, r3 … by the round they lead to."""
        rates = self.r if len(self.r) > 1 else ()
        named = {f"r{n}": one for n, one in enumerate(rates, 2)} or {"r": self.r[0]}
        rest = ("catches", "misfires", "far", "frr", "damage")
        return {"p": self.p, **named, **{name: getattr(self, name) for name in rest}}


@dataclass(frozen=True)
class _Checks:
    """A `Check` whose rates are arrays; the kernel only multiplies them."""

    critic: bool
    catches: Floats
    misfires: Floats
    far: Floats
    frr: Floats

    @property
    def accepts_good(self) -> Floats:
        return (1 - self.misfires) * (1 - self.frr)

    @property
    def accepts_bad(self) -> Floats:
        return (1 - self.catches) * (self.far if self.critic else 1.0)


@dataclass(frozen=True)
class Side:
    """One arm over the draws, (draws,) each; money per good output is infinite where none is."""

    accepted: Floats
    accepted_good: Floats
    calls: Floats
    cost_per_good: Floats


def _run(case: Case, values: Mapping[str, Floats]) -> tuple[Side, Side]:
    """Return loop and retries for arrays of inputs that broadcast against each other."""
    shape = np.broadcast_shapes(*(v.shape for v in values.values()))
    full = {name: np.broadcast_to(v, shape) for name, v in values.items()}
    rates = [full[name] for name in full if name.startswith("r")]

    def check(extra: bool) -> Check:
        names = ("catches", "misfires", "far", "frr")
        parts = [full[name][..., None] if extra else full[name] for name in names]
        return cast(Check, _Checks(case.critic, *parts))

    r = rates * (case.cap - 1) if len(rates) == 1 else rates
    loop = run_loop(full["p"], list(r), case.cap, check(False), full["damage"])
    nodes, weights = difficulty_nodes_many(full["p"], case.rho, case.cap)
    draws = run_loop(nodes, [nodes] * (case.cap - 1), case.cap, check(True), 1 - nodes)
    retry = Flow(**{name: (value * weights).sum(-1) for name, value in vars(draws).items()})
    again = replace(case.prices, revision=case.prices.fresh)
    return _side(loop, case.prices), _side(retry, again)


def _side(flow: Flow, prices: Prices) -> Side:
    cost = (
        prices.fresh
        + (flow.generates - 1) * prices.revision
        + flow.critic_calls * prices.critic
        + flow.unaccepted * prices.hand_over
        + flow.accepted_bad * prices.wrong
    )
    good = flow.accepted_good
    per_good = np.divide(cost, good, out=np.full(cost.shape, np.inf), where=good > 0)
    return Side(flow.accepted, good, flow.calls, per_good)


@dataclass(frozen=True)
class Hinge:
    """What one measured input decides, the others held at their values.

    `break_even` is the value, between its limits `low` and `high`, at which loop and retries cost
    the same per good output; None when the same arm is cheaper over the whole range.
    """

    name: str
    value: float
    low: float
    high: float
    break_even: float | None


class Carried:
    """A case carried through: both arms at the inputs' values and over 4,000 seeded draws."""

    def __init__(self, case: Case) -> None:
        self.case = case
        rng = np.random.default_rng(SEED)
        drawn = {name: one.draw(rng) for name, one in case.inputs.items()}
        self.loop, self.retry = _run(case, drawn)
        self._at = _run(case, {name: np.array([one.value]) for name, one in case.inputs.items()})

    @property
    def cheaper(self) -> float:
        """Share of draws in which the loop costs less per good output than retries do."""
        return float(np.mean(self.loop.cost_per_good < self.retry.cost_per_good))

    @property
    def more_good(self) -> float:
        """Share of draws in which the loop accepts more good outputs than retries do."""
        return float(np.mean(self.loop.accepted_good > self.retry.accepted_good))

    def figure(self, arm: str, name: str) -> Result:
        """Return a figure of `Side` by name for "loop" or "retry", with its 95 % interval.

        The interval is that of the draws, widened to hold the figure at the inputs' own values;
        n is the number of draws, 1 when no input was measured.
        """
        side, at = {"loop": (self.loop, self._at[0]), "retry": (self.retry, self._at[1])}[arm]
        draws, value = getattr(side, name), float(getattr(at, name)[0])
        # an order statistic, not an average of two: one of them may be infinite
        low, high = np.quantile(draws, [TAIL, 1 - TAIL], method="closest_observation")
        if not all(map(math.isfinite, (value, low, high))):
            return Undefined("no good output is accepted in some of the draws", None, len(draws))
        return Estimate(value, min(float(low), value), max(float(high), value), None, len(draws))

    @cached_property
    def hinges(self) -> list[Hinge]:
        """The measured inputs, those that alone can turn the decision first, nearest first.

        Nearest: break-even fewest interval half-widths from the value. The first is the one to
        measure next.
        """
        found = [
            self._hinge(name, one) for name, one in self.case.inputs.items() if one.n is not None
        ]

        def distance(h: Hinge) -> float:
            if h.break_even is None:
                return math.inf
            return abs(h.break_even - h.value) / ((h.high - h.low) / 2)

        return sorted(found, key=distance)

    def _hinge(self, name: str, one: Input) -> Hinge:
        low, high = one.limits
        ends, even = (low, high), None
        for points in (201, 101, 101):
            grid = np.linspace(*ends, points)
            values = {n: np.array([i.value]) for n, i in self.case.inputs.items()}
            loop, retry = _run(self.case, values | {name: grid})
            less = loop.cost_per_good < retry.cost_per_good
            turns = np.nonzero(less[1:] != less[:-1])[0]
            if not turns.size:
                break
            near = turns[np.argmin(np.abs(grid[turns] - one.value))]
            ends = (float(grid[near]), float(grid[near + 1]))
            even = sum(ends) / 2
        return Hinge(name, one.value, low, high, even)
