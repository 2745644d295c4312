"""Numbers with their interval and counts, or the reason why there is no number.

One interval for every rate, on screen and in gates: Clopper–Pearson, because it covers at least
95 % at every n. Figures built from several cells (kappa, AC1) take seeded Dirichlet(½) draws on
the cells: with 30 outputs, 95 % of them good, that covers .96 where a percentile bootstrap covers
about half, because it cannot draw a cell that happened to be empty.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError, show

DRAWS = 4000
SEED = 20240229
TAIL = 0.025
"""Probability left out at each end of a 95 % interval."""
Z = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""
PSEUDO_CLUSTER = 0.25
"""Clusters (or tasks) added, half of them all right and half all wrong, to estimate a variance."""

Floats: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Estimate:
    """A number, its 95 % interval and the counts behind it.

    `k` of `n` for a rate; `k` is None for a figure that is no rate (kappa, AC1, alpha).
    """

    value: float
    low: float
    high: float
    k: int | None
    n: int

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.value, self.low, self.high))):
            raise ValueError(f"an estimate is finite, got {self!r}; use Undefined")


@dataclass(frozen=True)
class Undefined:
    """There is no number, and why; never shown as NaN, 0 or 1."""

    reason: str
    k: int | None
    n: int


@dataclass(frozen=True)
class ClusteredEstimate(Estimate):
    """A rate of outputs that come in clusters: how many clusters, and the design effect allowed for.

    `deff` is at least 1: the interval is as wide as that of n/deff independent outputs, before the
    correction for having few clusters.
    """

    clusters: int
    deff: float


Result: TypeAlias = Estimate | Undefined


def as_json(result: Result) -> dict[str, float | int | str | None]:
    """Return the result as JSON data: value, low, high, k, n, or undefined, k, n."""
    if isinstance(result, Undefined):
        return {"undefined": result.reason, "k": result.k, "n": result.n}
    return {
        "value": result.value,
        "low": result.low,
        "high": result.high,
        "k": result.k,
        "n": result.n,
    }


def clopper_pearson(k: float, n: float) -> tuple[float, float]:
    """Return the exact 95 % limits of k out of n, 0 <= k <= n and n > 0.

    Quantiles of Beta(k, n-k+1) and Beta(k+1, n-k) (Clopper and Pearson 1934). `k` and `n` may be
    fractions: that is how an effective sample size goes in.
    """
    from scipy.special import betaincinv

    low = 0.0 if k <= 0 else float(betaincinv(k, n - k + 1, TAIL))
    high = 1.0 if k >= n else float(betaincinv(k + 1, n - k, 1 - TAIL))
    return min(low, k / n), min(1.0, max(high, k / n))


def clopper_pearson_many(k: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """Return the limits of `clopper_pearson` for arrays that broadcast; 0 and 1 where n is 0."""
    from scipy.special import betaincinv

    hits, all_ = np.broadcast_arrays(np.asarray(k, float), np.asarray(n, float))
    misses = all_ - hits
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1e-12), misses + 1, TAIL), 0.0)
    high = np.where(misses > 0, betaincinv(hits + 1, np.maximum(misses, 1e-12), 1 - TAIL), 1.0)
    return low, high


def rate(k: int, n: int, *, nothing: str) -> Result:
    """Return k/n with its Clopper–Pearson interval; Undefined(nothing) when n is 0.

    Raises InputError unless k and n are whole numbers with 0 <= k <= n.
    """
    k, n = _count("k", k), _count("n", n)
    if k > n:
        raise InputError("rate", f"{k} of {n} is more than all.", "Give a count of at most n.")
    if n == 0:
        return Undefined(nothing, k, n)
    low, high = clopper_pearson(k, n)
    return Estimate(k / n, low, high, k, n)


def clustered_rate(
    errors: ArrayLike, items: ArrayLike, *, nothing: str, times: ArrayLike | None = None
) -> Result:
    """Return Σerrors/Σitems over clusters, with an interval that knows about the clusters.

    `errors` and `items` are whole numbers, one pair per cluster (the outputs of one sample, say).
    The rate is the ratio estimator; the interval is Clopper–Pearson at the effective sample size
    (`_deff`), and the result carries clusters and design effect. Clusters of one item are no
    clusters: that is `rate`. With `times`, one number per pair, so many clusters are like that
    pair. Undefined when there are no items, or when all come from one cluster.
    """
    e, m = _counts("errors", errors), _counts("items", items)
    t = np.ones_like(m) if times is None else _counts("times", times)
    if e.shape != m.shape or e.ndim != 1:
        raise InputError(
            "clusters",
            f"{e.shape} error counts for {m.shape} item counts.",
            "Give one per cluster.",
        )
    if np.any(e > m):
        where = int(np.argmax(e > m))
        raise InputError(
            f"cluster {where}",
            f"{int(e[where])} errors of {int(m[where])} items.",
            "Errors cannot be more than items.",
        )
    k, n = int(e @ t), int(m @ t)
    if n == 0:
        return Undefined(nothing, 0, 0)
    if m.max() == 1:
        return rate(k, n, nothing=nothing)
    value = k / n
    rows = np.column_stack([e, m - e])
    found = _deff(rows, t, lambda cells: np.array([cells[1], -cells[0]]) / cells.sum() ** 2)
    if found is None:
        return Undefined(ONE_CLUSTER, k, n)
    low, high = clopper_pearson(k * found.share, n * found.share)
    # None erring leaves the largest design effect. One error must not make the upper end lower
    # than none does, nor one success the lower end higher than no failure does.
    fewest = n * found.least
    low = min(low, value, clopper_pearson(fewest, fewest)[0])
    high = max(high, value, clopper_pearson(0, fewest)[1])
    return ClusteredEstimate(value, low, high, k, n, found.clusters, found.deff)


ONE_CLUSTER = "no interval: all outputs come from one cluster, and an interval needs at least two"


def design_effect(rows: Floats, gradient: Floats) -> float:
    """Return var(clustered) ÷ var(independent) of a figure, by linearisation.

    `rows` is (clusters, cells), counts, no empty row, at least two rows; `gradient` is (cells,),
    the change of the figure per item added to a cell. Variances: G/(G-1)·Σ_g (Σ_c n_gc·g_c)² and
    Σ_c n_c·g_c². Where the figure does not vary at all (no or all items err) nothing can be
    learnt about the clusters, and they count as one item each: Σsize²/Σsize.
    """
    independent = float(rows.sum(axis=0) @ gradient**2)
    if independent * rows.sum() < 1e-12:
        return _one_item_each(rows)
    scores = rows @ gradient
    groups = len(rows)
    return float(groups / (groups - 1) * (scores @ scores) / independent)


def _one_item_each(rows: Floats, times: Floats | None = None) -> float:
    """Return the design effect of clusters whose items are all alike: Σsize²/Σsize, the largest."""
    sizes = rows.sum(axis=1)
    many = sizes if times is None else sizes * times
    return float(many @ sizes / many.sum())


def kinds_of_clusters(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows of (clusters, cells) counts, and how many clusters are like each.

    Rows of nothing are left out. 50,000 samples of two outputs are ten kinds.
    """
    size = int(rows.max(initial=0)) + 1
    if size ** rows.shape[1] > 2**62:
        rows, times = np.unique(rows, axis=0, return_counts=True)
    else:
        # One number per row, its digits the counts: sorted as fast as numbers are.
        places = size ** np.arange(rows.shape[1] - 1, -1, -1)
        keys, times = np.unique(rows @ places, return_counts=True)
        rows = keys[:, None] // places % size
    some = rows.any(axis=1)
    return rows[some], times[some]


def effective_share(
    by_cluster: NDArray[np.int64], gradient: Callable[[Floats], Floats]
) -> float | None:
    """Return independent ÷ actual items of a figure of (clusters, cells) counts.

    `gradient` maps (cells,) counts to the change of the figure per item added to each. 1 where no
    cluster has two items, None where there is but one cluster. Where the figure does not vary,
    nothing is learnt about clusters, and each counts as one item.
    """
    rows, times = kinds_of_clusters(by_cluster)
    if rows.sum(axis=1).max(initial=0) <= 1:
        return 1.0
    found, total = _deff(rows, times, gradient), (times @ rows).astype(np.float64)
    if found is None:
        return None
    varies = float(total @ gradient(total) ** 2) * total.sum() >= 1e-12
    return found.share if varies else found.least


@dataclass(frozen=True)
class _Deff:
    clusters: int
    deff: float
    share: float
    least: float


def _deff(
    rows: NDArray[np.int64], times: NDArray[np.int64], gradient: Callable[[Floats], Floats]
) -> _Deff | None:
    """Return clusters, design effect and effective ÷ actual sample size; None below 2 clusters.

    `least` is that share at the largest design effect there can be.

    `rows` is (kinds, cells), `times` how many clusters are of each kind; `gradient` maps (cells,)
    counts to the change of the figure per item added to each. The design effect is taken with a quarter of a cluster of average size
    added, spread over the cells: with one error among 120 outputs the data alone would say that
    clusters do not matter, because that error has no neighbour, and the interval covered .91. It
    is kept from 1 to Σsize²/Σsize. The share is 1/deff times (t[n-1]/t[G-1])², the correction for
    having few clusters (Korn and Graubard 1998).
    """
    from scipy.special import stdtrit

    times = np.where(rows.any(axis=1), times, 0)
    groups, n = int(times.sum()), int((times @ rows).sum())
    if groups < 2:
        return None
    counts, many = rows.astype(np.float64), times.astype(np.float64)
    most = _one_item_each(counts, many)
    deff = most
    if np.count_nonzero(rows[times > 0].any(axis=0)) > 1:
        cells = counts.shape[1]
        size = n / groups
        total = many @ counts + PSEUDO_CLUSTER * size / cells
        slope = gradient(total)
        independent = float(total @ slope**2)
        if independent * n >= 1e-12:
            scores = counts @ slope
            extra = PSEUDO_CLUSTER / cells * size**2 * float(slope @ slope)
            deff = groups / (groups - 1) * (float(many @ scores**2) + extra) / independent
    deff = min(most, max(1.0, deff))
    t_ratio = float(stdtrit(n - 1, TAIL) / stdtrit(groups - 1, TAIL))
    return _Deff(groups, deff, t_ratio**2 / deff, t_ratio**2 / most)


def effective_tasks(top: Floats, bottom: Floats, times: NDArray[np.int64], most: int) -> float:
    """Return how many independent passes and fails say as much of Σ top ÷ Σ bottom over tasks.

    `top`, `bottom` and `times` are (kinds,), 0 <= top <= bottom <= 1, Σ bottom > 0; `times` tasks
    are of each kind; there were `most` observations in all. value·(1-value) ÷ variance, the
    linearised variance of a ratio over tasks (as in `design_effect`) with a quarter of a task
    added, half of it passing and half failing: where the few tasks that speak agree by chance,
    the data alone would claim certainty. Times (z/t[tasks-1])². At most `most`; where each task
    counts the same no less than the number of tasks, because no mean of numbers in [0, 1] varies
    more than one of passes and fails.
    """
    from scipy.special import stdtrit

    tasks, mass, half = int(times.sum()), float(times @ bottom), PSEUDO_CLUSTER / 2
    value = float(times @ top) / mass
    same_weight = float(np.ptp(bottom)) < 1e-12
    if tasks == 1 or (same_weight and min(value, 1 - value) < 1e-12):
        return mass
    centre = (value * mass + half) / (mass + 2 * half)
    spread = float(times @ (top - centre * bottom) ** 2)
    spread += half * (centre**2 + (1 - centre) ** 2)
    variance = spread * tasks / (tasks - 1) / ((mass + 2 * half) * mass)
    n = centre * (1 - centre) / variance * (Z / float(stdtrit(tasks - 1, 1 - TAIL))) ** 2
    return max(min(n, most), mass) if same_weight else min(n, most)


def composite(
    cells: ArrayLike,
    statistic: Statistic,
    *,
    reason: str,
    by_cluster: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
) -> Result:
    """Return a figure of cell counts with its interval, from 4,000 seeded Dirichlet(½) draws.

    `cells` is (c,) whole counts; `statistic` maps (..., c) counts or shares to (...) and does not
    change when all cells are scaled. `by_cluster`, (kinds, c) counts and how many clusters are of
    each kind (`kinds_of_clusters`), shrinks the counts to their effective size first. The interval
    is widened to hold the value itself, which the draws may miss at the edge (kappa 1). Undefined(reason) when the statistic is 0/0 on these cells.
    """
    counts = _counts("cells", cells).astype(np.float64)
    n = int(counts.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(statistic(counts)) if n else math.nan
    if not math.isfinite(value):
        return Undefined(reason, None, n)
    if by_cluster is not None:
        found = _deff(*by_cluster, lambda total: gradient_at(total, statistic))
        if found is None:
            return Undefined(ONE_CLUSTER, None, n)
        counts = counts * found.share
    [low], [high] = composite_limits(counts[None], statistic)
    value += 0.0  # so that a constant judge's kappa prints without a minus sign
    return Estimate(value, min(float(low), value), max(float(high), value), None, n)


def composite_limits(cells: Floats, statistic: Statistic) -> tuple[Floats, Floats]:
    """Return the limits of many tables at once, (tables,) each; `cells` is (tables, c) counts.

    Those of `composite` before they are widened to hold the figure itself.
    """
    return limits_of_draws(statistic(np.moveaxis(gamma_draws(cells, SEED), 1, -1)))


def gamma_draws(counts: Floats, seed: int) -> Floats:
    """Return (tables, c, DRAWS) draws of Gamma(count + ½) for (tables, c) counts.

    Divided by their sum over c they are Dirichlet(½ + counts) draws. A count that occurs in many
    tables at the same place is drawn once for all of them.
    """
    columns = [np.unique(one, return_inverse=True) for one in counts.T]
    shapes = np.concatenate([values for values, _ in columns]) + 0.5
    drawn = np.random.default_rng(seed).standard_gamma(shapes, size=(DRAWS, len(shapes))).T
    starts = np.cumsum([0, *(len(values) for values, _ in columns)])
    return np.stack(
        [drawn[first + at] for first, (_, at) in zip(starts[:-1], columns, strict=True)], axis=1
    )


def limits_of_draws(draws: Floats) -> tuple[Floats, Floats]:
    """Return the 2.5 % and 97.5 % points of (..., DRAWS) draws along their last axis."""
    low, high = np.quantile(draws, [TAIL, 1 - TAIL], axis=-1)
    return low, high


def gradient_at(counts: Floats, statistic: Statistic) -> Floats:
    """Return d statistic / d cell at `counts` by central differences."""
    step = 1e-4 * np.eye(len(counts)) * max(1.0, counts.sum() / 100)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (statistic(counts + step) - statistic(counts - step)) / (2 * step.max())
    return np.where(np.isfinite(slope), slope, 0.0)


def share(name: str, value: float) -> float:
    """Return a number in [0, 1] as float, or refuse: percent and text are not guessed at."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise InputError(name, f"{show(value)} is no share between 0 and 1.", "Write 40 % as 0.4.")
    return float(value)


def whole(name: str, value: int, least: int = 1, most: int | None = None) -> int:
    """Return a whole number from `least` to `most`, or refuse with its name."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        top = "up" if most is None else f"to {most}"
        raise InputError(name, f"{show(value)} is no whole number from {least} {top}.", "Give one.")
    return int(value)


def _count(name: str, value: int) -> int:
    return int(_counts(name, value))


def _counts(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """Return whole numbers >= 0 as int64, or refuse with the name of what was given."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or (array.size and array.min() < 0):
        raise InputError(name, f"{show(values)} is no count.", "Give whole numbers from 0 up.")
    return array.astype(np.int64)
