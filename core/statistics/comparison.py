"""Two arms, or two judges, on the same items: four counts, tested and estimated in pairs.

The marginal counts alone decide nothing: 48 against 39 of 60 is p = .004 or p = .163, depending on
how many items both got right. So the four cells are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.statistics.interval import Estimate, Result, Undefined, Z, whole


@dataclass(frozen=True)
class Paired:
    """How many items both sides got, only the first, only the second, and neither; counts >= 0."""

    both: int
    first_only: int
    second_only: int
    neither: int

    def __post_init__(self) -> None:
        for name in ("both", "first_only", "second_only", "neither"):
            whole(name, getattr(self, name), 0)

    @property
    def n(self) -> int:
        """Number of pairs."""
        return self.both + self.first_only + self.second_only + self.neither

    @property
    def first(self) -> int:
        """Items the first side got."""
        return self.both + self.first_only

    @property
    def second(self) -> int:
        """Items the second side got."""
        return self.both + self.second_only

    @property
    def p_exact(self) -> float:
        """Exact McNemar p, two-sided; 1 when no pair differs."""
        return mcnemar_exact(self.first_only, self.second_only)

    @property
    def p_mid(self) -> float:
        """Mid-P McNemar p, two-sided; 1 when no pair differs."""
        return mcnemar_mid_p(self.first_only, self.second_only)

    @property
    def difference(self) -> Result:
        """Share of the first minus share of the second, with Newcombe's 95 % interval."""
        return paired_difference(self)

    @property
    def winner(self) -> int | None:
        """1 or 2 when the interval of the difference leaves out 0, else None: cannot tell."""
        difference = self.difference
        if isinstance(difference, Undefined) or difference.low <= 0 <= difference.high:
            return None
        return 1 if difference.low > 0 else 2


def mcnemar_exact(b: int, c: int) -> float:
    """Return the exact two-sided McNemar p of b against c pairs that differ, in (0, 1].

    2·P(X <= min(b, c)) with X ~ Binomial(b + c, 1/2), at most 1 (McNemar 1947; exact form in
    Fagerland, Lydersen and Laake 2013).
    """
    from scipy.special import bdtr

    b, c = whole("b", b, 0), whole("c", c, 0)
    return 1.0 if b == c else min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5)))


def mcnemar_mid_p(b: int, c: int) -> float:
    """Return the two-sided mid-P McNemar p of b against c pairs that differ, in (0, 1].

    The exact p less the probability of the count seen; for b = c, 1 less half of it (Fagerland,
    Lydersen and Laake 2013); 1 when no pair differs.
    """
    n = whole("b", b, 0) + whole("c", c, 0)
    if n == 0:
        return 1.0
    seen = math.exp(
        math.lgamma(n + 1) - math.lgamma(b + 1) - math.lgamma(c + 1) - n * math.log(2)
    )  # fmt: skip
    return 1 - seen / 2 if b == c else mcnemar_exact(b, c) - seen


def paired_difference(pairs: Paired) -> Result:
    """Return (first - second) / n with Newcombe's square-and-add 95 % interval, in [-1, 1].

    Wilson limits of the two shares, combined with their correlation phi, a positive phi corrected
    for continuity (Newcombe 1998, Statistics in Medicine 17:2635, method 10); phi is 0 where a
    margin is empty. Undefined without pairs.
    """
    n = pairs.n
    if n == 0:
        return Undefined("no pairs: no task was done by both", None, 0)
    p1, p2 = pairs.first / n, pairs.second / n
    (low1, high1), (low2, high2) = wilson(pairs.first, n), wilson(pairs.second, n)
    margins = pairs.first * (n - pairs.first) * pairs.second * (n - pairs.second)
    phi = 0.0
    if margins:
        joint = pairs.both * pairs.neither - pairs.first_only * pairs.second_only
        phi = (joint if joint < 0 else max(0.0, joint - n / 2)) / math.sqrt(margins)
    value = (pairs.first_only - pairs.second_only) / n

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))

    low = value - reach(p1 - low1, high2 - p2)
    high = value + reach(high1 - p1, p2 - low2)
    return Estimate(value, max(-1.0, low), min(1.0, high), None, n)


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % limits of k out of n (Wilson 1927); a part of Newcombe's interval.

    A single rate is given with Clopper–Pearson limits instead: see interval.py.
    """
    centre = (k + Z * Z / 2) / (n + Z * Z)
    half = Z / (n + Z * Z) * math.sqrt(k * (n - k) / n + Z * Z / 4)
    return max(0.0, centre - half), min(1.0, centre + half)
