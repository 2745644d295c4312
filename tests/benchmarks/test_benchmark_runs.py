"""What durability costs: runs of judges and of loops beside bare ones over the SDK, as ratios.

The server is a process of its own that answers at once, so that what is left is the client's work.
All three build the same calls and read the same replies, 64 in the air; the bare loops keep nothing.
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.judging.prompt import (
    DEFAULT_INSTRUCTIONS,
    JudgeOptions,
    build_call,
    new_nonce,
    requests_for,
)
from core.judging.reply import read_reply
from core.loop.engine import Walk
from core.loop.generator import GeneratorOptions
from core.loop.plan import Plan, Replied, Task
from core.loop.stop import Arm
from core.providers.anthropic import AnthropicModel, _parameters
from core.providers.body import reply_from_body
from core.providers.settings import ServerSettings
from core.runs.calls import RetryRule
from core.runs.execution import execute
from core.runs.judging import create_judge_run
from core.runs.loop_setup import Arms, LoopSetup
from core.runs.loops import create_loop_run
from core.runs.setup import JudgeSetup
from core.store.contracts import save_version
from core.store.outputs import NewOutput, add_outputs
from core.store.paths import run_rounds
from core.store.runs import RunState
from core.store.samples import NewSample, put_samples
from core.store.store import Store, open_store
from tests import fakes

ROUNDS = 1000
TURNS = 2
MOST_TURNS = 7
LOOPS = 150
AT_ONCE = 64
CONTRACT = fakes.written_out(fakes.contract("tone", "facts", "refund"))
OPTIONS = JudgeOptions("m-1")
TEXT = "Sorry for the delay. We will refund your order of 1,200.50 euros within five days. "


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a model server in a process of its own."""
    server = Path(__file__).parents[1] / "server.py"
    process = subprocess.Popen(
        [sys.executable, str(server)], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(10)


async def bare(url: str, client: Any, tag: str) -> None:
    """Judge `ROUNDS` outputs with nothing around the SDK."""
    left = iter(range(ROUNDS))

    async def worker() -> None:
        for i in left:
            text = f"{TEXT * 3}{tag} {i}"
            [request] = requests_for(CONTRACT, OPTIONS, f"task {i}", text, None)
            call = build_call(request, OPTIONS, DEFAULT_INSTRUCTIONS, new_nonce())
            if isinstance(client, AnthropicModel):
                reply = await client.send(call)
                assert read_reply(reply, request.criteria, text).unscored is None
            else:
                message = await client.messages.create(**_parameters(call, schema=True))
                assert message.content[0].text

    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    await client.close()


@dataclass(frozen=True)
class Took:
    """Seconds of one run: by the clock, and of this process's share of the processors."""

    wall: float
    cpu: float

    def each(self, count: int) -> Took:
        """Return the seconds of a thousand of `count` alike."""
        return Took(self.wall / count * 1000, self.cpu / count * 1000)


@contextmanager
def taking(found: list[Took]) -> Iterator[None]:
    # What was there before is nobody's work: no collection of garbage walks it in what is timed.
    gc.collect()
    gc.freeze()
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    found.append(Took(time.perf_counter() - wall, time.process_time() - cpu))


def bare_took(url: str, tag: str, *, aiohttp: bool) -> Took:
    import anthropic

    found: list[Took] = []

    async def go() -> None:
        client: Any = AnthropicModel(ServerSettings("key", url))
        if not aiohttp:
            client = anthropic.AsyncAnthropic(api_key="key", base_url=url, max_retries=0)
        with taking(found):
            await bare(url, client, tag)

    asyncio.run(go())
    return found[0].each(ROUNDS)


def durable_took(url: str, store: Store, tag: str) -> Took:
    project = store.create_project(f"Benchmark {tag}")
    version = save_version(store, project.id, CONTRACT)
    add_outputs(
        store,
        project.id,
        [NewOutput(f"s{i}", f"{TEXT * 3}{tag} {i}", input=f"task {i}") for i in range(ROUNDS)],
    )
    setup = JudgeSetup(OPTIONS, DEFAULT_INSTRUCTIONS, concurrency=AT_ONCE, retry=RetryRule())
    run = create_judge_run(store, project.id, version, setup)

    def factory(config: object, contract: object) -> AnthropicModel:
        return AnthropicModel(ServerSettings("key", url))

    found: list[Took] = []
    with taking(found):
        done = execute(store, run.id, factory)
    assert done.state is RunState.DONE
    return found[0].each(ROUNDS)


def beside_bare(durable: Callable[[str], Took], bare: Callable[..., Took]) -> str:
    """Assert that the durable way costs little more than two bare ones; returns the figures.

    The processor's time is what the client adds; the clock also counts who else is at work here.
    """
    ways = (durable, partial(bare, aiohttp=False), partial(bare, aiohttp=True))
    for way in ways:
        way("warm")
    # One of each in turn, the best of each kept, which comes nearer to what each costs with every
    # turn: more of them where the machine was slow for one of the three.
    turns: list[list[Took]] = []
    while len(turns) < MOST_TURNS:
        turns.append([way(f"turn {len(turns)}") for way in ways])
        took = list(zip(*turns, strict=True))
        wall = [min(t.wall for t in times) for times in took]
        cpu = [min(t.cpu for t in times) for times in took]
        if len(turns) >= TURNS and cpu[0] <= 1.25 * cpu[2] and wall[0] <= 1.45 * wall[2]:
            break
    assert cpu[0] <= 1.15 * cpu[1]
    assert cpu[0] <= 1.35 * cpu[2]
    assert wall[0] <= 1.6 * wall[2]
    return (
        f"durable {cpu[0]:.2f} s of processor, {cpu[0] / cpu[1]:.2f} × the SDK's default client, "
        f"{cpu[0] / cpu[2]:.2f} × aiohttp; by the clock {wall[0]:.2f} s, {wall[0] / wall[1]:.2f} × "
        f"and {wall[0] / wall[2]:.2f} ×"
    )


def test_a_durable_run_beside_bare_loops(
    url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    store = open_store(tmp_path)

    found = beside_bare(partial(durable_took, url, store), partial(bare_took, url))
    record_property("summary", f"a thousand judgements: {found}")
    store.close()


LOOP = fakes.written_out(fakes.contract("tone", "facts", "refund", cap=2, window=2))
WRITER = GeneratorOptions("m-1")


async def bare_loops(client: Any, tag: str) -> int:
    """Walk loops with nothing around the SDK; returns the rounds."""
    left = iter(range(LOOPS))
    rounds = 0

    async def worker() -> None:
        nonlocal rounds
        for i in left:
            walk = Walk(Plan(LOOP, WRITER, OPTIONS), Task(f"{tag} {i}"), Arm.RETRY, secret=tag)
            steps = walk.steps()
            need: Any = next(steps, None)
            while need is not None:
                if isinstance(client, AnthropicModel):
                    reply = await client.send(need.call)
                else:
                    with_schema = need.call.schema is not None
                    sent = _parameters(need.call, schema=with_schema)
                    message = await client.messages.create(**sent)
                    reply = reply_from_body(message.model_dump_json())
                try:
                    need = steps.send(Replied(reply))
                except StopIteration:
                    break
            rounds += len(walk.state.rounds)

    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    await client.close()
    return rounds


def loops_bare(url: str, tag: str, *, aiohttp: bool) -> Took:
    import anthropic

    found: list[Took] = []

    async def go() -> None:
        client: Any = AnthropicModel(ServerSettings("key", url))
        if not aiohttp:
            client = anthropic.AsyncAnthropic(api_key="key", base_url=url, max_retries=0)
        with taking(found):
            rounds.append(await bare_loops(client, tag))

    rounds: list[int] = []
    asyncio.run(go())
    return found[0].each(rounds[0])


def loops_durable(url: str, store: Store, tag: str) -> Took:
    project = store.create_project(f"Loops {tag}")
    version = save_version(store, project.id, LOOP)
    new = [NewSample(f"s{i}", f"{tag} {i}") for i in range(LOOPS)]
    put_samples(store, project.id, new)
    setup = LoopSetup(WRITER, OPTIONS, arms=Arms.RETRY, concurrency=AT_ONCE, spot_checks=0,
                      queue_flagged=False)  # fmt: skip
    run = create_loop_run(store, project.id, version, setup)
    found: list[Took] = []
    with taking(found):
        done = execute(store, run.id, lambda c, k: AnthropicModel(ServerSettings("key", url)))
    assert done.state is RunState.DONE
    return found[0].each(len(run_rounds(store, run.id)))


def test_a_durable_loop_beside_bare_ones(
    url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Every draft and verdict in the ledger, every trace stored; one round or two, two calls each."""
    store = open_store(tmp_path)

    found = beside_bare(partial(loops_durable, url, store), partial(loops_bare, url))
    record_property("summary", f"loops, a thousand rounds: {found}")
    store.close()
