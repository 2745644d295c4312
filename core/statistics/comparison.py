"""Two arms, two judges, or one judge twice, on the same items: counts, tests, estimates in pairs.

The marginal counts alone decide nothing: 48 against 39 of 60 is p = .004 or p = .163, depending on
how many items both got right. So the four cells are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.statistics.confusion import FAIL, MISSING, PASS, verdict_codes
from core.statistics.interval import (
    ONE_CLUSTER,
    SEED,
    Estimate,
    Floats,
    Result,
    Undefined,
    Z,
    effective_share,
    whole,
)

_EXACT = 2_000_000
_FLIPS = 20_000


@dataclass(frozen=True)
class Paired:
    """How many items both sides got, only the first, only the second, and neither; counts >= 0.

    `by_cluster`, (clusters, 4), holds the same counts per cluster where items come in clusters;
    the interval of the difference then allows for it.
    """

    both: int
    first_only: int
    second_only: int
    neither: int
    by_cluster: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)

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
    def p_clusters(self) -> float | None:
        """P of the same question asked of clusters, their signs flipped; None without clusters."""
        if self.by_cluster is None:
            return None
        return sign_flip_p([(int(d), 1) for d in self.by_cluster[:, 1] - self.by_cluster[:, 2]])

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
    margin is empty. Items in clusters count as the independent items that would say as much
    (`effective_share`). Undefined without pairs.
    """
    if pairs.n == 0:
        return Undefined("no pairs: no task was done by both", None, 0)
    share: float | None = 1.0
    if pairs.by_cluster is not None:
        share = effective_share(pairs.by_cluster, _gap_gradient)
    if share is None:
        return Undefined(ONE_CLUSTER, None, pairs.n)
    cells = (pairs.both, pairs.first_only, pairs.second_only, pairs.neither)
    both, first_only, second_only, neither = (share * one for one in cells)
    n, first, second = share * pairs.n, both + first_only, both + second_only
    p1, p2 = pairs.first / pairs.n, pairs.second / pairs.n
    (low1, high1), (low2, high2) = wilson(first, n), wilson(second, n)
    phi = 0.0
    if 0 < pairs.first < pairs.n and 0 < pairs.second < pairs.n:
        joint = both * neither - first_only * second_only
        margins = first * (n - first) * second * (n - second)
        phi = (joint if joint < 0 else max(0.0, joint - n / 2)) / math.sqrt(margins)
    value = (pairs.first_only - pairs.second_only) / pairs.n

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))

    low = value - reach(p1 - low1, high2 - p2)
    high = value + reach(high1 - p1, p2 - low2)
    return Estimate(value, max(-1.0, low), min(1.0, high), None, pairs.n)


def _gap_gradient(cells: Floats) -> Floats:
    n = cells.sum()
    return np.asarray((np.array([0.0, 1.0, -1.0, 0.0]) - (cells[1] - cells[2]) / n) / n)


def wilson(k: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % limits of k out of n (Wilson 1927); a part of Newcombe's interval.

    A single rate is given with Clopper–Pearson limits instead: see interval.py.
    """
    centre = (k + Z * Z / 2) / (n + Z * Z)
    half = Z / (n + Z * Z) * math.sqrt(max(0.0, k * (n - k)) / n + Z * Z / 4)
    return max(0.0, centre - half), min(1.0, centre + half)


def sign_flip_p(gaps: Sequence[tuple[int, int]]) -> float:
    """Return the two-sided p of task means under flips of their signs, in (0, 1].

    `gaps`: per task (loop accepted - retry accepted, trials). The chance that |Σ ±mean| is at
    least the |Σ mean| seen, all signs equally likely; exact, unless tasks have such odd numbers of
    trials that the sums are too many: then 20,000 seeded flips.
    """
    scale = math.lcm(*(n for _, n in gaps)) if gaps else 1
    steps = [abs(d) * (scale // n) for d, n in gaps if d]
    seen = abs(sum(d * (scale // n) for d, n in gaps))
    total = sum(steps)
    if total == 0 or seen == 0:
        return 1.0
    if total * len(steps) > _EXACT * 50 or total > _EXACT:
        flips = np.random.default_rng(SEED).choice([-1.0, 1.0], size=(_FLIPS, len(steps)))
        extreme = np.abs(flips @ np.array(steps, float)) >= seen - 1e-6
        return (1 + int(np.count_nonzero(extreme))) / (1 + _FLIPS)
    chance = np.zeros(2 * total + 1)
    chance[total] = 1.0
    for step in steps:
        chance = (np.roll(chance, step) + np.roll(chance, -step)) / 2
    return min(1.0, float(chance[: total - seen + 1].sum() + chance[total + seen :].sum()))


# --- two judges -----------------------------------------------------------------------------


@dataclass(frozen=True)
class SharedErrors:
    """Items both judges got wrong: `observed`, and `expected` if their errors were independent.

    Independent within the good and within the bad items, so that hard classes do not look like
    shared blind spots. `p`: chance of at least `observed` then, given how many each got wrong
    (hypergeometric, one-sided).
    """

    observed: int
    expected: float
    p: float


@dataclass(frozen=True)
class TwoJudges:
    """Two judges on the same items, or one judge before and after.

    `verdicts` pairs what they passed, on every item both judged, labelled or not. `bad` pairs
    bad items rightly rejected, `good` good ones rightly passed. `left_out` items lack a verdict
    of one judge; `unlabelled` ones are in `verdicts` alone.
    """

    verdicts: Paired
    good: Paired
    bad: Paired
    unlabelled: int
    left_out: int

    @property
    def right(self) -> Paired:
        """Labelled items each judged as the gold label does."""
        g, b = self.good, self.bad
        clusters = None
        if g.by_cluster is not None and b.by_cluster is not None:
            clusters = g.by_cluster + b.by_cluster
        return Paired(
            g.both + b.both, g.first_only + b.first_only, g.second_only + b.second_only,
            g.neither + b.neither, clusters,
        )  # fmt: skip

    @property
    def shared_errors(self) -> SharedErrors | Undefined:
        """Blind spots: items both got wrong; undefined when one of them got everything right."""
        if not self.right.n:
            return Undefined("not measured: no labelled items judged by both", None, 0)
        if self.right.n in (self.right.first, self.right.second):
            return Undefined("one of the two made no errors to share", None, self.right.n)
        laws = [_both_wrong(pairs) for pairs in (self.good, self.bad)]
        chances = np.convolve(laws[0][1], laws[1][1])
        least = laws[0][0] + laws[1][0]
        observed = self.right.neither
        return SharedErrors(
            observed,
            sum((x.n - x.first) * (x.n - x.second) / x.n for x in (self.good, self.bad) if x.n),
            min(1.0, float(chances[observed - least :].sum())),
        )


def two_judges(
    gold: ArrayLike, first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None
) -> TwoJudges:
    """Count two judges against each other and against gold, item by item.

    `clusters`, (n,), names the cluster of each item.

    All three are (n,) integer codes PASS, FAIL, UNKNOWN or MISSING as in `confusion.count`; a
    judge's UNKNOWN is FAIL, gold's is a missing label. The difference of the false-accept rates
    (first minus second) is that of `bad` with its sign turned: `bad` counts the right rejections.
    """
    g, a, b = (verdict_codes(*x) for x in (("gold", gold), ("first", first), ("second", second)))
    if not g.shape == a.shape == b.shape:
        raise InputError(
            "judges", f"{a.size} and {b.size} verdicts for {g.size} items.",
            "Give one of each per item.",
        )  # fmt: skip
    both = (a != MISSING) & (b != MISSING)
    yes, also = a == PASS, b == PASS
    good, bad = both & (g == PASS), both & (g == FAIL)
    kept = int(np.count_nonzero(both))
    groups = None if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    return TwoJudges(
        verdicts=_paired(yes, also, both, groups),
        good=_paired(yes, also, good, groups),
        bad=_paired(~yes, ~also, bad, groups),
        unlabelled=kept - int(np.count_nonzero(good)) - int(np.count_nonzero(bad)),
        left_out=g.size - kept,
    )


def drift(
    gold: ArrayLike, before: ArrayLike, after: ArrayLike, clusters: ArrayLike | None = None
) -> TwoJudges:
    """Return a judge before and after on a frozen anchor set, paired item by item.

    `verdicts.p_exact` asks whether it passes more or fewer of the very same items; `right` whether
    it is right more or less often. New inputs cannot tell drift of the judge from drift of the
    inputs.
    """
    return two_judges(gold, before, after, clusters)


def _paired(
    first: NDArray[np.bool_], second: NDArray[np.bool_], among: NDArray[np.bool_],
    clusters: NDArray[np.int64] | None = None,
) -> Paired:  # fmt: skip
    n, a, b, both = (
        int(np.count_nonzero(x)) for x in (among, first & among, second & among, first & second & among)
    )  # fmt: skip
    rows = None
    if clusters is not None:
        # 0 both, 1 the first only, 2 the second only, 3 neither
        cell = 4 * clusters + 2 * ~first + ~second
        groups = int(clusters.max(initial=-1)) + 1
        rows = np.bincount(cell[among], minlength=4 * groups).reshape(-1, 4)
    return Paired(both, a - both, b - both, n - a - b + both, rows)


def _both_wrong(pairs: Paired) -> tuple[int, Floats]:
    """Return the law of how many both get wrong, given the margins: least value and chances."""
    from scipy.special import gammaln

    n, a, b = pairs.n, pairs.n - pairs.first, pairs.n - pairs.second
    least, most = max(0, a + b - n), min(a, b)
    x = np.arange(least, most + 1, dtype=float)

    def choose(top: float, of: Floats) -> Floats:
        return np.asarray(gammaln(top + 1) - gammaln(of + 1) - gammaln(top - of + 1))

    logs = choose(a, x) + choose(n - a, b - x)
    chances = np.exp(logs - logs.max())
    return least, np.asarray(chances / chances.sum())
