"""A judge against itself: the same outputs judged several times.

PASS against everything else: FAIL and UNKNOWN both keep an output from being accepted, so going
from one to the other is no flip. Outputs judged once say nothing here and are left out, counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.errors import InputError
from core.statistics.comparison import Paired
from core.statistics.interval import (
    Estimate,
    Result,
    Undefined,
    clopper_pearson,
    effective_tasks,
    rate,
)

ONCE = "not measured: no output was judged twice"


@dataclass(frozen=True)
class Retest:
    """`flips`: indices of outputs that did not get the same verdict each time, in order.

    `outputs` were judged at least twice, `runs` times in all; `once` were judged once or never.
    """

    flip_rate: Result
    self_consistency: Result
    flips: tuple[int, ...]
    outputs: int
    runs: int
    once: int


def retest(passed: ArrayLike, runs: ArrayLike) -> Retest:
    """Return how steady a judge is, from `passed` of `runs` verdicts per output, (outputs,) each.

    Flip rate: outputs with both verdicts ÷ outputs judged at least twice; it grows with the number
    of runs. Self-consistency: the chance that two runs agree on an output, mean of
    (c(c-1) + (k-c)(k-c-1)) ÷ (k(k-1)) with c of k passed; it does not. Its interval is that of a
    mean over outputs (`interval.effective_tasks`); with two runs each it is exactly 1 - flip rate.
    Raises InputError unless both are whole numbers with 0 <= passed <= runs.
    """
    c, k = np.atleast_1d(np.asarray(passed)), np.atleast_1d(np.asarray(runs))
    if c.shape != k.shape or c.ndim != 1:
        raise InputError("retest", f"{c.shape} against {k.shape}.", "Give both per output.")
    if c.size and (c.dtype.kind not in "iu" or k.dtype.kind not in "iu"):
        raise InputError("retest", "counts that are no integers.", "Give whole numbers.")
    wrong = np.nonzero((c < 0) | (c > k))[0]
    if wrong.size:
        at = int(wrong[0])
        raise InputError(
            f"output {at}", f"{int(c[at])} passes in {int(k[at])} runs.",
            "Passes cannot be more than runs.",
        )  # fmt: skip
    repeated = k >= 2
    flipped = repeated & (c > 0) & (c < k)
    outputs, n_runs = int(np.count_nonzero(repeated)), int(k[repeated].sum())
    flips = np.nonzero(flipped)[0]
    return Retest(
        flip_rate=rate(len(flips), outputs, nothing=ONCE),
        self_consistency=_consistency(c[repeated].astype(float), k[repeated].astype(float)),
        flips=tuple(flips.tolist()),
        outputs=outputs,
        runs=n_runs,
        once=int(c.size) - outputs,
    )


def _consistency(c: np.ndarray, k: np.ndarray) -> Result:
    if not c.size:
        return Undefined(ONCE, None, 0)
    same = (c * (c - 1) + (k - c) * (k - c - 1)) / (k * (k - 1))
    kinds, times = np.unique(same, return_counts=True)
    value = float(same.mean())
    n = effective_tasks(kinds, np.ones(len(kinds)), times, int(k.sum()))
    low, high = clopper_pearson(value * n, n)
    return Estimate(value, min(low, value), max(high, value), None, len(c))


def two_runs(first: ArrayLike, second: ArrayLike) -> Paired:
    """Return two runs on the same outputs as a paired table, True or 1 for PASS."""
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError("retest", f"{a.shape} against {b.shape}.", "Give both per output.")
    a, b = a.astype(bool), b.astype(bool)
    both = int(np.count_nonzero(a & b))
    x, y = int(np.count_nonzero(a)), int(np.count_nonzero(b))
    return Paired(both, x - both, y - both, a.size - x - y + both)
