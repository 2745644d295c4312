"""JSON arrays and JSON lines as rows of text: what was written is what is read.

Numbers keep their text (1.0 stays "1.0"), because 17 and "17" are one id and a reader that turns
ids into floats loses the last digits of long ones. NaN and Infinity are no JSON and are refused;
a key given twice has no one value and is refused too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.errors import InputError, show
from core.files.delimited import MAX_RECORD
from core.files.problems import Problem


class _Number(str):
    """A JSON number by its text, told apart from a string while nested values are written."""

    __slots__ = ()


class _Reader:
    """A JSON decoder that notes what strict JSON forbids instead of letting it pass."""

    def __init__(self) -> None:
        self.fault = ""
        self._decoder = json.JSONDecoder(
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=self._constant,
            object_pairs_hook=self._object,
        )

    def _constant(self, word: str) -> None:
        self.fault = f"{word} is not JSON: write null or leave the field out"

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            self.fault = f"the key {show(twice, 40)} is given twice"
        return found

    def read(self, text: str, at: int = 0) -> tuple[Any, int]:
        """Return the value at `at` and where it ends; `fault` says what is wrong with it."""
        self.fault = ""
        return self._decoder.raw_decode(text, at)


def _compact(value: Any) -> str:
    """Return JSON text of a nested value with its numbers as they were written."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_compact(k)}:{_compact(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_compact(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def cell(value: Any) -> str:
    """Return a JSON value as cell text; null and a missing key are the empty cell."""
    if isinstance(value, str):
        return str(value)
    return "" if value is None else _compact(value)


def _fields(value: Any, fault: str) -> tuple[dict[str, str], str]:
    """Return (cells by column, "") or ({}, what is wrong)."""
    if fault:
        return {}, fault
    if not isinstance(value, dict):
        return {}, f"expected an object {{…}}, got {show(_safely(value), 40)}"
    try:
        fields = {key.strip(): cell(item) for key, item in value.items()}
    except RecursionError:
        return {}, "nested too deeply"
    if "" in fields:
        return {}, "a field without a name"
    if len(fields) < len(value):
        return {}, "two field names differ only in blanks around them"
    return fields, ""


def _safely(value: Any) -> str:
    try:
        return cell(value)
    except RecursionError:
        return "…"


def json_lines(text: str) -> Iterator[tuple[int, dict[str, str], str]]:
    """Yield (line number, cells by column, problem) per line that is not blank."""
    reader = _Reader()
    position, line = 0, 0
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line += 1
        if end - position > MAX_RECORD:
            yield line, {}, f"{end - position:,} characters in one line, more than {MAX_RECORD:,}"
        elif raw := text[position:end].strip(" \t\r"):
            try:
                value, stop = reader.read(raw)
            except json.JSONDecodeError as error:
                yield line, {}, f"not JSON: {error.msg} at character {error.pos + 1}"
            except RecursionError:
                yield line, {}, "nested too deeply"
            else:
                rest = raw[stop:].strip()
                fault = reader.fault or (f"text after the object: {show(rest, 30)}" if rest else "")
                yield line, *_fields(value, fault)
        position = end + 1


def json_array(text: str, name: str) -> Iterator[tuple[int, dict[str, str], str]]:
    """Yield (line number, cells by column, problem) per element of the array in `text`.

    Raises InputError where the text stops being JSON: what follows cannot be told apart.
    """
    reader = _Reader()
    at = _skip(text, text.index("[") + 1)
    line, counted = 1, 0
    while not text.startswith("]", at):
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, stop = reader.read(text, at)
        except json.JSONDecodeError as error:
            raise InputError(f"{name}, line {error.lineno}", f"not JSON: {error.msg}.") from error
        except RecursionError as error:
            raise InputError(f"{name}, line {line}", "nested too deeply.") from error
        if stop - at > MAX_RECORD:
            yield line, {}, f"{stop - at:,} characters in one object, more than {MAX_RECORD:,}"
        else:
            yield line, *_fields(value, reader.fault)
        at = _skip(text, stop)
        if text.startswith(",", at):
            at = _skip(text, at + 1)
        elif not text.startswith("]", at):
            raise InputError(
                f"{name}, line {text.count(chr(10), 0, at) + 1}",
                "not JSON: a comma or the closing ] is missing here.",
            )
    after = _skip(text, at + 1)
    if after < len(text):
        raise InputError(
            f"{name}, line {text.count(chr(10), 0, after) + 1}", "text after the end of the array."
        )


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n"):
        at += 1
    return at


def to_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return one JSON object a line; raises ValueError for NaN or infinity.

    Lone surrogates, which UTF-8 cannot carry, are escaped; everything else stays readable.
    """
    lines = []
    for row in rows:
        line = json.dumps(row, ensure_ascii=False, allow_nan=False)
        try:
            line.encode()
        except UnicodeEncodeError:
            line = json.dumps(row, ensure_ascii=True, allow_nan=False)
        lines.append(line + "\n")
    return "".join(lines)


def problem_of(line: int, message: str) -> Problem:
    """Return a problem whose message ends like a sentence."""
    return Problem(line, message if message.endswith(".") else message + ".")
