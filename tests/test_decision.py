"""Uncertain inputs carried to a decision: retries by moments, shares of draws, break-evens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.statistics.attempts import correlated_pass_at, difficulty_nodes
from core.statistics.costs import SOUND_CODE, Check, run_retry
from core.statistics.decision import Decision, fresh_correlation, retry_flow
from core.statistics.interval import Estimate, Undefined
from core.statistics.money import Costs
from core.statistics.uncertainty import NONE, Case, Input, Prices
from tests.reference import reference

part = st.floats(0, 1)


def typed(p: float, r: float, cap: int = 3, **more: object) -> Case:
    return Case(Input(p), (Input(r),), cap, **more)  # type: ignore[arg-type]


@given(part, part, st.integers(1, 9), part, part, part, part)
@settings(deadline=None, max_examples=80)
def test_retries_by_moments_are_retries_over_difficulty_nodes(
    p: float, rho: float, cap: int, catches: float, misfires: float, far: float, frr: float
) -> None:
    """Beta moments against the same kernel summed over Gauss–Jacobi nodes."""
    check = Check(catches=catches, misfires=misfires, passes_bad=far, rejects_good=frr)
    nodes, weights = difficulty_nodes(p, rho, cap)
    by_nodes = run_retry(nodes, cap, check).mixed(weights)
    by_moments = retry_flow(np.array([p]), np.array([rho]), cap, check)
    for name, expected in vars(by_nodes).items():
        found = float(np.ravel(getattr(by_moments, name))[0])
        assert found == pytest.approx(float(expected), abs=1e-6), name


def test_retries_with_alike_draws_as_worked_out_elsewhere() -> None:
    entry = reference("c.retry_cost_mu0.4_rho0.3")
    accepted, tries, per_accepted = entry.expected
    flow = retry_flow(np.array([0.4]), np.array([0.3]), 3, SOUND_CODE)
    assert float(flow.accepted[0]) == pytest.approx(accepted)
    assert float(flow.generates[0]) == pytest.approx(tries)
    assert float(flow.calls[0] / flow.accepted[0]) == pytest.approx(per_accepted)


@given(st.floats(0.05, 0.95), st.floats(0.01, 0.95), st.integers(2, 8))
@settings(deadline=None, max_examples=40)
def test_the_correlation_behind_a_fresh_share_gives_it_again(
    p: float, rho: float, cap: int
) -> None:
    fresh = (correlated_pass_at(p, rho, cap) - p) / (1 - p)
    found = float(fresh_correlation(np.array([p]), np.array([fresh]), cap)[0])
    assert found == pytest.approx(rho, abs=1e-5)


def test_a_fresh_share_above_independence_is_taken_as_independent() -> None:
    assert fresh_correlation(np.array([0.4]), np.array([0.9]), 3)[0] == 0


def test_priced_in_tokens_the_break_even_is_above_that_in_calls() -> None:
    """A revision at 0.0144 against a fresh draw at 0.012: break-even .48, not .40."""
    entry = reference("a.token_break_even_r")
    prices = Prices(fresh=entry.inputs["cost_fresh"], revision=entry.inputs["cost_revise"])
    by_money = Decision(typed(0.4, 0.5, prices=prices)).turns
    by_calls = Decision(typed(0.4, 0.5)).turns
    assert {t.name: t.break_even for t in by_money}["r"] == pytest.approx(entry.expected, abs=1e-4)
    assert {t.name: t.break_even for t in by_calls}["r"] == pytest.approx(0.4, abs=1e-4)


def test_typed_inputs_have_no_interval_and_decide_in_all_draws_or_none() -> None:
    found = Decision(typed(0.4, 0.5))
    accepted = found.figure("loop", "accepted")
    assert isinstance(accepted, Estimate)
    assert (accepted.low, accepted.value, accepted.high) == pytest.approx((0.85, 0.85, 0.85))
    assert accepted.n == 1
    assert (found.measured, found.cheaper()) == (False, 1.0)
    assert Decision(typed(0.4, 0.3)).cheaper() == 0.0


def test_a_share_of_draws_lies_between_where_the_interval_holds_the_break_even() -> None:
    """Repair 12 of 25 against p 10 of 25 typed: P(Beta(12.5, 13.5) > .4) is about .8."""
    case = replace(typed(0.4, 0.48), r=(Input.counted(12, 25),))
    found = Decision(case)
    assert found.measured
    assert found.cheaper() == pytest.approx(0.797, abs=0.02)
    assert found.turns[0].name == "r"
    assert found.turns[0].within_limits
    lead = found.lead
    assert isinstance(lead, Estimate)
    assert lead.low < 0 < lead.high


def test_the_fresh_share_s_own_error_is_carried_too() -> None:
    case = typed(0.6, 0.4)
    wide = Decision(case, Input.counted(6, 10)).figure("retry", "accepted")
    exact = Decision(case, Input(0.6)).figure("retry", "accepted")
    assert isinstance(wide, Estimate)
    assert isinstance(exact, Estimate)
    assert exact.value == pytest.approx(0.6 + 0.4 * 0.6, abs=1e-6)
    assert exact.high - exact.low < 1e-9
    assert wide.high - wide.low > 0.1


def test_a_hand_over_price_that_makes_both_cost_the_same() -> None:
    """Fewer calls but more hand-overs: the price found brings the two together."""
    case = typed(0.4, 0.45, prices=Prices(fresh=1, revision=3))
    price = Decision(case).price_turn("hand_over")
    assert price is not None
    assert price > 0
    level = Decision(replace(case, prices=Prices(fresh=1, revision=3, hand_over=price))).at
    assert level["loop"].cost_per_good[0] == pytest.approx(level["retry"].cost_per_good[0])
    assert Decision(case).price_turn("wrong") is None  # nothing wrong is accepted


def test_where_no_good_output_exists_the_cost_of_one_is_undefined() -> None:
    found = Decision(typed(0.0, 0.0)).figure("loop", "cost_per_good")
    assert isinstance(found, Undefined)


def test_a_fresh_share_beside_a_correlation_is_refused() -> None:
    with pytest.raises(InputError, match="Give one of the two"):
        Decision(typed(0.4, 0.5, rho=Input(0.3)), Input(0.4))


def test_a_single_shot_is_good_as_often_as_first_drafts_are() -> None:
    found = Decision(typed(0.4, 0.5, prices=Prices(wrong=10.0))).at["single"]
    assert float(found.accepted_good[0]) == pytest.approx(0.4)
    assert float(found.cost[0]) == pytest.approx(1 + 0.6 * 10)


def test_prices_not_set_count_calls() -> None:
    assert Costs().prices(critic=True) == Prices()
    assert NONE.value == 0
