"""Paired comparison: published tables, hand-worked cases, and laws."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.comparison import (
    Paired,
    SharedErrors,
    drift,
    mcnemar_exact,
    mcnemar_mid_p,
    paired_difference,
    two_judges,
    wilson,
)
from core.statistics.confusion import FAIL, MISSING, PASS, UNKNOWN, count
from core.statistics.interval import Estimate, Undefined
from tests.reference import reference

counts = st.integers(0, 60)


@pytest.mark.parametrize(
    ("b", "c", "exact", "mid"),
    [
        # Fagerland, Lydersen and Laake 2013: Bentur et al. (printed .070, .039), Cavo et al.
        # (printed .052, .035).
        (1, 7, 0.0703125, 0.039062500000000014),
        (6, 16, 0.052478790283203125, 0.03468966484069824),
        # statsmodels test_mcnemar_exact, printed .000004, .378688, .089452, .00206.
        (121, 59, 4.4344492637551645e-06, 3.2666467957745733e-06),
        (70, 59, 0.3786876626931185, 0.33468775873692724),
        (80, 59, 0.08945231499446925, 0.07555082875265662),
        (30, 60, 0.0020602656809630745, 0.0015165131944572226),
        # 48 against 39 of 60, from the least to the most discordant pairs the margins allow.
        (9, 0, 0.00390625, 0.001953125),
        # mid-P: less C(33, 12) / 2^33.
        (21, 12, 0.16275565745308995, 0.16275565745308995 - 354817320 / 2**33),
        (12, 3, 0.03515625, 0.02127075195312500),
    ],
)
def test_mcnemar_of_published_tables(b: int, c: int, exact: float, mid: float) -> None:
    assert mcnemar_exact(b, c) == pytest.approx(exact, abs=1e-9)
    assert mcnemar_mid_p(b, c) == pytest.approx(mid, abs=1e-9)


def test_without_discordant_pairs_p_is_1() -> None:
    assert (mcnemar_exact(0, 0), mcnemar_mid_p(0, 0)) == (1.0, 1.0)


def test_mid_p_of_equal_counts_is_1_less_half_the_probability() -> None:
    # P(X = 2) of Binomial(4, 1/2) is 6/16.
    assert mcnemar_mid_p(2, 2) == pytest.approx(1 - 3 / 16)
    assert mcnemar_exact(2, 2) == 1.0


@given(counts, counts)
def test_exact_p_is_the_binomial_sum(b: int, c: int) -> None:
    tail = sum(comb(b + c, k) for k in range(min(b, c) + 1))
    expected = min(Fraction(1), Fraction(2 * tail, 2 ** (b + c)))
    assert mcnemar_exact(b, c) == pytest.approx(float(expected), rel=1e-9)
    assert mcnemar_exact(b, c) == mcnemar_exact(c, b)
    assert mcnemar_mid_p(b, c) <= mcnemar_exact(b, c)


def estimate(pairs: Paired) -> Estimate:
    found = paired_difference(pairs)
    assert isinstance(found, Estimate)
    return found


def test_newcombe_interval_of_the_published_table() -> None:
    """contingencytables, chapter 8, printed -0.0621 (-0.1186 to -0.0046)."""
    found = estimate(Paired(59, 6, 16, 80))
    assert found.value == pytest.approx(-0.06211180124223603)
    assert found.low == pytest.approx(-0.11862119563870999, abs=1e-9)
    assert found.high == pytest.approx(-0.004625113933050047, abs=1e-9)
    assert (found.k, found.n) == (None, 161)
    assert Paired(59, 6, 16, 80).winner == 2


def test_loop_against_retry_with_an_interval_that_includes_0_has_no_winner() -> None:
    pairs = Paired(both=33, first_only=15, second_only=6, neither=6)
    found = estimate(pairs)
    assert found.value == pytest.approx(0.15)
    assert found.low == pytest.approx(-0.0007186827959435593, abs=1e-9)
    assert found.high == pytest.approx(0.29248579643458605, abs=1e-9)
    assert pairs.p_exact == pytest.approx(0.0783538818359375)
    assert pairs.p_mid == pytest.approx(0.0524787902832031)
    assert pairs.winner is None


def test_the_same_margins_with_more_agreement_have_a_winner() -> None:
    pairs = Paired(both=36, first_only=12, second_only=3, neither=9)
    assert (pairs.first, pairs.second, pairs.n) == (48, 39, 60)
    assert pairs.winner == 1
    assert pairs.p_exact == pytest.approx(0.03515625)


@given(counts, counts, counts, counts)
def test_interval_holds_the_value_stays_in_range_and_mirrors(
    both: int, first: int, second: int, neither: int
) -> None:
    pairs, mirrored = Paired(both, first, second, neither), Paired(both, second, first, neither)
    if pairs.n == 0:
        assert isinstance(pairs.difference, Undefined)
        assert pairs.winner is None
        return
    found, other = estimate(pairs), estimate(mirrored)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high
    assert (found.low, found.high) == pytest.approx((-other.high, -other.low), abs=1e-12)


def test_wilson_limits_of_the_published_table() -> None:
    """Newcombe 1998, Table I: 81 of 263 is .2553 to .3662, 0 of 20 is 0 to .1611."""
    assert wilson(81, 263) == pytest.approx((0.2552885198782742, 0.36620957698280004))
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611251580528194))


def test_a_negative_count_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="second_only"):
        Paired(1, 1, -1, 1)


# --- two judges -----------------------------------------------------------------------------


def test_margins_of_the_worked_invoice_leave_p_open() -> None:
    """48 and 39 of 60 rescued: both rescued from 27 to 39 of them, depending on the pairs."""
    entry = reference("h.invoice_mcnemar_range")
    least, most = entry.inputs["both_recovered_range"]
    nested, apart = Paired(most, 9, 0, 12), Paired(least, 21, 12, 0)
    assert nested.p_exact == pytest.approx(entry.expected["p_if_nested"])
    assert apart.p_exact == pytest.approx(entry.expected["p_if_most_discordant"])


def codes(text: str) -> list[int]:
    return [{"P": PASS, "F": FAIL, "?": UNKNOWN, "-": MISSING}[c] for c in text]


def test_two_judges_are_paired_by_hand() -> None:
    #                 good: both, first, second, neither; bad: both reject, …; unlabelled; missing
    found = two_judges(codes("PPPPFFF-PF"), codes("PPFFFPPP-F"), codes("PFP?FFPPP-"))
    assert found.good == Paired(1, 1, 1, 1)
    assert found.bad == Paired(1, 0, 1, 1)
    assert found.verdicts == Paired(3, 2, 1, 2)
    assert found.right == Paired(2, 1, 2, 2)
    assert (found.unlabelled, found.left_out) == (1, 2)


def test_shared_errors_worked_by_hand() -> None:
    """Ten bad items, each judge passes 3, both the same 3: expected .9, chance 1/C(10, 3)."""
    bad = "F" * 10
    same = two_judges(codes(bad), codes("PPPFFFFFFF"), codes("PPPFFFFFFF")).shared_errors
    assert isinstance(same, SharedErrors)
    assert (same.observed, same.expected) == (3, pytest.approx(0.9))
    assert same.p == pytest.approx(1 / 120)
    apart = two_judges(codes(bad), codes("PPPFFFFFFF"), codes("FFFPPPFFFF")).shared_errors
    assert isinstance(apart, SharedErrors)
    assert (apart.observed, apart.p) == (0, pytest.approx(1.0))


def test_a_hard_class_is_no_blind_spot() -> None:
    """Both fail every second bad item, independently, and no good one: nothing is shared beyond."""
    gold = codes("F" * 8 + "P" * 92)
    first = codes("PPPPFFFF" + "P" * 92)
    second = codes("PPFFPPFF" + "P" * 92)
    found = two_judges(gold, first, second).shared_errors
    assert isinstance(found, SharedErrors)
    assert (found.observed, found.expected) == (2, pytest.approx(2.0))
    assert found.p > 0.5


def test_a_judge_without_errors_shares_none() -> None:
    found = two_judges(codes("PF"), codes("PF"), codes("FP")).shared_errors
    assert isinstance(found, Undefined)
    assert isinstance(two_judges([], [], []).shared_errors, Undefined)


@given(st.lists(st.tuples(*[st.sampled_from("PF?-")] * 3), max_size=40))
def test_pairs_agree_with_each_judges_own_counts(rows: list[tuple[str, str, str]]) -> None:
    gold, first, second = (
        (codes("".join(column)) for column in zip(*rows, strict=True)) if rows else ([],) * 3
    )
    found = two_judges(gold, first, second)
    both = [i for i in range(len(gold)) if MISSING not in (first[i], second[i])]
    a = count([gold[i] for i in both], [first[i] for i in both])
    b = count([gold[i] for i in both], [second[i] for i in both])
    assert (found.bad.first, found.bad.second) == (a.true_reject, b.true_reject)
    assert (found.good.first, found.good.second) == (a.true_accept, b.true_accept)
    assert found.right.n + found.unlabelled + found.left_out == len(gold)
    shared = found.shared_errors
    if isinstance(shared, SharedErrors):
        assert 0 < shared.p <= 1


def test_drift_on_the_anchor_set() -> None:
    """Of ten anchors nine got stricter and none more lenient: 2 · (1/2)^9."""
    found = drift(codes("P" * 10), codes("P" * 10), codes("F" * 9 + "P"))
    assert found.verdicts.p_exact == pytest.approx(2 / 2**9)
    assert found.right.difference == found.verdicts.difference


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="2 and 1 verdicts for 2 items"):
        two_judges([1, 0], [1, 0], [1])


@pytest.mark.soak
@pytest.mark.parametrize("n", [30, 60, 200])
@pytest.mark.parametrize(
    "cells",
    [
        (0.5, 0.2, 0.05, 0.25),
        (0.8, 0.06, 0.02, 0.12),
        (0.3, 0.2, 0.2, 0.3),
        (0.9, 0.05, 0.01, 0.04),
    ],
)
def test_paired_difference_covers(n: int, cells: tuple[float, ...]) -> None:
    """At least 93 %, less twice the simulation's own error; more where few pairs differ."""
    rows = np.random.default_rng(53).multinomial(n, cells, 2000)
    truth = cells[1] - cells[2]
    found = [estimate(Paired(*row)) for row in rows.tolist()]
    covered = np.mean([one.low <= truth <= one.high for one in found])
    assert covered >= 0.93 - 0.012


def test_outputs_of_one_sample_are_not_counted_as_independent() -> None:
    """Five samples of four alike outputs: 4 won, 1 lost, so p = 2·(1 + 5)/32, not that of 16:4."""
    first = [1] * 16 + [0] * 4
    second = [0] * 16 + [1] * 4
    gold, samples = [1] * 20, [7 * (n // 4) for n in range(20)]
    plain = two_judges(gold, first, second).good
    found = two_judges(gold, first, second, samples).good
    assert plain == found
    assert (plain.p_clusters, found.p_clusters) == (None, pytest.approx(12 / 32))
    assert (plain.winner, found.winner) == (1, None)
    alone = two_judges(gold, first, second, list(range(20))).good
    assert plain.difference == alone.difference
    one = two_judges(gold, first, second, [0] * 20).good.difference
    assert isinstance(one, Undefined)
    assert "all outputs come from one cluster" in one.reason


def test_two_judges_who_never_differ_count_samples_not_outputs() -> None:
    alike = two_judges([1] * 20, [1] * 20, [1] * 20, [n // 4 for n in range(20)]).good.difference
    few = two_judges([1] * 5, [1] * 5, [1] * 5).good.difference
    assert isinstance(alike, Estimate)
    assert isinstance(few, Estimate)
    assert alike.low <= few.low < 0 < few.high <= alike.high
