"""JSON Schemas that the exported file can check by itself, and JSON values as Python.

The exported validator knows the keywords people write for one record. What they do not do (references,
alternatives, conditions) is not inlined, and the export says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.files.code_export.literals import Many, Text, Value, listing, quoted

_KNOWN = frozenset(
    {
        "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "minLength", "maxLength", "pattern", "items", "minItems", "maxItems", "required",
        "properties", "additionalProperties",
    }
)  # fmt: skip
_NOTES = frozenset(
    {"$schema", "title", "description", "default", "examples", "format", "$comment", "deprecated"}
)
"""Keywords that decide nothing here."""
_DRAFTS = ("https://json-schema.org/draft/2020-12/schema",)


def plain_schema(schema: Any) -> bool:
    """Tell whether a schema uses only what the exported validator knows."""
    if schema.get("$schema", _DRAFTS[0]) not in _DRAFTS:
        return False
    return all(isinstance(part, bool) or set(part) <= _KNOWN | _NOTES for part in _parts(schema))


def has_pattern(schema: Any) -> bool:
    """Tell whether any part of a plain schema has a pattern."""
    return any(isinstance(part, dict) and "pattern" in part for part in _parts(schema))


def decisive(schema: Any) -> Any:
    """Return a plain schema without the keywords that decide nothing."""
    if isinstance(schema, bool):
        return schema
    made = {key: value for key, value in schema.items() if key not in _NOTES}
    for key in ("items", "additionalProperties"):
        if key in made:
            made[key] = decisive(made[key])
    if "properties" in made:
        made["properties"] = {name: decisive(part) for name, part in made["properties"].items()}
    return made


def _parts(schema: Any) -> Iterator[Any]:
    """Yield a schema and the schemas in it; one that cannot be read is yielded as it is."""
    pending = [schema]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, dict):
            pending += [part[k] for k in ("items", "additionalProperties") if k in part]
            pending += part.get("properties", {}).values()


def python_value(value: Any) -> Value:
    """Return a JSON value as a Python expression."""
    if isinstance(value, dict):
        items = [(f"{quoted(key)}: ", python_value(item)) for key, item in value.items()]
        return Many("{", items, "}", collection=True)
    if isinstance(value, list):
        return listing([python_value(item) for item in value])
    return Text(value) if isinstance(value, str) else repr(value)
