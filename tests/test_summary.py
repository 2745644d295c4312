"""Summaries of traces: what happened, what was accepted, arms counted and compared in pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files.traces import parse_traces, read_traces, write_traces
from core.loop.replay import replay
from core.loop.step import to_trace
from core.loop.stop import Arm, Exit
from core.loop.summary import Summary, by_arm, compare_arms, summarise
from core.loop.trace import Round, Trace
from core.statistics.comparison import Paired
from core.statistics.interval import Estimate, Undefined
from core.verdict import CriterionVerdict, LabelValue, Verdict
from sample_data.samples import SAMPLES
from tests.fakes import ScriptedRun, contract, points

OF = contract("c1", "c2", cap=3, window=3)


def trace(*drafts: str, arm: Arm = Arm.LOOP, sample: str = "s", **changes: Any) -> Trace:
    """The log of a run whose drafts "d0", "d1", "d2" pass that many of two criteria."""
    state = ScriptedRun(OF, list(drafts), points(OF), arm=arm).go()
    gold = {r.number: LabelValue.PASS for r in state.rounds}
    made = to_trace(state, f"{sample}-{arm}", sample, contract=OF, gold=gold)
    return replace(made, **changes)


def summaries(sample: str) -> list[Summary]:
    path = SAMPLES[sample].traces
    assert path is not None
    return [summarise(t) for t in read_traces(Path(path)).traces]


def test_a_trace_that_passes_in_round_two() -> None:
    assert summarise(trace("d1", "d2")) == Summary(
        trace_id="s-loop",
        arm=Arm.LOOP,
        sample_id="s",
        trial="1",
        exit=Exit.PASS,
        accepted=True,
        rounds=2,
        calls=4,
        cap=3,
        returned_round=2,
        passed=True,
        good=True,
        first_passed=False,
        first_draft=trace("d1", "d2").rounds[0].fingerprint,
        gaps=0,
        shapes=(),
    )


def test_an_earlier_round_that_passed_is_accepted_whatever_exit_was_recorded() -> None:
    """A loop that cleared the bar and then stalled was accepted; the exit is told apart."""
    passed = trace("d1", "d2")
    more = replace(passed.rounds[1], number=3)
    stalled = replace(passed, rounds=(*passed.rounds, more), exit=Exit.PLATEAU)
    found = summarise(stalled)
    assert (found.accepted, found.exit) == (True, Exit.PLATEAU)


def test_a_recorded_pass_that_the_verdicts_deny_is_not_accepted() -> None:
    claimed = replace(trace("d0", "d0/b", "d1"), exit=Exit.PASS, returned_round=3)
    assert summarise(claimed).accepted is False
    short = replace(claimed, rounds=claimed.rounds[:2], returned_round=2)
    assert (replay(short).accepted, summarise(short).accepted) == (None, None)


@pytest.mark.parametrize("word", ["FAIL", "UNKNOWN"])
@pytest.mark.parametrize("known_by", ["hash", "nothing"])
def test_a_recorded_pass_never_overrules_a_verdict(word: str, known_by: str) -> None:
    """By hash the rule may be a threshold, so it is not known; without a contract all must pass."""
    made = trace("d0", "d1", "d1/b")
    last = made.rounds[2]
    assert last.judgement is not None
    said = {**last.judgement.verdicts, "c2": CriterionVerdict(Verdict(word), "no", "mend it")}
    claimed = replace(
        made,
        rounds=(*made.rounds[:2], replace(last, judgement=replace(last.judgement, verdicts=said))),
        contract="9f" * 32 if known_by == "hash" else None,
        stop=OF.stop,
        exit=Exit.PASS,
        returned_round=3,
    )
    expected = None if known_by == "hash" else False
    assert (summarise(claimed).accepted, replay(claimed).accepted) == (expected, expected)
    assert summarise(replace(claimed, stop=None)).accepted is expected
    assert by_arm([summarise(claimed)])[Arm.LOOP].accepted == 0


def test_a_recorded_pass_without_any_round_is_not_believed() -> None:
    [bare] = parse_traces(
        b'{"trace_id":"b","arm":"loop","sample_id":"s","exit":"PASS","rounds":[]}', "x"
    ).traces
    assert summarise(bare).accepted is None
    assert summarise(replace(bare, exit=None)).accepted is None
    assert summarise(replace(bare, exit=Exit.CANCELLED)).accepted is False


@pytest.mark.parametrize("passes", [True, False])
def test_a_missing_round_is_no_fail_and_no_pass(passes: bool) -> None:
    """Whatever the other rounds say: else only the traces that failed would be left out."""
    whole = trace("d0", "d1", "d2" if passes else "d1/b")
    gap = replace(whole, rounds=(whole.rounds[0], whole.rounds[2]))
    found = summarise(gap)
    assert (found.accepted, found.rounds, found.gaps) == (None, 2, 1)
    assert summarise(replace(gap, contract=None, stop=None)).accepted is None


def not_judged(r: Round) -> Round:
    return replace(r, judgement=None, score=None)


UNKNOWABLE = {
    "a round is missing": lambda t: replace(t, rounds=(t.rounds[0], t.rounds[2])),
    "nothing was judged": lambda t: replace(t, rounds=tuple(not_judged(r) for r in t.rounds)),
    "no round": lambda t: replace(t, rounds=()),
    "no draft": lambda t: replace(
        t, rounds=(replace(not_judged(t.rounds[0]), draft=None, fingerprint=None), *t.rounds[1:])
    ),
}


@pytest.mark.parametrize("exit", [Exit.CAP, Exit.PASS, Exit.PLATEAU])
@pytest.mark.parametrize("what", list(UNKNOWABLE))
def test_what_cannot_be_told_is_neither_accepted_nor_flagged(what: str, exit: Exit) -> None:
    """The page and the command line say the same: it is in no rate."""
    cut = replace(UNKNOWABLE[what](trace("d0", "d1", "d1/b")), exit=exit)
    assert replay(cut).accepted is None
    numbers = by_arm([summarise(cut)])[Arm.LOOP]
    assert (numbers.accepted, numbers.flagged, numbers.undecided) == (0, 0, 1)


def test_scores_that_are_all_no_number_say_nothing() -> None:
    rounds = ",".join(f'{{"round":{n},"draft":"d{n}","score":NaN}}' for n in (1, 2))
    line = (
        '{"trace_id":"n","arm":"loop","sample_id":"s","stop":{"cap":2},"exit":"CAP","rounds":['
        + rounds + "]}"
    )  # fmt: skip
    [made] = parse_traces(line.encode(), "x").traces
    assert (summarise(made).accepted, replay(made).accepted) == (None, None)


def test_a_trace_without_a_stop_rule_is_decided_by_its_rounds() -> None:
    bare = replace(trace("d0", "d1", "d1/b"), contract=None, stop=None)
    assert summarise(bare).accepted is False
    assert summarise(replace(bare, exit=None)).accepted is None
    assert summarise(replace(trace("d0", "d2"), contract=None, stop=None)).accepted is True
    unread = replace(bare, rounds=(*bare.rounds[:2], not_judged(bare.rounds[2])))
    assert summarise(unread).accepted is None
    assert summarise(replace(unread, exit=Exit.CANCELLED)).accepted is False


def test_an_unread_returned_draft_is_in_no_rate_of_the_check() -> None:
    whole = trace("d0", "d1", "d1/b")
    unread = replace(whole.rounds[2], judgement=None, score=None)
    found = summarise(
        replace(whole, rounds=(*whole.rounds[:2], unread), returned_round=3, exit=Exit.CAP)
    )
    assert (found.passed, found.good, found.shapes) == (None, True, ("unread draft",))
    check = by_arm([found])[Arm.LOOP].check
    assert (check.n, check.unscored) == (0, 1)


def test_the_exit_is_worked_out_where_none_was_recorded() -> None:
    found = summarise(replace(trace("d0", "d1", "d1/b"), exit=None, returned_round=None))
    assert (found.exit, found.returned_round, found.accepted) == (Exit.CAP, 2, False)


@given(st.lists(st.sampled_from(["d0", "d1", "d1/b", "d2"]), min_size=3, max_size=3), st.booleans())
def test_a_summary_agrees_with_the_run_it_comes_from(drafts: list[str], retry: bool) -> None:
    arm = Arm.RETRY if retry else Arm.LOOP
    state = ScriptedRun(OF, list(drafts), points(OF), arm=arm).go()
    found = summarise(to_trace(state, "t", "s", contract=OF))
    assert (found.accepted, found.exit, found.returned_round, found.rounds, found.calls) == (
        state.accepted, state.exit, state.returned, state.drafts, state.spent.calls,
    )  # fmt: skip


def test_a_summary_is_the_same_after_a_round_trip_through_a_file() -> None:
    made = trace("d1", "d2")
    assert summarise(parse_traces(write_traces([made]).encode(), "x").traces[0]) == summarise(made)


def test_the_worked_example_comes_out_by_counting() -> None:
    """188 of 200 accepted, 168 right, 12 flagged; 20 of 32 bad drafts passed by the check."""
    arms = by_arm(summaries("invoice_extraction"))
    loop, retry = arms[Arm.LOOP], arms[Arm.RETRY]
    assert list(arms) == [Arm.LOOP, Arm.RETRY]
    assert (loop.traces, loop.accepted, loop.accepted_right, loop.flagged) == (200, 188, 168, 12)
    assert (retry.accepted, retry.accepted_right, retry.flagged) == (179, 160, 21)
    assert (loop.rounds, loop.calls, retry.calls) == (287, 287, 296)
    assert loop.exits == {"PASS": 188, "CAP": 12}
    far, frr = loop.check.false_accept_rate, loop.check.false_reject_rate
    assert isinstance(far, Estimate) and isinstance(frr, Estimate)
    assert (far.k, far.n, frr.k, frr.n) == (20, 32, 0, 168)
    for share, expected in (
        (loop.accepted_share, 0.94), (loop.right_share, 168 / 188), (loop.false_share, 20 / 188),
    ):  # fmt: skip
        assert isinstance(share, Estimate)
        assert share.value == pytest.approx(expected)


def test_the_worked_example_rescues_48_against_39_where_the_formula_says_91_percent() -> None:
    arms = compare_arms(summaries("invoice_extraction"))
    assert arms is not None
    assert arms.rescued == Paired(both=36, first_only=12, second_only=3, neither=9)
    assert arms.accepted == Paired(both=176, first_only=12, second_only=3, neither=9)
    assert arms.rescued_right is not None
    assert (arms.rescued_right.first, arms.rescued_right.second) == (42, 34)
    assert (arms.first_passed, arms.first_known, arms.cap, arms.shared) == (140, 200, 3, 200)
    assert arms.predicted == pytest.approx(0.91)
    assert round(arms.rescued.p_exact, 3) == 0.035
    assert (arms.unpaired, arms.repeated, arms.undecided, arms.clustered) == (0, 0, 0, False)


def test_traces_without_a_partner_or_with_a_double_are_left_out_and_counted() -> None:
    a = [summarise(trace("d2", arm=arm, sample="a")) for arm in Arm]
    alone = summarise(trace("d2", sample="b"))
    double = [
        replace(summarise(trace("d2", arm=arm, sample="c")), trace_id=name)
        for arm, name in ((Arm.LOOP, "c1"), (Arm.LOOP, "c2"), (Arm.RETRY, "c3"))
    ]
    open_pair = [replace(summarise(trace("d2", arm=arm, sample="d")), accepted=None) for arm in Arm]
    arms = compare_arms([*a, alone, *double, *open_pair])
    assert arms is not None
    assert arms.accepted == Paired(1, 0, 0, 0)
    assert (arms.unpaired, arms.repeated, arms.undecided) == (1, 3, 1)
    assert compare_arms([alone]) is None


def test_several_trials_of_a_sample_count_as_one_sample_in_interval_and_test() -> None:
    pair = [summarise(trace("d2", arm=arm)) for arm in Arm]
    again = [replace(s, trial="2", trace_id=s.trace_id + "2") for s in pair]
    arms = compare_arms([*pair, *again])
    assert arms is not None
    assert (arms.accepted.n, arms.clustered, arms.accepted.p_clusters) == (2, True, 1.0)
    assert isinstance(arms.accepted.difference, Undefined)


def test_labels_missing_on_an_accepted_draft_leave_right_unknown() -> None:
    pair = [summarise(trace("d2", arm=arm)) for arm in Arm]
    arms = compare_arms([replace(pair[0], good=None), pair[1]])
    assert arms is not None
    assert (arms.right, arms.rescued_right) == (None, None)


def test_no_formula_where_no_first_draft_passed_or_caps_differ() -> None:
    pairs = [summarise(trace("d1", "d2", arm=arm)) for arm in Arm]
    arms = compare_arms(pairs)
    assert arms is not None
    assert (arms.first_passed, arms.first_known, arms.cap, arms.predicted) == (0, 1, 3, None)
    passed = [replace(s, first_passed=True) for s in pairs]
    mixed = compare_arms([passed[0], replace(passed[1], cap=4)])
    assert mixed is not None
    assert (mixed.cap, mixed.predicted) == (None, None)


def test_without_labels_there_is_no_rate() -> None:
    found = replace(summarise(trace("d1", "d2")), good=None)
    numbers = by_arm([found])[Arm.LOOP]
    assert not numbers.labelled
    for rate in (numbers.right_share, numbers.false_share, numbers.check.false_accept_rate):
        assert isinstance(rate, Undefined)
    assert by_arm([]) == {}


def test_several_trials_of_a_sample_are_a_cluster_in_the_rates() -> None:
    one = replace(summarise(trace("d2")), good=False)
    trials = [replace(one, trial=str(i), trace_id=str(i), sample_id=f"s{i // 3}") for i in range(6)]
    together = by_arm(trials)[Arm.LOOP].check
    alone = by_arm([replace(s, sample_id=s.trial) for s in trials])[Arm.LOOP].check
    assert together.by_cluster is not None and alone.by_cluster is None
    assert isinstance(together.false_accept_rate, Estimate)
    assert isinstance(alone.false_accept_rate, Estimate)
    assert together.false_accept_rate.low < alone.false_accept_rate.low


def test_only_pairs_whose_first_draft_failed_in_both_arms_are_rescued() -> None:
    loop, retry = (summarise(trace("d1", "d2", arm=arm)) for arm in Arm)
    arms = compare_arms([loop, replace(retry, first_passed=True, first_draft="other")])
    assert arms is not None
    assert (arms.accepted.n, arms.rescued.n, arms.shared) == (1, 0, 0)
