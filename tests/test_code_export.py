"""Exported code makes the calls of the engine and ends as the engine does."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import anthropic
import pytest

from core.contract.contract import Contract
from core.files.code_export.export import TARGETS, export_code
from core.judging.calls import CallFailed
from core.judging.prompt import JudgeOptions
from core.loop.engine import Walk
from core.loop.generator import GeneratorOptions
from core.loop.plan import Answer, Ask, Plan, Replied, Task
from core.loop.stop import Arm
from core.providers.anthropic import AnthropicModel
from core.providers.settings import ServerSettings
from tests.server import ModelServer, failure, message
from tests.server import Answer as Served

NASTY = 'say "hi" \\ {brace} \'\'\' """ é 漢 \u202e \ud800\nnext line\x00 @FIX@ @KEEP@'
MIXED: dict[str, Any] = {
    "title": "Refund reply",
    "task": "Write a reply.\n" + NASTY,
    "criteria": [
        {
            "key": "length",
            "question": "At most 6 words?",
            "checked_by": "code",
            "check": {"kind": "max_words", "limit": 6},
        },
        {"key": "t'on\"e", "question": "Kind?\n" + NASTY, "pass_example": "Sorry! " + NASTY},
        {"key": "when", "fail_example": "Soon."},
    ],
    "stop": {"cap": 4, "window": 2, "on_failure": "support lead"},
}
LONG = "one two three four five six seven"


def load(text: str, name: str, folder: Path) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def asked(server: ModelServer) -> list[Any]:
    """What was sent since the last time, random marks aside."""
    made = [
        (
            request.said,
            request.body["model"],
            request.body["max_tokens"],
            json.dumps(request.body.get("output_config")),
        )
        for request in server.requests
    ]
    server.requests.clear()
    return made


async def _walked(walk: Walk, url: str) -> None:
    model = AnthropicModel(ServerSettings(base_url=url, api_key="k"))
    steps = walk.steps()
    answer: Answer | None = None
    try:
        need = next(steps)
        while True:
            assert isinstance(need, Ask)
            try:
                answer = Replied(await model.send(need.call))
            except CallFailed as failed:
                answer = failed
            need = steps.send(answer)
    except StopIteration:
        pass
    finally:
        await model.close()


def by_engine(
    contract: Contract, module: ModuleType, server: ModelServer, reference: str | None
) -> Walk:
    judge = JudgeOptions(
        getattr(module, "JUDGE_MODEL", "none"), receives_reference=contract.receives_reference
    )
    plan = Plan(contract, GeneratorOptions(module.WRITER_MODEL), judge)
    walk = Walk(plan, Task("the input", reference), Arm.LOOP, secret="s")
    asyncio.run(_walked(walk, server.url))
    return walk


def by_export(module: ModuleType, url: str, reference: str | None = None, **more: Any) -> Any:
    client = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)
    if reference is not None:
        more["reference"] = reference
    return module.refine("the input", client=client, **more)


def says(**words: str) -> Served:
    """A judge's reply: c1 and c2 with these verdicts."""
    return message(
        json.dumps({
            name: {"evidence": f"about {name}\nmore", "verdict": word, "change": "mend it"}
            for name, word in words.items()
        })
    )  # fmt: skip


GOOD = says(c1="PASS", c2="PASS")
HALF = says(c1="PASS", c2="FAIL")
BAD = says(c1="UNKNOWN", c2="FAIL")
SCRIPTS: dict[str, list[Served]] = {
    "pass at round 2": [message("Draft one."), HALF, message("Draft two."), GOOD],
    "cap": [
        message("Draft one."), BAD, message("Draft two."), HALF, message("Draft three."), HALF,
        message(LONG),
    ],
    "plateau": [message("Draft one."), HALF, message(LONG), message("Draft three."), BAD],
    "code fails, the judge is not asked": [message(LONG), message("Draft two."), GOOD],
    "cycle": [message("Draft one."), BAD, message("Draft two."), HALF, message("Draft one.  ")],
    "no change": [message("Draft one."), HALF, message("Draft one.")],
    "writer refuses": [message("Draft one."), HALF, message(stop_reason="refusal")],
    "writer cut off": [message("Draft", stop_reason="max_tokens")],
    "writer silent once": [message(" \u200b"), message("Draft one."), GOOD],
    "writer silent": [message(), message()],
    "writer paused": [message("D", stop_reason="pause_turn"), message("Draft one."), GOOD],
    "writer unreachable": [message("Draft one."), HALF, failure(400, "invalid_request_error")],
    "judge refuses": [message("Draft one."), message(stop_reason="refusal")],
    "judge cut off": [message("Draft one."), message('{"c1":', stop_reason="max_tokens")],
    "judge's window ended": [
        message("Draft one."), message("{", stop_reason="model_context_window_exceeded"),
    ],
    "verdict cut in the middle": [message("Draft one."), message('{"c1": {"ev'), message('{"c1"')],
    "criterion missing": [message("Draft one."), says(c1="PASS"), says(c1="PASS")],
    "criterion missing once": [message("Draft one."), says(c1="PASS"), GOOD],
    "criterion nobody asked about": [message("Draft one."), says(c1="PASS", c2="PASS", c9="FAIL")],
    "no verdict": [message("Draft one."), says(c1="PASS", c2="7/10"), says(c1="PASS", c2="0")],
    "prose": [message("Draft one."), message("All is well: PASS"), message("PASS")],
    "overall verdict": [message("Draft one."), message('{"passed": true}'), message("{}")],
    "in a fence": [message("Draft one."), message('```json\n{"c1": "met", "c2": true,}\n```')],
    "judge unreachable": [message("Draft one."), failure(401, "authentication_error")],
}  # fmt: skip


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, ModuleType]:
    folder = tmp_path_factory.mktemp("exported")
    contract = Contract.from_data(MIXED)
    return {to: load(export_code(contract, to).text, f"mixed_{to}", folder) for to in TARGETS}


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_calls_exit_draft_and_rounds_are_the_engines(
    name: str, to: str, server: ModelServer, modules: Mapping[str, ModuleType]
) -> None:
    compare(Contract.from_data(MIXED), modules[to], server, SCRIPTS[name])


def compare(
    contract: Contract,
    module: ModuleType,
    server: ModelServer,
    script: Sequence[Served],
    reference: str | None = None,
) -> Any:
    server.enqueue(*script)
    walk = by_engine(contract, module, server, reference)
    expected_calls = asked(server)
    assert len(expected_calls) == len(script)  # the script is what the engine asks for
    server.enqueue(*script)
    ended = by_export(module, server.url, reference)
    assert asked(server) == expected_calls
    state = walk.state
    assert state.exit is not None
    assert ended.exit.value == state.exit.value
    assert ended.draft == (state.draft.draft if state.draft is not None else None)
    assert ended.accepted is state.accepted
    scored = [r for r in state.rounds if r.score is not None]
    assert [r.draft for r in ended.rounds] == [r.draft for r in scored]
    assert [r.score for r in ended.rounds] == [r.score for r in scored]
    assert [r.reused for r in ended.rounds] == [r.reused for r in scored]
    unread = [r.draft for r in state.rounds if r.error and r.draft is not None]
    assert [ended.unread] * (ended.unread is not None) == unread
    if state.exit.value == "EVALUATOR_ERROR" and walk.lost is None:
        assert str(ended.error) == state.rounds[-1].error
    return ended
