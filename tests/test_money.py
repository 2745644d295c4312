"""Tokens, dollars and months."""

from __future__ import annotations

import pytest

from core.errors import InputError
from core.statistics.costs import run_loop, run_retry, single_shot
from core.statistics.money import Costs, bill
from core.statistics.worked import Inputs, Sheet
from tests.reference import reference


def test_tokens_and_dollars_of_a_loop_whose_revisions_carry_the_last_draft() -> None:
    entry = reference("a.tokens_last")
    i, expected = entry.inputs, entry.expected
    costs = Costs(
        prompt=i["base_tokens"], draft=i["draft_tokens"],
        growth=i["draft_tokens"] + i["feedback_tokens"], rubric=i["rubric_tokens"],
        verdict=i["verdict_tokens"], usd_in=3, usd_out=15, critic_in=3, critic_out=15, tasks=1,
    )  # fmt: skip
    sheet = Sheet(Inputs(i["p"], i["r"], i["cap"], critic=True))
    found = bill(sheet.flow, costs, critic=True, revises=True, truth=True)
    assert found.tokens_in == pytest.approx(expected["exp_in"])
    assert found.tokens_out == pytest.approx(expected["exp_out"])
    assert found.usd == pytest.approx(expected["cost"])
    assert found.per_good == pytest.approx(expected["cost_per_accepted"])  # a sound critic


def test_a_month_of_each_arm_by_hand() -> None:
    """At p .4, r .5, cap 2, sound code: loop 1.6 drafts, .3 handed over; retries 1.6, .36."""
    costs = Costs(
        prompt=1000, draft=0, growth=1000, usd_in=10, usd_out=0, draft_seconds=36,
        hand_over=2, wrong=5, tasks=1000,
    )  # fmt: skip
    loop = bill(run_loop(0.4, 0.5, 2), costs, critic=False, revises=True, truth=True)
    assert loop.usd == pytest.approx(1000 * (0.01 + 0.6 * 0.02))
    assert loop.hours == pytest.approx(16)
    assert (loop.wrong, loop.handed_over, loop.good) == pytest.approx((0, 300, 700))
    assert loop.total == pytest.approx(22 + 600)
    assert loop.per_good == pytest.approx(622 / 700)
    retry = bill(run_retry(0.4, 2), costs, critic=False, revises=False, truth=True)
    assert (retry.usd, retry.handed_over) == pytest.approx((16, 360))
    single = bill(single_shot(0.4), costs, critic=False, revises=False, truth=True)
    assert (single.usd, single.wrong, single.handed_over) == pytest.approx((10, 600, 0))
    assert single.total == pytest.approx(10 + 3000)


def test_without_a_price_no_money_is_named_but_tokens_are() -> None:
    found = bill(run_loop(0.4, 0.5, 3), Costs(usd_in=3), critic=False, revises=True, truth=True)
    assert (found.usd, found.total, found.per_good) == (None, None, None)
    assert found.tokens_in > 0


def test_a_critic_s_price_is_needed_only_with_a_critic() -> None:
    costs = Costs(usd_in=3, usd_out=15)
    assert (costs.priced(False), costs.priced(True)) == (True, False)


def test_at_accepted_level_wrong_outputs_are_not_known() -> None:
    costs = Costs(usd_in=3, usd_out=15, wrong=1)
    found = bill(run_loop(0.4, 0.5, 3), costs, critic=False, revises=True, truth=False)
    assert (found.wrong, found.good, found.total) == (None, None, None)
    free = bill(
        run_loop(0.4, 0.5, 3), Costs(usd_in=3, usd_out=15), critic=False, revises=True, truth=False
    )
    assert free.total == free.usd


def test_tries_side_by_side_take_all_calls() -> None:
    expected = reference("a.parallel_retries").expected["calls_per_accepted"]
    assert Sheet(Inputs(0.4, 0.5, 3)).side_by_side == pytest.approx(expected)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_an_amount_below_zero_or_none_is_refused(bad: float) -> None:
    with pytest.raises(InputError, match="hand_over"):
        Costs(hand_over=bad)
