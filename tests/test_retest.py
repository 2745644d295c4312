"""A judge against itself: published counts, enumeration, laws, coverage."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.interval import Estimate, Undefined, clopper_pearson
from core.statistics.retest import retest, two_runs
from tests.reference import reference


def test_two_runs_of_a_hundred_outputs() -> None:
    entry = reference("f.test_retest")
    i = entry.inputs
    passed = [2] * i["both_pass"] + [1] * (i["pass_then_fail"] + i["fail_then_pass"])
    found = retest(passed + [0] * i["both_fail"], [2] * 100)
    assert isinstance(found.flip_rate, Estimate)
    assert found.flip_rate.value == pytest.approx(entry.expected["flip_rate"])
    assert (found.flip_rate.k, found.flip_rate.n) == (12, 100)
    assert found.flips == tuple(range(60, 72))
    runs = [[1, 1]] * 60 + [[1, 0]] * 5 + [[0, 1]] * 7 + [[0, 0]] * 28
    pairs = two_runs(*np.array(runs).T)
    assert pairs.p_exact == pytest.approx(entry.expected["mcnemar_exact"])


def test_self_consistency_of_five_runs() -> None:
    entry = reference("f.self_consistency")
    counts = entry.inputs["pass_counts"]
    found = retest(counts, [entry.inputs["runs_per_item"]] * len(counts))
    assert isinstance(found.self_consistency, Estimate)
    assert found.self_consistency.value == pytest.approx(entry.expected)
    assert found.flips == (2, 4)
    assert (found.outputs, found.runs, found.once) == (5, 25, 0)


@given(st.integers(2, 7).flatmap(lambda k: st.tuples(st.integers(0, k), st.just(k))))
def test_consistency_is_the_share_of_equal_pairs(one: tuple[int, int]) -> None:
    c, k = one
    verdicts = [True] * c + [False] * (k - c)
    pairs = list(combinations(verdicts, 2))
    found = retest([c], [k]).self_consistency
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))


@settings(deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=60))
def test_with_two_runs_consistency_is_one_minus_the_flip_rate(passed: list[int]) -> None:
    found = retest(passed, [2] * len(passed))
    flip, same = found.flip_rate, found.self_consistency
    assert isinstance(flip, Estimate)
    assert isinstance(same, Estimate)
    assert same.value == pytest.approx(1 - flip.value)
    assert (same.low, same.high) == pytest.approx((1 - flip.high, 1 - flip.low))


def test_a_judge_that_never_flips_is_as_sure_as_its_outputs_are_many() -> None:
    found = retest([5] * 8 + [0] * 4, [5] * 12).self_consistency
    assert isinstance(found, Estimate)
    assert (found.value, found.low, found.high) == pytest.approx((1, *clopper_pearson(12, 12)))


def test_outputs_judged_once_are_left_out() -> None:
    found = retest([1, 0, 1, 0], [1, 1, 2, 0])
    assert (found.outputs, found.once, found.flips) == (1, 3, (2,))
    nothing = retest([1], [1])
    assert isinstance(nothing.flip_rate, Undefined)
    assert isinstance(nothing.self_consistency, Undefined)
    assert isinstance(retest([], []).self_consistency, Undefined)


@pytest.mark.parametrize(("c", "k"), [([3], [2]), ([-1], [2]), ([1], [2, 2]), ([0.5], [2])])
def test_impossible_counts_are_refused(c: list[int], k: list[int]) -> None:
    with pytest.raises(InputError):
        retest(c, k)


@pytest.mark.soak
@pytest.mark.parametrize("outputs", [20, 50, 200])
@pytest.mark.parametrize("runs", [2, 3, 5])
def test_self_consistency_covers(outputs: int, runs: int) -> None:
    """Outputs passed with chance Beta(.4, .2); two runs agree with E[p² + (1-p)²]."""
    rng = np.random.default_rng(41)
    a, b = 0.4, 0.2
    truth = 1 - 2 * a * b / ((a + b) * (a + b + 1))
    covered = 0
    for _ in range(800):
        c = rng.binomial(runs, rng.beta(a, b, outputs))
        found = retest(c, np.full(outputs, runs)).self_consistency
        assert isinstance(found, Estimate)
        covered += found.low <= truth <= found.high
    assert covered / 800 >= 0.93
