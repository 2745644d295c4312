"""JSON Schemas that the exported file can check by itself, and JSON values as Python."""

from __future__ import annotations

from typing import Any

from core.files.code_export.literals import Many, Value, listing, quoted, text_value


def plain_schema(schema: Any) -> bool:
    """Tell whether a schema uses only what the exported validator knows."""
    return False


def python_value(value: Any) -> Value:
    """Return a JSON value as a Python expression."""
    if isinstance(value, dict):
        items = [(f"{quoted(key)}: ", python_value(item)) for key, item in value.items()]
        return Many("{", items, "}", collection=True)
    if isinstance(value, list):
        return listing([python_value(item) for item in value])
    if isinstance(value, float):
        return f'Decimal("{value}")'
    return text_value(value, 60) if isinstance(value, str) else repr(value)
