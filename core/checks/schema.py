"""The JSON Schema check: every error with its path, nothing fetched, nothing that can hang.

The library's own `pattern` keywords use an engine that backtracks, its `multipleOf` binary floats
(19.99 would be no multiple of 0.01), and its `uniqueItems` compares every pair: those keywords are
replaced here. Every keyword counts its work, so that references that multiply, or a large schema
over much data, are stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from decimal import localcontext
from functools import lru_cache
from itertools import islice
from typing import Any

from core.checks.kind import (
    FIELD,
    Ask,
    CannotExamine,
    Found,
    Kind,
    Parameter,
    place,
    plural,
    stopped,
)
from core.checks.parsed import (
    FENCE_RULE,
    MAX_DEPTH,
    MISSING,
    Path,
    canonical,
    depth_exceeds,
    exact,
    field_path,
    find,
    is_number,
    parse,
    show_path,
    spelled,
    tree_size,
)  # fmt: skip
from core.checks.patterns import PatternError, compiled, search, work
from core.errors import InputError, show

MAX_STEPS = 100_000
MAX_CHAIN = 100  # references and alternatives one after another at one place of the data
_LISTED = 100
_COUNTED = 1_000
_PLACE = place("json_schema", "schema")
_left: ContextVar[list[int]] = ContextVar("left")


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "string"):
        return
    _spend(work(pattern, instance) // 300)
    if search(pattern, instance) is None:
        yield _error(f"{_plain(instance, 80)} does not match {_plain(pattern, 80)}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if validator.is_type(instance, "object"):
        for pattern, subschema in patterns.items():
            for key, value in instance.items():
                if search(pattern, key) is not None:
                    yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for key, value in instance.items():
        if key in known or any(search(pattern, key) is not None for pattern in patterns):
            continue
        if rule is False:
            yield _error(f"the field {show(key)} is not in the schema", path=(key,))
        elif rule is not True:
            yield from validator.descend(value, rule, path=key)


def _multiple_of(validator: Any, step: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if is_number(instance) and step:
        with localcontext() as context:
            context.prec = 2_000
            if exact(instance) % exact(step):
                yield _error(f"{instance!r} is not a multiple of {step!r}")


def _unique_items(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if wanted and validator.is_type(instance, "array"):
        _spend(tree_size(instance, MAX_STEPS) // 4)
        first: dict[Any, int] = {}
        for index, item in enumerate(instance):
            known = first.setdefault(canonical(item), index)
            if known != index:
                yield _error(f"the items {known} and {index} are equal")


def _refuse(problem: str, remedy: str = "") -> InputError:
    return InputError(_PLACE, problem, remedy)


def _error(message: str, path: tuple[str, ...] = ()) -> Any:
    from jsonschema import ValidationError

    return ValidationError(message, path=path)


_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_MANY = frozenset({"patternProperties", "additionalProperties", "unevaluatedProperties"})


def _size(value: Any) -> int:
    return len(value) if isinstance(value, dict | list) else 0


def _counted(name: str, follow: Any) -> Any:
    """Return a keyword that counts its work and stops at `MAX_STEPS`."""
    # What the library needs for each, measured against a plain keyword on one value.
    price = 6 if name in _REFERENCES else 1
    members = 4 if name == "enum" else 20

    def keyword(validator: Any, rule: Any, instance: Any, schema: Any) -> Iterator[Any]:
        patterns = len(schema.get("patternProperties", ())) if name in _MANY else 0
        _spend(price + _size(instance) * (1 + patterns) + _size(rule) // members)
        yield from follow(validator, rule, instance, schema) or ()

    return keyword


def _spend(steps: int) -> None:
    left = _left.get()
    left[0] -= steps
    if left[0] < 0:
        raise stopped(
            f"the schema needs more than {MAX_STEPS:,} steps for this output",
            "Give less data, or use a smaller schema with fewer references.",
        )


@lru_cache(maxsize=16)
def _hardened(draft: Any) -> Any:
    """Return the validator class of a draft with the keywords above put in."""
    from jsonschema import validators

    safe: dict[str, Any] = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "multipleOf": _multiple_of,
        "uniqueItems": _unique_items,
    }
    extend: Any = validators.extend
    counted = {k: _counted(k, safe.get(k, follow)) for k, follow in draft.VALIDATORS.items()}
    return extend(draft, counted)


def _validator(schema: dict[str, Any]) -> Any:
    """Return the hardened validator of `schema`; raises InputError for what cannot be run."""
    import jsonschema
    from jsonschema import validators
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import specification_with

    if depth_exceeds(schema, MAX_DEPTH):
        raise _refuse(f"it is nested more than {MAX_DEPTH} levels deep.")
    named = schema.get("$schema", "https://json-schema.org/draft/2020-12/schema")
    choose: Any = validators.validator_for
    draft = choose({"$schema": named}, default=None) if isinstance(named, str) else None
    if draft is None or draft is validators.Draft3Validator:
        raise _refuse(
            f"the draft {show(named)} is not known.", "Name draft 4, 6, 7, 2019-09 or 2020-12."
        )
    try:
        # The pattern format would be tried with the engine that is not used here.
        draft.check_schema(schema, format_checker=jsonschema.FormatChecker(()))
    except jsonschema.SchemaError as error:
        raise _refuse(f"at {show_path(error.absolute_path)}: {_cut(error.message)}.") from error
    # Without "$schema" the library cannot fall back to its own class when a reference leads here.
    body = {key: value for key, value in schema.items() if key != "$schema"}
    resource = specification_with(named).create_resource(body)
    registry: Any = Registry()
    pending = [(resource, registry.resolver_with_root(resource))]
    leads: dict[int, list[int]] = {}
    while pending:
        here, resolver = pending.pop()
        content = here.contents
        if isinstance(content, Mapping):
            follow = leads.setdefault(id(content), [])
            follow.extend(id(part) for part in _same_place(content))
            if "$schema" in content:
                raise _refuse("a part of it names a draft of its own.", "Name the draft once.")
            _check_patterns(content)
            for name in _REFERENCES:
                if name in content:
                    try:
                        follow.append(id(resolver.lookup(content[name]).contents))
                    except Unresolvable as error:
                        raise _refuse(
                            f"the reference {show(content[name])} leads out of the schema.",
                            "Put that part into the schema under $defs; nothing is ever fetched.",
                        ) from error
        pending.extend((part, resolver.in_subresource(part)) for part in here.subresources())
    if (longest := _chain(leads)) > MAX_CHAIN:
        raise _refuse(
            f"it holds a chain of {longest:,} references, more than {MAX_CHAIN}.",
            "Refer to the last of them directly.",
        )
    return _hardened(draft)(body, registry=registry)


def _same_place(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the subschemas that look at the same place of the data as `schema` itself."""
    for name in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(name, ())
    yield from (schema[name] for name in ("not", "if", "then", "else") if name in schema)
    yield from schema.get("dependentSchemas", {}).values()


def _chain(leads: Mapping[int, list[int]]) -> int:
    """Return the length of the longest way through `leads`; a way back ends it, never recurses."""
    length: dict[int, int] = {}
    for start in leads:
        pending = [start]
        while pending:
            here = pending[-1]
            # Set on the way in, so that what leads back here goes no further.
            new = [] if here in length else [n for n in leads.get(here, ()) if n not in length]
            length.setdefault(here, 0)
            if new:
                pending.extend(new)
                continue
            pending.pop()
            length[here] = max((length[n] + 1 for n in leads.get(here, ())), default=0)
    return max(length.values(), default=0)


def _check_patterns(schema: Mapping[str, Any]) -> None:
    patterns = list(schema.get("patternProperties", {}))
    if patterns and "unevaluatedProperties" in schema:
        raise _refuse(
            "patternProperties beside unevaluatedProperties cannot be run safely.",
            "Use additionalProperties.",
        )
    if isinstance(schema.get("pattern"), str):
        patterns.append(schema["pattern"])
    for pattern in patterns:
        try:
            compiled(pattern)
        except PatternError as error:
            raise _refuse(f"the pattern {show(pattern)} cannot be run: {error}.") from error


def _plain(value: Any, limit: int = 240) -> str:
    """Return a JSON value for a sentence: null for null, text in quotes with its own backslashes.

    Characters that cannot be seen are escaped; beyond `limit` characters the middle is cut.
    """
    if isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=False)
    else:
        text = f"'{value}'" if isinstance(value, str) else spelled(value)
    if len(text) > limit:
        text = f"{text[: limit // 2]}…{text[-limit // 2 :]}"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _message(error: Any) -> str:
    """Return what is wrong in JSON's own spelling; the library writes values as Python does."""
    value, rule = error.instance, error.validator_value
    if error.validator == "type":
        kinds = rule if isinstance(rule, list) else [rule]
        return f"{_plain(value)} is not of type {', '.join(map(_plain, kinds))}"
    if error.validator == "enum":
        return f"{_plain(value)} is not one of {_plain(rule)}"
    if error.validator == "const":
        return f"{_plain(rule)} was expected, not {_plain(value)}"
    if error.validator is None:
        return f"a schema that is false does not allow {_plain(value)}"
    start, message = repr(value), str(error.message)
    if message.startswith(start):
        return _plain(value) + message[len(start) :]
    return message


def _line(error: Any, field: Path | None) -> str:
    """Return one error with its place, unless that is the field all of it is about."""
    message = _cut(_message(error))
    if tuple(str(step) for step in error.absolute_path) == field:
        return message
    return f"{show_path(error.absolute_path)}: {message}"


def _cut(message: str) -> str:
    return message if len(message) <= 240 else f"{message[:140]} … {message[-90:]}"


def _errors(
    validator: Any, value: Any, field: Path | None = None, left: list[int] | None = None
) -> list[Any]:
    """Return the errors that count, at most `_COUNTED`; `left` is a budget to share."""
    token = _left.set([MAX_STEPS] if left is None else left)
    try:
        errors = validator.iter_errors(value)
        kept = (e for e in errors if field is None or _concerns(e, field, value))
        return list(islice(kept, _COUNTED))
    finally:
        _left.reset(token)


def _concerns(error: Any, field: Path, value: Any) -> bool:
    """Tell whether an error counts against one field: it is there, inside it, or about its lack.

    Errors further up count when they are about this field's absence, when one branch of an
    alternative (anyOf, oneOf) fails at the field, and when they leave no room for it (the parent
    is a text, say).
    """
    path = tuple(str(step) for step in error.absolute_path)
    if path[: len(field)] == field:
        return True
    if field[: len(path)] != path:
        return False
    if any(_concerns(inner, field, value) for inner in error.context):
        return True
    name = field[len(path)]
    if error.validator == "required":
        return bool(error.message.startswith(repr(name)))
    if error.validator in ("unevaluatedProperties", "dependentRequired", "dependencies"):
        return repr(name) in error.message
    if error.validator == "propertyNames":
        return bool(error.instance == name)
    if error.validator in (None, "additionalProperties"):
        return True  # The schema `false` stands further up: nothing may be here.
    return find(value, field) is MISSING and error.validator in (
        "type", "const", "enum", "minItems", "contains", "minProperties", "not",
    )  # fmt: skip


def _json_schema(given: Mapping[str, Any]) -> Ask:
    if "path" in given and "field" in given:
        raise InputError(place("json_schema", "field"), "path and field are one thing.",
                         "Give one of them.")  # fmt: skip
    field = field_path("json_schema", given, "path") or field_path("json_schema", given)
    try:
        validator = _validator(given["schema"])
        samples: tuple[Any, ...] = (None, True, 0, "", [], {})
        left = [MAX_STEPS]
        for sample in samples:
            _errors(validator, sample, left=left)
    except RecursionError as error:
        raise _refuse("it refers to itself without end.") from error
    except CannotExamine as error:
        raise _refuse(f"{error.evidence}.") from error

    def ask(output: str, reference: str | None) -> Found:
        parsed = parse(output)
        errors = _errors(validator, parsed.value, field)
        where = f" at {show_path(field)}" if field else ""
        if not errors:
            absent = field is not None and find(parsed.value, field) is MISSING
            note = ", where the schema asks for nothing and nothing is" if absent else ""
            return Found(
                True, f"fits the schema{where}{note}{parsed.note}", "", "Depart from the schema."
            )
        lines = [_line(e, field) for e in errors[:_LISTED]]
        more = len(errors) - _LISTED
        at_least = "at least " if len(errors) == _COUNTED else ""
        tail = f"; and {at_least}{more:,} more" if more > 0 else ""
        count = f"{at_least}{plural(len(errors), 'error')}"
        return Found(
            False, f"{count} against the schema{where}{parsed.note}: {'; '.join(lines)}{tail}",
            "Correct each place named so that it fits the schema.",
        )  # fmt: skip

    return ask


KINDS = (
    Kind(
        "json_schema", "Fits a JSON Schema",
        "The draft named in $schema, else 2020-12; every error is listed with its path. With a"
        " path, only errors at that field, inside it, or about its absence count, so that each"
        " field can be a criterion. References stay inside the schema; format is not checked"
        f" (use pattern). {FENCE_RULE}",
        (
            Parameter("schema", "schema", "Schema", "A JSON Schema, an object."),
            Parameter("path", "path", "Only this field",
                      "Such as total, lines[0].amount or /lines/0/amount.", required=False),
            Parameter("field", "path", "Only this field (the same as path)", FIELD.help,
                      required=False),
        ),
        _json_schema, negatable=True,
    ),
)  # fmt: skip
