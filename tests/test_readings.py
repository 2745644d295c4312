"""What a judge said, read back: never of another wording, input, model or instructions."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from core.errors import InputError
from core.judging.calls import ModelCall, ModelReply, Usage
from core.judging.prompt import DEFAULT_INSTRUCTIONS, Instructions, JudgeOptions, section
from core.runs.examples import create_self_test, tried
from core.runs.execution import execute
from core.runs.judging import create_judge_run
from core.runs.readings import Said, differing, replies_about, said_by
from core.runs.setup import JudgeSetup
from core.runs.steadiness import steadiness
from core.statistics.interval import Estimate, Undefined
from core.store.contracts import Version, latest_version, save_version
from core.store.judge_config import judge_configs
from core.store.ledger import spent
from core.store.outputs import NewOutput, add_outputs, current_ids, load_outputs
from core.store.runs import Run, RunState
from core.store.store import Project, Store
from core.verdict import OVERALL, Unscored
from tests import fakes
from tests.test_judge_runs import FAST, Scripted, answer, price


@dataclass
class Bench:
    store: Store
    project: Project
    version: Version

    def setup(self, model: str = "m-1", text: str = DEFAULT_INSTRUCTIONS.text, **more: Any) -> JudgeSetup:  # fmt: skip
        repeats = more.pop("repeats", 1)
        options = JudgeOptions(model, max_tokens=200, **more)
        return JudgeSetup(options, Instructions(text), repeats, retry=FAST)

    def judge(self, setup: JudgeSetup, rule: Callable[[ModelCall, int], Any], name: str = "j") -> Run:  # fmt: skip
        version = latest_version(self.store, self.project.id)
        assert version is not None
        run = create_judge_run(self.store, self.project.id, version, setup, name=name)
        return self.execute(run, Scripted(rule))

    def execute(self, run: Run, model: Scripted) -> Run:
        return execute(self.store, run.id, lambda config, contract: model, price=price)

    def said(self, judge: int | None, setup: JudgeSetup | None = None) -> list[Said]:
        version = latest_version(self.store, self.project.id)
        assert version is not None and judge is not None
        return said_by(self.store, self.project.id, version, judge, setup)


@pytest.fixture
def bench(store: Store, project: Project) -> Bench:
    version = save_version(store, project.id, fakes.written_out(fakes.contract("tone", "facts")))
    rows = [
        NewOutput(f"s{i}", f"output number {i} says hello", input=f"task {i}") for i in range(4)
    ]
    add_outputs(store, project.id, rows)
    return Bench(store, project, version)


def reply(call: ModelCall, **said: Any) -> str:
    assert call.schema is not None
    one = {"evidence": "", "verdict": "PASS", "change": "", **said}
    return json.dumps(dict.fromkeys(call.schema["properties"], one))


def test_quotes_that_are_not_in_the_output_and_repairs_are_marked(bench: Bench) -> None:
    def rule(call: ModelCall, n: int) -> str:
        output = section(call.messages[0].text, "output") or ""
        if "number 0" in output:
            return reply(call, evidence='It says "output number 0 says hello".')
        if "number 1" in output:
            return reply(call, evidence='It says "words that nobody wrote".')
        if "number 2" in output:
            return f"```json\n{reply(call, evidence='fine')}\n```"
        return '{"criteria": {}, "passed": true}'

    setup = bench.setup()
    done = bench.judge(setup, rule)
    found = bench.said(done.judge_id, setup)
    assert [s.sample_id for s in found] == ["s0", "s1", "s2", "s3"]
    assert [dict(s.unfounded) for s in found] == [
        {},
        {"tone": ("words that nobody wrote",), "facts": ("words that nobody wrote",)},
        {},
        {},
    ]
    assert [bool(s.repaired) for s in found] == [False, False, True, False]
    assert [s.unscored for s in found] == [None, None, None, Unscored.UNREADABLE]
    [third] = load_outputs(bench.store, bench.project.id, [found[3].output_id])
    readings = replies_about(bench.store, bench.version, setup, [third])[third.id]
    unread = '{"criteria": {}, "passed": true}'
    assert [r.raw for r in readings] == [unread] * 2, "asked once more, both kept"


def test_calls_of_their_own_are_read_back_criterion_by_criterion(bench: Bench) -> None:
    setup = bench.setup(one_call_each=True)
    bench.judge(setup, lambda c, n: answer(c))
    [first] = load_outputs(bench.store, bench.project.id, current_ids(bench.store, bench.project.id)[:1])  # fmt: skip
    readings = replies_about(bench.store, bench.version, setup, [first])[first.id]
    assert [r.criteria for r in readings] == [("tone",), ("facts",)]


def test_another_model_instructions_wording_or_input_never_shows_old_verdicts(
    bench: Bench,
) -> None:
    setup = bench.setup()
    old = bench.judge(setup, lambda c, n: answer(c)).judge_id
    new_model = bench.judge(bench.setup("m-2"), lambda c, n: answer(c, "FAIL"), "k").judge_id
    reworded = bench.judge(bench.setup(text="Other."), lambda c, n: answer(c, "FAIL")).judge_id
    assert len({old, new_model, reworded}) == 3
    names = {j.name for j in judge_configs(bench.store, bench.project.id).values()}
    assert len(names) == 3
    for judge, verdict in ((old, "PASS"), (new_model, "FAIL"), (reworded, "FAIL")):
        assert {v.verdict for s in bench.said(judge) for v in s.newest.values()} == {verdict}

    # Another input for s1: nothing is said of it until the judge is asked again.
    add_outputs(
        bench.store, bench.project.id,
        [NewOutput("s1", "output number 1 says hello", input="another task")], replace_changed=True,
    )  # fmt: skip
    assert [s.sample_id for s in bench.said(old)] == ["s0", "s2", "s3"]

    # Another wording of one criterion: the other's verdicts stand.
    tone, facts = bench.version.contract.criteria
    contract = bench.version.contract.model_copy(
        update={"criteria": (tone.model_copy(update={"question": "Kind?"}), facts)}
    )
    save_version(bench.store, bench.project.id, contract, based_on=1)
    assert {key for s in bench.said(old) for key in s.newest} == {"facts"}
    save_version(bench.store, bench.project.id, bench.version.contract, based_on=2)
    assert {key for s in bench.said(old) for key in s.newest} == {"tone", "facts"}


def test_two_judges_are_compared_where_both_gave_a_verdict(bench: Bench) -> None:
    def rule(call: ModelCall, n: int) -> str:
        output = section(call.messages[0].text, "output") or ""
        return "no" if "number 0" in output else answer(call, "FAIL" if "number 1" in output else "PASS")  # fmt: skip

    one = bench.said(bench.judge(bench.setup(), rule).judge_id)
    other = bench.said(bench.judge(bench.setup("m-2"), lambda c, n: answer(c), "k").judge_id)
    found = differing(one, other)
    assert [(mine.sample_id, keys) for mine, _, keys in found] == [
        ("s0", []), ("s1", ["tone", "facts"]), ("s2", []), ("s3", []),
    ]  # fmt: skip


def test_repeats_say_how_steady_a_judge_is_and_where_it_flips(bench: Bench) -> None:
    """Three repeats of four outputs; s2 gets FAIL on tone in the second: 1 of 4 flips.

    Pairs of runs that agree: 3 of 3 on three outputs and 1 of 3 on s2, so 10/12 on the whole.
    """
    seen: dict[str, int] = {}

    def rule(call: ModelCall, n: int) -> str:
        output = section(call.messages[0].text, "output") or ""
        seen[output] = seen.get(output, 0) + 1
        said = json.loads(answer(call))
        if "number 2" in output and seen[output] == 2:
            said["c1"] |= {"verdict": "UNKNOWN"}
        return json.dumps(said)

    setup = bench.setup(repeats=3)
    judge = bench.judge(setup, rule).judge_id
    assert judge is not None
    found = steadiness(bench.store, bench.project.id, bench.version, judge)
    flip = {key: r.flip_rate for key, r in found.measured.items()}
    assert isinstance(flip["tone"], Estimate) and (flip["tone"].k, flip["tone"].n) == (1, 4)
    assert isinstance(flip["facts"], Estimate) and flip["facts"].k == 0
    assert isinstance(flip[OVERALL], Estimate) and flip[OVERALL].k == 1
    same = found.measured["tone"].self_consistency
    assert isinstance(same, Estimate) and same.value == pytest.approx(10 / 12)
    ids = current_ids(bench.store, bench.project.id)
    assert (found.flips["tone"], found.flips["facts"]) == ((ids[2],), ())
    assert [s.flipped for s in bench.said(judge)] == [(), (), ("tone",), ()]

    once = bench.judge(bench.setup("m-2"), lambda c, n: answer(c), "k").judge_id
    assert once is not None
    measured = steadiness(bench.store, bench.project.id, bench.version, once).measured
    assert isinstance(measured["tone"].flip_rate, Undefined)


# --- the contract's own examples --------------------------------------------------------------


def by_example(call: ModelCall, n: int) -> ModelReply:
    """Judges "it is" PASS and "it is not" FAIL, and calls everything about facts PASS."""
    output = section(call.messages[0].text, "output") or ""
    word = "PASS" if "facts" in call.system or output == "it is" else "FAIL"
    return ModelReply(answer(call, word), "end_turn", "{}", Usage(10, 5, 0, 0))


def test_the_self_test_asks_each_example_once_and_keeps_it_in_the_ledger(bench: Bench) -> None:
    setup, criteria = bench.setup(), bench.version.contract.criteria
    untried = tried(bench.store, criteria, setup)
    assert all(one.said is None and one.as_written is None for by in untried.values() for one in by.values())  # fmt: skip
    run = create_self_test(bench.store, bench.project.id, bench.version, criteria, setup)
    model = Scripted(by_example)
    done = bench.execute(run, model)
    assert (done.state, done.total, spent(bench.store, done).calls) == (RunState.DONE, 4, 4)
    assert all("it is" not in call.system for call in model.calls), "no example in the prompt"
    found = tried(bench.store, criteria, setup)
    assert [found["tone"][s].as_written for s in ("pass", "fail")] == [True, True]
    assert [found["facts"][s].as_written for s in ("pass", "fail")] == [True, False]

    again = create_self_test(bench.store, bench.project.id, bench.version, criteria, setup)
    assert spent(bench.store, bench.execute(again, Scripted(by_example))).calls == 0


def test_a_changed_question_example_or_judge_has_not_been_tested_yet(bench: Bench) -> None:
    setup, (tone, _) = bench.setup(), bench.version.contract.criteria
    run = create_self_test(bench.store, bench.project.id, bench.version, [tone], setup)
    bench.execute(run, Scripted(by_example))

    def untested(criterion: Any, by: JudgeSetup) -> list[bool]:
        return [t.said is None for t in tried(bench.store, [criterion], by)["tone"].values()]

    assert untested(tone, setup) == [False, False]
    assert untested(tone.model_copy(update={"question": "Kind?"}), setup) == [True, True]
    assert untested(tone.model_copy(update={"fail_example": "other"}), setup) == [False, True]
    assert untested(tone, bench.setup("m-2")) == [True, True]
    assert untested(tone, bench.setup(text="Other.")) == [True, True]
    with pytest.raises(InputError, match="self-test"):
        create_self_test(bench.store, bench.project.id, bench.version, [tone.model_copy(update={"pass_example": " "})], setup)  # fmt: skip
