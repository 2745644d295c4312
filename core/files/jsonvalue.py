"""One JSON document of another tool as plain values, and those values as text.

Other tools write NaN and Infinity, which JSON does not have: they come through as floats, and the
reader of each format says what they mean there. A key given twice has no one value and is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from core.errors import InputError, show

MAX_FIELDS = 2_000
"""How many fields one nested value is spelled out to; what is beyond is left as one text."""


def parse_json(text: str, place: str) -> Any:
    """Return the value of a JSON document; raises InputError, one line, naming `place`."""
    try:
        return json.loads(text.lstrip("\ufeff"), object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        said = "the file ends in the middle" if cut else f"not JSON: {error.msg}"
        raise InputError(
            f"{place}, line {error.lineno}, character {error.colno}",
            f"{said}.",
            "Copy the file again." if cut else "Write the file again with the tool it is from.",
        ) from error
    except _Twice as error:
        raise InputError(place, f"the key {error} is given twice in one object.") from error
    except RecursionError as error:
        raise InputError(place, "nested too deeply to be read.") from error
    except ValueError as error:
        raise InputError(place, "a number in it is too long to be read.") from error


class _Twice(Exception):
    """A key that stands twice in one object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(show(next(key for key in keys if keys.count(key) > 1), 40))
    return found


def as_text(value: Any) -> str:
    """Return a JSON value as text: texts as they stand, null as the empty text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError):
        return "…"


def whole(value: Any) -> int | None:
    """Return a whole number given as a number or as text of digits, else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value) if len(value.strip()) < 16 else None
    return value if isinstance(value, int) and abs(value) < 10**15 else None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return `value` if it is an object, else an empty one: what is missing is not there."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return `value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Return a nested value as one level, with paths like `llm.messages.0.content`."""
    found: dict[str, Any] = {}
    waiting: list[tuple[str, Any]] = [(prefix, value)]
    while waiting:
        path, item = waiting.pop()
        inner: list[tuple[str, Any]] = []
        if isinstance(item, dict) and item:
            inner = [(str(key), x) for key, x in item.items()]
        elif isinstance(item, list) and item:
            inner = [(str(number), x) for number, x in enumerate(item)]
        if not inner or len(found) + len(waiting) + len(inner) > MAX_FIELDS:
            if item not in ({}, []) and path:
                found[path] = item
            continue
        waiting += [(f"{path}.{key}" if path else key, x) for key, x in reversed(inner)]
    return found


def message_text(content: Any) -> str:
    """Return the text of a chat message: a text, or the text parts of a list, others by kind."""
    if not isinstance(content, list):
        return as_text(content)
    parts: list[str] = []
    for part in content:
        if not isinstance(part, dict):
            parts.append(as_text(part))
        elif isinstance(part.get("text"), str):
            parts.append(part["text"])
        elif part.get("type") == "text":
            parts.append(as_text(part.get("content")))
        elif part.get("type") not in ("reasoning", "thinking"):
            parts.append(f"[{part.get('type') or 'part'}]")
    return "\n".join(parts)
