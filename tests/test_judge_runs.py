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
from core.judging.prompt import DEFAULT_INSTRUCTIONS, Instructions, JudgeOptions
from core.runs.calls import RetryRule
from core.runs.execution import execute
from core.runs.judging import JudgeSetup, JudgeWork, create_judge_run
from core.store import tables as t
from core.store.contracts import Version, save_version
from core.store.judged import repeats_of, unscored_of
from core.store.judgements import JudgeKind, judges
from core.store.ledger import spent
from core.store.outputs import NewOutput, add_outputs, current_ids
from core.store.results import load_results
from core.store.runs import Run, RunState, Wish, ask, claim, claim_next, load_run, resume
from core.store.store import Project, Store
from core.store.tables_runs import call as call_table
from core.verdict import Unscored
from tests import fakes

FAST = RetryRule(attempts=3, longest_wait=1.0, first_wait=0.001)


def answer(call: ModelCall, word: str = "PASS") -> str:
    """A sound reply to any judge's call."""
    assert call.schema is not None
    said = {"evidence": "read", "verdict": word, "change": "" if word == "PASS" else "mend it"}
    return json.dumps({name: said for name in call.schema["properties"]})


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
        return execute(self.store, run.id, JudgeWork, lambda config: model, price, **more)


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
    assert (money.calls, money.maybe_billed, money.tokens_in, money.tokens_out) == (12, 0, 1200, 240)
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
