"""The mean of a paired difference per task, with an interval that assumes no distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.statistics.interval import DRAWS, SEED, TAIL, Estimate, Result, Undefined

FEWEST = 10
"""Tasks below which no interval is given: a bootstrap over so few says nothing."""


def paired_mean(differences: ArrayLike) -> Result:
    """Return the mean of per-task differences with its 95 % bootstrap interval over tasks.

    Seeded: the same differences give the same interval. Tasks of equal difference are drawn
    together (multinomial on the distinct values). Undefined for fewer than ten tasks.
    """
    d = np.asarray(differences, dtype=float)
    if len(d) < FEWEST:
        reason = f"not measured: fewer than {FEWEST} tasks have both arms"
        return Undefined(reason, None, len(d))
    values, times = np.unique(d, return_counts=True)
    drawn = np.random.default_rng(SEED).multinomial(len(d), times / len(d), DRAWS)
    means = drawn @ values / len(d)
    low, high = np.quantile(means, [TAIL, 1 - TAIL])
    value = float(d.mean())
    return Estimate(value, min(float(low), value), max(float(high), value), None, len(d))
