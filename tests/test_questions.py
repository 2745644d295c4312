"""Where a project stands: every step's answer, its numbers and what comes next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.answers import answers_changed, answers_of, decision_step
from core.contract.contract import Contract, Limits
from core.loop.convergence import Convergence
from core.loop.summary import Arms
from core.loop.task_costs import TaskCosts
from core.questions import (
    Examples,
    Labelled,
    Measured,
    State,
    baseline_question,
    calibrated_question,
    criteria_question,
    repairable_question,
    separation_question,
)
from core.statistics.comparison import Paired
from core.statistics.interval import Estimate, Undefined, rate

LIMITS = Limits(false_accept_rate=0.05, false_reject_rate=0.2)


def measured(bad: tuple[int, int], good: tuple[int, int]) -> Measured:
    return Measured(
        "J",
        rate(*bad, nothing="no bad outputs labelled"),
        rate(*good, nothing="no good outputs labelled"),
    )


def arms(rescued: Paired) -> Arms:
    return Arms(rescued, rescued, None, None, 0, 0, 0, rescued.n, False, 0, rescued.n, 3, None)


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
    assert state == calibrated_question([measured(bad, good)], limits).state


def test_one_judge_inside_the_limits_is_enough() -> None:
    step = calibrated_question([measured((20, 40), (0, 9)), measured((0, 200), (5, 200))], LIMITS)
    assert State.YES == step.state


def test_undefined_rates_give_their_reason() -> None:
    assert (
        "False accepts: no bad outputs labelled"
        in calibrated_question([measured((0, 0), (1, 9))], LIMITS).numbers
    )


@pytest.mark.parametrize(
    ("pairs", "state"),
    [
        (Paired(36, 12, 3, 9), State.OPEN),  # 48 against 39 of 60, exact p .035: a price is missing
        (Paired(33, 15, 6, 6), State.OPEN),
        (Paired(36, 3, 12, 9), State.NO),
    ],
)
def test_retries_that_rescue_more_are_a_no_even_without_prices(pairs: Paired, state: State) -> None:
    assert state == baseline_question(arms(pairs), None).state
    one_sample = np.array([[pairs.both, pairs.first_only, pairs.second_only, pairs.neither]])
    clustered = replace(pairs, by_cluster=one_sample)
    assert State.OPEN == baseline_question(arms(clustered), None).state


def test_without_prices_more_rescued_tasks_are_not_enough() -> None:
    step = baseline_question(arms(Paired(36, 12, 3, 9)), None)
    assert (State.OPEN, "arithmetic", "costs") == (step.state, step.page, step.view)
    assert "What a task costs is not known: no saved scenario has prices." in step.numbers


def cost(against_retry: tuple[float, float], against_single: tuple[float, float]) -> TaskCosts:
    retry, single = (
        Estimate((low + high) / 2, low, high, None, 60)
        for low, high in (against_retry, against_single)
    )
    return TaskCosts(60, 1.0, 1.5, 2.0, retry, single)


@pytest.mark.parametrize(
    ("retry", "single", "state"),
    [
        ((-0.5, -0.1), (-1.0, -0.2), State.YES),
        ((-0.5, 0.1), (-1.0, -0.2), State.OPEN),
        ((-0.5, -0.1), (0.2, 0.4), State.NO),
        ((0.1, 0.2), (-1.0, -0.2), State.NO),
    ],
)
def test_the_baseline_is_answered_by_what_a_task_costs(
    retry: tuple[float, float], single: tuple[float, float], state: State
) -> None:
    step = baseline_question(arms(Paired(36, 12, 3, 9)), cost(retry, single))
    assert state == step.state
    assert any("$1.0000" in line or "$1.00" in line for line in step.numbers)


@pytest.mark.parametrize(
    ("findings", "examples", "state", "todo"),
    [
        (0, Examples(8, 0, 0), State.YES, "Read the contract"),
        (2, Examples(8, 0, 0), State.NO, "Read the findings"),
        (0, Examples(7, 1, 0), State.NO, "Mend the examples"),
        (0, Examples(4, 0, 4), State.OPEN, "Try the examples"),
    ],
)
def test_criteria_need_examples_the_evaluator_judges_as_written(
    findings: int, examples: Examples, state: State, todo: str
) -> None:
    step = criteria_question(1, 4, findings, examples)
    assert (state, todo) == (step.state, step.todo)
    assert f"{examples.right} of 8 examples judged as written" in step.numbers[2]


def contract(kind: str, knows: str = "the policy") -> Contract:
    return Contract.from_data(
        {"criteria": [{"key": "a", "question": "q"}], "evaluator": {"type": kind, "knows": knows}}
    )


@pytest.mark.parametrize(
    ("of", "judge", "state"),
    [
        (contract("self_review"), ((0, 200), (5, 200)), State.NO),  # whatever it measures
        (contract("executed_check"), None, State.YES),
        (contract("executed_check", ""), None, State.OPEN),
        (contract("rubric_other_model"), None, State.OPEN),
        (contract("rubric_other_model"), ((4, 40), (5, 40)), State.YES),
        (contract("rubric_other_model"), ((8, 10), (2, 10)), State.OPEN),
        (contract("rubric_other_model"), ((95, 100), (30, 100)), State.NO),
    ],
)  # fmt: skip
def test_an_evaluator_that_passes_bad_work_as_often_as_good_knows_nothing_more(
    of: Contract, judge: tuple[tuple[int, int], tuple[int, int]] | None, state: State
) -> None:
    rates = [] if judge is None else [measured(*judge)]
    step = separation_question(of, rates)
    assert state == step.state
    if judge is not None:
        (accepts, bad), (rejects, good) = judge
        assert f" fails {rejects} of {good} good outputs, " in step.numbers[-1]
        assert f" passes {accepts} of {bad} bad ones, " in step.numbers[-1]
        assert step.numbers[-1].count("–") == 2  # each rate has its interval


def repaired(k: int, n: int, specific: int) -> Convergence:
    share = rate(specific, 60, nothing="none")
    flips = Undefined("not measured: no text was judged twice", 0, 0)
    return Convergence(60, share, {}, {2: rate(k, n, nothing="none")}, 1, 0, flips)


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (None, State.OPEN),
        (repaired(33, 60, 60), State.YES),
        (repaired(0, 60, 60), State.NO),
        (repaired(33, 60, 3), State.NO),
        (repaired(6, 40, 60), State.OPEN),
    ],
)
def test_repairable_needs_repairs_and_specific_failures(
    found: Convergence | None, state: State
) -> None:
    step = repairable_question(found)
    assert state == step.state
    if found is not None:
        assert (
            f"Round 2: {found.by_round[2].k} of {found.by_round[2].n} accepted" in step.numbers[0]
        )


def test_every_question_names_its_alternative_and_one_thing_to_do() -> None:
    five = [
        criteria_question(1, 4, 0, Examples(8)),
        separation_question(contract("self_review"), []),
        repairable_question(repaired(0, 60, 60)),
        calibrated_question([measured((20, 40), (5, 200))], LIMITS),
        baseline_question(arms(Paired(36, 3, 12, 9)), None),
    ]
    assert ["Criteria", "Separation", "Repairable", "Calibrated", "Baseline"] == [
        step.title for step in five
    ]
    nothing = [
        criteria_question(None, 0, 0, Examples()),
        separation_question(None, []),
        repairable_question(None),
        calibrated_question([], Limits(), Labelled()),
        baseline_question(None, None),
    ]
    assert all(step.otherwise and step.todo for step in five + nothing)
    last = decision_step(five)
    assert (State.NO, five[1].todo, five[1].otherwise) == (last.state, last.todo, last.otherwise)
    assert "1 of 5 questions answered yes." == last.numbers[0]


def test_calibrated_leads_to_what_is_missing() -> None:
    assert "Import outputs" == calibrated_question([], LIMITS, Labelled()).todo
    assert "Label the first outputs" == calibrated_question([], LIMITS, Labelled(9)).todo
    step = calibrated_question([], LIMITS, Labelled(9, 3, 4, 2))
    assert "3 of 9 outputs labelled: 4 labels by 2 people." == step.numbers[0]
    assert "Run the checks" == step.todo


def test_the_decision_is_the_first_no_then_the_first_open_then_yes() -> None:
    yes, no = criteria_question(1, 4, 0, Examples(8)), criteria_question(1, 4, 2, Examples(8))
    still_open = calibrated_question([], LIMITS, Labelled(9))
    assert (State.NO, "Read the findings") == (
        decision_step([yes, still_open, no]).state,
        decision_step([yes, still_open, no]).todo,
    )
    assert (State.OPEN, "label") == (
        decision_step([yes, still_open]).state,
        decision_step([yes, still_open]).page,
    )
    assert State.YES == decision_step([yes, yes]).state


def test_gold_from_traces_leads_to_the_mistakes_there() -> None:
    one = measured((20, 32), (0, 168))
    step = calibrated_question([Measured(one.name, one.far, one.frr, True)], LIMITS)
    assert ("traces", "replay", (("accepted", "wrong"),)) == (step.page, step.view, step.link)
    assert "Gold came with the traces." == step.numbers[0]


def test_without_a_version_labelled_outputs_lead_to_grouping_their_notes() -> None:
    step = criteria_question(None, 0, 0, Examples(), labels=20)
    assert (State.OPEN, "Group the notes", "label", "group") == (
        step.state, step.todo, step.page, step.view,
    )  # fmt: skip
    assert "Write a criterion" == criteria_question(None, 0, 0, Examples()).todo


def test_a_question_answered_otherwise_than_before_is_named() -> None:
    was = answers_of([criteria_question(1, 4, 0, Examples(8)), repairable_question(None)])
    now = [criteria_question(1, 4, 2, Examples(8)), repairable_question(None)]
    assert ["Criteria was yes, now it is no"] == answers_changed(was, now)
