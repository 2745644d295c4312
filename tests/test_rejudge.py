"""Recorded drafts under other verdicts: the recorded end under the same ones, what is unknown else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.contract import Contract
from core.judging.judgement import Judgement
from core.judging.prompt import DEFAULT_INSTRUCTIONS, JudgeOptions
from core.loop.rejudge import (
    Again,
    Rejudged,
    compared,
    judged_again,
    recorded_verdicts,
    with_judgements,
)
from core.loop.replay import replay
from core.loop.step import to_trace
from core.loop.stop import Arm, Exit
from core.loop.trace import Trace
from core.runs.execution import execute
from core.runs.judging import create_judge_run
from core.runs.rejudging import rejudge
from core.runs.setup import JudgeSetup
from core.store.contracts import save_version
from core.store.draft_outputs import add_drafts, drafts_of
from core.store.judgements import judges
from core.store.outputs import NewOutput, add_outputs, count_outputs
from core.store.store import Project, Store
from core.store.traces import add_traces
from core.verdict import LabelValue, Unscored, Verdict, failed, no_verdict, passed
from pages.parts.trace_rejudge import sentences
from tests.fakes import ScriptedRun, contract, judgement, points, written_out
from tests.test_judge_runs import Scripted, answer, price

OF = written_out(contract("c1", "c2", cap=3, window=3))
PASS, FAIL = LabelValue.PASS, LabelValue.FAIL
texts = st.lists(
    st.sampled_from(["d0", "d1", "d2", "d1/a", "d0/b"]) | st.just(RuntimeError("down")),
    min_size=1, max_size=6,
)  # fmt: skip


def trace_of(
    *drafts: Any, of: Contract = OF, arm: Arm = Arm.LOOP, name: str = "t",
    golds: Sequence[LabelValue | None] = (),
) -> Trace:  # fmt: skip
    padded = [*drafts, *(f"d0/x{i}" for i in range(9))]
    made = to_trace(ScriptedRun(of, padded, points(of), arm).go(), name, name, contract=of)
    rounds = [
        replace(r, gold=golds[i] if i < len(golds) else None) for i, r in enumerate(made.rounds)
    ]
    return replace(made, rounds=tuple(rounds), input="the task")


def by(trace: Trace, *said: Mapping[str, bool] | None) -> Again:
    """The trace compared with itself under these verdicts, round by round."""
    judgements = [None if one is None else judgement(OF, one) for one in said]
    judgements += [None] * (len(trace.rounds) - len(judgements))
    return compared(trace, with_judgements(trace, OF, judgements))


@given(texts, st.sampled_from(Arm), st.integers(1, 5), st.integers(1, 4))
def test_the_recorded_verdicts_give_the_recorded_end(
    drafts: list[Any], arm: Arm, cap: int, window: int
) -> None:
    trace = trace_of(*drafts, of=contract("c1", "c2", cap=cap, window=window), arm=arm)
    assert isinstance(trace.contract, Contract)
    again = [
        None if r.judgement is None
        else judged_again(trace.contract, {}, r.draft, None, recorded_verdicts(trace.contract, trace, r), None)
        for r in trace.rounds
    ]  # fmt: skip
    found = compared(trace, with_judgements(trace, trace.contract, again))
    assert (found.now, found.rounds) == (replay(trace).exit, replay(trace).rounds)


def test_a_lenient_judge_stops_earlier_and_a_bad_draft_makes_it_wrong() -> None:
    trace = trace_of("d0", "d1", "d2", golds=(FAIL, FAIL, PASS))
    found = by(trace, {"c1": False, "c2": False}, {"c1": True, "c2": True})
    assert (found.was, found.was_rounds, found.now, found.rounds) == (Exit.PASS, 3, Exit.PASS, 2)
    assert found.earlier and found.wrongly and found.accepts_bad and not found.gives_up


def test_an_unscored_word_of_the_other_judge_is_no_stop() -> None:
    found = by(trace_of("d0", "d1", "d2", golds=(FAIL, PASS, PASS)), {}, {"c1": True, "c2": True})
    assert (found.now, found.unjudged, found.earlier) == (None, True, False)


def test_giving_up_where_the_loop_went_on_to_a_good_draft_is_wrong() -> None:
    of = contract("c1", "c2", cap=3, window=1)
    trace = trace_of("d0", "d1", "d2", of=of, golds=(FAIL, FAIL, PASS))
    none = judgement(of, {"c1": False, "c2": False})
    found = compared(trace, with_judgements(trace, of, [none, none, none]))
    assert (found.now, found.rounds, found.earlier) == (Exit.PLATEAU, 2, True)
    assert found.gives_up and found.wrongly and not found.accepts_bad


def test_without_a_gold_label_nobody_knows_whether_it_stops_rightly() -> None:
    found = by(trace_of("d0", "d1", "d2"), {"c1": True, "c2": True})
    assert found.earlier and not found.wrongly and found.label_lacking
    assert "how many of them wrongly is not known" in sentences(Rejudged((found,)), "this judge")[0]


def test_what_was_never_drafted_or_never_judged_is_unknown() -> None:
    trace = trace_of("d2")
    harsh = by(trace, {"c1": True, "c2": False})
    assert (harsh.was, harsh.now, harsh.unjudged) == (Exit.PASS, None, False)
    silent = by(trace, None)
    assert (silent.now, silent.unjudged) == (None, True)
    lines = sentences(Rejudged((harsh, silent)), "this judge")
    assert lines == [
        "Nothing can be said yet: with this judge the end of none of the 2 traces is known. 1 would "
        "have gone on past their last recorded draft; 1 need a verdict that was never given."
    ]


def test_the_sentence_counts_earlier_and_wrong() -> None:
    wrong = by(trace_of("d0", "d2", golds=(FAIL, PASS)), {"c1": True, "c2": True})
    right = by(trace_of("d0", "d2", golds=(PASS, PASS)), {"c1": True, "c2": True})
    same = by(trace_of("d2", golds=(PASS,)), {"c1": True, "c2": True})
    assert sentences(Rejudged((wrong, right, same)), "this judge") == [
        "With this judge 2 traces would have stopped earlier, 1 of them wrongly. 1 accept a draft "
        "whose gold label is FAIL.",
        "1 end as recorded; 0 end in the same round by another exit; 0 stop later.",
    ]


CODE = {"key": "short", "question": "Short?", "checked_by": "code",
        "check": {"kind": "max_words", "limit": 2}}  # fmt: skip
MIXED = Contract.from_data({"criteria": [CODE, {"key": "c1", "question": "Is it so?"}]})


@pytest.mark.parametrize(
    ("draft", "said", "expected"),
    [
        ("one two", {"c1": passed("fine")}, Verdict.PASS),
        ("one two", {}, None),
        ("one two", {"c1": no_verdict(Unscored.SKIPPED, "")}, None),
        ("one two three", {}, Unscored.SKIPPED),
    ],
    ids=["judged", "never asked", "skipped then, needed now", "skipped by code"],
)
def test_code_is_run_again_and_a_judge_is_needed_only_where_code_passes(
    draft: str, said: Any, expected: Any
) -> None:
    check = MIXED.criteria[0].code_check()
    assert check is not None
    made = judged_again(MIXED, {"short": check}, draft, None, {"c1": failed("no")}, said)
    if expected is None:
        assert made is None
    else:
        assert made is not None
        assert expected in (made.verdicts["c1"].verdict, made.verdicts["c1"].unscored)


def test_a_verdict_on_other_words_is_no_verdict_on_these() -> None:
    trace = trace_of("d1")
    data = OF.to_data()
    data["criteria"][1]["question"] = "Is it otherwise?"
    kept = recorded_verdicts(Contract.from_data(data), trace, trace.rounds[0])
    assert list(kept) == ["c1"]
    assert recorded_verdicts(OF, replace(trace, contract="a hash"), trace.rounds[0]) == {}
    bare = replace(trace.rounds[0], judgement=None)
    assert recorded_verdicts(OF, trace, bare) == {}
    assert isinstance(trace.rounds[0].judgement, Judgement)


def test_drafts_become_outputs_once_and_stay_out_of_queue_and_rates(
    store: Store, project: Project
) -> None:
    save_version(store, project.id, OF)
    add_outputs(store, project.id, [NewOutput("a", "d0", input="the task")])
    traces = [trace_of("d0", "d1", "d2", name="a"), trace_of("d1", "d1", name="b")]
    add_traces(store, project.id, traces, file_name="f", sha256="1")
    before = drafts_of(store, project.id)
    assert (len(before.ids), before.lacking) == (1, 3)
    made = add_drafts(store, project.id)
    assert (len(made.ids), made.lacking, made.other_input) == (4, 0, 0)
    assert made.outputs["b", 1] == made.outputs["b", 2]
    assert add_drafts(store, project.id) == made
    assert count_outputs(store, project.id) == 1
    changed = [NewOutput("a", "d0", input="another task")]
    add_outputs(store, project.id, changed, file_name="", sha256="", replace_changed=True)
    assert drafts_of(store, project.id).other_input == 3


def test_another_judge_is_asked_through_a_run_and_its_verdicts_end_the_loops(
    store: Store, project: Project
) -> None:
    version = save_version(store, project.id, OF)
    traces = [
        trace_of("d0", "d1", "d2", name="a", golds=(FAIL, FAIL, PASS)),
        trace_of("d2", name="b", golds=(PASS,)),
    ]
    add_traces(store, project.id, traces, file_name="f", sha256="1")
    drafts = add_drafts(store, project.id)
    setup = JudgeSetup(JudgeOptions("lenient", max_tokens=200), DEFAULT_INSTRUCTIONS)
    run = create_judge_run(store, project.id, version, setup, outputs=drafts.ids)
    execute(store, run.id, lambda config, of: Scripted(lambda c, n: answer(c)), price=price)
    assert [j.outputs for j in judges(store, project.id)] == [0]
    first, second = rejudge(store, project.id, version, run.judge_id).rows
    assert (first.now, first.rounds, first.wrongly) == (Exit.PASS, 1, True)
    assert (second.now, second.rounds, second.earlier) == (Exit.PASS, 1, False)
    kept = rejudge(store, project.id, version, None).rows
    assert [(r.now, r.rounds) for r in kept] == [(Exit.PASS, 3), (Exit.PASS, 1)]
