"""Spans of OpenTelemetry (OTLP as JSON, or a span a line) and OpenInference, in one form.

OTLP wraps attributes in typed values, Phoenix nests them, a data frame spells their paths out as
columns: here each span has its attributes by dotted path, as they stand. Texts of messages are
put together in `text_of`, whichever of the conventions the span follows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from core.errors import InputError, show
from core.files.decoding import decode, refuse_binary
from core.files.jsonvalue import as_text, flat, items, mapping, message_text, parse_json
from core.files.problems import Problem
from core.files.tables import MAX_BYTES, read_table

_MESSAGES_OUT = ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion")
_MESSAGES_IN = ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt")
OUTPUT_TEXT = "output text"
INPUT_TEXT = "input text"
"""Names of the texts that are put together from whichever convention a span follows."""


@dataclass(frozen=True)
class Evaluation:
    """One result of an evaluation, as an event or an annotation of a span says it."""

    name: str
    label: str
    score: float | None
    explanation: str
    human: bool


@dataclass(frozen=True)
class Span:
    """One span. `start` is in seconds, None where it is not known; `order` its place in the file."""

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    start: float | None
    end: float | None
    attributes: Mapping[str, Any]
    events: Sequence[tuple[str, Mapping[str, Any]]]
    links: Sequence[str]
    error: str
    order: int = field(compare=False)

    @cached_property
    def output(self) -> str:
        """What a model or a step gave back."""
        return text_of(self, _MESSAGES_OUT, ("output.value",), last_user=False)

    @cached_property
    def input(self) -> str:
        """What it was asked: the last message of the user, or the input as a whole."""
        return text_of(self, _MESSAGES_IN, ("input.value",), last_user=True)

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """Results of evaluations by either convention."""
        return tuple(_evaluations(self))

    @cached_property
    def answer(self) -> Mapping[str, Any]:
        """The fields of an output text that is a JSON object, by path; empty for other texts."""
        text = self.output.strip().removeprefix("```json").strip("`").strip()
        if not text.startswith("{"):
            return {}
        try:
            return flat(parse_json(text, "output"))
        except InputError:
            return {}


@dataclass(frozen=True)
class SpanFile:
    """The spans of a file; `repeats` counts spans that stand in it twice and were dropped."""

    name: str
    sha256: str
    spans: Sequence[Span]
    problems: Sequence[Problem]
    repeats: int


def read_spans(data: bytes, name: str, *, encoding: str | None = None) -> SpanFile:
    """Return the spans in the bytes of a file; raises InputError, one line, when there is none.

    OTLP in JSON (one document, or one export a line), a list of spans, a span a line, and tables
    with the columns of a Phoenix data frame are read. A line that is no span is a problem.
    """
    if len(data) > MAX_BYTES:
        raise InputError(
            name, f"{len(data) / 1e6:,.0f} MB is more than the {MAX_BYTES // 1_000_000} MB that are "
            "read.", "Split it by traces.",
        )  # fmt: skip
    refuse_binary(data, name)
    text, _ = decode(data, name, encoding)
    problems: list[Problem] = []
    found: dict[tuple[str, str], Span] = {}
    repeats = 0
    for line, raw in _raw_spans(text, data, name, encoding, problems):
        span = _span(raw, len(found))
        if span is None:
            problems.append(Problem(line, "this span has no trace id or no span id."))
            continue
        known = found.setdefault((span.trace_id, span.span_id), span)
        if known is not span:
            repeats += known == span
            if known != span:
                said = f"span {show(span.span_id, 20)} stands in the file with other content too."
                problems.append(Problem(line, said))
    if not found:
        why = f" Line {problems[0].line}: {problems[0].message}" if problems else ""
        raise InputError(
            name, f"no span is in this file.{why}",
            "Load OTLP as JSON, or spans with trace_id, span_id and attributes, one a line.",
        )  # fmt: skip
    sha256 = hashlib.sha256(data).hexdigest()
    return SpanFile(name, sha256, tuple(found.values()), tuple(problems), repeats)


# --- the forms of a file ----------------------------------------------------------------------


def _raw_spans(
    text: str, data: bytes, name: str, encoding: str | None, problems: list[Problem]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    body = text.lstrip("\ufeff \t\r\n")
    if not body:
        raise InputError(name, "the file is empty.", "Load a file with spans.")
    if not body.startswith(("{", "[")):
        table = read_table(data, name, encoding=encoding)
        problems += table.problems
        for record, line in zip(table.records(), table.lines, strict=True):
            yield line, {key: value for key, value in record.items() if value}
        return
    lines = body.split("\n")
    if body.startswith("{") and len(lines) > 1 and lines[0].rstrip().endswith("}"):
        for number, row in enumerate(lines, 1):
            if not row.strip():
                continue
            try:
                yield from _opened(parse_json(row, name), number, problems)
            except InputError as error:
                problems.append(Problem(number, f"{error.problem} {error.remedy}".strip()))
        return
    yield from _opened(parse_json(text, name), 1, problems)


def _opened(
    value: Any, line: int, problems: list[Problem]
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the spans in one JSON value: an export, a list, a page of an API, or a span."""
    if isinstance(value, list):
        for number, item in enumerate(value, line):
            yield from _opened(item, number, problems)
        return
    document = mapping(value)
    resources = document.get("resourceSpans", document.get("resource_spans"))
    if resources is None and isinstance(document.get("data"), list):
        yield from _opened(document["data"], line, problems)
    elif resources is None and isinstance(document.get("spans"), list):
        yield from _opened(document["spans"], line, problems)
    elif resources is not None:
        for resource in items(resources):
            scopes = mapping(resource)
            for scope in items(scopes.get("scopeSpans", scopes.get("scope_spans"))):
                for span in items(mapping(scope).get("spans")):
                    yield line, mapping(span)
    elif document:
        yield line, document
    else:
        problems.append(Problem(line, f"expected a span, got {show(value, 40)}."))


def _span(raw: Mapping[str, Any], order: int) -> Span | None:
    raw = {**raw, **{f"context.{k}": v for k, v in mapping(raw.get("context")).items()}}

    def first(*names: str) -> Any:
        return next((raw[name] for name in names if raw.get(name) not in (None, "")), None)

    def ident(*names: str) -> str:
        return as_text(first(*names)).strip().removeprefix("0x")

    trace_id = ident("traceId", "trace_id", "context.trace_id")
    span_id = ident("spanId", "span_id", "context.span_id")
    if not trace_id or not span_id:
        return None
    attributes = _attributes(raw.get("attributes"))
    for key, value in raw.items():
        if key.startswith("attributes."):
            attributes |= flat(_unpacked(key, value), key.removeprefix("attributes."))
    kind = first("span_kind", "spanKind")
    if isinstance(kind, str) and "openinference.span.kind" not in attributes:
        attributes["openinference.span.kind"] = kind
    status = mapping(raw.get("status"))
    code = as_text(first("status_code") or status.get("code") or status.get("status_code"))
    message = as_text(first("status_message") or status.get("message") or status.get("description"))
    failed = code.upper().removeprefix("STATUS_CODE_") in ("ERROR", "2")
    return Span(
        trace_id, span_id, ident("parentSpanId", "parent_id", "parent_span_id"),
        as_text(raw.get("name")), _seconds(first("startTimeUnixNano", "start_time")),
        _seconds(first("endTimeUnixNano", "end_time")), attributes,
        [
            (as_text(mapping(e).get("name")), _attributes(mapping(e).get("attributes")))
            for e in items(raw.get("events"))
        ],
        [
            as_text(at.get("spanId", at.get("span_id", mapping(at.get("context")).get("span_id"))))
            .removeprefix("0x")
            for at in map(mapping, items(raw.get("links")))
        ],
        (message or "it ended in an error") if failed else "", order,
    )  # fmt: skip


def _attributes(value: Any) -> dict[str, Any]:
    """Return attributes by dotted path, from OTLP's list of typed values or from an object."""
    if isinstance(value, list):
        value = {
            as_text(mapping(pair).get("key")): _typed(mapping(pair).get("value")) for pair in value
        }
    found: dict[str, Any] = {}
    for key, item in mapping(value).items():
        found |= flat(_unpacked(key, item), key)
    return found


def _typed(value: Any, depth: int = 0) -> Any:
    """Return the value in one of OTLP's wrappers."""
    held = mapping(value)
    if not held or depth > 20:
        return None if depth > 20 else value
    if "arrayValue" in held:
        inner = items(mapping(held["arrayValue"]).get("values"))
        return [_typed(item, depth + 1) for item in inner]
    if "kvlistValue" in held:
        inner = items(mapping(held["kvlistValue"]).get("values"))
        return {as_text(mapping(p).get("key")): _typed(mapping(p).get("value"), depth + 1)
                for p in inner}  # fmt: skip
    if "intValue" in held:  # OTLP writes whole numbers of 64 bits as text
        text = as_text(held["intValue"])
        return int(text) if len(text) < 20 and text.lstrip("-").isdigit() else text
    return next(iter(held.values()))


def _unpacked(key: str, value: Any) -> Any:
    """Return messages that are kept as one JSON text as what they say."""
    messages = key.removeprefix("attributes.") in (*_MESSAGES_OUT, *_MESSAGES_IN)
    if messages and isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return parse_json(value, key)
        except InputError:
            return value
    return value


def _seconds(value: Any) -> float | None:
    """Return a time in seconds: nanoseconds, or a date and time as text; None for neither."""
    if isinstance(value, str) and not value.strip().isdigit():
        try:
            return datetime.fromisoformat(value.strip()).timestamp()
        except (ValueError, OverflowError):
            return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number / 1e9 if math.isfinite(number) and number > 0 else None


# --- what a span says -------------------------------------------------------------------------


def text_of(span: Span, messages: Sequence[str], values: Sequence[str], *, last_user: bool) -> str:
    """Return the text of a span's messages, else of its value; "" when it has neither."""
    for prefix in messages:
        said = _messages(span.attributes, prefix)
        if last_user:
            said = [m for m in said if m[0] in ("user", "human", "")][-1:]
        if any(text for _, text in said):
            return "\n".join(text for _, text in said if text)
        if isinstance(span.attributes.get(prefix), str):
            return str(span.attributes[prefix])
    for name, attributes in () if last_user else span.events:
        if name in ("gen_ai.choice", "gen_ai.content.completion"):
            for key in ("message.content", "gen_ai.completion", "content"):
                if key in attributes:
                    return as_text(attributes[key])
    return next((as_text(span.attributes[v]) for v in values if v in span.attributes), "")


def _messages(attributes: Mapping[str, Any], prefix: str) -> list[tuple[str, str]]:
    """Return (role, text) of the messages below a path, in the order of their numbers."""
    found: dict[int, tuple[str, list[str]]] = {}
    for path, value in attributes.items():
        if not path.startswith(f"{prefix}."):
            continue
        number, _, rest = path.removeprefix(f"{prefix}.").partition(".")
        if not number.isdigit():
            continue
        role, parts = found.get(int(number), ("", []))
        rest = rest.removeprefix("message.")
        if rest == "role":
            role = as_text(value).lower()
        elif rest == "content" or rest.endswith((".content", ".text")):
            kind = attributes.get(path.rpartition(".")[0] + ".type")
            if kind in (None, "text") and "tool_call" not in rest:
                parts.append(message_text(value))
        found[int(number)] = (role, parts)
    return [(role, "\n".join(parts)) for _, (role, parts) in sorted(found.items())]


def _evaluations(span: Span) -> Iterator[Evaluation]:
    for name, attributes in span.events:
        if name.startswith("gen_ai.evaluation"):
            yield _evaluation(attributes, "gen_ai.evaluation.", "score.label", "score.value")
    if "gen_ai.evaluation.name" in span.attributes:
        yield _evaluation(span.attributes, "gen_ai.evaluation.", "score.label", "score.value")
    for many, one in (("evaluations", "evaluation"), ("annotations", "annotation")):
        numbers = {
            path.split(".")[1] for path in span.attributes
            if path.startswith(f"{many}.") and path.count(".") > 1
        }  # fmt: skip
        for number in sorted(numbers, key=lambda n: (len(n), n)):
            prefix = f"{many}.{number}.{one}."
            if f"{prefix}name" in span.attributes:
                yield _evaluation(span.attributes, prefix, "label", "score")


def _evaluation(at: Mapping[str, Any], prefix: str, label: str, score: str) -> Evaluation:
    number = at.get(f"{prefix}{score}")
    known = (
        isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    )
    return Evaluation(
        as_text(at.get(f"{prefix}name")), as_text(at.get(f"{prefix}{label}")),
        float(number) if known and number is not None else None,
        as_text(at.get(f"{prefix}explanation")),
        as_text(at.get(f"{prefix}annotator_kind")).upper() == "HUMAN",
    )  # fmt: skip
