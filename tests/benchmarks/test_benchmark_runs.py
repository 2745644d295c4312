"""What durability costs: runs of judges and of loops beside bare ones over the SDK, as ratios.

The server is a process of its own that answers at once, so that what is left is the client's work.
All three build the same calls and read the same replies, 64 in the air; the bare loops keep nothing.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
TURNS = 4
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

    def over(self, rounds: int) -> Took:
        """Return the seconds of one round."""
        return Took(self.wall / rounds, self.cpu / rounds)


@contextmanager
def taking(found: list[Took]) -> Iterator[None]:
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
    return found[0]


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
    return found[0]


def test_a_durable_run_beside_bare_loops(
    url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    store = open_store(tmp_path)
    took: dict[str, list[Took]] = {"durable": [], "default client": [], "aiohttp client": []}
    bare_took(url, "warm", aiohttp=True)
    for turn in range(TURNS):
        took["durable"].append(durable_took(url, store, f"durable {turn}"))
        took["default client"].append(bare_took(url, f"default {turn}", aiohttp=False))
        took["aiohttp client"].append(bare_took(url, f"aiohttp {turn}", aiohttp=True))
    store.close()
    wall = {name: min(t.wall for t in times) for name, times in took.items()}
    cpu = {name: min(t.cpu for t in times) for name, times in took.items()}
    to_default = cpu["durable"] / cpu["default client"]
    to_aiohttp = cpu["durable"] / cpu["aiohttp client"]
    record_property(
        "summary",
        f"{ROUNDS} judgements: durable {cpu['durable']:.2f} s of processor, {to_default:.2f} × the "
        f"SDK's default client, {to_aiohttp:.2f} × aiohttp; by the clock {wall['durable']:.2f} s, "
        f"{wall['durable'] / wall['default client']:.2f} × and "
        f"{wall['durable'] / wall['aiohttp client']:.2f} ×",
    )
    # The processor's time is what the client adds; the clock also counts who else is at work here.
    assert to_default <= 1.15
    assert to_aiohttp <= 1.35
    assert wall["durable"] / wall["aiohttp client"] <= 1.6


LOOP = fakes.written_out(fakes.contract("tone", "facts", "refund", cap=2, window=2))
WRITER = GeneratorOptions("m-1")


async def bare_loops(client: Any, tag: str) -> int:
    """Walk loops with nothing around the SDK; returns the rounds."""
    left = iter(range(ROUNDS // 2))
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

    async def go() -> int:
        client: Any = AnthropicModel(ServerSettings("key", url))
        if not aiohttp:
            client = anthropic.AsyncAnthropic(api_key="key", base_url=url, max_retries=0)
        with taking(found):
            return await bare_loops(client, tag)

    rounds = asyncio.run(go())
    return found[0].over(rounds)


def loops_durable(url: str, store: Store, tag: str) -> Took:
    project = store.create_project(f"Loops {tag}")
    version = save_version(store, project.id, LOOP)
    new = [NewSample(f"s{i}", f"{tag} {i}") for i in range(ROUNDS // 2)]
    put_samples(store, project.id, new)
    setup = LoopSetup(WRITER, OPTIONS, arms=Arms.RETRY, concurrency=AT_ONCE, spot_checks=0,
                      queue_flagged=False)  # fmt: skip
    run = create_loop_run(store, project.id, version, setup)
    found: list[Took] = []
    with taking(found):
        done = execute(store, run.id, lambda c, k: AnthropicModel(ServerSettings("key", url)))
    assert done.state is RunState.DONE
    return found[0].over(len(run_rounds(store, run.id)))


def test_a_durable_loop_beside_bare_ones(
    url: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Seconds a round: every draft and verdict in the ledger, every trace stored and summed up."""
    store = open_store(tmp_path)
    took: dict[str, list[Took]] = {"durable": [], "default client": [], "aiohttp client": []}
    loops_bare(url, "warm", aiohttp=True)
    for turn in range(3):
        took["durable"].append(loops_durable(url, store, f"durable {turn}"))
        took["default client"].append(loops_bare(url, f"default {turn}", aiohttp=False))
        took["aiohttp client"].append(loops_bare(url, f"aiohttp {turn}", aiohttp=True))
    store.close()
    wall = {name: min(t.wall for t in times) for name, times in took.items()}
    cpu = {name: min(t.cpu for t in times) for name, times in took.items()}
    to_default = cpu["durable"] / cpu["default client"]
    to_aiohttp = cpu["durable"] / cpu["aiohttp client"]
    record_property(
        "summary",
        f"loops, 1,000 rounds: durable {cpu['durable'] * 1000:.2f} s of processor, "
        f"{to_default:.2f} × the SDK's default client, {to_aiohttp:.2f} × aiohttp; by the clock "
        f"{wall['durable'] * 1000:.2f} s, {wall['durable'] / wall['default client']:.2f} × and "
        f"{wall['durable'] / wall['aiohttp client']:.2f} ×",
    )
    assert to_default <= 1.15
    assert to_aiohttp <= 1.35
    assert wall["durable"] / wall["aiohttp client"] <= 1.6
