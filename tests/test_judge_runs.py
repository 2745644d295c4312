"""Judge runs on both databases: every answer kept, nothing bought twice, every stop resumable."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
import sqlalchemy as sa

from core.contract.contract import Budget, Contract
from core.errors import BenchError, InputError
from core.judging.calls import CallFailed, FailureKind, ModelCall, ModelReply, Usage
from core.judging.prompt import (
    DEFAULT_INSTRUCTIONS,
    Instructions,
    JudgeOptions,
    Shot,
    build_call,
    request_hash,
    requests_for,
)
from core.runs.calls import RetryRule
from core.runs.execution import execute
from core.runs.judging import create_judge_run
from core.runs.setup import JudgeSetup
from core.store import tables as t
from core.store.cases import load_case
from core.store.contracts import Version, save_version
from core.store.judged import repeats_of, unscored_of
from core.store.judgements import JudgeKind, judges
from core.store.ledger import spent
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.results import load_results
from core.store.runs import Run, RunState, Wish, ask, claim, claim_next, load_run, resume, runs_of
from core.store.store import Project, Store
from core.store.tables_runs import call as call_table
from core.text import exact_hash
from core.verdict import Unscored, passed
from tests import fakes

FAST = RetryRule(attempts=3, longest_wait=1.0, first_wait=0.001)


def answer(call: ModelCall, word: str = "PASS") -> str:
    """A sound reply to any judge's call."""
    assert call.schema is not None
    said = {"evidence": "read", "verdict": word, "change": "" if word == "PASS" else "mend it"}
    return json.dumps(dict.fromkeys(call.schema["properties"], said))


@dataclass
class Scripted:
    """A model that answers by a rule and keeps what it was sent."""

    rule: Callable[[ModelCall, int], str | ModelReply | CallFailed] = lambda c, n: answer(c)
    calls: list[ModelCall] = field(default_factory=list)
    wait: float = 0.0
    active: int = 0
    most: int = 0

    async def send(self, call: ModelCall) -> ModelReply:
        self.calls.append(call)
        self.active += 1
        self.most = max(self.most, self.active)
        said = self.rule(call, len(self.calls))
        try:
            await asyncio.sleep(self.wait)
        finally:
            self.active -= 1
        if isinstance(said, CallFailed):
            raise said
        if isinstance(said, ModelReply):
            return said
        return ModelReply(said, "end_turn", json.dumps({"text": said}), Usage(100, 20, 0, 0), 0.01)

    async def close(self) -> None: ...


def price(model: str, usage: Usage) -> float | None:
    """One dollar for a thousand tokens, in or out."""
    return sum(x or 0 for x in (usage.input, usage.output, usage.cache_write)) / 1000


def outputs(n: int) -> list[NewOutput]:
    return [NewOutput(f"s{i}", f"output number {i}", input=f"task {i}") for i in range(n)]


@dataclass
class Bench:
    store: Store
    project: Project
    version: Version

    def setup(self, **changes: Any) -> JudgeSetup:
        options = changes.pop("options", JudgeOptions("m-1", max_tokens=200))
        instructions = changes.pop("instructions", DEFAULT_INSTRUCTIONS)
        return JudgeSetup(options, instructions, **{"retry": FAST, **changes})

    def create(self, budget: Budget | None = None, **changes: Any) -> Run:
        return create_judge_run(
            self.store, self.project.id, self.version, self.setup(**changes), budget=budget
        )

    def run(self, model: Scripted, run: Run | None = None, **more: Any) -> Run:
        run = run or self.create()
        return execute(self.store, run.id, lambda config, contract: model, price=price, **more)


@pytest.fixture
def bench(store: Store, project: Project) -> Bench:
    contract = fakes.written_out(fakes.contract("tone", "facts"))
    version = save_version(store, project.id, contract)
    add_outputs(store, project.id, outputs(12))
    return Bench(store, project, version)


def test_every_output_is_judged_once_and_every_call_is_in_the_ledger(bench: Bench) -> None:
    model = Scripted(lambda c, n: answer(c, "FAIL" if "number 3" in c.messages[0].text else "PASS"))
    done = bench.run(model)
    assert (done.state, done.error, done.total) == (RunState.DONE, "", 12)
    assert unscored_of(bench.store, done.id) == (12, {})
    money = spent(bench.store, done)
    assert (money.calls, money.maybe_billed, money.tokens_in, money.tokens_out) == (
        12,
        0,
        1200,
        240,
    )
    assert money.usd == pytest.approx(1.44)
    [judge] = judges(bench.store, bench.project.id)
    assert (judge.name, judge.kind, judge.outputs) == ("m-1", JudgeKind.MODEL, 12)
    results = load_results(bench.store, bench.project.id, bench.version, judge.id)
    assert Counter(results.judge["tone"].tolist()) == {1: 11, 0: 1}
    with bench.store.read() as c:
        raws = c.scalars(sa.select(t.judgement.c.raw)).all()
        bodies = c.scalars(sa.select(call_table.c.raw)).all()
    assert all(json.loads(raw)["c1"]["evidence"] == "read" for raw in raws)
    assert all(list(json.loads(body)) == ["text"] for body in bodies)


def test_the_same_judge_buys_nothing_twice(bench: Bench) -> None:
    bench.run(Scripted())
    again = Scripted()
    done = bench.run(again)
    assert again.calls == []
    assert (done.state, dict(done.reused)) == (RunState.DONE, {"scored": 12})
    assert spent(bench.store, done).usd == 0


def test_another_project_finds_the_reply_in_the_ledger(bench: Bench) -> None:
    bench.run(Scripted())
    other = bench.store.create_project("Other")
    version = save_version(bench.store, other.id, bench.version.contract)
    add_outputs(bench.store, other.id, outputs(13))
    model = Scripted()
    done = Bench(bench.store, other, version).run(
        model, Bench(bench.store, other, version).create()
    )
    assert len(model.calls) == 1
    assert (dict(done.reused), unscored_of(bench.store, done.id)) == ({"scored": 12}, (1, {}))
    judge = judges(bench.store, other.id)[0].id
    codes = load_results(bench.store, other.id, version, judge).judge["tone"]
    assert codes.tolist() == [1] * 13


@pytest.mark.parametrize("change", ["model", "instructions", "effort"])
def test_another_judge_is_another_judge(bench: Bench, change: str) -> None:
    bench.run(Scripted())
    changes: dict[str, Any] = {
        "model": {"options": JudgeOptions("m-2", max_tokens=200)},
        "instructions": {"instructions": Instructions("Be strict.")},
        "effort": {"options": JudgeOptions("m-1", max_tokens=200, effort="high")},
    }[change]
    model = Scripted(lambda c, n: answer(c, "FAIL"))
    bench.run(model, bench.create(**changes))
    assert len(model.calls) == 12
    first, second = judges(bench.store, bench.project.id)
    assert first.name != second.name

    def said(judge: int) -> set[int]:
        found = load_results(bench.store, bench.project.id, bench.version, judge)
        return set(found.judge["tone"].tolist())

    assert (said(first.id), said(second.id)) == ({1}, {0})


@pytest.mark.parametrize("change", ["input", "reference", "criterion", "output"])
def test_what_a_verdict_was_not_given_for_reads_as_out_of_date(bench: Bench, change: str) -> None:
    store, project = bench.store, bench.project
    bench.run(Scripted())
    judge = judges(store, project.id)[0].id
    before = NewOutput("s1", "output number 1", input="task 1")
    after = {
        "input": NewOutput("s1", "output number 1", input="another task"),
        "reference": NewOutput("s1", "output number 1", input="task 1", reference="r"),
        "output": NewOutput("s1", "another output", input="task 1"),
    }
    version = bench.version
    if change == "criterion":
        data = version.contract.to_data()
        data["criteria"][0]["question"] = "Is it otherwise?"
        version = save_version(store, project.id, Contract.from_data(data), based_on=1)
    else:
        add_outputs(store, project.id, [after[change]], replace_changed=True)
        # The other trials of a sample whose input changed keep their row: the input is what changed.
    results = load_results(store, project.id, version, judge)
    if change == "criterion":
        assert set(results.judge["tone"].tolist()) == {-1}
        assert results.stale_verdicts["tone"] == 12
    else:
        assert results.judge["tone"].tolist().count(-1) == 1
    model = Scripted(lambda c, n: answer(c, "FAIL"))
    bench.version = version
    bench.run(model, bench.create())
    # The reference is not shown to this judge, so its reply is the one that is paid for already.
    assert len(model.calls) == {"criterion": 12, "reference": 0}.get(change, 1)
    if change == "reference":
        return
    assert load_results(store, project.id, version, judge).judge["tone"].tolist().count(0) == len(
        model.calls
    )
    if change == "input":
        # What comes back finds its verdict again.
        add_outputs(store, project.id, [before], replace_changed=True)
        bench.run(again := Scripted())
        assert again.calls == []
        assert set(load_results(store, project.id, version, judge).judge["tone"].tolist()) == {1}


def test_a_trial_whose_sample_changed_beside_it_is_out_of_date(bench: Bench) -> None:
    store, project = bench.store, bench.project
    second = NewOutput("s1", "second draw", trial=2, input="task 1")
    add_outputs(store, project.id, [second])
    bench.run(Scripted())
    judge = judges(store, project.id)[0].id
    changed = NewOutput("s1", "output number 1", input="another task")
    add_outputs(store, project.id, [changed], replace_changed=True)
    results = load_results(store, project.id, bench.version, judge)
    assert results.judge["facts"].tolist().count(-1) == 2
    assert results.stale_verdicts["facts"] == 1


def test_a_wording_that_comes_back_finds_its_verdicts(bench: Bench) -> None:
    bench.run(Scripted())
    data = bench.version.contract.to_data()
    data["criteria"][0]["question"] = "Is it otherwise?"
    first = bench.version.contract
    store, project = bench.store, bench.project
    bench.version = save_version(store, project.id, Contract.from_data(data), based_on=1)
    bench.run(Scripted(lambda c, n: answer(c, "FAIL")))
    bench.version = save_version(store, project.id, first, based_on=2)
    model = Scripted()
    bench.run(model)
    judge = judges(store, project.id)[0].id
    results = load_results(store, project.id, bench.version, judge)
    assert (model.calls, set(results.judge["tone"].tolist())) == ([], {1})


def test_outputs_alike_share_one_reply(bench: Bench) -> None:
    same = [NewOutput("s1", "output number 1", trial=k, input="task 1") for k in (2, 3, 4)]
    add_outputs(bench.store, bench.project.id, same)
    model = Scripted(wait=0.01)
    done = bench.run(model)
    assert len(model.calls) == 12
    judge = judges(bench.store, bench.project.id)[0]
    assert judge.outputs == 15
    assert done.total == 15


def test_repeats_are_calls_and_judgements_of_their_own(bench: Bench) -> None:
    run = bench.create(repeats=3, concurrency=1)
    model = Scripted(lambda c, n: answer(c, "FAIL" if 13 <= n <= 18 else "PASS"))
    bench.run(model, run)
    assert len(model.calls) == 36
    judge = judges(bench.store, bench.project.id)[0].id
    found = repeats_of(bench.store, bench.project.id, judge, bench.version)
    assert len(found) == 12
    assert {tuple(said) for one in found.values() for said in one.values()} == {(1, 2, 3)}
    flips = sum(len({v.verdict for v in one["tone"].values()}) > 1 for one in found.values())
    assert flips == 6


# --- replies that are no judgement ---------------------------------------------------------------


def reply(text: str | None, stop: str = "end_turn") -> ModelReply:
    return ModelReply(text, stop, json.dumps([text]), Usage(10, 5))


@pytest.mark.parametrize(
    ("said", "reason", "calls"),
    [
        (reply("no", "refusal"), Unscored.REFUSED, 12),
        (reply(None, "refusal"), Unscored.REFUSED, 12),
        (reply('{"c1": {"evid', "max_tokens"), Unscored.TRUNCATED, 12),
        (reply("I think it is good."), Unscored.UNREADABLE, 24),
        (reply('{"criteria": {}, "passed": true}'), Unscored.UNREADABLE, 24),
        (reply('{"c1": {"evidence": "e", "verdict": "PASS"}}'), Unscored.UNREADABLE, 24),
        (reply(None), Unscored.EMPTY, 24),
        (reply("\x00\ud800 no"), Unscored.UNREADABLE, 24),
    ],
)
def test_unscored_replies_are_kept_and_counted_and_in_no_rate(
    bench: Bench, said: ModelReply, reason: Unscored, calls: int
) -> None:
    model = Scripted(lambda c, n: said)
    done = bench.run(model)
    assert (done.state, len(model.calls)) == (RunState.DONE, calls)
    assert unscored_of(bench.store, done.id) == (12, {reason.value: 12})
    judge = judges(bench.store, bench.project.id)[0].id
    results = load_results(bench.store, bench.project.id, bench.version, judge)
    assert {x for key in ("tone", "facts") for x in results.judge[key].tolist()} == {-1}
    with bench.store.read() as c:
        raws = set(c.scalars(sa.select(t.judgement.c.raw)).all())
        texts = set(c.scalars(sa.select(call_table.c.text)).all())
    assert raws == {said.raw if said.text is None else said.text}
    assert texts == {said.text}
    # A reply that was paid for is not bought again in the hope of a better one.
    bench.run(again := Scripted())
    assert again.calls == []


def test_a_reply_that_was_unreadable_once_is_asked_for_once_more(bench: Bench) -> None:
    model = Scripted(lambda c, n: "hm" if n == 1 else answer(c))
    done = bench.run(model)
    assert (len(model.calls), unscored_of(bench.store, done.id)) == (13, (12, {}))
    assert model.calls[0].hash in {c.hash for c in model.calls[1:]}


def test_one_call_each_asks_about_every_criterion_by_itself(bench: Bench) -> None:
    options = JudgeOptions("m-1", max_tokens=200, one_call_each=True)
    model = Scripted()
    done = bench.run(model, bench.create(options=options))
    assert (len(model.calls), unscored_of(bench.store, done.id)) == (24, (12, {}))
    with bench.store.read() as c:
        parts = Counter(c.scalars(sa.select(call_table.c.part)).all())
    assert parts == {"tone": 12, "facts": 12}


def test_the_judge_is_not_asked_where_code_has_failed_an_output(
    store: Store, project: Project
) -> None:
    data = fakes.written_out(fakes.contract("length", "tone")).to_data()
    data["criteria"][0] |= {
        "checked_by": "code", "check": {"kind": "max_words", "limit": 3},
        "pass_example": "a", "fail_example": "a b c d",
    }  # fmt: skip
    version = save_version(store, project.id, Contract.from_data(data))
    rows = [NewOutput("a", "one two three"), NewOutput("b", "one two three four")]
    add_outputs(store, project.id, rows)
    bench = Bench(store, project, version)
    model = Scripted()
    done = bench.run(model)
    assert (len(model.calls), unscored_of(store, done.id)) == (1, (2, {"skipped": 1}))
    judge = next(j.id for j in judges(store, project.id) if j.kind is JudgeKind.MODEL)
    results = load_results(store, project.id, version, judge)
    assert results.judge["length"].tolist() == [1, 0]
    assert results.judge["tone"].tolist() == [1, -1]
    assert results.judge["overall"].tolist() == [1, 0]
    # A calibration run skips nothing, and what nobody was asked about is not "judged already".
    bench.run(model, bench.create(calibration=True))
    assert len(model.calls) == 2
    assert load_results(store, project.id, version, judge).judge["tone"].tolist() == [1, 1]


# --- servers in trouble --------------------------------------------------------------------------


def failed(kind: FailureKind, **more: Any) -> CallFailed:
    return CallFailed(kind, "said no", **more)


def test_a_busy_server_is_asked_again_and_every_attempt_is_on_record(bench: Bench) -> None:
    busy = failed(FailureKind.RATE_LIMITED, status=429, retry_after=0.01)
    model = Scripted(lambda c, n: busy if n % 4 == 0 else answer(c))
    done = bench.run(model)
    assert done.state is RunState.DONE
    money = spent(bench.store, done)
    assert money.calls == len(model.calls) > 12
    assert (money.replies, money.tokens_in) == (12, 1200)


def test_a_server_that_wants_an_hour_pauses_the_run_at_once(bench: Bench) -> None:
    late = failed(FailureKind.RATE_LIMITED, status=429, retry_after=3600)
    model = Scripted(lambda c, n: late if n == 5 else answer(c))
    stopped = bench.run(model, bench.create(concurrency=1))
    assert stopped.state is RunState.PAUSED
    assert "3,600 s" in stopped.error
    assert unscored_of(bench.store, stopped.id) == (4, {})
    resume(bench.store, stopped.id)
    bench.run(rest := Scripted(), stopped)
    assert len(rest.calls) == 8


def test_one_output_that_never_gets_an_answer_is_an_error_and_may_be_asked_again(
    bench: Bench,
) -> None:
    """The rest of the run goes on, and a second run asks only for what is missing."""
    down = failed(FailureKind.OVERLOADED, status=529)
    model = Scripted(lambda c, n: down if "number 11" in c.messages[0].text else answer(c))
    done = bench.run(model)
    assert (done.state, len(model.calls)) == (RunState.DONE, 14)
    assert unscored_of(bench.store, done.id) == (12, {"error": 1})
    again = Scripted()
    second = bench.run(again)
    assert (len(again.calls), dict(second.reused)) == (1, {"scored": 11})
    assert unscored_of(bench.store, second.id) == (1, {})


@pytest.mark.parametrize(
    ("kind", "calls"),
    [(FailureKind.KEY, 1), (FailureKind.UNREACHABLE, 1), (FailureKind.REQUEST, 3)],
)
def test_a_run_that_cannot_work_stops_with_one_line(
    bench: Bench, kind: FailureKind, calls: int
) -> None:
    model = Scripted(lambda c, n: failed(kind))
    stopped = bench.run(model)
    assert stopped.state is RunState.FAILED
    # The next one may have left while the failure was being written down.
    assert len(model.calls) in (calls, calls + 1)
    assert kind.value in stopped.error
    assert "\n" not in stopped.error
    assert spent(bench.store, stopped).usd == 0


def test_a_first_connection_that_breaks_is_no_wrong_address(bench: Bench) -> None:
    broke = failed(FailureKind.UNREACHABLE, may_be_billed=True)
    done = bench.run(Scripted(lambda c, n: broke if n == 1 else answer(c)))
    assert (done.state, unscored_of(bench.store, done.id)) == (RunState.DONE, (12, {}))


def test_a_judge_that_has_answered_before_is_not_taken_for_a_wrong_one(bench: Bench) -> None:
    """All that is left are outputs the server will not take: they are errors, the run is done."""
    too_long = failed(FailureKind.REQUEST, status=413)
    refused = tuple(f"number {i}" for i in (3, 5, 7, 9))

    def server(call: ModelCall, n: int) -> str | CallFailed:
        said = call.messages[0].text
        return too_long if any(r in said for r in refused) else answer(call)

    for _ in range(2):
        done = bench.run(Scripted(server), bench.create(concurrency=1))
        assert (done.state, unscored_of(bench.store, done.id)[1]) == (RunState.DONE, {"error": 4})


def test_a_server_that_goes_down_pauses_the_run(bench: Bench) -> None:
    model = Scripted(lambda c, n: answer(c) if n == 1 else failed(FailureKind.UNREACHABLE))
    stopped = bench.run(model, bench.create(concurrency=1))
    assert stopped.state is RunState.PAUSED
    assert "10 outputs in a row" in stopped.error
    resume(bench.store, stopped.id)
    done = bench.run(rest := Scripted(), stopped)
    assert (done.state, len(rest.calls)) == (RunState.DONE, 11)
    assert unscored_of(bench.store, done.id) == (12, {})


# --- budgets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "calls"),
    [(Budget(calls=5), 5), (Budget(tokens=12_000), None), (Budget(usd=12.0), None)],
)
def test_a_hard_budget_is_never_passed_however_many_calls_are_in_the_air(
    bench: Bench, budget: Budget, calls: int | None
) -> None:
    add_outputs(bench.store, bench.project.id, [NewOutput(f"x{i}", f"x {i}") for i in range(200)])
    seen: list[float] = []

    def watch(call: ModelCall, n: int) -> str:
        with bench.store.read() as c:
            t_ = call_table.c
            tokens, usd = c.execute(
                sa.select(
                    sa.func.sum(sa.func.coalesce(t_.tokens_in + t_.tokens_out, t_.reserved_tokens)),
                    sa.func.sum(sa.func.coalesce(t_.usd, t_.reserved_usd)),
                )
            ).one()
        seen.append(tokens if budget.tokens else usd if budget.usd else n)
        return answer(call)

    model = Scripted(watch, wait=0.002)
    stopped = bench.run(model, bench.create(budget, concurrency=64))
    assert stopped.state is RunState.PAUSED
    assert "budget" in stopped.error
    assert max(seen) <= (budget.tokens or budget.usd or budget.calls or 0)
    if calls is not None:
        assert len(model.calls) == calls
    else:
        assert 20 < len(model.calls) < 212
    resume(bench.store, stopped.id, Budget())
    assert bench.run(Scripted(), stopped).state is RunState.DONE


# --- stopping and going on -------------------------------------------------------------------------


def test_pause_and_cancel_are_seen_before_the_next_call(bench: Bench) -> None:
    run = bench.create(concurrency=1)

    def wish(call: ModelCall, n: int) -> str:
        if n == 3:
            ask(bench.store, run.id, Wish.PAUSE)
        return answer(call)

    model = Scripted(wish)
    paused = bench.run(model, run)
    assert (paused.state, len(model.calls), paused.error) == (RunState.PAUSED, 3, "")
    assert claim_next(bench.store, "w") is None
    resume(bench.store, run.id)
    model.rule = lambda c, n: (ask(bench.store, run.id, Wish.CANCEL), answer(c))[1]
    cancelled = bench.run(model, run)
    assert (cancelled.state, len(model.calls)) == (RunState.CANCELLED, 4)
    assert spent(bench.store, cancelled).maybe_billed == 0


def test_a_stop_lets_calls_in_the_air_come_back(bench: Bench) -> None:
    stop = threading.Event()

    def rule(call: ModelCall, n: int) -> str:
        if n == 4:
            stop.set()
        return answer(call)

    model = Scripted(rule, wait=0.3)
    run = bench.create(concurrency=3)
    stopped = bench.run(model, run, stop=stop)
    assert stopped.state is RunState.WAITING
    money = spent(bench.store, stopped)
    assert (money.calls, money.maybe_billed) == (len(model.calls), 0)
    assert 4 <= money.calls < 12
    rest = Scripted()
    done = bench.run(rest, run)
    assert len(model.calls) + len(rest.calls) == 12
    assert (done.state, done.seconds > 0.3) == (RunState.DONE, True)


def test_a_stop_from_the_keyboard_waits_for_the_person(bench: Bench) -> None:
    stop = threading.Event()
    stop.set()
    stopped = bench.run(Scripted(), stop=stop, keyboard=True)
    assert stopped.state is RunState.PAUSED
    assert claim_next(bench.store, "app") is None
    taken = claim_next(bench.store, "worker", interrupted=True)
    assert taken is not None
    assert taken.id == stopped.id


def test_a_run_taken_over_writes_no_further_call(bench: Bench) -> None:
    """The first process thinks it has the run; the second has taken it after a silence."""
    run = bench.create(concurrency=1)

    def rule(call: ModelCall, n: int) -> str:
        if n == 3:
            assert claim(bench.store, run.id, "other", silence=-1) is not None
        return answer(call)

    model = Scripted(rule)
    left = bench.run(model, run)
    assert (left.state, left.claimed_by, len(model.calls)) == (RunState.RUNNING, "other", 3)
    rest = Scripted()
    done = bench.run(rest, run, who="other")
    # The third answer came late and is kept all the same: it is not bought again.
    assert (done.state, len(rest.calls)) == (RunState.DONE, 9)


def test_intents_without_a_reply_read_as_maybe_billed(bench: Bench) -> None:
    run = bench.create(concurrency=4)

    class Broken(Scripted):
        async def send(self, call: ModelCall) -> ModelReply:
            if len(self.calls) == 5:
                raise KeyboardInterrupt
            return await super().send(call)

    with pytest.raises(KeyboardInterrupt):
        bench.run(Broken(wait=0.05), run)
    left = load_run(bench.store, run.id)
    money = spent(bench.store, left)
    assert left.state is RunState.WAITING
    assert money.maybe_billed >= 1
    assert money.reserved_tokens > 0
    done = bench.run(Scripted(), run)
    assert done.state is RunState.DONE
    assert spent(bench.store, done).maybe_billed == money.maybe_billed


def test_eight_threads_claim_forty_runs_and_none_twice(bench: Bench) -> None:
    made = {bench.create().id for _ in range(40)}
    taken: list[int] = []

    def work(name: str) -> None:
        while (run := claim_next(bench.store, name)) is not None:
            taken.append(run.id)

    threads = [threading.Thread(target=work, args=(f"w{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(made)
    with pytest.raises(BenchError, match="running"):
        bench.run(Scripted(), load_run(bench.store, taken[0]))


def test_a_crowd_that_is_refused_halves_itself(bench: Bench) -> None:
    add_outputs(bench.store, bench.project.id, [NewOutput(f"x{i}", f"x {i}") for i in range(60)])
    model = Scripted(wait=0.01)

    def rule(call: ModelCall, n: int) -> str | CallFailed:
        if model.active > 6:
            return failed(FailureKind.OVERLOADED, status=529, retry_after=0.0)
        return answer(call)

    model.rule = rule
    done = bench.run(model, bench.create(concurrency=16, retry=RetryRule(9, 1.0, 0.02)))
    assert (done.state, unscored_of(bench.store, done.id)) == (RunState.DONE, (72, {}))
    assert model.calls[0].hash != model.calls[1].hash


def test_what_cannot_be_judged_is_refused_before_anything_is_stored(bench: Bench) -> None:
    with pytest.raises(InputError, match="repeats"):
        bench.create(repeats=0)
    with pytest.raises(InputError, match="none to judge"):
        create_judge_run(bench.store, bench.project.id, bench.version, bench.setup(), outputs=[])


def test_a_run_asks_under_the_hash_the_prompt_has(bench: Bench) -> None:
    """The run works out what is alike once; the hash is the prompt's own all the same."""
    bench.run(model := Scripted())
    [request] = requests_for(
        bench.version.contract, bench.setup().options, "task 3", "output number 3", None
    )
    wanted = request_hash(request, bench.setup().options, DEFAULT_INSTRUCTIONS)
    with bench.store.read() as c:
        hashes = c.scalars(sa.select(call_table.c.request_hash)).all()
    assert hashes.count(wanted) == 1
    nonce = exact_hash(runs_of(bench.store, bench.project.id)[0].seed, wanted)
    whole = build_call(request, bench.setup().options, DEFAULT_INSTRUCTIONS, nonce)
    assert whole in model.calls
    assert len({call.hash for call in model.calls}) == 12


def test_a_setup_comes_back_from_its_row(bench: Bench) -> None:
    shot = Shot("i", "o", None, (("tone", passed("e")),))
    options = JudgeOptions("m-1", effort="low", examples=(shot,))
    setup = bench.setup(options=options, repeats=2, base_url="http://localhost:1", older=True)
    assert JudgeSetup.from_data(json.loads(json.dumps(setup.to_data()))) == setup


def test_what_a_judge_said_of_another_wording_is_not_shown(bench: Bench) -> None:
    bench.run(Scripted())
    store, project = bench.store, bench.project
    judge = judges(store, project.id)[0].id
    output = current_ids(store, project.id)[0]
    shown = load_case(store, project.id, output, [judge], bench.version)
    assert shown is not None
    assert set(shown.verdicts) == {"tone", "facts"}
    data = bench.version.contract.to_data()
    data["criteria"][0]["question"] = "Is it otherwise?"
    version = save_version(store, project.id, Contract.from_data(data), based_on=1)
    shown = load_case(store, project.id, output, [judge], version)
    assert shown is not None
    assert set(shown.verdicts) == {"facts"}
