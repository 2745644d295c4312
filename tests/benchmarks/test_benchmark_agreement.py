"""Counting and the kappa interval against the usual libraries, as ratios within one run."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from core.statistics.confusion import Confusion, count, kappa_of_cells

N = 100_000


def best(action: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def pairs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.integers(0, 2, N, dtype=np.int8), rng.integers(0, 2, N, dtype=np.int8)


def test_counting_against_scikit_learn(benchmark: BenchmarkFixture) -> None:
    """At least 20 times as fast as confusion_matrix at n = 100,000 (about 100 is usual)."""
    from sklearn.metrics import confusion_matrix

    gold, judge = pairs()
    confusion = benchmark(count, gold, judge)
    theirs = confusion_matrix(gold, judge, labels=[1, 0])
    (a, c), (b, d) = theirs.tolist()
    assert (a, b, c, d) == confusion.cells
    ours_s = best(lambda: count(gold, judge), 30)
    ratio = best(lambda: confusion_matrix(gold, judge, labels=[1, 0]), 5) / ours_s
    benchmark.extra_info["times as fast as scikit-learn"] = round(ratio)
    assert ratio >= 20


def test_kappa_interval_against_scipy_bootstrap(benchmark: BenchmarkFixture) -> None:
    """Counting plus 4,000 draws against as many resamples of n = 100,000 pairs.

    The bootstrap is timed at 5 and at 15 resamples, one at a time, and the difference gives the
    cost of one; its set-up is not charged. At least 100 times as fast.
    """
    from scipy.stats import bootstrap

    gold, judge = pairs()

    def ours() -> object:
        return count(gold, judge).kappa

    def kappa(g: np.ndarray, j: np.ndarray) -> float:
        both, neither = np.count_nonzero(g & j), np.count_nonzero((1 - g) & (1 - j))
        only_j, only_g = np.count_nonzero((1 - g) & j), np.count_nonzero(g & (1 - j))
        return float(kappa_of_cells(np.array([both, only_j, only_g, neither], dtype=float)))

    def theirs(resamples: int) -> object:
        return bootstrap(
            (gold, judge), kappa, paired=True, vectorized=False, method="percentile",
            n_resamples=resamples, batch=1, rng=np.random.default_rng(1),
        )  # fmt: skip

    benchmark(ours)
    per_resample = (best(lambda: theirs(15), 3) - best(lambda: theirs(5), 3)) / 10
    ratio = 4000 * per_resample / best(ours, 10)
    benchmark.extra_info["times as fast as scipy bootstrap"] = round(ratio)
    assert ratio >= 100


def test_figures_do_not_depend_on_n(benchmark: BenchmarkFixture) -> None:
    """All rates, kappa and AC1 of a million pairs cost what they cost for a hundred."""
    small = best(lambda: Confusion(50, 8, 10, 32).to_json(), 20)
    large = best(lambda: Confusion(500_000, 80_000, 100_000, 320_000).to_json(), 20)
    benchmark(lambda: Confusion(50, 8, 10, 32).to_json())
    assert large <= 5 * small
