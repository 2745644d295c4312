"""Uncertain inputs through the kernel: against the plain kernel, closed forms, and laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from core.errors import InputError
from core.statistics.attempts import correlated_pass_at
from core.statistics.costs import calc
from core.statistics.decision import Decision
from core.statistics.interval import (
    ClusteredEstimate,
    Estimate,
    Result,
    Undefined,
    clustered_rate,
    rate,
)
from core.statistics.uncertainty import Case, Input, Prices
from core.wording import rate_typed, read_rate

shares = st.floats(0.02, 0.98)


def estimate(result: Result) -> Estimate:
    assert isinstance(result, Estimate), result
    return result


def measured(p: tuple[int, int], r: tuple[int, int], cap: int = 2, **more: object) -> Decision:
    return Decision(Case(Input.counted(*p), (Input.counted(*r),), cap, **more))  # type: ignore[arg-type]


@settings(deadline=None, max_examples=25)
@given(shares, shares, shares, shares, st.integers(1, 6), st.sampled_from([0.0, 0.3, 1.0]))
def test_typed_inputs_give_the_calculators_figures(
    p: float, r: float, far: float, frr: float, cap: int, rho: float
) -> None:
    found = Decision(
        Case(
            Input(p), (Input(r),), cap, critic=True, catches=Input(0.2), far=Input(far),
            frr=Input(frr), damage=Input(0.1), rho=Input(rho),
        )
    )  # fmt: skip
    expected = calc(p, r, cap, critic=True, code_catches=0.2, far=far, frr=frr, damage=0.1, rho=rho)
    for arm, theirs in (("loop", expected.loop), ("retry", expected.retry)):
        for name, value in (
            ("accepted", theirs.accepted), ("accepted_good", theirs.accepted_good),
            ("calls", theirs.calls), ("cost_per_good", theirs.calls_per_good),
        ):  # fmt: skip
            ours = estimate(found.figure(arm, name))
            assert (ours.low, ours.value, ours.high) == pytest.approx((value,) * 3)
    assert not found.measured


def test_cheaper_is_the_chance_that_r_is_above_p() -> None:
    """Sound check, cap 2, independent draws: what counts is the second draft alone."""
    found = measured((30, 60), (22, 40))
    x = np.linspace(0, 1, 20_001)
    chance = np.trapezoid(beta(30.5, 30.5).cdf(x) * beta(22.5, 18.5).pdf(x), x)
    assert found.cheaper() == pytest.approx(chance, abs=0.02)
    assert found.cheaper() == found.more_good


def test_the_break_even_of_r_is_p_and_of_p_is_r() -> None:
    turns = {t.name: t for t in measured((30, 60), (22, 40)).turns}
    assert turns["r"].break_even == pytest.approx(0.5, abs=1e-4)
    assert turns["p"].break_even == pytest.approx(0.55, abs=1e-4)
    assert turns["r"].limits == Input.counted(22, 40).limits


def test_a_measured_likeness_of_draws_is_carried_into_retries_alone() -> None:
    """Only ρ measured, as sure as 30 of 100: retries lie between pass@3 at its two limits."""
    case = Case(Input(0.5), (Input(0.5),), 3, rho=Input.counted(30, 100))
    found = Decision(case)
    low, high = (correlated_pass_at(0.5, rho, 3) for rho in reversed(case.rho.limits))
    retry, loop = (estimate(found.figure(arm, "accepted")) for arm in ("retry", "loop"))
    assert (retry.low, retry.high) == pytest.approx((low, high), abs=0.003)
    assert loop.low == loop.high
    [turn] = [t for t in found.turns if t.name == "rho"]
    assert turn.limits == case.rho.limits


def test_the_same_case_gives_the_same_draws() -> None:
    one, two = measured((30, 60), (22, 40)), measured((30, 60), (22, 40))
    assert one.cheaper() == two.cheaper()
    assert one.figure("loop", "accepted") == two.figure("loop", "accepted")


def test_more_counts_narrow_the_outputs() -> None:
    few, many = (measured((3 * n, 6 * n), (4 * n, 8 * n), 3) for n in (2, 50))
    a, b = (estimate(one.figure("loop", "accepted_good")) for one in (few, many))
    assert b.high - b.low < (a.high - a.low) / 3
    assert a.value == pytest.approx(b.value)


def test_an_accepted_share_has_the_interval_of_its_counts() -> None:
    """At cap 1 with a sound check the loop accepts what is good: Beta(30½, 30½)."""
    found = estimate(measured((30, 60), (1, 2), 1).figure("loop", "accepted"))
    ends = beta(30.5, 30.5).ppf([0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(tuple(ends), abs=0.01)


def test_prices_of_ending_badly_count() -> None:
    """P ½, cap 1, hand-over 10: (1 + .5·10) ÷ .5 = 12."""
    case = Case(Input(0.5), (Input(0.0),), 1, prices=Prices(hand_over=10))
    assert estimate(Decision(case).figure("loop", "cost_per_good")).value == pytest.approx(12)
    lenient = Case(
        Input(0.5), (Input(0.0),), 1, critic=True, catches=Input(0.0), far=Input(1.0),
        prices=Prices(critic=0, wrong=4),
    )  # fmt: skip
    assert estimate(Decision(lenient).figure("retry", "cost_per_good")).value == pytest.approx(6)


def test_revisions_may_cost_more_than_fresh_draws() -> None:
    level = measured((30, 60), (30, 60))
    dear = measured((30, 60), (30, 60), prices=Prices(revision=1.5))
    assert dear.cheaper() < level.cheaper()
    assert dear.more_good == level.more_good


def test_one_rate_per_revision() -> None:
    rates = (Input.counted(20, 40), Input.counted(5, 20))
    found = Decision(Case(Input.counted(30, 60), rates, 3))
    assert {"p", "r2", "r3"} == {t.name for t in found.turns if t.limits}
    expected = calc(0.5, [0.5, 0.25], 3)
    assert estimate(found.figure("loop", "accepted")).value == pytest.approx(expected.loop.accepted)


def test_no_good_output_has_no_cost() -> None:
    found = Decision(Case(Input(0.0), (Input(0.0),), 3)).figure("loop", "cost_per_good")
    assert isinstance(found, Undefined)


def test_an_input_from_a_result() -> None:
    assert Input.of(rate(2, 45, nothing="")) == Input.counted(2, 45)
    assert Input.of(Undefined("none", None, 0)) is None
    wide = clustered_rate([2, 1, 0, 1, 3, 0], [4] * 6, nothing="")
    found = Input.of(wide)
    assert found is not None
    assert isinstance(wide, Estimate)
    low, high = found.limits
    assert high - low == pytest.approx(wide.high - wide.low, rel=1e-6)
    assert found.n is not None
    assert found.n < 24


def test_a_clustered_rate_is_typed_as_whole_counts_with_its_interval() -> None:
    """14 of 37 over samples: read again it is as sure as it was measured, to the digits shown."""
    found = Input.of(ClusteredEstimate(14 / 37, 0.209, 0.573, 14, 37, 20, 1.3))
    assert found is not None
    assert rate_typed(found) == "14 of 37 (20.9–57.3 %)"
    again, note = read_rate("p", rate_typed(found))
    assert again == found
    assert note.endswith("interval widened for shared samples")
    assert found.limits == (0.209, 0.573)
    assert rate_typed(found.complement) == "23 of 37 (42.7–79.1 %)"
    mean, _ = read_rate("p", "25.29 % (16.9-35.3 %)")
    assert rate_typed(mean) == "25.29 % (16.9–35.3 %)"
    assert mean.k is not None
    for wrong in ("14 of 37 (40–57 %)", "14 of 37 (57–20 %)", "0.4 (20–130 %)", "x (1–2 %)"):
        with pytest.raises(InputError, match=r"p: .*\."):
            read_rate("p", wrong)
