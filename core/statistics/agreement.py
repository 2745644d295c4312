"""Reviewers against each other: any number of raters and categories, ratings may be missing.

Everything comes from a table of counts: how many raters put an item into each category. Items
with one rating say nothing about agreement and do not count in it. Intervals treat the items as
the sample and the raters as given: 4,000 seeded Dirichlet draws over the distinct item patterns,
with a prior worth two items spread evenly over all pairs of ratings. With two raters and two
categories that is the Dirichlet(½) rule of the 2×2 table; a plain bootstrap over items would give
an interval of width nothing whenever the reviewers happen to agree throughout. Where items come in
clusters (outputs of one sample) the patterns count at their effective size (`effective_share`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError, show
from core.statistics.interval import (
    DRAWS,
    ONE_CLUSTER,
    SEED,
    TAIL,
    Estimate,
    Floats,
    Result,
    Undefined,
    effective_share,
    gradient_at,
)

MISSING = -1
_BLOCK = 4_000_000
"""Random numbers held at once."""

ONE_CATEGORY = "undefined: all ratings are in one category"
NO_PAIRS = "not measured: no item has two ratings"


@dataclass(frozen=True)
class PairAgreement:
    """Two raters on the `n` items both rated: share of equal ratings, and Cohen's kappa."""

    n: int
    agreement: float | Undefined
    kappa: float | Undefined

    def to_json(self) -> dict[str, float | int | None]:
        """Return n, agreement and kappa; null where there is no number."""
        return {
            "n": self.n,
            "agreement": None if isinstance(self.agreement, Undefined) else self.agreement,
            "kappa": None if isinstance(self.kappa, Undefined) else self.kappa,
        }


def encode(raters: Sequence[Sequence[Hashable | None]]) -> tuple[NDArray[np.int64], list[Hashable]]:
    """Return ratings as codes (items, raters), None as MISSING, and the categories they index.

    `raters` is one sequence per rater, all of one length, of values compared as they stand.
    """
    lengths = {len(column) for column in raters}
    if len(lengths) > 1:
        raise InputError(
            "raters", f"columns of {sorted(lengths)} items.", "Give every rater the same items."
        )
    index: dict[Hashable, int] = {}
    codes = [
        [MISSING if value is None else index.setdefault(value, len(index)) for value in column]
        for column in raters
    ]
    return np.array(codes, dtype=np.int64).T, list(index)


def pairwise(a: ArrayLike, b: ArrayLike) -> PairAgreement:
    """Compare two raters' codes (items,), MISSING left out pair by pair.

    Categories are the codes the two used between them on the items both rated.
    """
    x, y = _codes(a), _codes(b)
    if x.ndim != 1 or x.shape != y.shape:
        raise InputError(
            "raters", f"{x.shape} ratings against {y.shape}.", "Give every rater the same items."
        )
    both = (x != MISSING) & (y != MISSING)
    n = int(np.count_nonzero(both))
    if n == 0:
        nothing = Undefined("not measured: no item was rated by both", None, 0)
        return PairAgreement(0, nothing, nothing)
    used, codes = np.unique(np.concatenate([x[both], y[both]]), return_inverse=True)
    size = len(used)
    table = np.bincount(codes[:n] * size + codes[n:], minlength=size**2).reshape(size, size)
    return PairAgreement(n, int(np.trace(table)) / n, kappa_of_table(table))


def kappa_of_table(table: ArrayLike) -> float | Undefined:
    """Return Cohen's kappa of a square table of counts (categories, categories).

    (n·Σn_ii - Σr_i·c_i) ÷ (n² - Σr_i·c_i), in whole numbers until the division.
    """
    counts, n = _table(table)
    chance = sum(int(r) * int(c) for r, c in zip(counts.sum(1), counts.sum(0), strict=True))
    if n == 0:
        return Undefined(NO_PAIRS, None, 0)
    if chance == n * n:
        return Undefined("kappa is undefined: both raters used one category only", None, n)
    return (n * int(np.trace(counts)) - chance) / (n * n - chance)


def ac1_of_table(table: ArrayLike) -> float | Undefined:
    """Return Gwet's AC1 of a square table; every row counts as a category, used or not.

    (po - pe)/(1 - pe) with pe = Σπ_k(1 - π_k)/(q - 1), π_k the mean share of category k over the
    two raters (Gwet 2008).
    """
    counts, n = _table(table)
    if n == 0:
        return Undefined(NO_PAIRS, None, 0)
    if len(counts) < 2:
        return Undefined("AC1 is undefined: there is one category only", None, n)
    share = (counts.sum(1) + counts.sum(0)) / (2 * n)
    chance = float(share @ (1 - share)) / (len(counts) - 1)
    return (int(np.trace(counts)) / n - chance) / (1 - chance) + 0.0


def alpha(ratings: ArrayLike, clusters: ArrayLike | None = None) -> Result:
    """Return Krippendorff's nominal alpha of codes (items, raters), MISSING where not rated.

    1 - (m - 1)(m - Σo_cc)/(m² - Σm_c²) with m the ratings on items that have at least two, m_c
    those in category c, and o the coincidences (Krippendorff 2011). `n` is the number of such
    items. `clusters` (items,) names the cluster of each. Undefined when there are none, or when
    they are all in one category.
    """
    counts, groups = _counts(ratings, clusters)
    paired = counts.sum(1) > 1
    groups = None if groups is None else groups[paired]
    return _result(counts[paired], groups, _alpha, "alpha is " + ONE_CATEGORY)


def ac1(ratings: ArrayLike, clusters: ArrayLike | None = None) -> Result:
    """Return Gwet's AC1 for several raters, of codes (items, raters), MISSING where not rated.

    Agreement is the mean, over items with at least two ratings, of the share of equal pairs;
    chance is Σπ_k(1 - π_k)/(q - 1) with π_k the mean share of category k over all rated items, as
    Gwet (2014) defines it: an item with one rating tells how common a category is, not how well
    raters agree. `n` is the number of items with at least two ratings, `clusters` as in `alpha`.
    """
    return _result(*_counts(ratings, clusters), _ac1, "AC1 is " + ONE_CATEGORY)


def _alpha(patterns: Floats, weights: Floats) -> Floats:
    """Return alpha of item patterns (t, categories) under weights (draws, t)."""
    size = patterns.sum(1)
    same = (patterns * (patterns - 1)).sum(1) / (size - 1)
    by_category = weights @ patterns
    total = by_category.sum(1)
    expected = total**2 - (by_category**2).sum(1)
    return np.asarray(1 - (total - 1) * (total - weights @ same) / expected)


def _ac1(patterns: Floats, weights: Floats) -> Floats:
    """Return AC1 of item patterns (t, categories) under weights (draws, t)."""
    size = patterns.sum(1)
    paired = size > 1
    same = (patterns * (patterns - 1)).sum(1) / np.where(paired, size * (size - 1), 1)
    share = weights @ (patterns / size[:, None]) / weights.sum(1)[:, None]
    chance = (share * (1 - share)).sum(1) / (patterns.shape[1] - 1)
    agreement = weights @ same / (weights @ paired.astype(np.float64))
    return np.asarray((agreement - chance) / (1 - chance))


def _result(
    patterns: Floats,
    groups: NDArray[np.int64] | None,
    statistic: Callable[[Floats, Floats], Floats],
    reason: str,
) -> Result:
    """Return the statistic of item patterns (items, categories) with its interval."""
    n = int(np.count_nonzero(patterns.sum(1) > 1))
    if n == 0:
        return Undefined(NO_PAIRS, None, 0)
    size = patterns.shape[1]
    if np.count_nonzero(patterns.any(axis=0)) < 2:
        return Undefined(reason, None, n)
    distinct, kind, times = np.unique(patterns, axis=0, return_inverse=True, return_counts=True)
    less: float | None = 1.0
    if groups is not None:
        per_group = np.zeros((int(groups.max()) + 1, len(distinct)), np.int64)
        np.add.at(per_group, (groups, kind.reshape(-1)), 1)
        figure = partial(statistic, distinct.astype(np.float64))
        less = effective_share(per_group, lambda total: gradient_at(total, figure))
    if less is None:
        return Undefined(ONE_CLUSTER, None, n)
    value = float(statistic(distinct, times[None, :].astype(np.float64))[0]) + 0.0
    c, k = np.triu_indices(size)
    prior = np.eye(size)[c] + np.eye(size)[k]
    mass = np.concatenate([times * less, np.where(c == k, 2, 4) / size**2])
    rows = np.concatenate([distinct, prior])
    rng = np.random.default_rng(SEED)
    values: list[Floats] = []
    step = max(1, _BLOCK // len(mass))
    for start in range(0, DRAWS, step):
        weights = rng.standard_gamma(mass, size=(min(step, DRAWS - start), len(mass)))
        weights *= len(patterns) / weights.sum(1, keepdims=True)
        values.append(statistic(rows, weights))
    low, high = np.quantile(np.concatenate(values), [TAIL, 1 - TAIL])
    return Estimate(value, min(float(low), value), max(float(high), value), None, n)


def _counts(
    ratings: ArrayLike, clusters: ArrayLike | None
) -> tuple[Floats, NDArray[np.int64] | None]:
    """Return (rated items, categories used) counts of codes (items, raters), and their clusters.

    Clusters are numbered from 0.
    """
    codes = _codes(ratings)
    if codes.ndim != 2:
        raise InputError(
            "ratings",
            f"an array of {codes.ndim} dimensions.",
            "Give one row per item, one column per rater.",
        )
    if codes.size == 0:
        return np.zeros((0, 1)), None
    rated = codes != MISSING
    used, dense = np.unique(codes[rated], return_inverse=True)
    items = np.nonzero(rated)[0]
    size = max(1, len(used))
    counts = np.bincount(items * size + dense, minlength=len(codes) * size)
    table = counts.reshape(len(codes), size).astype(np.float64)
    some: NDArray[np.bool_] = np.any(table > 0, axis=1)
    if clusters is None:
        return table[some], None
    named = np.asarray(clusters)
    if named.shape != some.shape:
        raise InputError(
            "clusters", f"{named.size} cluster names for {len(some)} items.", "Give one per item."
        )
    return table[some], np.unique(named[some], return_inverse=True)[1]


def _codes(values: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind not in "iu" or array.min() < MISSING:
        raise InputError(
            "ratings",
            f"{show(values)} is no array of category codes.",
            "Encode the categories as 0, 1, 2 … and missing ratings as -1 first.",
        )
    return array.astype(np.int64)


def _table(table: ArrayLike) -> tuple[NDArray[np.int64], int]:
    counts = np.asarray(table)
    square = counts.ndim == 2 and counts.shape[0] == counts.shape[1]
    if not square or counts.dtype.kind not in "iu" or (counts.size and counts.min() < 0):
        raise InputError(
            "table",
            f"{show(table)} is no square table of counts.",
            "Give one row and one column per category.",
        )
    return counts.astype(np.int64), int(counts.sum())
