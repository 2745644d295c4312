"""Loop runs on both databases: every draft its own call, nothing bought twice, every stop resumable."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from core.cli import run as cli
from core.contract.contract import Budget, Contract
from core.errors import InputError
from core.judging.calls import CallFailed, FailureKind, ModelCall, ModelReply
from core.judging.prompt import JudgeOptions, section
from core.labelling.label import LabelEntry, LabelKind
from core.loop.generator import GeneratorOptions
from core.loop.replay import replay
from core.loop.stop import Arm, Exit
from core.loop.summary import summarise
from core.loop.trace import Trace
from core.loop.whatif import Paths, path_of
from core.runs.execution import execute
from core.runs.loop_setup import Arms, LoopSetup
from core.runs.loop_summary import estimate_loops, in_progress, summarise_loops
from core.runs.loops import create_loop_run
from core.runs.waiting import waiting_drafts, wake
from core.store import tables as t
from core.store.contracts import Version, save_version
from core.store.labels import save_labels, save_reviewer
from core.store.ledger import spent
from core.store.loops import Reason, queued_drafts
from core.store.outputs import NewOutput, add_outputs, load_outputs
from core.store.paths import TraceFilter, paths_of
from core.store.runs import Run, RunState, Wish, ask, load_run, resume
from core.store.samples import NewSample, put_samples
from core.store.store import Project, Store, open_store
from core.store.tables_runs import call as call_table
from core.store.tables_runs import run as run_table
from core.store.traces import each_trace, load_summaries
from core.verdict import LabelValue
from tests.test_judge_runs import FAST, Scripted, answer, price

Rule = Callable[[ModelCall, int], "str | ModelReply | CallFailed"]
CODE = {"key": "length", "question": "Is it at most 9 words?", "checked_by": "code",
        "check": {"kind": "max_words", "limit": 9}}  # fmt: skip
JUDGED = {"key": "tone", "question": "Is it kind?"}
ASKED = {"key": "truth", "question": "Is it true?", "checked_by": "person"}


def contract(*criteria: dict[str, Any], **stop: Any) -> Contract:
    more = {"pass_example": "kind", "fail_example": "unkind"}
    return Contract.from_data(
        {
            "task": "Write a reply.",
            "criteria": [{**c, **more} for c in criteria or (CODE, JUDGED)],
            "stop": {"cap": 3, "window": 3, **stop},
        }
    )


def writer_and_judge(*drafts: str, passes: str = "good") -> Rule:
    """A model that writes the drafts in turn for each task and arm, and passes those that say so."""
    asked: Counter[str] = Counter()

    def rule(call: ModelCall, number: int) -> str:
        text = call.messages[0].text
        if call.schema is not None:
            said = section(text, "output") or ""
            return answer(call, "PASS" if passes in said else "FAIL")
        place = text.partition("# Checked")[0] + str("# Your last draft" in text)
        asked[place] += 1
        last = text.partition("# Your last draft\n")[2].partition("\n\n# What failed")[0]
        at = drafts.index(last) + 1 if last in drafts else asked[place] - 1
        return drafts[min(at, len(drafts) - 1)]

    return rule


@dataclass
class Bench:
    store: Store
    project: Project
    version: Version
    samples: list[int]

    def setup(self, **changes: Any) -> LoopSetup:
        given = {"retry": FAST, "spot_checks": 0, "queue_flagged": False, **changes}
        return LoopSetup(GeneratorOptions("w-1"), JudgeOptions("j-1", max_tokens=200), **given)

    def create(self, budget: Budget | None = None, **changes: Any) -> Run:
        return create_loop_run(
            self.store, self.project.id, self.version, self.setup(**changes),
            samples=self.samples, budget=budget,
        )  # fmt: skip

    def run(self, model: Scripted, run: Run | None = None, **more: Any) -> Run:
        run = run or self.create()
        return execute(self.store, run.id, lambda config, contract: model, price=price, **more)

    def traces(self) -> list[Trace]:
        return list(each_trace(self.store, self.project.id))


def bench_of(store: Store, project: Project, of: Contract, n: int = 4) -> Bench:
    version = save_version(store, project.id, of)
    samples = [NewSample(f"s{i}", f"task {i}") for i in range(n)]
    return Bench(store, project, version, put_samples(store, project.id, samples))


@pytest.fixture
def bench(store: Store, project: Project) -> Bench:
    return bench_of(store, project, contract())


def sequence(model: Scripted) -> list[str]:
    return ["generate" if c.schema is None else "evaluate" for c in model.calls]


def test_a_loop_passes_at_round_two_and_its_trace_is_whole(bench: Bench) -> None:
    bench.samples = bench.samples[:1]
    model = Scripted(writer_and_judge("first", "a good one"))
    done = bench.run(model)
    assert (done.state, done.error, done.total) == (RunState.DONE, "", 1)
    assert sequence(model) == ["generate", "evaluate"] * 2
    [trace] = bench.traces()
    assert (trace.exit, trace.returned_round, trace.arm) == (Exit.PASS, 2, Arm.LOOP)
    assert trace.contract == bench.version.contract
    assert [r.draft for r in trace.rounds] == ["first", "a good one"]
    assert [(r.generate_calls, r.judge_calls, r.tokens_in, r.usd) for r in trace.rounds] == [
        (1, 1, 200, 0.24), (1, 1, 200, 0.24),
    ]  # fmt: skip
    assert trace.rounds[1].feedback == "- Is it kind?\n  read\n  Change: mend it"
    assert trace.rounds[1].feedback in model.calls[2].messages[0].text
    assert trace.extra == {"run": done.id, "writer": "w-1", "judge": "j-1"}
    assert replay(trace).exit is Exit.PASS
    assert load_summaries(bench.store, bench.project.id) == [summarise(trace)]
    found = summarise_loops(bench.store, done)
    assert found.to_json() | {"seconds": 0} == {
        "judged": 2, "reused": 0, "unscored": {}, "calls": 4, "maybe_billed": 0,
        "tokens_in": 400, "tokens_out": 80, "usd": 0.48, "seconds": 0, "exits": {"PASS": 1},
    }  # fmt: skip


def test_a_loop_that_begins_with_an_output_writes_revisions_only(bench: Bench) -> None:
    """The draft of the first trial counts as round one, costs no call and is queued no second time."""
    with pytest.raises(InputError, match="no output to begin with"):
        bench.create(from_outputs=True)
    outputs = [NewOutput(f"s{i}", f"there {i}", trial) for i in range(4) for trial in (2, 1)]
    add_outputs(
        bench.store,
        bench.project.id,
        [replace(o, text=f"{o.text}/{o.trial}", input=f"task {o.sample_id[1:]}") for o in outputs],
    )
    changes = {"from_outputs": True, "arms": Arms.BOTH, "queue_flagged": True}
    run = bench.create(**changes)
    found = estimate_loops(
        bench.store, bench.project.id, bench.version, bench.setup(**changes), price
    )
    model = Scripted(writer_and_judge("plain", "plainer", "plainest"))
    done = bench.run(model, run)
    assert (done.state, spent(bench.store, done).calls) == (RunState.DONE, found.calls)
    assert found.least == 4
    assert {t.rounds[0].draft for t in bench.traces()} == {f"there {i}/1" for i in range(4)}
    assert {t.rounds[0].generate_calls for t in bench.traces()} == {0}
    assert queued_drafts(bench.store, done.id) == []


def test_never_passing_makes_two_calls_a_round_and_no_more(bench: Bench) -> None:
    bench.samples = bench.samples[:1]
    model = Scripted(writer_and_judge("a", "b", "c", "d"))
    bench.run(model)
    assert sequence(model) == ["generate", "evaluate"] * 3
    assert [t.exit for t in bench.traces()] == [Exit.CAP]


def test_what_code_has_failed_is_not_judged_and_a_repeat_costs_no_judgement(bench: Bench) -> None:
    bench.samples = bench.samples[:1]
    long = "one two three four five six seven eight nine ten"
    model = Scripted(writer_and_judge(long, "short", "short"))
    bench.run(model)
    assert sequence(model) == ["generate", "generate", "evaluate", "generate"]
    [trace] = bench.traces()
    assert (trace.exit, trace.returned_round) == (Exit.NO_CHANGE, 2)
    assert trace.rounds[2].reused


def test_both_arms_share_the_first_draft_and_draws_stay_independent(bench: Bench) -> None:
    bench.samples = bench.samples[:1]
    model = Scripted(writer_and_judge("a", "b", "c", "d", "e"))
    done = bench.run(model, bench.create(arms=Arms.BOTH))
    loop, retry = sorted(bench.traces(), key=lambda x: x.arm)
    assert loop.rounds[0].draft == retry.rounds[0].draft == "a"
    # The same prompt three times is three calls: the ledger is asked by place.
    assert [r.draft for r in retry.rounds] == ["a", "b", "c"]
    assert len(model.calls) == spent(bench.store, done).calls == 10
    assert sum(r.calls for r in (*loop.rounds, *retry.rounds)) == 12
    apart = bench.run(
        Scripted(writer_and_judge("a", "b", "c", "d")),
        bench.create(arms=Arms.BOTH, shared_first=False),
    )
    assert spent(bench.store, apart).calls == 12


@pytest.mark.parametrize("arms", [Arms.LOOP, Arms.BOTH])
def test_the_result_does_not_depend_on_concurrency(bench: Bench, arms: Arms) -> None:
    found = []
    for at_once in (1, 4, 32):
        model = Scripted(writer_and_judge("a", "b", "good"), wait=0.001)
        done = bench.run(model, bench.create(concurrency=at_once, arms=arms))
        traces = [x for x in bench.traces() if x.extra["run"] == done.id]
        plain = [
            replace(x, trace_id=x.trace_id.partition(" · ")[2], extra={}, rounds=tuple(
                replace(r, seconds=None) for r in x.rounds
            ))
            for x in traces
        ]  # fmt: skip
        found.append(sorted(plain, key=lambda x: x.trace_id))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 4 * len(arms.arms)


def test_a_run_that_stops_anywhere_goes_on_and_pays_for_nothing_twice(bench: Bench) -> None:
    """Budget after budget, one more call each time: the same calls as in one go."""
    bench.samples = bench.samples[:2]
    model = Scripted(writer_and_judge("a", "b", "good"))
    run = bench.create(Budget(calls=1), concurrency=1)
    for calls in range(2, 13):
        stopped = bench.run(model, run)
        assert stopped.state is RunState.PAUSED
        assert f"budget of {calls - 1} calls" in stopped.error
        assert len(model.calls) == calls - 1
        run = resume(bench.store, run.id, Budget(calls=calls))
        if calls == 6:
            [going] = in_progress(bench.store, run)
            assert (going.exit, [r.draft for r in going.rounds]) == (None, ["a", "b", "good"])
            assert not going.rounds[-1].read
    done = bench.run(model, run)
    assert (done.state, len(model.calls)) == (RunState.DONE, 12)
    assert [t.exit for t in bench.traces()] == [Exit.PASS, Exit.PASS]
    assert in_progress(bench.store, done) == []


@pytest.mark.parametrize("what", ["instructions", "model", "sample"])
def test_a_changed_configuration_is_refused_on_resume(bench: Bench, what: str) -> None:
    run = bench.create(Budget(calls=3), concurrency=1)
    model = Scripted(writer_and_judge("a", "b", "good"))
    assert bench.run(model, run).state is RunState.PAUSED
    if what == "sample":
        put_samples(bench.store, bench.project.id, [NewSample("s0", "another task")])
        run = resume(bench.store, run.id, Budget(calls=30))
    else:
        writer = dict(run.config["writer"]) | {what: "changed"}
        run = resume(bench.store, run.id, Budget(calls=30), changes={"writer": writer})
    stopped = bench.run(model, run)
    assert stopped.state is RunState.FAILED
    assert "start a new run" in stopped.error
    assert len(model.calls) == 3


def test_errors_end_the_loop_and_are_not_fed_back(bench: Bench) -> None:
    def rule(call: ModelCall, number: int) -> str | ModelReply | CallFailed:
        text = call.messages[0].text
        if "task 0" in text:
            return ModelReply(None, "refusal", "{}")
        if "task 1" in text and call.schema is not None:
            return "no JSON here"
        if "task 2" in text and call.schema is not None:
            return ModelReply('{"c1": ', "max_tokens", "{}")
        if "task 3" in text:
            return CallFailed(FailureKind.REQUEST, "too long")
        return "a draft"

    model = Scripted(rule)
    assert bench.run(model).state is RunState.DONE
    ended = {x.sample_id: x for x in bench.traces()}
    assert {k: x.exit for k, x in ended.items()} == {
        "s0": Exit.GENERATOR_ERROR, "s1": Exit.EVALUATOR_ERROR, "s2": Exit.EVALUATOR_ERROR,
        "s3": Exit.GENERATOR_ERROR,
    }  # fmt: skip
    # No draft was judged, so none is handed back: an error is no draft with a low score.
    assert {x.returned_round for x in ended.values()} == {None}
    assert {s.accepted for s in load_summaries(bench.store, bench.project.id)} == {False}
    assert ended["s0"].rounds[0].error == "refused: the model refused to answer"
    assert ended["s3"].rounds[0].error == "request refused: too long"
    asked = Counter(
        (re.findall(r"task (\d)", c.messages[0].text)[0], c.schema is not None) for c in model.calls
    )
    # Unreadable is asked once more; a refusal and a truncation never.
    assert asked == {
        ("0", False): 1, ("1", False): 1, ("1", True): 2, ("2", False): 1, ("2", True): 1,
        ("3", False): 1,
    }  # fmt: skip
    assert ended["s1"].rounds[0].judge_calls == 2


def test_a_server_that_is_down_leaves_no_trace_behind(bench: Bench) -> None:
    down = Scripted(lambda c, n: CallFailed(FailureKind.UNREACHABLE, "nobody there"))
    run = bench.run(down)
    assert (run.state, bench.traces()) == (RunState.FAILED, [])
    run = resume(bench.store, run.id)
    assert bench.run(Scripted(writer_and_judge("good")), run).state is RunState.DONE
    assert {t.exit for t in bench.traces()} == {Exit.PASS}


def test_a_cancelled_loop_is_logged_and_can_be_taken_up_again(bench: Bench) -> None:
    run = bench.create(concurrency=1)
    script = writer_and_judge("a", "b", "good")

    def rule(call: ModelCall, number: int) -> str | ModelReply | CallFailed:
        if number == 3:
            ask(bench.store, run.id, Wish.CANCEL)
        return script(call, number)

    model = Scripted(rule)
    stopped = bench.run(model, run)
    assert stopped.state is RunState.CANCELLED
    [trace] = bench.traces()
    assert (trace.exit, [r.draft for r in trace.rounds][:1]) == (Exit.CANCELLED, ["a"])
    assert bench.run(model, resume(bench.store, run.id)).state is RunState.DONE
    assert [t.exit for t in bench.traces()] == [Exit.PASS] * 4
    assert len(model.calls) == 24


def test_rounds_recorded_beyond_the_rule_count_nowhere(store: Store, project: Project) -> None:
    bench = bench_of(store, project, contract(cap=2, window=1), 1)
    model = Scripted(writer_and_judge("a", "b", "c", "good"))
    bench.run(model, bench.create(record=4))
    [trace] = bench.traces()
    assert (trace.exit, trace.returned_round) == (Exit.PLATEAU, 1)
    assert [r.beyond for r in trace.rounds] == [False, False, True, True]
    [summary] = load_summaries(store, project.id)
    assert (summary.rounds, summary.calls, summary.exit) == (2, 4, Exit.PLATEAU)
    assert (replay(trace).exit, replay(trace).calls) == (Exit.PLATEAU, 4)
    [path] = paths_of(store, project.id, TraceFilter(Arm.LOOP))
    assert path == path_of(trace)
    ends = Paths([path]).ends(4, 4)
    assert (ends.counts["accepted"], ends.counts["calls"]) == (1, 8)
    with store.write() as c:
        c.execute(t.trace.update().values(path=None, facts=None))
    assert paths_of(store, project.id) == [path]
    assert paths_of(store, project.id, TraceFilter(run_id=99)) == []


def label(bench: Bench, output: int, word: LabelValue, note: str = "", seq: int = 1) -> None:
    who, _ = save_reviewer(bench.store, bench.project.id, "Ana")
    hash = bench.version.contract.criterion("truth").question_hash
    entry = LabelEntry(f"c{output}", seq, output, "truth", LabelKind.LABEL, word, False, note, hash)
    assert save_labels(bench.store, bench.project.id, who, [entry]).refused == ()


def test_drafts_wait_for_people_and_the_run_goes_on_when_they_have_spoken(
    store: Store, project: Project
) -> None:
    bench = bench_of(store, project, contract(JUDGED, ASKED), 3)
    model = Scripted(writer_and_judge("a good one", "a good two", "a good three"))
    run = bench.run(model)
    assert (run.state, run.wish) == (RunState.PAUSED, Wish.LABELS)
    assert run.error == "3 drafts wait for a person's label"
    outputs = sorted(load_outputs(store, project.id), key=lambda o: o.sample_id)
    assert [(o.sample_id, o.trial, o.text) for o in outputs] == [
        (f"s{i}", -1, "a good one") for i in range(3)
    ]
    assert wake(store) == []
    label(bench, outputs[0].id, LabelValue.UNSURE)
    assert wake(store) == []
    label(bench, outputs[0].id, LabelValue.FAIL, "the date is wrong", seq=2)
    label(bench, outputs[1].id, LabelValue.PASS)
    assert wake(store) == [run.id]
    run = bench.run(model, load_run(store, run.id))
    assert run.error == "2 drafts wait for a person's label"
    assert wake(store) == []
    # A label changed later changes nothing of what has been done with it.
    label(bench, outputs[0].id, LabelValue.PASS, seq=3)
    for output, there in waiting_drafts(store, run):
        assert not there
        label(bench, output, LabelValue.PASS)
    assert wake(store) == [run.id]
    assert bench.run(model, load_run(store, run.id)).state is RunState.DONE
    first, second, third = sorted(bench.traces(), key=lambda x: x.sample_id)
    assert [len(x.rounds) for x in (first, second, third)] == [2, 1, 1]
    assert {x.exit for x in (first, second, third)} == {Exit.PASS}
    assert first.rounds[1].feedback == "- Is it true?\n  the date is wrong"
    assert first.rounds[0].judgement is not None
    assert "Ana" not in "".join(m.text for c in model.calls for m in c.messages)
    assert len(model.calls) == 8


def test_random_accepted_drafts_and_all_flagged_ones_go_to_people(bench: Bench) -> None:
    script = writer_and_judge("a good one")

    def rule(call: ModelCall, number: int) -> str | ModelReply | CallFailed:
        return "bad" if "task 3" in call.messages[0].text and not call.schema else script(call, 0)

    done = bench.run(Scripted(rule), bench.create(spot_checks=2, queue_flagged=True))
    queued = queued_drafts(bench.store, done.id)
    assert Counter((q.reason, q.why) for q in queued) == {
        (Reason.SPOT_CHECK, ""): 2, (Reason.FLAGGED, "NO_CHANGE"): 1,
    }  # fmt: skip
    outputs = {o.id: o for o in load_outputs(bench.store, bench.project.id)}
    assert {outputs[q.output_id].text for q in queued} == {"a good one", "bad"}
    assert all(o.trial == -1 and not o.extra for o in outputs.values())


def test_an_estimate_comes_first_and_is_never_passed(bench: Bench) -> None:
    setup = bench.setup(arms=Arms.BOTH)
    found = estimate_loops(bench.store, bench.project.id, bench.version, setup, price)
    assert (found.tasks, found.least, found.calls, found.basis) == (4, 8, 40, 0)
    done = bench.run(
        Scripted(writer_and_judge("a", "b", "c", "d", "e")), bench.create(arms=Arms.BOTH)
    )
    assert spent(bench.store, done).calls == 40
    again = estimate_loops(bench.store, bench.project.id, bench.version, setup, price)
    assert (again.tokens_in, again.tokens_out, again.basis) == (4000, 800, 20)
    assert again.usd == pytest.approx(4.8)


def test_what_cannot_run_is_refused_before_anything_is_paid(bench: Bench) -> None:
    with pytest.raises(InputError, match="none is named"):
        create_loop_run(
            bench.store, bench.project.id, bench.version, LoopSetup(GeneratorOptions("w"))
        )
    with pytest.raises(InputError, match="there are none"):
        bench.samples = []
        bench.create()
    with pytest.raises(InputError, match="draws"):
        bench.setup(draws=0)
    with bench.store.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(run_table)) == 0
        assert c.scalar(sa.select(sa.func.count()).select_from(call_table)) == 0


def test_no_list_of_python_ever_reaches_a_prompt(bench: Bench) -> None:
    model = Scripted(writer_and_judge("it's", 'say "x"', "c"))
    bench.run(model, bench.create(arms=Arms.BOTH, notes=True))
    for call in model.calls:
        assert "['" not in call.system + "".join(m.text for m in call.messages)
        assert json.dumps([]) not in call.messages[0].text


def test_a_worker_goes_on_by_itself_when_the_labels_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("EVALUATOR_BENCH_DATABASE_URL", raising=False)
    store = open_store(tmp_path)
    bench = bench_of(store, store.create_project("P"), contract(ASKED), 1)
    setup = LoopSetup(GeneratorOptions("scripted"), spot_checks=0)
    run = create_loop_run(store, bench.project.id, bench.version, setup)
    command = ["worker", "--workspace", str(tmp_path), "--json"]
    assert cli(command) == 0
    assert json.loads(capsys.readouterr().out) == {"runs": 1, "finished": 0, "failed": 0}
    assert cli(command) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == 0
    [(output, _)] = waiting_drafts(store, run)
    label(bench, output, LabelValue.PASS)
    assert cli(command) == 0
    assert json.loads(capsys.readouterr().out) == {"runs": 1, "finished": 1, "failed": 0}
    assert [x.exit for x in bench.traces()] == [Exit.PASS]
    store.close()
