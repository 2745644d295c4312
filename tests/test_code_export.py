"""Exported code makes the calls of the engine and ends as the engine does."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import anthropic
import pytest

from core.contract.contract import Contract
from core.files.code_export.export import TARGETS, export_code
from core.files.contracts import read_contract
from core.judging.calls import CallFailed
from core.judging.prompt import JudgeOptions
from core.loop.engine import Walk
from core.loop.generator import GeneratorOptions
from core.loop.plan import Answer, Ask, Plan, Replied, Task
from core.loop.stop import Arm
from core.providers.anthropic import AnthropicModel
from core.providers.settings import ServerSettings
from tests.server import Answer as Served
from tests.server import ModelServer, failure, message

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


@lru_cache(maxsize=1)
def client_of(url: str) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)


def by_export(module: ModuleType, url: str, reference: str | None = None, **more: Any) -> Any:
    if reference is not None:
        more["reference"] = reference
    return module.refine("the input", client=client_of(url), **more)


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


@pytest.mark.parametrize("name", SCRIPTS)
def test_calls_exit_draft_and_rounds_are_the_engines(
    name: str, server: ModelServer, modules: Mapping[str, ModuleType]
) -> None:
    compare(Contract.from_data(MIXED), [*modules.values()], server, SCRIPTS[name])


def compare(
    contract: Contract,
    modules: Sequence[ModuleType],
    server: ModelServer,
    script: Sequence[Served],
    reference: str | None = None,
) -> Any:
    """Run the engine, then each module, on the same replies; returns the last module's result."""
    server.enqueue(*script)
    walk = by_engine(contract, modules[0], server, reference)
    expected_calls = asked(server)
    assert len(expected_calls) == len(script)  # the script is what the engine asks for
    state = walk.state
    assert state.exit is not None
    scored = [r for r in state.rounds if r.score is not None]
    unread = [r.draft for r in state.rounds if r.error and r.draft is not None]
    for module in modules:
        server.enqueue(*script)
        ended = by_export(module, server.url, reference)
        assert asked(server) == expected_calls
        assert ended.exit.value == state.exit.value
        assert ended.draft == (state.draft.draft if state.draft is not None else None)
        assert ended.accepted is state.accepted
        assert [r.draft for r in ended.rounds] == [r.draft for r in scored]
        assert [r.score for r in ended.rounds] == [r.score for r in scored]
        assert [r.reused for r in ended.rounds] == [r.reused for r in scored]
        assert [ended.unread] * (ended.unread is not None) == unread
        if state.exit.value == "EVALUATOR_ERROR" and walk.lost is None:
            assert str(ended.error) == state.rounds[-1].error
    return ended


def test_a_server_that_refuses_the_schema_is_asked_in_words(
    server: ModelServer, modules: Mapping[str, ModuleType]
) -> None:
    """As the engine's own client does: the same request without the schema, and so from then on."""
    refused = failure(400, "invalid_request_error", "output_config.format: not supported")
    for module in modules.values():
        client_of.cache_clear()
        server.enqueue(message("Draft one."), refused, HALF, message("Draft two."), GOOD)
        ended = by_export(module, server.url)
        bodies = [json.dumps(r.body) for r in server.requests]
        assert ["json_schema" in body for body in bodies] == [False, True, False, False, False]
        first, again = asked(server)[1:3]
        assert first[:3] == again[:3]
        assert (ended.exit.value, ended.draft) == ("PASS", "Draft two.")
    client_of.cache_clear()


def test_weights_budget_and_reference_are_the_engines(server: ModelServer, tmp_path: Path) -> None:
    """The threshold, the judge's reference, its quotation cut out of the feedback, the budget."""
    data = {
        **MIXED,
        "receives_reference": True,
        "judge_when_code_fails": True,
        "acceptance": {"rule": "threshold", "minimum": 0.3},
        "stop": {"cap": 9, "window": 3, "keep": "last", "budget": {"calls": 6, "usd": 5}},
    }
    data["criteria"] = [{**c, "weight": 0.1} for c in MIXED["criteria"]]
    contract = Contract.from_data(data)
    quoting = json.dumps(
        {n: {"evidence": "not the SECRET", "verdict": "FAIL", "change": ""} for n in ("c1", "c2")}
    )
    script = [
        message("Draft one."), HALF, message(LONG), message(quoting), message("Draft three."), HALF,
    ]  # fmt: skip
    modules = [load(export_code(contract, to).text, f"weighted_{to}", tmp_path) for to in TARGETS]
    ended = compare(contract, modules, server, script, " SECRET\n")
    assert (ended.exit.value, ended.draft) == ("BUDGET", "Draft three.")
    enough = [message("Draft one."), GOOD]
    assert compare(contract, modules, server, enough, "SECRET").accepted
    none = Contract.from_data({**data, "stop": {"budget": {"calls": 1}}})
    module = load(export_code(none, "sdk").text, "no_room", tmp_path)
    assert compare(none, [module], server, []).flag == "BUDGET: no usable draft"


def test_what_the_file_cannot_decide_is_asked_for_and_said(tmp_path: Path) -> None:
    data = {
        "criteria": [
            {"key": "tests", "checked_by": "code", "check": {"kind": "recorded", "by": "pytest"}},
            {"key": "sum", "checked_by": "code",
             "check": {"kind": "sum_equals", "items": "[]", "total": "x"}},
            {"key": "any", "checked_by": "code",
             "check": {"kind": "json_schema", "schema": {"anyOf": [True]}}},
            {"key": "boss", "checked_by": "person"},
        ]
    }  # fmt: skip
    made = export_code(Contract.from_data(data), "sdk")
    assert [n.split(":")[0] for n in made.notes[1:]] == [
        "Criterion 'tests' is decided by a verdict recorded by pytest",
        "Criterion 'sum' is decided by a check of the kind sum_equals, which is not inlined",
        "Criterion 'any' is decided by a check of the kind json_schema, which is not inlined",
        "Criterion 'boss' is decided by a person",
    ]
    lines = " ".join(line.removeprefix("# ") for line in made.text.splitlines())
    assert all(note in lines for note in made.notes[1:])
    module = load(made.text, "outside_loop", tmp_path)
    stub = load(
        made.test_text.replace("import contract_loop", "import outside_loop"), "s", tmp_path
    )
    ended = module.refine("in", client=stub.Stub(stub.reply("Draft.")))
    assert ended.exit.value == "EVALUATOR_ERROR"
    assert "'tests' is decided outside of this file (a verdict recorded by pytest)" in ended.flag
    asked = []

    def decide(criterion: Any, task_input: str, draft: str) -> Any:
        asked.append((criterion.key, task_input, draft))
        return module.Verdict("FAIL" if criterion.key == "sum" else "PASS")

    ended = module.refine("in", client=stub.Stub(stub.reply("Draft.")), decide=decide, cap=1)
    # A person is not asked about what can no longer be accepted.
    assert [key for key, *_ in asked] == ["tests", "sum", "any"]
    assert (ended.exit.value, ended.rounds[0].score) == ("CAP", 2)


SAMPLES = ("refund_reply", "invoice_extraction")
WILD = {
    **MIXED,
    "title": NASTY,
    "does_not_examine": NASTY * 3,
    "receives_reference": True,
    "acceptance": {"rule": "threshold", "minimum": 2.5},
    "stop": {"budget": {"calls": 20, "usd": 0.5, "tokens": 10**6, "seconds": 60}},
    "criteria": [
        *({**c, "weight": 1.5} for c in MIXED["criteria"]),
        {"key": "nasty", "checked_by": "code", "question": NASTY,
         "check": {"kind": "contains_any", "texts": [NASTY, "x" * 300], "not": True}},
        {"key": "field", "checked_by": "code",
         "check": {"kind": "regex", "pattern": "^\"'\\d", "field": "/a~1b/it's"}},
        {"key": "same", "checked_by": "code", "check": {"kind": "equals_reference"}},
        {"key": "boss", "checked_by": "person"},
    ],
}  # fmt: skip


def every_contract() -> dict[str, Contract]:
    root = Path(__file__).parents[1] / "sample_data"
    read = {name: read_contract(root / name / "contract.yaml") for name in SAMPLES}
    plain = {"criteria": [{"key": "tone"}]}
    return {**read, "wild": Contract.from_data(WILD), "plain": Contract.from_data(plain)}


@pytest.mark.parametrize(
    ("names", "tests"),
    [
        (["wild"], "wild/test_*_loop.py"),
        pytest.param([*SAMPLES, "plain"], "*", marks=pytest.mark.soak),
    ],
)
def test_files_are_lint_clean_formatted_the_same_each_time_and_pass_their_own_tests(
    names: list[str], tests: str, tmp_path: Path
) -> None:
    folders = []
    for name in names:
        contract = every_contract()[name]
        folder = tmp_path / name
        folder.mkdir()
        folders.append(folder)
        for to in TARGETS:
            made = export_code(contract, to)
            assert made == export_code(Contract.from_data(contract.to_data()), to)
            (folder / made.name).write_text(made.text, encoding="utf-8")
            (folder / made.test_name).write_text(made.test_text, encoding="utf-8")
    own = f"src = {json.dumps([str(folder) for folder in folders])}"
    rules = ["--isolated", "--line-length", "100", "--target-version", "py311", "--config", own]
    ruff = [sys.executable, "-m", "ruff"]
    for command in (
        [*ruff, "check", *rules, "--select", "F,I,B,UP,SIM,E7,E9,PIE,RET,C4,PERF", "."],
        [*ruff, "format", "--isolated", "--line-length", "100", "--check", "."],
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull,
         "--import-mode=importlib", "--rootdir", ".", *(map(str, tmp_path.glob(tests)))],
    ):  # fmt: skip
        environment = {
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
        }
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_a_cap_below_one_is_refused(modules: Mapping[str, ModuleType]) -> None:
    for module in modules.values():
        for cap in (0, -1, True, 2.5):
            with pytest.raises(ValueError, match="cap is the most drafts to write and must be 1"):
                module.refine("in", client=object(), cap=cap)


def test_every_key_of_the_graph_is_declared(modules: Mapping[str, ModuleType]) -> None:
    module = modules["langgraph"]
    declared = set(module.State.__annotations__)
    assert declared <= set(module.build_graph(object()).channels)
    assert set(module.Update.__annotations__) <= declared
