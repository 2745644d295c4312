"""The body of a reply as the protocol has it, read without an SDK: text blocks, stop reason, usage."""

from __future__ import annotations

import json
from typing import Any

from core.errors import show
from core.judging.calls import ModelReply, Usage

MAX_BODY = 16_000_000
"""Characters of a body that are read as a reply."""


class NotAReply(Exception):
    """Why a body with a status of success is no reply; fit for a screen. `raw` is the body."""

    def __init__(self, problem: str, raw: str) -> None:
        super().__init__(problem)
        self.raw = raw


def decoded(body: bytes) -> str:
    """Return a body as text; bytes that are no UTF-8 as U+FFFD."""
    return body.decode("utf-8", "replace")


def reply_from_body(raw: str, seconds: float = 0.0) -> ModelReply:
    """Return the reply in a body, fresh from a server or as it was stored; raises NotAReply.

    Text blocks are picked by type, because thinking may come before them, and joined as they are.
    """
    message = message_from_body(raw)
    content = message.get("content")
    if content is None and "stop_reason" in message:
        content = []
    if not isinstance(content, list):
        raise NotAReply("the JSON that came is no message", raw)
    texts = [
        block["text"]
        for block in content
        if isinstance(block, dict)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    ]
    stop = message.get("stop_reason")
    return ModelReply(
        text="".join(texts) if texts else None,
        stop_reason=stop if isinstance(stop, str) else "",
        raw=raw,
        usage=_usage(message.get("usage")),
        seconds=seconds,
    )


def body_of(text: str, model: str) -> str:
    """Return the body of a reply that says `text` and has cost nothing, for `reply_from_body`."""
    return json.dumps(
        {
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "usage": {
                "input_tokens": 0,
                "output_tokens": 0,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }
    )


def message_from_body(raw: str) -> dict[str, Any]:
    """Return the JSON object in a body; raises NotAReply."""
    if len(raw) > MAX_BODY:
        raise NotAReply(f"the body has {len(raw):,} characters; {MAX_BODY:,} are read", raw)
    try:
        message = json.loads(raw)
    except RecursionError:
        raise NotAReply("the JSON that came is too deeply nested", raw) from None
    except ValueError:
        what = "HTML" if "<html" in raw[:1000].lower() else "something else" if raw else "nothing"
        raise NotAReply(f"{what} came in place of JSON", raw) from None
    if not isinstance(message, dict) or message.get("type") == "error":
        raise NotAReply(f"{show(message, 60)} came in place of a message", raw)
    return message


def _usage(given: Any) -> Usage:
    fields = given if isinstance(given, dict) else {}

    def count(name: str) -> int | None:
        value = fields.get(name)
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return value if whole else None

    return Usage(
        count("input_tokens"),
        count("output_tokens"),
        count("cache_creation_input_tokens"),
        count("cache_read_input_tokens"),
    )
