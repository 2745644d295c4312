"""Planning labels: against brute force, published sample sizes, and by hand."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom, binom

from core.errors import InputError
from core.statistics.interval import Undefined, clopper_pearson
from core.statistics.planning import (
    Plan,
    best_split,
    clean_items_needed,
    labels_for_limit,
    labels_for_width,
    outlook,
)
from tests.reference import reference


def plan(found: Plan | Undefined) -> Plan:
    assert isinstance(found, Plan)
    return found


def test_items_without_an_error_for_a_limit() -> None:
    """1 - .025^(1/n) <= limit: the two-sided success-run numbers."""
    entry = reference("g.zero_error_n_two_sided")
    limits = entry.inputs["max_rate"]
    assert entry.expected == [clean_items_needed(0, 0, limit) for limit in limits]
    assert entry.expected == [plan(labels_for_limit(limit, 0.0)).items for limit in limits]


def test_two_misses_of_45_need_97_more_without_one() -> None:
    assert clean_items_needed(2, 45, 0.05) == 97
    assert clopper_pearson(2, 45 + 97)[1] <= 0.05 < clopper_pearson(2, 45 + 96)[1]


def test_a_limit_that_holds_already_needs_nothing() -> None:
    assert clean_items_needed(0, 72, 0.05) == 0
    assert clean_items_needed(3, 3, 1.0) == 0


def test_clusters_multiply_what_is_needed() -> None:
    """None of 40 in clusters of 2 is none of 20; 72 - 20 = 52 more of those are 104 outputs."""
    assert clean_items_needed(0, 40, 0.05, deff=2) == pytest.approx(104, abs=1)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 8), st.integers(0, 120), st.floats(0.02, 0.6))
def test_one_item_less_would_not_do(k: int, more: int, limit: float) -> None:
    n = k + more
    needed = clean_items_needed(k, n, limit)
    assert isinstance(needed, int)
    assert n + needed == 0 or clopper_pearson(k, n + needed)[1] <= limit
    if needed and n + needed > 1:
        assert clopper_pearson(k, n + needed - 1)[1] > limit


@pytest.mark.parametrize(("limit", "guess"), [(0.05, 0.01), (0.2, 0.1), (0.3, 0.02), (0.5, 0.3)])
def test_plan_for_a_limit_is_the_first_number_with_an_80_percent_chance(
    limit: float, guess: float
) -> None:
    def chance(n: int) -> float:
        kept = [k for k in range(n + 1) if clopper_pearson(k, n)[1] <= limit]
        return float(binom.pmf(kept, n, guess).sum())

    found = plan(labels_for_limit(limit, guess))
    assert found.chance == pytest.approx(chance(found.items))
    assert found.chance >= 0.8
    assert all(chance(n) < 0.8 for n in range(1, found.items))
    assert clopper_pearson(found.allowed or 0, found.items)[1] <= limit


def test_labels_are_items_by_the_share_of_their_kind_and_the_design_effect() -> None:
    """72 bad outputs, a fifth of all, design effect 1.5: 72 · 1.5 / 0.2."""
    assert plan(labels_for_limit(0.05, 0.0, kind=0.2, deff=1.5)).labels == 540


@pytest.mark.parametrize("guess", [0.05, 0.2])
def test_a_guess_at_or_above_the_limit_has_no_plan(guess: float) -> None:
    found = labels_for_limit(0.05, guess)
    assert isinstance(found, Undefined)
    assert "is not below the limit 5 %" in found.reason


def test_a_guess_too_near_the_limit_has_no_plan() -> None:
    assert isinstance(labels_for_limit(0.05, 0.04999), Undefined)
    assert isinstance(labels_for_width(1e-4, 0.5), Undefined)


def test_widths_lie_a_little_above_the_published_sizes() -> None:
    """Exact intervals are wider than Wilson's, so need more; by less than 1/half-width items."""
    entry = reference("g.wilson_n")
    for (guess, half), wilson in zip(entry.inputs["p_h"], entry.expected, strict=True):
        ours = plan(labels_for_width(2 * half, guess)).items
        assert wilson < ours < wilson + 1.2 / half
        low, high = clopper_pearson(guess * ours, ours)
        assert high - low <= 2 * half
    low, high = clopper_pearson(0.3 * 88, 88)
    assert high - low > 0.2  # 89 is what the plan says for 10 points either way at 30 %
    assert plan(labels_for_width(0.2, 0.3, kind=0.4)) == Plan(89, 223)


def test_outlook_is_the_average_over_what_the_labels_may_say() -> None:
    k, n, more = 2, 45, 6
    weights = betabinom.pmf(range(more + 1), more, k + 0.5, n - k + 0.5)
    ends = np.array([clopper_pearson(k + x, n + more) for x in range(more + 1)])
    found = outlook(k, n, more, limit=0.16)
    assert (found.low, found.high) == pytest.approx(tuple(weights @ ends))
    assert found.chance_met == pytest.approx(weights @ (ends[:, 1] <= 0.16))
    assert found.chance_missed == pytest.approx(0.0)


def test_outlook_allows_for_labels_of_the_other_kind() -> None:
    """None of 0 so far, one label, half a chance that it is of the kind: else 0 to 1 as before."""
    found = outlook(0, 0, 1, kind=0.5)
    assert (found.low, found.high) == pytest.approx((0.5 * 0.5 * 0.025, 0.5 + 0.5 * (1.975 / 2)))


def test_more_labels_narrow_the_outlook() -> None:
    widths = [o.high - o.low for o in (outlook(4, 30, m) for m in (1, 20, 100))]
    assert widths == sorted(widths, reverse=True)


def test_best_split_of_labels_between_accepts_and_rejects() -> None:
    entry = reference("g.neyman_allocation")
    found = best_split(entry.inputs["weights"], entry.inputs["good_share"])
    assert found == pytest.approx(entry.expected)
    assert best_split([0.7, 0.3], [1.0, 0.0]) == pytest.approx([0.7, 0.3])
    for weights, good in (([0.7, 0.2], [0.5, 0.5]), ([0.7, 0.3], [1.5, 0.5]), ([1.0], [0.5, 0.5])):
        with pytest.raises(InputError):
            best_split(weights, good)


@pytest.mark.parametrize(
    "call",
    [
        lambda: labels_for_limit(0.0, 0.0),
        lambda: labels_for_limit(5, 0.01),
        lambda: labels_for_limit(0.05, 0.01, kind=0),
        lambda: labels_for_limit(0.05, 0.01, deff=0.5),
        lambda: labels_for_width(0.1, float("nan")),
        lambda: clean_items_needed(3, 2, 0.05),
        lambda: outlook(1, 10, 0),
        lambda: outlook(1, 10, 5, limit=0.0),
    ],
)
def test_impossible_plans_are_refused(call: object) -> None:
    with pytest.raises(InputError):
        call()  # type: ignore[operator]


def test_plans_are_made_while_one_types() -> None:
    """20 ms is the aim; the bound leaves room for a busy machine."""
    labels_for_limit(0.05, 0.01)
    outlook(2, 45)
    for call in (
        lambda: labels_for_limit(0.05, 0.049),
        lambda: labels_for_width(0.01, 0.3),
        lambda: clean_items_needed(20, 4500, 0.0001),
        lambda: outlook(2, 45, 20, kind=0.3, limit=0.05),
    ):
        times = []
        for _ in range(3):
            start = time.process_time()
            call()
            times.append(time.process_time() - start)
        assert min(times) < 0.06
