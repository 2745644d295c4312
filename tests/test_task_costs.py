"""What a task costs in each arm, worked by hand, and the interval of a mean difference."""

from __future__ import annotations

import pytest

from core.loop.facts import Facts
from core.loop.stop import Arm, Exit
from core.loop.summary import Summary
from core.loop.task_costs import TaskCosts, task_costs
from core.statistics.interval import Estimate, Undefined
from core.statistics.paired_mean import paired_mean
from core.statistics.uncertainty import Prices

PRICES = Prices(fresh=1.0, revision=2.0, critic=0.5, hand_over=10.0, wrong=20.0)


def one(
    arm: Arm, sample: int, rounds: int, accepted: bool, good: bool | None, first: bool | None
) -> tuple[Summary, Facts]:
    exit = Exit.PASS if accepted else Exit.CAP
    summary = Summary(
        f"{arm}{sample}", arm, str(sample), "1", exit, accepted, rounds, 2 * rounds, 3, rounds,
        accepted, good, rounds == 1 and accepted, "f", 0, (),
    )  # fmt: skip
    return summary, Facts([], [], "", [], [], "", first, [])


def costs(pairs: list[tuple[Summary, Facts]], prices: Prices = PRICES) -> TaskCosts | Undefined:
    return task_costs([s for s, _ in pairs], [f for _, f in pairs], prices)


def test_calls_hand_overs_and_wrong_accepts_are_priced() -> None:
    """Loop: 1 + 2 + 2·0.5 = 4, right. Retries: 3·1 + 3·0.5 + 10 handed over = 14.5. Single: 1 + 20."""
    pairs = [
        x for n in range(12)
        for x in (one(Arm.LOOP, n, 2, True, True, False), one(Arm.RETRY, n, 3, False, False, False))
    ]  # fmt: skip
    found = costs(pairs)
    assert isinstance(found, TaskCosts)
    assert (found.tasks, found.loop, found.retry, found.single) == (12, 4.0, 14.5, 21.0)
    assert isinstance(found.against_retry, Estimate)
    assert (found.against_retry.value, found.against_retry.high) == (-10.5, -10.5)
    wrong = [one(Arm.LOOP, 99, 1, True, False, False), one(Arm.RETRY, 99, 1, True, False, False)]
    found = costs(pairs + wrong)
    assert isinstance(found, TaskCosts) and found.loop == pytest.approx((12 * 4 + 21.5) / 13)


def test_an_accepted_draft_without_a_label_has_no_known_cost_once_wrong_ones_cost() -> None:
    pairs = [one(Arm.LOOP, 1, 1, True, None, None), one(Arm.RETRY, 1, 1, True, None, None)]
    assert costs(pairs) == Undefined("not measured: an accepted draft has no gold label", None, 0)
    free = costs(pairs, Prices(hand_over=1.0))
    assert isinstance(free, TaskCosts) and free.single == 1.0


def test_without_both_arms_there_is_nothing_to_compare() -> None:
    found = costs([one(Arm.LOOP, 1, 1, True, True, True)])
    assert found == Undefined("not measured: no task has both arms", None, 0)


def test_the_interval_of_a_mean_is_close_to_that_of_the_normal_distribution() -> None:
    """60 tasks, half at 0 and half at 1: 0.5 ± 1.96 · 0.5/√60 = 0.373 to 0.627."""
    found = paired_mean([0, 1] * 30)
    assert isinstance(found, Estimate)
    assert (found.low, found.high) == (
        pytest.approx(0.373, abs=0.02),
        pytest.approx(0.627, abs=0.02),
    )
    assert isinstance(paired_mean([1.0] * 9), Undefined)
