"""The pass rate behind verdicts: published limits, hand-worked counts, laws, coverage."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from core.errors import InputError
from core.statistics.confusion import Confusion
from core.statistics.correction import (
    BY_VERDICT,
    Stratum,
    lee_interval,
    pass_rate,
    reweighted,
    rogan_gladen,
    rogan_gladen_reweighted,
)
from core.statistics.interval import ONE_CLUSTER, Estimate, Result, Undefined, rate
from tests.reference import Reference, reference, references


def estimate(result: Result) -> Estimate:
    assert isinstance(result, Estimate), result
    return result


def two(
    passed: int,
    failed: int,
    *,
    good_passed: int,
    bad_passed: int,
    good_failed: int,
    bad_failed: int,
) -> list[Stratum]:
    return [
        Stratum("PASS", True, passed, good_passed, bad_passed),
        Stratum("FAIL", False, failed, good_failed, bad_failed),
    ]


CELLS = {"good_passed": 54, "bad_passed": 12, "good_failed": 6, "bad_failed": 28}


# --- the same outputs -----------------------------------------------------------------------


def test_three_estimators_differ_when_labels_are_no_sample_of_the_outputs() -> None:
    entry = reference("e.three_estimators_disagree")
    found = pass_rate(two(700, 300, **CELLS), random=True)
    assert estimate(found.corrected).value == pytest.approx(entry.expected["post_stratified"])
    assert found.labels_only == rate(60, 100, nothing="")
    elsewhere = rogan_gladen(700, 1000, good_passed=54, good=60, bad_rejected=28, bad=40)
    assert estimate(elsewhere).value == pytest.approx(entry.expected["rogan_gladen"])


def test_the_interval_is_narrower_than_that_of_the_labels_alone() -> None:
    found = pass_rate(two(13_200, 6_800, **CELLS), random=True)
    both, alone = estimate(found.corrected), estimate(found.labels_only)
    assert both.value == pytest.approx(0.6)
    assert both.high - both.low < alone.high - alone.low


def test_few_outputs_widen_it() -> None:
    """With the labels' rates known well, 100 outputs leave the sampling of outputs."""
    many = two(50_000, 50_000, good_passed=9_000, bad_passed=1_000, good_failed=0, bad_failed=9_000)
    few = two(50, 50, good_passed=45, bad_passed=5, good_failed=0, bad_failed=50)
    widths = [
        r.high - r.low for r in (estimate(pass_rate(s, random=True).corrected) for s in (many, few))
    ]
    assert widths[0] < 0.02
    assert widths[1] > 0.15


def test_labels_by_verdict_say_nothing_alone() -> None:
    found = pass_rate(two(700, 300, **CELLS), random=False)
    assert Undefined(BY_VERDICT, 60, 100) == found.labels_only
    assert isinstance(found.corrected, Estimate)


def test_a_small_stratum_without_a_label_is_named_and_a_large_one_refused() -> None:
    small = Stratum("UNKNOWN", False, 20, 0, 0)
    found = pass_rate([*two(700, 300, **CELLS), small], random=True)
    assert found.guessed == ("UNKNOWN",)
    assert estimate(found.corrected).value == pytest.approx(
        (700 * 54 / 66 + 300 * 6 / 34 + 20 / 2) / 1020
    )
    large = Stratum("UNKNOWN", False, 2000, 0, 0)
    refused = pass_rate([*two(700, 300, **CELLS), large], random=True).corrected
    assert isinstance(refused, Undefined)
    assert "2,000 of 3,000 outputs are in strata without a label (UNKNOWN)" in refused.reason


def test_no_label_at_all() -> None:
    found = pass_rate([Stratum("PASS", True, 9, 0, 0)], random=True)
    assert Undefined("not measured: no outputs labelled", None, 0) == found.corrected
    assert isinstance(pass_rate([], random=True).corrected, Undefined)


def test_more_labels_than_outputs_are_refused() -> None:
    with pytest.raises(InputError, match="3 labels for 2 judged"):
        Stratum("PASS", True, 2, 2, 1)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(*[st.integers(0, 30)] * 3), min_size=1, max_size=4), st.booleans())
def test_corrected_share_lies_in_its_interval(rows: list[tuple[int, int, int]], rand: bool) -> None:
    strata = [Stratum(f"s{i}", i % 2 == 0, a + b + c, a, b) for i, (a, b, c) in enumerate(rows)]
    found = pass_rate(strata, random=rand).corrected
    if isinstance(found, Estimate):
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found == pass_rate(strata, random=rand).corrected


# --- outputs that share samples -------------------------------------------------------------


def test_samples_of_one_output_change_nothing_and_outputs_all_alike_count_once() -> None:
    """60 good and 40 bad samples: ten outputs of each that agree in all say no more than one."""
    strata = two(60, 40, good_passed=54, bad_passed=6, good_failed=6, bad_failed=34)
    cells = np.array([54, 6, 0, 6, 34, 0])
    single = np.repeat(np.eye(6, dtype=np.int64), cells, axis=0)
    assert pass_rate(strata, random=True, by_cluster=single) == pass_rate(strata, random=True)
    assert reweighted(strata, single) == reweighted(strata)
    ten = [
        Stratum(s.name, s.accepted, *(10 * n for n in (s.judged, s.good, s.bad))) for s in strata
    ]
    alike = estimate(pass_rate(ten, random=True, by_cluster=10 * single).corrected)
    once = estimate(pass_rate(strata, random=True).corrected)
    assert (alike.low, alike.high) == pytest.approx((once.low, once.high), abs=0.02)
    with pytest.raises(InputError, match="do not add up"):
        pass_rate(ten, random=True, by_cluster=single)
    one = pass_rate(strata, random=True, by_cluster=cells[None])
    assert Undefined(ONE_CLUSTER, None, 100) == one.corrected
    kinds = {"good_passed": 60, "good": 60, "bad_rejected": 30, "bad": 40}
    elsewhere = np.array([60, 0, 10, 30, 50, 50])
    plain = rogan_gladen(50, 100, **kinds)
    apart = np.repeat(np.eye(6, dtype=np.int64), elsewhere, axis=0)
    assert rogan_gladen(50, 100, **kinds, by_cluster=apart) == plain
    grouped = estimate(
        rogan_gladen(500, 1000, **{k: 10 * n for k, n in kinds.items()}, by_cluster=10 * apart)
    )
    assert (grouped.low, grouped.high) == pytest.approx(
        (estimate(plain).low, estimate(plain).high), abs=0.02
    )


def test_the_good_share_is_covered_though_outputs_share_samples() -> None:
    """12 samples of ten outputs, correlation .4, half labelled; as if independent: about .7."""
    rng = np.random.default_rng(5)
    held, plain, samples = [], [], np.arange(12).repeat(10)
    for _ in range(100):
        good = rng.random(120) < rng.beta(0.9, 0.6, 12).repeat(10)
        rejected = rng.random(120) < np.where(good, 0.1, 0.7)
        cell = np.where(rng.random(120) < 0.5, 1 - good, 2) + 3 * rejected
        groups = np.bincount(6 * samples + cell, minlength=72).reshape(12, 6)
        g, b, rest = groups.sum(axis=0).reshape(2, 3).T
        strata = [Stratum(str(h), h == 0, int(g[h] + b[h] + rest[h]), int(g[h]), int(b[h]))
                  for h in (0, 1)]  # fmt: skip
        for into, known in ((held, groups), (plain, None)):
            found = estimate(pass_rate(strata, random=True, by_cluster=known).corrected)
            into.append(found.low <= 0.6 <= found.high)
    assert np.mean(held) >= 0.93
    assert np.mean(plain) < 0.85


# --- the judge's own rates from labels chosen by verdict ------------------------------------


def test_begg_and_greenes_worked_by_hand() -> None:
    """900 passed, 45 of 50 labelled good; 100 failed, 5 of 50 good.

    Bad: 900·.1 = 90 passed, 100·.9 = 90 failed, FAR ½ (the labels alone say 5 of 50). Good: 810
    passed, 10 failed, FRR 10/820 (labels alone: 5 of 50).
    """
    strata = two(900, 100, good_passed=45, bad_passed=5, good_failed=5, bad_failed=45)
    found = reweighted(strata)
    assert estimate(found.false_accept_rate).value == pytest.approx(0.5)
    assert estimate(found.false_reject_rate).value == pytest.approx(10 / 820)
    assert found.precision == rate(45, 50, nothing="")
    assert estimate(found.false_accept_rate).n == 100


def test_with_everything_labelled_it_is_the_plain_rate() -> None:
    strata = two(66, 34, **CELLS)
    plain = Confusion(true_accept=54, false_accept=12, false_reject=6, true_reject=28)
    found = reweighted(strata)
    for ours, theirs in (
        (found.false_accept_rate, plain.false_accept_rate),
        (found.false_reject_rate, plain.false_reject_rate),
    ):
        assert estimate(ours).value == pytest.approx(estimate(theirs).value)
        assert estimate(ours).low == pytest.approx(estimate(theirs).low, abs=0.05)
        assert estimate(ours).high == pytest.approx(estimate(theirs).high, abs=0.05)


def test_labels_of_accepted_outputs_alone_give_precision_and_nothing_else() -> None:
    found = reweighted(two(90, 10, good_passed=40, bad_passed=5, good_failed=0, bad_failed=0))
    assert isinstance(found.false_accept_rate, Undefined)
    assert "only accepted outputs were labelled" in found.false_accept_rate.reason
    assert isinstance(found.false_reject_rate, Undefined)
    assert found.precision == rate(40, 45, nothing="")


def test_labels_of_rejected_outputs_alone_are_refused_too() -> None:
    found = reweighted(two(90, 10, good_passed=0, bad_passed=0, good_failed=4, bad_failed=6))
    assert isinstance(found.false_accept_rate, Undefined)
    assert "only rejected outputs were labelled" in found.false_accept_rate.reason
    assert isinstance(found.precision, Undefined)


def test_without_a_bad_output_far_is_not_measured() -> None:
    found = reweighted(two(90, 10, good_passed=9, bad_passed=0, good_failed=3, bad_failed=0))
    assert isinstance(found.false_accept_rate, Undefined)
    assert "no bad outputs labelled" in found.false_accept_rate.reason
    assert isinstance(found.false_reject_rate, Estimate)


def test_a_judge_that_passes_everything_has_far_1() -> None:
    found = reweighted([Stratum("PASS", True, 100, 30, 10)])
    assert estimate(found.false_accept_rate).value == 1.0
    assert estimate(found.false_reject_rate).value == 0.0


# --- another population ---------------------------------------------------------------------


@pytest.mark.parametrize("entry", references("e.lee_ci_"), ids=lambda entry: entry.id)
def test_published_limits_of_lee(entry: Reference) -> None:
    i = entry.inputs
    z = float(norm.isf(i["alpha"] / 2))
    ours = lee_interval(i["p"], i["n"], i["q1_TPR"], i["m1"], i["q0_TNR"], i["m0"], z)
    assert ours == pytest.approx(entry.expected, abs=1e-9)


def test_the_worked_critic_run_backwards() -> None:
    entry = reference("e.rogan_gladen_seed_critic")
    found = rogan_gladen(660, 1000, good_passed=90, good=100, bad_rejected=70, bad=100)
    assert estimate(found).value == pytest.approx(entry.expected)


def test_published_rogan_gladen_shares() -> None:
    """As the share of positives: sensitivity for TPR, specificity for TNR; below 0 is cut."""
    for name in ("e.rogan_gladen_epiR_cows", "e.rogan_gladen_epiR_hpylori"):
        entry = reference(name)
        se, sp = entry.inputs["se"], entry.inputs["sp"]
        found = rogan_gladen(
            entry.inputs["pos"], entry.inputs["tested"],
            good_passed=round(1000 * se), good=1000, bad_rejected=round(1000 * sp), bad=1000,
        )  # fmt: skip
        assert estimate(found).value == pytest.approx(entry.expected["clipped"])


def test_a_judge_no_better_than_chance_is_refused() -> None:
    entry = reference("e.rg_no_information")
    tpr, tnr = (round(100 * entry.inputs[name]) for name in ("TPR", "TNR"))
    found = rogan_gladen(50, 100, good_passed=tpr, good=100, bad_rejected=tnr, bad=100)
    assert isinstance(found, Undefined)
    assert "add up to 1.00, not above 1" in found.reason


def test_a_judge_that_may_be_no_better_than_chance_is_refused() -> None:
    found = rogan_gladen(50, 100, good_passed=5, good=8, bad_rejected=4, bad=8)
    assert isinstance(found, Undefined)
    assert "label more" in found.reason


@pytest.mark.parametrize(("judged", "good", "bad"), [(0, 5, 5), (5, 0, 5), (5, 5, 0)])
def test_nothing_to_go_by(judged: int, good: int, bad: int) -> None:
    found = rogan_gladen(0, judged, good_passed=good, good=good, bad_rejected=bad, bad=bad)
    assert isinstance(found, Undefined)


def test_reweighted_rogan_gladen_is_the_plain_one_when_everything_is_labelled() -> None:
    plain = estimate(rogan_gladen(700, 1000, good_passed=54, good=60, bad_rejected=28, bad=40))
    ours = estimate(rogan_gladen_reweighted(700, 1000, two(66, 34, **CELLS)))
    assert ours.value == pytest.approx(plain.value)
    assert ours.low == pytest.approx(plain.low, abs=0.03)
    assert ours.high == pytest.approx(plain.high, abs=0.03)


def test_reweighting_matters() -> None:
    """FAR ½ and FRR 10/820 as above: (.7 - .5) ÷ (810/820 - .5)."""
    strata = two(900, 100, good_passed=45, bad_passed=5, good_failed=5, bad_failed=45)
    found = rogan_gladen_reweighted(700, 1000, strata)
    assert estimate(found).value == pytest.approx(0.2 / (810 / 820 - 0.5))


def test_reweighted_rogan_gladen_is_refused_where_the_rates_are() -> None:
    strata = two(90, 10, good_passed=40, bad_passed=5, good_failed=0, bad_failed=0)
    found = rogan_gladen_reweighted(700, 1000, strata)
    assert isinstance(found, Undefined)
    assert "only accepted" in found.reason


# --- coverage -------------------------------------------------------------------------------


@pytest.mark.soak
def test_rates_from_labels_chosen_by_verdict_cover() -> None:
    """Half the labels on each side of 20,000 outputs; worst cell and mean, as above."""
    rng, rounds, table = np.random.default_rng(37), 400, []
    for n, share, (tpr, far) in product((30, 100, 300), (0.6, 0.95), ((0.9, 0.3), (0.97, 0.2))):
        cells = [share * tpr, (1 - share) * far, share * (1 - tpr), (1 - share) * (1 - far)]
        inside: dict[str, list[bool]] = {"far": [], "frr": []}
        for a, b, c, d in rng.multinomial(20_000, cells, rounds).tolist():
            good_passed = int(rng.hypergeometric(a, b, n // 2))
            good_failed = int(rng.hypergeometric(c, d, n // 2))
            found = reweighted(
                two(
                    a + b, c + d, good_passed=good_passed, bad_passed=n // 2 - good_passed,
                    good_failed=good_failed, bad_failed=n // 2 - good_failed,
                )
            )  # fmt: skip
            for name, r, truth in (
                ("far", found.false_accept_rate, far),
                ("frr", found.false_reject_rate, 1 - tpr),
            ):
                if isinstance(r, Estimate):
                    inside[name].append(r.low <= truth <= r.high)
        table += [(round(float(np.mean(x)), 3), name, n, share, tpr) for name, x in inside.items()]
    table.sort()
    print(*table, sep="\n")
    assert table[0][0] >= 0.93 - 3 * (0.93 * 0.07 / rounds) ** 0.5
    assert 0.94 <= np.mean([row[0] for row in table]) <= 0.97


@pytest.mark.soak
@pytest.mark.parametrize(
    ("share", "tpr", "far", "labels", "more"),
    [(0.7, 0.9, 0.2, 200, 50), (0.7, 0.9, 0.2, 200, 20_000), (0.95, 0.9, 0.3, 100, 1000)],
)
def test_rogan_gladen_covers(share: float, tpr: float, far: float, labels: int, more: int) -> None:
    """Labels where 6 of 10 are good, outputs elsewhere; both samplings are in the interval."""
    rng = np.random.default_rng(31)
    found = []
    for _ in range(1500):
        good = int(rng.binomial(labels, 0.6))
        passed = int(rng.binomial(more, share * tpr + (1 - share) * far))
        found.append(
            rogan_gladen(
                passed, more,
                good_passed=int(rng.binomial(good, tpr)), good=good,
                bad_rejected=int(rng.binomial(labels - good, 1 - far)), bad=labels - good,
            )
        )  # fmt: skip
    defined = [r for r in found if isinstance(r, Estimate)]
    assert len(defined) > 1400
    assert np.mean([r.low <= share <= r.high for r in defined]) >= 0.935
