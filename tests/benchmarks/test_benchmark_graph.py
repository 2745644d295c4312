"""The loop as a LangGraph graph that keeps checkpoints in SQLite, beside the durable run here.

Both ask the same server for the same drafts and verdicts, 64 at once, and both can be taken up again
after a crash; the server answers at once. The graph calls through the SDK's default client, as one
writes it, and then through the client that the durable run has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import pytest

from core.judging.calls import ModelCall, ModelReply
from core.judging.prompt import DEFAULT_INSTRUCTIONS, build_call, new_nonce, requests_for
from core.judging.reply import read_reply
from core.loop.generator import first_call
from core.providers.anthropic import AnthropicModel, _parameters
from core.providers.body import reply_from_body
from core.providers.settings import ServerSettings
from core.store.store import open_store
from core.verdict import Verdict
from tests.benchmarks import test_benchmark_runs as runs
from tests.benchmarks.test_benchmark_runs import AT_ONCE, LOOP, OPTIONS, WRITER, Took, taking

url = runs.url
LOOPS = 300


class Loop(TypedDict):
    """All that the graph hands from node to node."""

    task: str
    draft: str
    round: int
    passed: bool


def graph_loops(url: str, path: Path, tag: str, *, aiohttp: bool) -> Took:
    """Return the seconds of a thousand rounds of loops as graphs."""
    import anthropic
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.graph import END, START, StateGraph

    model: Any = AnthropicModel(ServerSettings("key", url))
    if not aiohttp:
        model = anthropic.AsyncAnthropic(api_key="key", base_url=url, max_retries=0)

    async def send(call: ModelCall) -> ModelReply:
        if aiohttp:
            reply: ModelReply = await model.send(call)
            return reply
        message = await model.messages.create(**_parameters(call, schema=call.schema is not None))
        return reply_from_body(message.model_dump_json())

    async def write(state: Loop) -> dict[str, Any]:
        reply = await send(first_call(LOOP, state["task"], WRITER))
        return {"draft": reply.text, "round": state["round"] + 1}

    async def judge(state: Loop) -> dict[str, Any]:
        [request] = requests_for(LOOP, OPTIONS, state["task"], state["draft"], None)
        call = build_call(request, OPTIONS, DEFAULT_INSTRUCTIONS, new_nonce())
        read = read_reply(await send(call), request.criteria, state["draft"])
        return {"passed": all(v.verdict is Verdict.PASS for v in read.verdicts.values())}

    def onwards(state: Loop) -> str:
        return END if state["passed"] or state["round"] >= 2 else "write"

    found: list[Took] = []
    rounds = 0

    async def go() -> None:
        nonlocal rounds
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            builder = StateGraph(Loop)
            builder.add_node("write", write)
            builder.add_node("judge", judge)
            builder.add_edge(START, "write")
            builder.add_edge("write", "judge")
            builder.add_conditional_edges("judge", onwards, ["write", END])
            graph = builder.compile(checkpointer=saver)
            left = iter(range(LOOPS))

            async def worker() -> None:
                nonlocal rounds
                for i in left:
                    begun: Loop = {"task": f"{tag} {i}", "draft": "", "round": 0, "passed": False}
                    config: Any = {"configurable": {"thread_id": f"{tag} {i}"}}
                    ended = await graph.ainvoke(begun, config)
                    rounds += ended["round"]

            with taking(found):
                await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
        await model.close()

    asyncio.run(go())
    return found[0].each(rounds)


def test_a_durable_loop_beside_a_graph_with_checkpoints(
    url: str,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Several hundred rounds of each: what a run costs once is not to count for each of a few.
    monkeypatch.setattr(runs, "LOOPS", LOOPS)
    store = open_store(tmp_path)
    ours = [runs.loops_durable(url, store, f"durable {n}") for n in range(2)]
    plain, same = (
        [graph_loops(url, tmp_path / f"{a}.sqlite", f"{a}", aiohttp=a)] for a in (False, True)
    )
    store.close()
    cpu = [min(t.cpu for t in times) for times in (ours, plain, same)]
    wall = [min(t.wall for t in times) for times in (ours, plain, same)]
    record_property(
        "summary",
        f"a thousand rounds: durable {cpu[0]:.2f} s of processor, {cpu[0] / cpu[1]:.2f} × LangGraph "
        f"with its SQLite saver ({cpu[1]:.2f} s), {cpu[0] / cpu[2]:.2f} × over the same client; by "
        f"the clock {wall[0] / wall[1]:.2f} × and {wall[0] / wall[2]:.2f} ×",
    )
    assert cpu[0] <= 0.4 * cpu[1]
    assert cpu[0] <= 0.65 * cpu[2]
