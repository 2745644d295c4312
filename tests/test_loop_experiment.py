"""Both arms against a server whose model has known rates: what is measured contains them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.contract.contract import Contract
from core.loop.generator import GeneratorOptions
from core.loop.measured import drafts_of
from core.loop.stop import Arm
from core.providers.anthropic import AnthropicModel
from core.providers.settings import ServerSettings
from core.runs.execution import execute
from core.runs.loop_setup import Arms, LoopSetup
from core.runs.loops import create_loop_run
from core.statistics.arms import measure
from core.statistics.attempts import Attempts, correlated_pass_at, next_after_failures
from core.statistics.interval import Estimate, Result
from core.store.contracts import save_version
from core.store.runs import RunState
from core.store.samples import NewSample, put_samples
from core.store.store import open_store
from core.store.traces import each_trace
from tests.server import Answer, ModelServer, Request, failure, message

P, R, RHO = 0.4, 0.3, 0.25
TASKS, DRAWS, CAP = 150, 4, 3
CHECK = {"kind": "contains", "text": "good"}
CONTRACT = Contract.from_data(
    {
        "task": "Write a reply.",
        "criteria": [
            {"key": "good", "question": "Is it good?", "checked_by": "code", "check": CHECK,
             "pass_example": "a good one", "fail_example": "a poor one"},
        ],
        "stop": {"cap": CAP, "window": CAP},
    }
)  # fmt: skip


class Flaky(ModelServer):
    """Tasks differ in difficulty as ρ says; a revision mends a bad draft with chance r; 2 % busy."""

    def __init__(self) -> None:
        super().__init__(keep=False)
        self.asked: Counter[str] = Counter()

    def answer(self, request: Request) -> Answer:
        if request.method != "POST":
            return super().answer(request)
        self.count += 1
        if self.count % 50 == 0:
            return failure(529, "overloaded_error", retry_after="0")
        body: Any = request.body
        text = body["messages"][0]["content"]
        text = text if isinstance(text, str) else text[0]["text"]
        task = text.partition("# Input\n")[2].partition("\n")[0]
        self.asked[text] += 1
        lot = random.Random(f"{text} {self.asked[text]}")
        chance = R
        if "# Your last draft" not in text:
            a, b = P * (1 - RHO) / RHO, (1 - P) * (1 - RHO) / RHO
            chance = random.Random(f"difficulty of {task}").betavariate(a, b)
        word = "good" if lot.random() < chance else "poor"
        return message(f"a {word} one, {lot.getrandbits(48):x}")


def holds(result: Result, truth: float) -> bool:
    assert isinstance(result, Estimate), result
    return result.low <= truth <= result.high


@pytest.mark.soak
def test_what_two_arms_measure_contains_the_rates_the_model_was_given(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    project = store.create_project("Experiment")
    version = save_version(store, project.id, CONTRACT)
    put_samples(store, project.id, [NewSample(f"{i:03}", f"task {i}") for i in range(TASKS)])
    setup = LoopSetup(
        GeneratorOptions("m-1"), arms=Arms.BOTH, draws=DRAWS, concurrency=32, spot_checks=10
    )
    with Flaky() as server:
        run = create_loop_run(store, project.id, version, setup)
        done = execute(
            store, run.id, lambda config, of: AnthropicModel(ServerSettings("key", server.url))
        )
    assert (done.state, done.error) == (RunState.DONE, "")
    traces = list(each_trace(store, project.id))
    store.close()
    assert len(traces) == TASKS * DRAWS * 2
    found = measure(drafts_of(traces).drafts)
    # Each interval contains the truth, and is narrow enough to tell it from what it would be if
    # revising were trying again, or all tasks were equally hard.
    assert holds(found.p1, P) and not holds(found.p1, R)
    assert holds(found.repair_rate[2], R) and not holds(found.repair_rate[2], P)
    assert holds(found.repair_rate[3], R) and not holds(found.repair_rate[3], P)
    assert holds(found.rescue_share, 1 - (1 - R) ** 2)
    assert not holds(found.rescue_share, 1 - (1 - P) ** 2)
    assert holds(found.fresh_rate, next_after_failures(P, RHO, 1))
    assert not holds(found.fresh_rate, P)
    fresh = (correlated_pass_at(P, RHO, CAP) - P) / (1 - P)
    assert holds(found.fresh_share, fresh) and not holds(found.fresh_share, 1 - (1 - P) ** 2)
    firsts = [t for t in traces if t.arm is Arm.LOOP]
    good = Counter(t.sample_id for t in firsts if "good" in (t.rounds[0].draft or ""))
    draws = Counter(t.sample_id for t in firsts)
    attempts = Attempts.of([draws[s] for s in draws], [good[s] for s in draws])
    assert holds(attempts.correlation, RHO) and not holds(attempts.correlation, 0)
