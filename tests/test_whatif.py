"""Another stop rule over recorded rounds: equal to replaying each trace under it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.loop.replay import replay
from core.loop.step import Cancelled, run, start_for, to_trace
from core.loop.stop import Arm, changed_rule
from core.loop.trace import Trace
from core.loop.whatif import CENSORED, EXITS, BestRule, Goal, Path, Paths, best_rule, path_of
from core.statistics.interval import Estimate, Undefined
from core.verdict import LabelValue
from tests.fakes import ScriptedRun, contract, points

texts = st.lists(
    st.sampled_from(["d0", "d1", "d2", "d3", "d1/a", "d2/a", "d0/b"]) | st.just(RuntimeError("down")),
    min_size=1, max_size=7,
)  # fmt: skip
golds = st.lists(st.sampled_from([LabelValue.PASS, LabelValue.FAIL, None]), min_size=8, max_size=8)


def trace_of(
    drafts: list[Any], arm: Arm = Arm.LOOP, golds: Any = (), sample: str = "s", **stop: Any
) -> Trace:
    of = contract("c1", "c2", "c3", **stop)
    padded = [*drafts, *(f"d0/x{i}" for i in range(9))]
    made = to_trace(ScriptedRun(of, padded, points(of), arm).go(), "t", sample, contract=of)
    return with_gold(made, golds)


def with_gold(trace: Trace, golds: Any) -> Trace:
    rounds = [
        replace(r, gold=golds[i] if i < len(golds) else None) for i, r in enumerate(trace.rounds)
    ]
    return replace(trace, rounds=tuple(rounds))


def both_ways(trace: Trace, cap: int | None, window: int | None) -> None:
    """Compare one trace's end with a replay, number by number."""
    again = replay(trace, changed_rule(trace.rule, cap=cap, window=window))
    ends = Paths([path_of(trace)]).ends(cap, window)
    exit_ = int(ends.exit[0])
    assert again.exit is (None if exit_ == CENSORED else EXITS[exit_])
    if again.exit is not None:
        assert again.calls == ends.calls[0]
        assert again.rounds == ends.rounds[0]
        assert (again.returned_round or 0) == ends.returned[0]
        assert {True: 1, False: 0, None: -1}[again.good] == ends.good[0]


@given(
    texts, st.sampled_from(Arm), golds, st.integers(1, 6), st.integers(1, 4), st.integers(1, 8),
    st.integers(1, 5), st.none() | st.integers(1, 12), st.sampled_from(["best", "last"]),
)  # fmt: skip
def test_equals_a_replay_under_that_rule(
    drafts: list[Any], arm: Arm, golds: Any, cap: int, window: int, other_cap: int,
    other_window: int, calls: int | None, keep: str,
) -> None:  # fmt: skip
    budget = {} if calls is None else {"budget": {"calls": calls}}
    trace = trace_of(drafts, arm, golds, cap=cap, window=window, keep=keep, **budget)
    both_ways(trace, other_cap, other_window)
    both_ways(trace, other_cap, None)
    both_ways(trace, None, None)


@given(texts, st.integers(0, 9), st.integers(1, 6), st.integers(1, 4))
def test_a_cancelled_run_too(drafts: list[Any], stop_at: int, cap: int, window: int) -> None:
    of = contract("c1", "c2", "c3", cap=6, window=4)
    live = ScriptedRun(of, [*drafts, *(f"d0/x{i}" for i in range(9))], points(of), Arm.LOOP)
    live.go()
    state = run(start_for(of, Arm.LOOP), [*live.events[:stop_at], Cancelled()])
    both_ways(to_trace(state, "t", "s", contract=of), cap, window)


@given(texts, st.integers(0, 5), st.integers(1, 6), st.integers(1, 4))
def test_a_round_missing_in_the_middle_is_censored_alike(
    drafts: list[Any], gone: int, cap: int, window: int
) -> None:
    trace = trace_of(drafts, cap=6, window=4)
    rounds = tuple(r for i, r in enumerate(trace.rounds) if i != gone)
    both_ways(replace(trace, rounds=rounds), cap, window)


@given(texts, golds)
def test_a_path_survives_storing(drafts: list[Any], golds: Any) -> None:
    path = path_of(trace_of(drafts, golds=golds))
    assert path == Path.from_json(json.loads(json.dumps(path.to_json())))


def test_counts_by_hand() -> None:
    """Two traces: one passes in round 3, one never moves. Cap 2 was observed, cap 4 was not."""
    traces = [
        trace_of(
            ["d0", "d1", "d3"], golds=[None, LabelValue.FAIL, LabelValue.PASS], cap=3, window=3
        ),
        trace_of(["d0", "d0/1", "d0/2"], cap=3, window=3),
    ]
    paths = Paths([path_of(t) for t in traces])
    assert {
        "traces": 2, "observed": 2, "censored": 0, "accepted": 1, "accepted_good": 1,
        "accepted_unlabelled": 0, "calls": 12,
    } == paths.ends().counts  # fmt: skip
    two = paths.ends(cap=2)
    assert {"CAP": 2} == two.exits and 8 == two.counts["calls"]
    four = paths.ends(cap=4)
    assert 1 == four.counts["censored"] and {"PASS": 1} == four.exits
    assert {"PLATEAU": 1, "PASS": 1} == paths.ends(window=1).exits
    assert 6 == len(paths.grid([1, 2, 3], [1, 2]))


def test_a_cap_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="cap: 0 is below 1"):
        Paths([]).ends(cap=0)
    with pytest.raises(InputError, match="cost"):
        Goal(0, 0, 0)


def many(n: int) -> Paths:
    """Half the samples pass in round 2, half never; round 3 is only ever a waste."""
    good = [trace_of(["d0", "d3"], sample=f"s{i}", cap=4, window=4) for i in range(n)]
    bad = [
        trace_of(["d0", "d0/1", "d0/2", "d0/3"], sample=f"b{i}", cap=4, window=4) for i in range(n)
    ]
    return Paths([path_of(t) for t in good + bad])


def test_the_best_rule_is_checked_on_the_other_half() -> None:
    found = best_rule(many(40), Goal(call=1, wrong=0, hand_over=10), [1, 2, 3, 4], [1, 2, 3, 4])
    assert isinstance(found, BestRule)
    assert 2 == found.cap
    assert 80 == found.samples_chosen + found.samples_checked
    assert isinstance(found.checked_on, Estimate) and isinstance(found.against, Estimate)
    # half of them 4 calls and accepted, half 4 calls and handed over
    assert found.checked_on.value == pytest.approx(9, abs=1.5)
    assert found.against.value - found.checked_on.value == pytest.approx(2, abs=0.5)
    # sample by sample the difference is known far better than either cost
    assert isinstance(found.saved, Estimate)
    assert found.saved.value == pytest.approx(found.against.value - found.checked_on.value)
    assert found.saved.high - found.saved.low < found.against.high - found.against.low
    worse = best_rule(many(40), Goal(call=0, wrong=0, hand_over=1), [1], [1])
    assert isinstance(worse, BestRule) and isinstance(worse.saved, Estimate)
    assert worse.saved.value < 0 and worse.saved.low < 0


def test_the_rule_most_traces_have_is_named_with_how_many_there_are() -> None:
    some = [trace_of(["d0"], sample=str(i), cap=cap, window=2) for i, cap in enumerate([3, 3, 5])]
    paths = Paths([path_of(t) for t in some])
    assert (paths.usual_rule, paths.rules, paths.repeated) == ((3, 2), 2, False)
    assert Paths([]).usual_rule == (None, None)


def test_no_rule_is_chosen_where_labels_or_rounds_are_missing() -> None:
    unlabelled = best_rule(many(9), Goal(call=1, wrong=5, hand_over=1), [2], [2])
    assert isinstance(unlabelled, Undefined) and "gold label" in unlabelled.reason
    unseen = best_rule(many(9), Goal(1, 0, 0), [9], [9])
    assert isinstance(unseen, Undefined) and "observed" in unseen.reason
    few = best_rule(Paths([]), Goal(1, 0, 0), [1], [1])
    assert isinstance(few, Undefined)


def test_the_costs_of_a_trace_nobody_could_end_are_unknown() -> None:
    ends = many(1).ends(cap=9, window=9)
    assert [False, True] == list(np.isnan(Goal(1, 0, 0).costs(ends)))
