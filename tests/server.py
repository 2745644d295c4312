"""A model server for tests: real HTTP on loopback, speaking POST /v1/messages.

In a test: `with ModelServer() as server:` starts it on a thread of its own; `server.enqueue(...)`
says how the next requests are answered, and whoever has nothing enqueued gets a judge's answer that
is the same for the same prompt (whatever its random markers are). On its own:
`python tests/server.py --port 8099 --latency 0.01 --fail-every 50 --fail-status 529` for long runs
and benchmarks; GET /count then says how many requests came.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import sys
import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

_MARKER = re.compile(r"[0-9a-f]{16,}")
_ID = re.compile(r'"(c\d+)"')


@dataclass(frozen=True)
class Answer:
    """How one request is answered.

    `delay` seconds pass before the first byte. `drip` sends the body in ten pieces with that many
    seconds between. `cut` closes the connection after the headers and half the body; `drop` without
    a byte.
    """

    body: bytes | str | Mapping[str, Any] = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0
    drip: float = 0
    cut: bool = False
    drop: bool = False

    @property
    def data(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode("utf-8", "surrogatepass")
        return json.dumps(dict(self.body)).encode()


def message(
    *texts: str,
    stop_reason: str | None = "end_turn",
    blocks: list[dict[str, Any]] | None = None,
    usage: Mapping[str, int] | None = None,
    **answer: Any,
) -> Answer:
    """A reply as the protocol has it: one text block per text, or the given blocks."""
    content = [{"type": "text", "text": t} for t in texts] if blocks is None else blocks
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20, **(usage or {})},
    }
    return Answer(body, **answer)


def failure(status: int, kind: str, said: str = "no", **headers: str) -> Answer:
    """An error as the protocol has it; header names with underscores for dashes."""
    return Answer(
        {"type": "error", "error": {"type": kind, "message": said}},
        status,
        {name.replace("_", "-"): value for name, value in headers.items()},
    )


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def said(self) -> str:
        """System and user text, random markers taken out: the same for the same prompt."""
        body = self.body if isinstance(self.body, dict) else {}
        text = json.dumps([body.get("system"), body.get("messages")], sort_keys=True)
        return _MARKER.sub("", text)


def verdicts(request: Request) -> Answer:
    """A judge's answer to any prompt: every criterion asked for, PASS or FAIL by the text."""
    body = request.body if isinstance(request.body, dict) else {}
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema") or {}
    ids = list(schema.get("properties", {})) or list(
        dict.fromkeys(_ID.findall(_plain(body.get("system"))))
    )
    said = request.said
    if not ids:
        return message(f"Draft {hashlib.sha256(said.encode()).hexdigest()[:12]}.")
    answer = {}
    for name in ids:
        ok = hashlib.sha256(f"{name}:{said}".encode()).digest()[0] % 2 == 0
        answer[name] = {
            "evidence": "read from the text",
            "verdict": "PASS" if ok else "FAIL",
            "change": "" if ok else "mend it",
        }
    return message(json.dumps(answer), usage={"input_tokens": max(1, len(said) // 4)})


def _plain(system: Any) -> str:
    if isinstance(system, list):
        return "\n".join(block.get("text", "") for block in system)
    return system or ""


class ModelServer:
    """The server; `url` is its base address. Every request is counted before it is answered."""

    def __init__(
        self,
        port: int = 0,
        *,
        latency: float = 0,
        fail_every: int = 0,
        fail_status: int = 529,
        keep: bool = True,
    ) -> None:
        self.port = port
        self.latency = latency
        self.fail_every = fail_every
        self.fail_status = fail_status
        self.keep = keep
        self.count = 0
        self.answered = 0
        self.seen: Counter[str] = Counter()
        self.requests: list[Request] = []
        self._script: deque[Answer] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def enqueue(self, *answers: Answer) -> None:
        """Answer the next requests to /v1/messages with these, in order."""
        self._script.extend(answers)

    def answer(self, request: Request) -> Answer:
        if request.method == "GET" and request.path.startswith("/count"):
            return Answer(
                {"requests": self.count, "answered": self.answered, "distinct": len(self.seen)}
            )
        path = request.path.partition("?")[0]
        if path.endswith("/v1/models"):
            return self._models(request)
        if request.method != "POST" or not path.endswith("/v1/messages"):
            return failure(404, "not_found_error", "no such address")
        self.count += 1
        if self.keep:
            self.requests.append(request)
        if self._script:
            return self._script.popleft()
        if self.fail_every and self.count % self.fail_every == 0:
            return failure(self.fail_status, "overloaded_error", "busy", retry_after="0")
        self.seen[hashlib.md5(request.said.encode()).hexdigest()] += 1
        return verdicts(request)

    models: Answer = Answer({"data": [], "has_more": False, "first_id": None, "last_id": None})

    def _models(self, request: Request) -> Answer:
        if self.keep:
            self.requests.append(request)
        return self.models

    async def serve(self) -> None:
        """Listen until stopped; used by the thread and by the command line alike."""
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._client, "127.0.0.1", self.port, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                answer = self.answer(request)
                if not await self._write(writer, answer):
                    break
                if request.method == "POST":
                    self.answered += 1
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _write(self, writer: asyncio.StreamWriter, answer: Answer) -> bool:
        """Send the answer; return whether the connection stays open."""
        if delay := answer.delay or self.latency:
            await asyncio.sleep(delay)
        if answer.drop:
            writer.transport.abort()
            return False
        data = answer.data
        headers = {"content-type": "application/json", **answer.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        start = f"HTTP/1.1 {answer.status} X\r\n{head}content-length: {len(data)}\r\n\r\n".encode()
        if answer.cut:
            writer.write(start + data[: len(data) // 2])
            await writer.drain()
            return False
        if not answer.drip:
            writer.write(start + data)
            await writer.drain()
            return True
        writer.write(start)
        size = max(1, len(data) // 10)
        for i in range(0, len(data), size):
            await asyncio.sleep(answer.drip)
            writer.write(data[i : i + size])
            await writer.drain()
        return True

    def _run(self) -> None:
        asyncio.run(self.serve())

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *error: object) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines if line)
    }
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    try:
        body: Any = json.loads(raw) if raw else None
    except ValueError:
        body = raw
    return Request(method, path, headers, body)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0)
    parser.add_argument("--fail-every", type=int, default=0)
    parser.add_argument("--fail-status", type=int, default=529)
    given = parser.parse_args(arguments)
    server = ModelServer(
        given.port,
        latency=given.latency,
        fail_every=given.fail_every,
        fail_status=given.fail_status,
        keep=False,
    )

    async def go() -> None:
        serving = asyncio.ensure_future(server.serve())
        while not server._ready.is_set():
            await asyncio.sleep(0.01)
        print(server.url, flush=True)
        await serving

    asyncio.run(go())


if __name__ == "__main__":
    main(sys.argv[1:])
