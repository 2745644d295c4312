"""Figures worked out while one types or drags: uncertainty, planning, corrected pass rate."""

from __future__ import annotations

import time
from collections.abc import Callable

from pytest_benchmark.fixture import BenchmarkFixture

from core.statistics.correction import Stratum, pass_rate
from core.statistics.decision import Decision
from core.statistics.planning import labels_for_limit, outlook
from core.statistics.uncertainty import Case, Input


def seconds(call: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def test_4000_draws_through_both_arms(benchmark: BenchmarkFixture) -> None:
    """Below 0.1 s, with a critic, cap 5 and correlated draws."""
    case = Case(
        Input.counted(140, 200), (Input.counted(33, 60),), 5, critic=True, catches=Input(0.2),
        far=Input.counted(2, 45), frr=Input.counted(12, 100), damage=Input.counted(1, 10), rho=Input.counted(20, 100),
    )  # fmt: skip
    benchmark(Decision, case)
    assert seconds(lambda: Decision(case).turns) < 0.1


def test_plans_are_made_while_one_types(benchmark: BenchmarkFixture) -> None:
    """Below 20 ms each."""
    benchmark(labels_for_limit, 0.05, 0.01)
    assert seconds(lambda: labels_for_limit(0.05, 0.049)) < 0.02
    assert seconds(lambda: outlook(2, 45, 20, kind=0.3, limit=0.05)) < 0.02


def test_corrected_pass_rate_does_not_grow_with_the_outputs(benchmark: BenchmarkFixture) -> None:
    def found(scale: int) -> object:
        return pass_rate(
            [
                Stratum("PASS", True, 700 * scale, 54, 12),
                Stratum("FAIL", False, 300 * scale, 6, 28),
            ],
            random=True,
        )

    benchmark(found, 1000)
    assert seconds(lambda: found(1000)) < 0.025
