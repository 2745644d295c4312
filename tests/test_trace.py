"""Replaying recorded rounds: the same exits as the live run, and censoring instead of guessing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Contract, StopRule
from core.errors import InputError
from core.judging.judgement import Judgement
from core.loop.replay import replay, replay_all, summary
from core.loop.step import Cancelled, run, start_for, to_trace
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace, recorded_outcome
from core.verdict import LabelValue, Unscored, failed, passed
from tests.fakes import ScriptedRun, contract, points

NO = failed("no", "mend it")


def scored(*scores: float | None, **fields: Any) -> Trace:
    """A trace of scores only."""
    rounds = tuple(
        Round(
            i, f"draft {i}", f"f{i}", score=None if s is None else Fraction(str(s)), judge_calls=1
        )
        for i, s in enumerate(scores, start=1)
    )
    return Trace("t", Arm.LOOP, "s", **{"rounds": rounds, **fields})


def judged_trace(*verdicts: str, **fields: Any) -> Trace:
    """A trace whose rounds pass the criteria named in each word, out of a, b and c."""
    rounds = tuple(
        Round(
            i, f"draft {i}", f"f{i}", judge_calls=1,
            judgement=Judgement({k: passed("ok") if k in word else NO for k in "abc"}),
            score=Fraction(len(word)),
        )
        for i, word in enumerate(verdicts, start=1)
    )  # fmt: skip
    return Trace("t", Arm.LOOP, "s", **{"rounds": rounds, "stop": StopRule(cap=3), **fields})


# --- replay equals the live run -------------------------------------------------------------

texts = st.lists(
    st.one_of(
        st.tuples(st.integers(0, 3), st.sampled_from("abc")).map(lambda t: f"d{t[0]}/{t[1]}"),
        st.just(RuntimeError("HTTP 529")),
    ),
    min_size=6, max_size=6,
)  # fmt: skip


@given(
    texts, st.integers(1, 6), st.integers(1, 3), st.sampled_from(Arm),
    st.none() | st.integers(1, 12), st.none() | st.integers(0, 11), st.booleans(),
)  # fmt: skip
def test_replay_of_the_log_equals_the_live_run(
    drafts: list[Any], cap: int, window: int, arm: Arm, calls: int | None, stop_at: int | None,
    mute: bool,
) -> None:  # fmt: skip
    """Also with failures and a cancel in between: the fold of the events is the replay."""
    of = contract("c1", "c2", "c3", cap=cap, window=window, budget={"calls": calls})
    judge = points(of)
    live = ScriptedRun(of, drafts, lambda d: None if mute and "/c" in d else judge(d), arm)
    state = live.go()
    if stop_at is not None and stop_at < len(live.events):
        live.events[stop_at:] = [Cancelled()]
    state = run(start_for(of, arm), live.events)
    trace = to_trace(state, "t", "s", contract=of)
    again = replay(trace)
    assert (again.exit, again.returned_round) == (state.exit, state.returned)
    assert again.calls == state.spent.calls
    assert again.state is not None
    assert tuple(replace(r, checked_by={}) for r in trace.rounds) == again.state.rounds
    assert again.state == state


@given(texts, st.integers(1, 6), st.integers(1, 6), st.integers(1, 3), st.sampled_from(Arm))
def test_a_shorter_cap_replayed_is_the_shorter_run(
    drafts: list[Any], long: int, short: int, window: int, arm: Arm
) -> None:
    cap, shorter = max(long, short), min(long, short)
    of = contract("c1", "c2", "c3", cap=cap, window=window)
    trace = to_trace(ScriptedRun(of, drafts, points(of), arm).go(), "t", "s", contract=of)
    less = contract("c1", "c2", "c3", cap=shorter, window=window)
    live = ScriptedRun(less, drafts, points(less), arm).go()
    [what_if] = replay_all([trace], cap=shorter)
    assert (what_if.exit, what_if.calls) == (live.exit, live.spent.calls)


# --- censoring ------------------------------------------------------------------------------


def test_a_longer_cap_needs_rounds_nobody_recorded() -> None:
    trace = judged_trace("a", "ab", exit=Exit.CAP, stop=StopRule(cap=2))
    [what_if] = replay_all([trace], cap=3)
    assert (what_if.exit, what_if.accepted, what_if.calls) == (None, None, None)
    assert what_if.censored == "round 3 was never recorded"
    assert replay(trace).exit is Exit.CAP


def test_a_missing_round_is_a_gap_and_no_fail() -> None:
    trace = judged_trace("a", "ab", "abc", exit=Exit.PASS)
    gap = replace(trace, rounds=(trace.rounds[0], trace.rounds[2]))
    assert gap.gaps == (2,)
    result = summary([replay(gap)])
    assert (result["censored"], result["observed"], result["exits"]) == (1, 0, {})
    assert replay(gap).censored == "round 2 was never recorded"


def test_rounds_that_count_from_0_have_no_gap() -> None:
    trace = judged_trace("a", "abc", exit=Exit.PASS, returned_round=1)
    based = replace(trace, rounds=tuple(replace(r, number=r.number - 1) for r in trace.rounds))
    assert based.gaps == ()
    assert (replay(based).exit, replay(based).returned_round) == (Exit.PASS, 1)
    assert (replay(based).rounds, replay(based).calls) == (2, 4)


def test_a_missing_first_round_is_a_gap() -> None:
    trace = judged_trace("a", "ab", "abc")
    late = replace(trace, rounds=trace.rounds[1:])
    assert (late.gaps, replay(late).censored) == ((1,), "round 1 was never recorded")


def test_no_stop_rule_and_no_cap_is_censored() -> None:
    trace = judged_trace("a", stop=None)
    assert replay(trace).censored == "no stop rule is recorded"
    assert [r.exit for r in replay_all([trace], cap=1)] == [Exit.CAP]


def test_an_unjudged_draft_in_the_middle_is_censored() -> None:
    trace = judged_trace("a", "ab", "abc")
    rounds = (trace.rounds[0], replace(trace.rounds[1], judgement=None, score=None))
    broken = replace(trace, rounds=(*rounds, trace.rounds[2]))
    assert replay(broken).censored == "round 2 was never judged"


def test_a_longer_recorded_log_is_cut_by_the_cap() -> None:
    """A loop that revises on its way out made seven calls at cap 3; the fourth draft is unread."""
    trace = judged_trace("a", "ab", "ab", stop=StopRule(cap=3, window=3), exit=Exit.CAP)
    out = Round(4, "draft 4", "f4")
    odd = replace(trace, rounds=(*trace.rounds, out), returned_round=4)
    assert sum(r.calls for r in odd.rounds) == 7
    result = replay(odd)
    assert (result.exit, result.calls, result.returned_round) == (Exit.CAP, 6, 2)
    assert [s.name for s in result.shapes] == ["plateau", "unread draft"]


@pytest.mark.parametrize("end", [Exit.CANCELLED, Exit.GENERATOR_ERROR])
def test_what_happened_to_a_run_ends_every_replay_that_gets_there(end: Exit) -> None:
    trace = judged_trace("a", "ab", exit=end, stop=StopRule(cap=5))
    assert [r.exit for r in replay_all([trace], cap=9)] == [end]
    assert [r.exit for r in replay_all([trace], cap=1)] == [Exit.CAP]


def test_a_recorded_budget_exit_holds_under_the_same_budget_only() -> None:
    limited = StopRule.model_validate({"cap": 5, "budget": {"usd": 0.5}})
    trace = judged_trace("a", "ab", exit=Exit.BUDGET, stop=limited)
    assert replay(trace).exit is Exit.BUDGET
    assert replay(trace, StopRule(cap=5)).exit is None
    assert replay(replace(trace, stop=StopRule(cap=5))).exit is None


@pytest.mark.parametrize("cap", [0, -1, 2.5, float("nan"), float("inf")])
def test_a_bad_cap_is_refused_before_anything_is_replayed(cap: object) -> None:
    with pytest.raises(InputError, match="cap"):
        replay_all([], cap=cap)
    with pytest.raises(InputError, match="window"):
        replay_all([], window=cap)


# --- acceptance from a log ------------------------------------------------------------------


def threshold(minimum: float, window: int = 9, cap: int = 4) -> Contract:
    return contract("c1", rule="threshold", minimum=minimum, window=window, cap=cap)


def test_a_round_that_cleared_the_bar_is_not_lost_by_a_later_exit() -> None:
    """.91, .96, .96, .96 against .95: accepted at round 2, whatever ended the recorded loop."""
    trace = scored(0.91, 0.96, 0.96, 0.96, contract=threshold(0.95), exit=Exit.PLATEAU)
    row = replay(trace).row()
    assert (row["accepted"], row["returned_round"], row["exit"]) == (True, 2, "PASS")
    assert row["recorded_exit"] == "PLATEAU"


def test_a_score_at_the_bar_is_accepted() -> None:
    of = threshold(0.3, cap=2)
    assert replay(scored(0.1 + 0.2, contract=of)).returned_round == 1
    assert replay(scored(0.3, contract=of)).returned_round == 1
    assert replay(scored(0.2999, 0.1, contract=of)).accepted is False


def test_without_a_contract_the_recorded_exit_tells_which_score_was_accepted() -> None:
    rule = StopRule(cap=3, window=3)
    assert replay(scored(0.3, 1, stop=rule, exit=Exit.PASS)).returned_round == 2
    capped = replay(scored(0.3, 1, 0.5, stop=rule, exit=Exit.CAP))
    assert (capped.exit, capped.accepted, capped.returned_round) == (Exit.CAP, False, 2)


def test_without_contract_and_exit_acceptance_of_a_score_is_not_guessed() -> None:
    result = replay(scored(0.3, 1, stop=StopRule(cap=3, window=3)))
    assert (result.exit, result.censored) == (
        None, "whether round 2 was accepted is not recorded",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "best"),
    [((None, 3, 9), 3), ((3, None, 9), 3), ((9, None, 3), 1), ((9, 3, None), 1), ((None, 2), 2)],
)
def test_a_round_without_a_score_never_wins(scores: tuple[Any, ...], best: int) -> None:
    rule = StopRule(cap=len(scores), window=3)
    assert replay(scored(*scores, stop=rule, exit=Exit.CAP)).returned_round == best


def test_all_rounds_without_a_score_return_nothing() -> None:
    assert replay(scored(None, None, stop=StopRule(cap=2), exit=Exit.CAP)).returned_round is None


def test_verdicts_beat_a_recorded_pass() -> None:
    """A log that says PASS over a failed criterion of its own contract accepted nothing."""
    trace = judged_trace("ab", exit=Exit.PASS, returned_round=1, stop=StopRule(cap=1))
    assert replay(replace(trace, contract=contract("a", "b", "c"))).exit is Exit.CAP
    assert replay(trace).exit is Exit.CAP


def test_a_pass_that_rests_on_a_contract_known_by_hash_only_is_not_guessed() -> None:
    trace = judged_trace("ab", exit=Exit.PASS, contract="9f" * 32)
    assert replay(trace).censored == (
        "whether round 1 was accepted: only the hash of its contract is known, and not every "
        "criterion passed"
    )
    assert replay(judged_trace("abc", exit=Exit.PASS, contract="9f" * 32)).exit is Exit.PASS


def test_a_criterion_missing_from_one_round_makes_it_unscored() -> None:
    trace = judged_trace("ab", "abc")
    cut = Judgement({"a": passed("ok"), "b": passed("ok")})
    broken = replace(trace, rounds=(trace.rounds[0], replace(trace.rounds[1], judgement=cut)))
    outcome = recorded_outcome(broken, 1)
    assert outcome is not None
    assert (outcome.accepted, outcome.unscored) == (None, Unscored.UNREADABLE)
    assert replay(broken).exit is Exit.EVALUATOR_ERROR


def test_a_judgement_without_criteria_accepts_nothing() -> None:
    trace = replace(judged_trace("a"), rounds=(Round(1, "x", "f", Judgement({})),))
    outcome = recorded_outcome(trace, 0)
    assert outcome is not None and outcome.accepted is False


# --- the summary ----------------------------------------------------------------------------


def test_summary_has_the_keys_and_counts_of_the_replay_command() -> None:
    good = judged_trace("a", "abc", exit=Exit.PASS)
    good = replace(good, rounds=(good.rounds[0], replace(good.rounds[1], gold=LabelValue.PASS)))
    wrong = judged_trace("abc", exit=Exit.PASS)
    wrong = replace(wrong, rounds=(replace(wrong.rounds[0], gold=LabelValue.FAIL),))
    unlabelled = judged_trace("abc", exit=Exit.PASS)
    capped = judged_trace("a", "ab", stop=StopRule(cap=2), exit=Exit.CAP)
    cut = judged_trace("a", stop=StopRule(cap=2), exit=Exit.CAP)
    named = [
        replace(t, trace_id=str(i)) for i, t in enumerate([good, wrong, unlabelled, capped, cut])
    ]
    result = summary([replay(t) for t in named])
    rows = result.pop("rows")
    assert result == {
        "traces": 5, "exits": {"PASS": 3, "CAP": 1}, "accepted": 3, "accepted_good": 1,
        "accepted_unlabelled": 1, "calls": 12, "observed": 4, "censored": 1, "shapes": {},
    }  # fmt: skip
    assert rows[0] == {
        "trace_id": "0", "sample_id": "s", "trial": "1", "arm": "loop", "exit": "PASS",
        "recorded_exit": "PASS", "rounds": 2, "returned_round": 2, "accepted": True, "good": True,
        "calls": 4, "shapes": [],
    }  # fmt: skip
    assert (rows[4]["exit"], rows[4]["recorded_exit"], rows[4]["rounds"]) == (None, "CAP", 1)
    assert (rows[4]["accepted"], rows[4]["calls"], rows[4]["returned_round"]) == (None, None, None)
