"""The loop as a pure function: calls, exits, what comes back."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Budget, Contract, Keep, StopRule, score
from core.errors import InputError
from core.judging.judgement import Judgement, acceptance, judgement_score, settled
from core.loop.step import (
    Cancelled,
    DraftMade,
    EvaluatorFailed,
    Expects,
    GeneratorFailed,
    Judged,
    State,
    judged,
    run,
    start,
    start_for,
    step,
)
from core.loop.stop import NO_PROGRESS, Arm, Cost, Exit, Spent, changed_rule, fits
from core.loop.trace import Outcome
from core.verdict import CriterionVerdict, Unscored, Verdict, failed, no_verdict, passed
from tests.fakes import ScriptedRun, contract, judgement, points

REFERENCES = {
    entry["id"]: entry
    for entry in json.loads(
        Path(__file__).with_name("reference_numbers_loop.json").read_text(encoding="utf-8")
    )
}


def reference(prefix: str) -> list[Any]:
    found = [pytest.param(e, id=i) for i, e in REFERENCES.items() if i.startswith(prefix)]
    assert found, prefix
    return found


def scripted(
    *drafts: str | Exception, keys: int = 3, arm: Arm = Arm.LOOP, **stop: Any
) -> ScriptedRun:
    of = contract(*(f"c{i}" for i in range(keys)), **stop)
    return ScriptedRun(of, list(drafts), points(of), arm)


# --- reference numbers ----------------------------------------------------------------------


@pytest.mark.parametrize("entry", reference("draft_and_critique.calls_cap"))
def test_never_passing_makes_2n_calls(entry: dict[str, Any]) -> None:
    cap = entry["inputs"]["cap"]
    loop = scripted(*(f"d0/{i}" for i in range(cap)), cap=cap, window=cap)
    state = loop.go()
    assert (state.spent.calls, len(loop.history), state.exit) == (
        entry["expected"], entry["expected"], Exit.CAP,
    )  # fmt: skip
    assert all(r.read for r in state.rounds)


def test_calls_alternate_generate_evaluate() -> None:
    entry = REFERENCES["draft_and_critique.sequence"]
    loop = scripted("d0/1", "d0/2", "d0/3", cap=3, window=3)
    loop.go()
    assert loop.history == entry["expected"] == ["generate", "evaluate"] * 3


def test_pass_at_round_two_takes_four_calls() -> None:
    entry = REFERENCES["draft_and_critique.pass_round2"]
    state = scripted("d0", "d3", cap=3).go()
    assert (state.spent.calls, state.exit, state.returned) == (entry["expected"], Exit.PASS, 2)


@pytest.mark.parametrize("entry", reference("pattern."))
def test_pattern_pseudocode(entry: dict[str, Any]) -> None:
    """Exits, rounds, returned draft and calls of the published pseudocode."""
    given_, expected = entry["inputs"], entry["expected"]
    rule = StopRule(cap=given_["CAP"], window=given_["K"])
    state = start(rule, Arm.LOOP, uses_judge=True)
    for r in given_["rounds"]:
        if state.exit is not None:
            break
        state = step(state, DraftMade(r["fingerprint"], Cost(1)))
        if state.expects is Expects.EVALUATE:
            outcome = Outcome(r["passed"], Fraction(r["score"]))
            state = step(state, Judged(outcome, None, Cost(1)))
    assert state.exit is not None and state.draft is not None
    name = "no_progress" if state.exit.no_progress else state.exit.value.lower()
    got = {"exit": name, "rounds": len(state.rounds), "returned": state.draft.draft,
           "calls": state.spent.calls}  # fmt: skip
    assert got == expected


def test_cycle_reuses_the_judgement() -> None:
    """Drafts a, b, a: three generates and two judge calls, five in all, and b comes back."""
    state = scripted("d1/a", "d2/b", "d1/a", cap=5, window=3).go()
    assert (state.exit, state.spent.calls, state.returned) == (Exit.CYCLE, 5, 2)
    assert state.rounds[2].reused and state.rounds[2].score == state.rounds[0].score == 1


@pytest.mark.parametrize("entry", reference("refine.calls_max"))
def test_refine_rising_scores(entry: dict[str, Any]) -> None:
    """A limit of m revisions there is a cap of m + 1 drafts here."""
    m, expected = entry["inputs"]["max_rounds"], entry["expected"]
    loop = scripted(*(f"d{i}" for i in range(m + 1)), keys=9, cap=m + 1)
    state = loop.go()
    assert state.draft is not None
    assert (state.exit, loop.history.count("evaluate"), state.draft.draft) == (
        Exit.CAP, expected["n_eval"], expected["best"],
    )  # fmt: skip
    assert loop.history.count("generate") == expected["n_rev"] + 1


@pytest.mark.parametrize("entry", reference("refine.stop_"))
def test_refine_stops(entry: dict[str, Any]) -> None:
    expected = entry["expected"]
    drafts = [d.replace("d2b", "d2/b") for d in entry["inputs"]["drafts"]]
    loop = scripted(*drafts, cap=4)
    state = loop.go()
    reasons = {Exit.PLATEAU: "no progress", Exit.NO_CHANGE: "no change"}
    assert state.exit is not None and state.draft is not None
    assert reasons[state.exit] == expected["reason"]
    assert loop.history.count("evaluate") == expected["n_eval"]
    assert loop.history.count("generate") == expected["n_rev"] + 1
    assert state.draft.draft == expected["best"]


@pytest.mark.parametrize("entry", reference("refine.trace_"))
def test_refine_trace(entry: dict[str, Any]) -> None:
    """The worked example, its three problems as three criteria."""

    def judge(draft: str) -> dict[str, bool]:
        return {
            "length": len(draft.split()) <= 60,
            "refund": "refund" in draft.lower(),
            "ending": draft.rstrip().endswith((".", "!", "?")),
        }

    loop = ScriptedRun(contract("length", "refund", "ending"), entry["inputs"]["drafts"], judge)
    state = loop.go()
    scores = [float(r.score) / 3 for r in state.rounds if r.score is not None]
    assert scores == pytest.approx(entry["expected"]["scores"], abs=1e-6)
    assert loop.history.count("evaluate") == entry["expected"]["n_eval"]
    assert state.exit is Exit.PASS and state.returned == 2


# --- exits and their order ------------------------------------------------------------------


def test_pass_on_the_last_round_is_pass() -> None:
    assert scripted("d1", "d3", cap=2).go().exit is Exit.PASS


def test_pass_comes_before_cap_and_budget() -> None:
    state = scripted("d3", cap=1, budget={"calls": 2}).go()
    assert (state.exit, state.flag) == (Exit.PASS, "")


def test_repeat_comes_before_plateau_and_cap() -> None:
    assert scripted("d1", "d1", cap=2, window=1).go().exit is Exit.NO_CHANGE


def test_plateau_comes_before_cap() -> None:
    assert scripted("d1/a", "d1/b", cap=2, window=1).go().exit is Exit.PLATEAU


def test_cap_comes_before_budget() -> None:
    assert scripted("d1", "d2", cap=2, budget={"calls": 4}).go().exit is Exit.CAP


def test_a_repeat_that_differs_in_line_ends_only_is_no_change() -> None:
    of = contract("c1", cap=3)
    loop = ScriptedRun(of, ["one\ntwo", "one \r\ntwo\n"], lambda _: {"c1": False})
    state = loop.go()
    assert state.exit is Exit.NO_CHANGE
    assert state.rounds[1].draft == "one \r\ntwo\n"


def test_retry_arm_judges_repeats_and_goes_on_to_the_cap() -> None:
    loop = scripted("d1", "d1", "d1", cap=3, window=1, arm=Arm.RETRY)
    state = loop.go()
    assert (state.exit, loop.history) == (Exit.CAP, ["generate", "evaluate"] * 3)
    assert not any(r.reused for r in state.rounds)


@pytest.mark.parametrize(("calls", "rounds"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)])
def test_a_round_starts_only_if_generate_and_judge_fit(calls: int, rounds: int) -> None:
    drafts = [f"d0/{i}" for i in range(9)]
    state = scripted(*drafts, cap=9, window=9, budget={"calls": calls}).go()
    assert (state.exit, len(state.rounds)) == (Exit.BUDGET, rounds)


def test_code_checked_rounds_need_one_call() -> None:
    state = start(StopRule(cap=5, window=5, budget=Budget(calls=2)), Arm.LOOP, uses_judge=False)
    for i in range(2):
        state = step(state, DraftMade(str(i), Cost(1)))
        state = step(state, Judged(Outcome(False, Fraction(0))))
    assert (state.exit, state.spent.calls) == (Exit.BUDGET, 2)


@pytest.mark.parametrize("name", ["usd", "seconds"])
def test_money_and_time_are_added_exactly(name: str) -> None:
    """Three rounds of 0.1 fit under 0.3, although the float sum is 0.30000000000000004."""
    of = contract("c1", cap=9, window=9, budget={name: 0.3})
    cost = Cost(1, **{name: 0.05})
    loop = ScriptedRun(of, [str(i) for i in range(9)], lambda _: {"c1": False}, cost=cost)
    state = loop.go()
    assert (state.exit, len(state.rounds)) == (Exit.BUDGET, 3)


def test_tokens_budget_counts_in_and_out() -> None:
    of = contract("c1", cap=9, window=9, budget={"tokens": 100})
    cost = Cost(1, tokens_in=10, tokens_out=10, tokens_cached=10)
    loop = ScriptedRun(of, [str(i) for i in range(9)], lambda _: {"c1": False}, cost=cost)
    assert len(loop.go().rounds) == 2


def test_a_ceiling_used_up_lets_nothing_start() -> None:
    assert not fits(Budget(usd=0.1), Spent(usd=Fraction(1, 10)), Spent())
    assert fits(Budget(usd=0.1), Spent(), Spent(usd=Fraction(1, 10)))


def test_no_exit_depends_on_an_evaluator_without_complaints() -> None:
    """A judgement without criteria, whatever it says of itself, accepts nothing."""
    of = contract("c1")
    empty = settled(of, {}, raw='{"criteria": {}, "passed": true}')
    assert acceptance(of, empty) is None
    state = run(start_for(of, Arm.LOOP), [DraftMade("x"), judged(of, empty, Cost(1))])
    assert (state.exit, state.accepted) == (Exit.EVALUATOR_ERROR, False)


# --- errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [r for r in Unscored if r is not Unscored.SKIPPED])
def test_unscored_ends_in_evaluator_error_and_keeps_the_best(reason: Unscored) -> None:
    of = contract("c1", "c2", cap=5)
    state = run(
        start_for(of, Arm.LOOP),
        [
            DraftMade("a"), judged(of, judgement(of, {"c1": True, "c2": False}), Cost(1)),
            DraftMade("b"), EvaluatorFailed(reason, "no reply", Cost(3)),
        ],
    )  # fmt: skip
    assert (state.exit, state.returned, state.spent.calls) == (Exit.EVALUATOR_ERROR, 1, 6)
    assert state.rounds[1].score is None and not state.rounds[1].read
    assert state.flag == "EVALUATOR_ERROR: round 1 is not accepted (no reply)"


def test_skipped_criteria_are_a_scored_fail() -> None:
    of = contract("c1", "c2", cap=5)
    skipped = settled(of, {"c1": failed("too long"), "c2": no_verdict(Unscored.SKIPPED)})
    state = run(start_for(of, Arm.LOOP), [DraftMade("a"), judged(of, skipped, Cost())])
    assert (state.exit, state.outcomes[0]) == (None, Outcome(False, Fraction(0)))


def test_no_usable_draft_says_so_with_the_errors() -> None:
    state = scripted(RuntimeError("HTTP 529"), cap=3).go()
    assert (state.exit, state.returned, state.draft) == (Exit.GENERATOR_ERROR, None, None)
    assert state.flag == "GENERATOR_ERROR: no usable draft (HTTP 529)"
    assert state.spent.calls == 1 and state.drafts == 0


def test_an_unread_draft_is_never_handed_back() -> None:
    of = contract("c1", cap=3, keep="last")
    loop = ScriptedRun(of, ["a"], lambda _: None)
    state = loop.go()
    assert (state.exit, state.returned) == (Exit.EVALUATOR_ERROR, None)


def test_cancel_keeps_the_best_and_logs_the_open_draft() -> None:
    of = contract("c1", "c2", cap=5)
    half = judged(of, judgement(of, {"c1": True, "c2": False}), Cost(1))
    state = run(start_for(of, Arm.LOOP), [DraftMade("a"), half, DraftMade("b"), Cancelled()])
    assert (state.exit, state.returned, [r.read for r in state.rounds]) == (
        Exit.CANCELLED, 1, [True, False],
    )  # fmt: skip
    assert step(state, Cancelled()) is state


def test_an_event_out_of_turn_is_refused() -> None:
    state = start(StopRule(), Arm.LOOP, uses_judge=True)
    with pytest.raises(ValueError, match="Judged came where generate was expected"):
        step(state, Judged(Outcome(True, Fraction(1))))
    ended = step(state, GeneratorFailed("x"))
    with pytest.raises(ValueError, match="nothing was expected"):
        step(ended, DraftMade("x"))


@pytest.mark.parametrize("cap", [0, -1, float("nan"), float("inf"), 2.5, "3", True])
def test_a_cap_that_is_no_whole_number_from_1_is_refused(cap: object) -> None:
    with pytest.raises(InputError, match="stop rule, cap"):
        changed_rule(StopRule(), cap=cap)
    with pytest.raises(InputError, match="stop rule, cap"):
        changed_rule(None, cap=cap)


def test_a_rule_made_of_a_cap_alone_has_no_plateau() -> None:
    assert changed_rule(None, cap=4) == StopRule(cap=4, window=4)
    assert changed_rule(None, window=2) is None
    assert changed_rule(StopRule(cap=2), window=3) == StopRule(cap=2, window=3)


# --- best draft -----------------------------------------------------------------------------


def scored_run(scores: list[float | None], keep: Keep = Keep.BEST) -> State:
    rule = StopRule(cap=len(scores), window=len(scores), keep=keep)
    state = start(rule, Arm.LOOP, uses_judge=True)
    for i, value in enumerate(scores):
        number = None if value is None else Fraction(value)
        state = run(state, [DraftMade(f"draft {i}"), Judged(Outcome(False, number))])
    return state


@pytest.mark.parametrize(
    ("scores", "best"),
    [
        ([None, 3, 9], 3), ([3, None, 9], 3), ([9, None, 3], 1), ([None, None], None),
        ([None, 2], 2), ([2, 2], 1), ([0, 0], 1), ([0, -1], 1),
    ],
)  # fmt: skip
def test_a_missing_score_never_wins_and_ties_go_to_the_earliest(
    scores: list[float | None], best: int | None
) -> None:
    assert scored_run(scores).returned == best


def test_keep_last_returns_the_last_draft() -> None:
    assert scored_run([3, 2, 1], Keep.LAST).returned == 3
    assert scored_run([3, 2, 1]).returned == 1


def test_every_exit_has_a_family() -> None:
    assert {e for e in Exit if e.no_progress} == NO_PROGRESS
    assert {e.value for e in Exit} == {
        "PASS", "PLATEAU", "CYCLE", "NO_CHANGE", "CAP", "BUDGET", "EVALUATOR_ERROR",
        "GENERATOR_ERROR", "CANCELLED",
    }  # fmt: skip


# --- judgements -----------------------------------------------------------------------------


def test_a_missing_criterion_makes_a_judgement_unreadable() -> None:
    of = contract("c1", "c2", "c3")
    partial = settled(of, {"c1": passed("ok")})
    assert partial.unscored is Unscored.UNREADABLE
    assert partial.detail == "no verdict on 'c2', 'c3'"
    assert (acceptance(of, partial), judgement_score(of, partial)) == (None, None)
    assert partial.verdicts == {"c1": passed("ok")}


def test_a_criterion_for_a_person_is_owed_by_no_evaluator_and_left_open() -> None:
    data = contract("c1", "c2").to_data()
    data["criteria"][1]["checked_by"] = "person"
    of = Contract.from_data(data)
    half = settled(of, {"c1": passed("ok")})
    assert (half.unscored, acceptance(of, half), judgement_score(of, half)) == (None, None, 1)
    assert acceptance(of, settled(of, {"c1": failed("no")})) is False


def test_a_judgement_built_by_hand_is_checked_for_missing_criteria_too() -> None:
    of = contract("c1", "c2")
    assert acceptance(of, Judgement({"c1": passed("ok")})) is None
    assert judgement_score(of, Judgement({"c1": passed("ok")})) is None


def test_an_unscored_criterion_makes_the_judgement_unscored() -> None:
    of = contract("c1", "c2")
    broken = settled(of, {"c1": passed("ok"), "c2": no_verdict(Unscored.TRUNCATED, "cut off")})
    assert (broken.unscored, broken.detail) == (Unscored.TRUNCATED, "'c2' truncated: cut off")


def test_unknown_counts_as_fail() -> None:
    of = contract("c1", "c2")
    unsure = settled(of, {"c1": passed("ok"), "c2": CriterionVerdict(Verdict.UNKNOWN, "?")})
    assert (unsure.unscored, acceptance(of, unsure), judgement_score(of, unsure)) == (
        None,
        False,
        1,
    )


def test_threshold_counts_weight_exactly() -> None:
    """Eight of ten weights of 0.1 reach 0.8; their float sum does not."""
    of = contract(*"abcdefghij", rule="threshold", minimum=0.8)
    data = of.to_data()
    for c in data["criteria"]:
        c["weight"] = 0.1
    of = Contract.from_data(data)
    eight = judgement(of, {key: i < 8 for i, key in enumerate(of.keys)})
    assert acceptance(of, eight) is True
    assert judgement_score(of, eight) == Fraction(8, 10) == score(of, eight.verdicts)


def test_criteria_a_contract_does_not_have_are_left_out() -> None:
    of = contract("c1")
    extra = settled(of, {"c1": failed("no"), "c9": passed("yes")})
    assert list(extra.verdicts) == ["c1"]


# --- laws -----------------------------------------------------------------------------------

drafts = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("abc")).map(lambda t: f"d{t[0]}/{t[1]}"),
    min_size=8, max_size=8,
)  # fmt: skip
arms = st.sampled_from(Arm)


@given(drafts, st.integers(1, 8), st.integers(1, 4), arms)
def test_every_draft_is_judged_and_counted(
    texts: list[str], cap: int, window: int, arm: Arm
) -> None:
    loop = scripted(*texts, cap=cap, window=window, arm=arm)
    state = loop.go()
    reused = sum(r.reused for r in state.rounds)
    assert all(r.read for r in state.rounds)
    assert loop.history.count("evaluate") == len(state.rounds) - reused
    assert state.spent.calls == sum(r.calls for r in state.rounds) == len(loop.history)
    assert len(state.rounds) <= cap
    assert state.spent.calls % 2 == reused % 2


@given(drafts, st.integers(1, 8), st.integers(1, 4), arms)
def test_the_returned_draft_has_the_highest_score(
    texts: list[str], cap: int, window: int, arm: Arm
) -> None:
    state = scripted(*texts, cap=cap, window=window, arm=arm).go()
    assert state.draft is not None and state.draft.score is not None
    scores = [r.score for r in state.rounds if r.score is not None]
    assert state.draft.score == max(scores)
    assert state.accepted == (state.draft.score == 3)
    assert next(r.number for r in state.rounds if r.score == max(scores)) == state.returned


@given(drafts.map(lambda ds: [d.replace("d3", "d2") for d in ds]), st.integers(1, 8), arms)
def test_no_cap_turns_an_honest_fail_into_a_pass(texts: list[str], cap: int, arm: Arm) -> None:
    assert scripted(*texts, cap=cap, window=cap, arm=arm).go().exit is not Exit.PASS


@given(drafts, st.integers(1, 8), st.integers(1, 4), arms)
def test_a_longer_cap_only_goes_on_where_the_shorter_one_stopped(
    texts: list[str], cap: int, window: int, arm: Arm
) -> None:
    short = scripted(*texts, cap=cap, window=window, arm=arm).go()
    longer = scripted(*texts, cap=8, window=window, arm=arm).go()
    assert longer.rounds[: len(short.rounds)] == short.rounds
    if short.exit is not Exit.CAP:
        assert (longer.exit, longer.returned) == (short.exit, short.returned)


@given(drafts, st.integers(1, 8), st.integers(1, 20))
def test_no_budget_of_calls_is_overrun(texts: list[str], cap: int, calls: int) -> None:
    state = scripted(*texts, cap=cap, window=9, budget={"calls": calls}).go()
    assert state.spent.calls <= calls
