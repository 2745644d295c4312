"""The cost kernel over many (p, r) pairs, against one pair at a time in the same run."""

from __future__ import annotations

import time

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from core.statistics.attempts import Attempts
from core.statistics.costs import Check, run_loop
from core.statistics.interval import Estimate

CHECK = Check(True, 0.5, 0.02, 0.3, 0.1)
DAMAGE = 0.15


def one_pair(p: float, r: float, cap: int) -> tuple[float, float, float, float]:
    """The recurrence in plain floats, as one would first write it."""
    a_g, a_b = CHECK.accepts_good, CHECK.accepts_bad
    g, b = p, 1 - p
    calls = critic = accepted = good = 0.0
    for _ in range(cap):
        calls += g + b
        critic += g * (1 - CHECK.misfires) + b * (1 - CHECK.catches)
        accepted += g * a_g + b * a_b
        good += g * a_g
        left_g, left_b = g * (1 - a_g), b * (1 - a_b)
        g, b = left_g * (1 - DAMAGE) + left_b * r, left_g * DAMAGE + left_b * (1 - r)
    return accepted, good, calls, critic


def test_a_million_pairs_at_cap_5(benchmark: BenchmarkFixture) -> None:
    """At least 10 times as fast per pair as the plain loop; 0.15 s in all is the aim."""
    rng = np.random.default_rng(4)
    p, r = rng.random((2, 1_000_000))
    flow = benchmark(run_loop, p, r, 5, CHECK, DAMAGE)
    sample = range(20_000)
    start = time.perf_counter()
    plain = [one_pair(float(p[i]), float(r[i]), 5) for i in sample]
    per_pair = (time.perf_counter() - start) / len(sample)
    ours = np.stack([flow.accepted, flow.accepted_good, flow.generates, flow.critic_calls], axis=1)
    assert np.allclose(ours[: len(sample)], plain, atol=1e-12)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run_loop(p, r, 5, CHECK, DAMAGE)
        times.append(time.perf_counter() - start)
    ratio = per_pair * p.size / min(times)
    benchmark.extra_info["seconds for a million pairs"] = round(min(times), 3)
    benchmark.extra_info["times as fast as pair by pair"] = round(ratio)
    assert ratio >= 10


def test_pass_at_k_of_many_tasks_costs_its_kinds(benchmark: BenchmarkFixture) -> None:
    """100,000 tasks of 20 draws are 21 kinds: figures cost no more than for 1,000 tasks."""
    rng = np.random.default_rng(4)

    def table(tasks: int) -> Attempts:
        return Attempts.of(np.full(tasks, 20), rng.binomial(20, rng.beta(1, 2, tasks)))

    def seconds(attempts: Attempts) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            attempts.fresh_share(10)
            times.append(time.perf_counter() - start)
        return min(times)

    few, many = table(1_000), table(100_000)
    benchmark(many.fresh_share, 10)
    assert seconds(many) <= 5 * seconds(few)


def product_loop(n: int, c: int, k: int) -> float:
    """The unbiased estimator of one problem, as it is usually written (Chen et al. 2021)."""
    if n - c < k:
        return 1.0
    return float(1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))


def test_pass_at_k_of_a_million_problems(benchmark: BenchmarkFixture) -> None:
    """Against the product, problem by problem, in the same run: at least 1,000 times as fast."""
    rng = np.random.default_rng(4)
    draws = np.full(1_000_000, 20)
    good = rng.binomial(20, rng.beta(1, 2, draws.size))

    def ours() -> float:
        found = Attempts.of(draws, good).pass_at(10)
        assert isinstance(found, Estimate)
        return found.value

    value = benchmark(ours)
    sample = good[:20_000].tolist()
    start = time.perf_counter()
    plain = [product_loop(20, c, 10) for c in sample]
    per_problem = (time.perf_counter() - start) / len(sample)
    few = Attempts.of(draws[: len(sample)], good[: len(sample)]).pass_at(10)
    assert isinstance(few, Estimate)
    assert np.isclose(few.value, np.mean(plain))
    assert abs(value - few.value) < 0.01
    times = []
    for _ in range(25):
        start = time.perf_counter()
        ours()
        times.append(time.perf_counter() - start)
    ratio = per_problem * draws.size / min(times)
    benchmark.extra_info["times as fast as problem by problem"] = round(ratio)
    print(f"{ratio:.0f} times as fast, {min(times):.4f} s")
    assert ratio >= 1000
