"""Where a project stands: every step's answer, its numbers and what comes next."""

from __future__ import annotations

import pytest

from core.contract.contract import Limits
from core.loop.summary import Arms
from core.questions import (
    Measured,
    State,
    baseline_step,
    contract_step,
    decision_step,
    judge_step,
    labels_step,
)
from core.statistics.comparison import Paired
from core.statistics.interval import rate

LIMITS = Limits(false_accept_rate=0.05, false_reject_rate=0.2)


def measured(bad: tuple[int, int], good: tuple[int, int]) -> Measured:
    return Measured(
        "J",
        rate(*bad, nothing="no bad outputs labelled"),
        rate(*good, nothing="no good outputs labelled"),
    )


def arms(rescued: Paired, *, clustered: bool = False) -> Arms:
    return Arms(rescued, rescued, None, None, 0, 0, 0, rescued.n, clustered, 0, rescued.n, 3, None)


@pytest.mark.parametrize(
    ("bad", "good", "limits", "state"),
    [
        ((0, 200), (5, 200), LIMITS, State.YES),  # upper ends 1.8 % and 5.7 %
        ((0, 12), (5, 200), LIMITS, State.OPEN),  # 0 of 12 still allows 26.5 %
        ((20, 40), (5, 200), LIMITS, State.NO),
        ((0, 200), (100, 200), LIMITS, State.NO),
        ((0, 0), (5, 200), LIMITS, State.OPEN),
        ((0, 200), (5, 200), Limits(false_accept_rate=0.05), State.OPEN),
    ],
)  # fmt: skip
def test_a_judge_is_inside_its_limits_only_by_its_intervals(
    bad: tuple[int, int], good: tuple[int, int], limits: Limits, state: State
) -> None:
    assert state == judge_step([measured(bad, good)], limits).state


def test_one_judge_inside_the_limits_is_enough() -> None:
    step = judge_step([measured((20, 40), (0, 9)), measured((0, 200), (5, 200))], LIMITS)
    assert State.YES == step.state


def test_undefined_rates_give_their_reason() -> None:
    assert (
        "False accepts: no bad outputs labelled"
        in judge_step([measured((0, 0), (1, 9))], LIMITS).numbers
    )


@pytest.mark.parametrize(
    ("pairs", "state"),
    [
        (Paired(36, 12, 3, 9), State.YES),  # 48 against 39 of 60, exact p .035
        (Paired(33, 15, 6, 6), State.OPEN),  # the same margins, interval from -0.1 points
        (Paired(36, 3, 12, 9), State.NO),
    ],
)
def test_the_baseline_needs_a_paired_difference_that_excludes_zero(
    pairs: Paired, state: State
) -> None:
    assert state == baseline_step(arms(pairs)).state
    assert State.OPEN == baseline_step(arms(pairs, clustered=True)).state


def test_labels_and_contract_count_what_is_there() -> None:
    assert State.OPEN == labels_step(0, 0, 0, 0).state
    assert ("3 of 9 outputs labelled.", "4 labels by 2 people.") == labels_step(9, 3, 4, 2).numbers
    assert State.YES == labels_step(9, 9, 20, 2).state
    assert [State.OPEN, State.NO, State.YES] == [
        contract_step(*a).state for a in ((None, 0, 0), (1, 4, 2), (1, 4, 0))
    ]


def test_the_decision_is_the_first_no_then_the_first_open_then_yes() -> None:
    yes, no, still_open = contract_step(1, 4, 0), contract_step(1, 4, 2), labels_step(9, 3, 4, 2)
    assert (State.NO, "Read the findings") == (
        decision_step([yes, still_open, no]).state,
        decision_step([yes, still_open, no]).todo,
    )
    assert (State.OPEN, "label") == (
        decision_step([yes, still_open]).state,
        decision_step([yes, still_open]).page,
    )
    assert State.YES == decision_step([yes, yes]).state


def test_gold_from_traces_counts_as_labels_and_leads_to_the_mistakes_there() -> None:
    assert (State.YES, "traces") == (
        labels_step(200, 0, 0, 0, 400).state,
        labels_step(200, 0, 0, 0, 400).page,
    )
    one = measured((20, 32), (0, 168))
    step = judge_step([Measured(one.name, one.far, one.frr, True)], LIMITS)
    assert ("traces", "replay", (("accepted", "wrong"),)) == (step.page, step.view, step.link)


def test_without_a_version_labelled_outputs_lead_to_grouping_their_notes() -> None:
    step = contract_step(None, 0, 0, labels=20)
    assert (State.OPEN, "Group the notes", "label", "group") == (
        step.state, step.todo, step.page, step.view,
    )  # fmt: skip
    assert "Write a criterion" == contract_step(None, 0, 0).todo
