"""Inputs of the cost kernel with their sampling error; `decision` carries them through.

Inputs measured by counts are drawn from Beta(k + ½, n - k + ½). Typed inputs carry no sampling
error and stay fixed. All inputs are at truth level, as in `costs`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from core.errors import InputError, show
from core.statistics.costs import MAX_CAP
from core.statistics.interval import (
    DRAWS,
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
    """One rate: typed (`value` alone) or measured, `k` of `n`; limits as shown elsewhere.

    Where a figure is no count of independent items (over clusters, reweighted, a mean over tasks)
    `k` of `n` are the counts that would be as sure, `ends` its own limits, and `behind` the whole
    counts behind it, if it has any.
    """

    value: float
    k: float | None = None
    n: float | None = None
    ends: tuple[float, float] | None = None
    behind: tuple[int, int] | None = None

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
        return cls.as_sure_as(result)

    @classmethod
    def as_sure_as(cls, result: Estimate) -> Input:
        """Return a rate that keeps the interval of the estimate, whatever its counts say."""
        low, high = 1e-3, 1e9
        for _ in range(80):
            n = math.sqrt(low * high)
            ends = clopper_pearson(result.value * n, n)
            wide = ends[1] - ends[0] > result.high - result.low
            low, high = (n, high) if wide else (low, n)
        counted = None if result.k is None else (result.k, result.n)
        return cls(result.value, result.value * high, high, (result.low, result.high), counted)

    @property
    def complement(self) -> Input:
        """The rate of the items that do not: 1 - value, with the same certainty."""
        if self.k is None or self.n is None:
            return Input(1 - self.value)
        ends = None if self.ends is None else (1 - self.ends[1], 1 - self.ends[0])
        told = None if self.behind is None else (self.behind[1] - self.behind[0], self.behind[1])
        return Input(1 - self.value, self.n - self.k, self.n, ends, told)

    @property
    def limits(self) -> tuple[float, float]:
        """The 95 % limits; the value twice where it was typed."""
        if self.ends is not None:
            return self.ends
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
    and `frr` the critic's; `rho`: how alike draws of a task are, for retries. A measured one is
    drawn on its own, although the draws it was measured on may have given `p` too.
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
    rho: Input = NONE
    prices: Prices = Prices()

    def __post_init__(self) -> None:
        whole("cap", self.cap, 1, MAX_CAP)
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
        rest = ("catches", "misfires", "far", "frr", "damage", "rho")
        return {"p": self.p, **named, **{name: getattr(self, name) for name in rest}}
