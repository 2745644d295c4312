"""The rest of a check that a question names but does not spell out, read off the pass example.

The question says "matches the schema" or "adds up"; which fields are meant only an example shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.checks.kind import CannotExamine
from core.checks.parsed import exact, is_number, parse


def from_example(written: str, example: str) -> Iterator[dict[str, Any]]:
    """Yield checks of the kind in `written` that suit a pass example, the likeliest first."""
    if "recorded" in written:
        yield {"kind": "recorded", "by": "tests"}
        return
    try:
        value = parse(example).value
    except CannotExamine:
        return
    if not isinstance(value, dict):
        return
    if "json_schema" in written:
        yield {"kind": "json_schema", "schema": _schema(value, 0)}
    elif "sum_equals" in written:
        yield from _sums(value)


def _schema(value: Any, depth: int) -> dict[str, Any]:
    """Return the schema of what a value looks like: its types, and that its fields are there."""
    if isinstance(value, dict) and depth < 4:
        return {
            "type": "object",
            "required": list(value),
            "properties": {key: _schema(part, depth + 1) for key, part in value.items()},
        }
    if is_number(value):
        return {"type": "number"}
    named = {"dict": "object", "list": "array", "str": "string", "bool": "boolean"}
    kind = named.get(type(value).__name__)
    return {} if kind is None else {"type": kind}


def _sums(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the sums that come out: a list of numbers, or a number of each of its objects."""
    totals = {key: exact(part) for key, part in value.items() if is_number(part) and _plain(key)}
    for name, items in value.items():
        if not isinstance(items, list) or not items or not _plain(name):
            continue
        if all(is_number(item) for item in items):
            columns = {f"{name}[]": items}
        elif all(isinstance(item, dict) for item in items):
            columns = {
                f"{name}[].{key}": [item.get(key) for item in items]
                for key in items[0] if _plain(key)
            }  # fmt: skip
        else:
            continue
        for path, numbers in columns.items():
            if not all(is_number(number) for number in numbers):
                continue
            found = sum(exact(number) for number in numbers)
            for total, amount in totals.items():
                if amount == found:
                    yield {"kind": "sum_equals", "items": path, "total": total}


def _plain(key: str) -> bool:
    return key.isidentifier() and key.isascii()
