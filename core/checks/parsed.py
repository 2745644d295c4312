"""The output read as JSON, strictly, and the fields in it.

Strict: NaN and infinity are no JSON, a key that stands twice in one object is refused (which of
the two was meant?), and so are numbers of absurd length and nesting deeper than `MAX_DEPTH`.
Numbers keep the decimal they were written as (`exact`), so 0.1 + 0.2 is 0.3. An output that is one
Markdown code fence and nothing else is read as the text inside it, and the evidence says so.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, NamedTuple, NoReturn

from core.checks.kind import Ask, CannotExamine, Found, Kind, place
from core.errors import InputError, show
from core.verdict import CriterionVerdict

MAX_DEPTH = 100
MAX_NUMBER = 400
_MAX_CACHED = 100_000
MISSING: Final = object()
"""What `find` returns for a field that is not there (null is there)."""


class NotJson(CannotExamine):
    """The output is not JSON at all."""

    def __init__(self, why: str) -> None:
        super().__init__(f"not JSON: {why}", "Give JSON and nothing else.")


class NotStrict(CannotExamine):
    """The output resembles JSON and breaks a rule of strict JSON: what it holds is not certain."""


class DecimalFloat(float):
    """A float that remembers the decimal it was written as."""

    decimal: Decimal


# JMESPath tells types apart by the name of the class.
DecimalFloat.__name__ = "float"


class Parsed(NamedTuple):
    """A JSON value and whether it stood in a code fence."""

    value: Any
    fenced: bool

    @property
    def note(self) -> str:
        """Text to append to evidence."""
        return " (read from inside the code fence)" if self.fenced else ""


def unfenced(text: str) -> tuple[str, bool]:
    """Return (inside, True) if the whole text is one Markdown code fence, else (text, False)."""
    trimmed = text.strip()
    mark = trimmed[:1]
    if mark not in ("`", "~"):
        return text, False
    fence = mark * (len(trimmed) - len(trimmed.lstrip(mark)))
    info, line_end, rest = trimmed.partition("\n")
    if len(fence) < 3 or not line_end or mark in info[len(fence) :]:
        return text, False
    inside = rest.removesuffix(fence)
    closed = inside != rest and (not inside or inside.endswith("\n"))
    if not closed or inside.startswith(fence) or f"\n{fence}" in inside:
        return text, False
    return inside.removesuffix("\n"), True


def exact(number: float) -> Decimal:
    """Return the decimal a number was written as; a computed float as its shortest decimal."""
    if isinstance(number, DecimalFloat):
        return number.decimal
    return Decimal(number) if isinstance(number, int) else Decimal(repr(number))


def is_number(value: object) -> bool:
    """Tell whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _constant(name: str) -> NoReturn:
    raise NotStrict(f"not JSON: {name} is not a JSON number", "Give a number or null.")


def _float(text: str) -> float:
    number = DecimalFloat(text)
    if len(text) > MAX_NUMBER or number in (float("inf"), float("-inf")):
        raise CannotExamine(f"the number {show(text, 40)} is out of range", "Give a real number.")
    number.decimal = Decimal(text)
    if not number and number.decimal:
        raise CannotExamine(f"the number {show(text, 40)} is out of range", "Give a real number.")
    return number


def _int(text: str) -> int:
    if len(text) > MAX_NUMBER:
        raise CannotExamine(f"the number {show(text, 40)} is out of range", "Give a real number.")
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise NotStrict(f"the key {show(twice)} stands twice in one object", "Give each key once.")
    return made


_DECODER = json.JSONDecoder(
    parse_constant=_constant, parse_float=_float, parse_int=_int, object_pairs_hook=_object
)


def depth_exceeds(value: object, limit: int) -> bool:
    """Tell whether lists and objects are nested more than `limit` deep; never recurses."""
    level = [value]
    for _ in range(limit):
        inner: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                inner.extend(item.values())
            elif isinstance(item, list | tuple):
                inner.extend(item)
        level = [item for item in inner if isinstance(item, Mapping | list | tuple)]
        if not level:
            return False
    return True


def tree_size(value: Any, limit: int) -> int:
    """Return how many values `value` spells out to, at most about `limit`.

    Shared parts count each time they appear, so lists built of themselves are found out; a text
    counts one more for every 100 characters.
    """
    count, pending = 0, [value]
    while pending and count <= limit:
        item = pending.pop()
        count += 1
        if isinstance(item, Mapping):
            pending.extend(item.values())
            count += len(item)
        elif isinstance(item, list | tuple):
            pending.extend(item)
        elif isinstance(item, str):
            count += len(item) // 100
    return count


def _too_deep() -> CannotExamine:
    return CannotExamine(
        f"the JSON is too deeply nested (more than {MAX_DEPTH} levels)", "Nest it less deeply."
    )


def _parse(output: str) -> Parsed:
    text, fenced = unfenced(output)
    if not text.strip():
        raise NotJson("the output is empty")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        inside = " of the code fence" if fenced else ""
        message = error.msg[:1].lower() + error.msg[1:]
        raise NotJson(f"{message} at line {error.lineno}{inside}, column {error.colno}") from None
    except RecursionError:
        raise _too_deep() from None
    if text.count("[") + text.count("{") > MAX_DEPTH and depth_exceeds(value, MAX_DEPTH):
        raise _too_deep()
    return Parsed(value, fenced)


_parse_once = lru_cache(maxsize=16)(_parse)


def parse(output: str) -> Parsed:
    """Return the output read as JSON; raises NotJson or CannotExamine. Never change the value.

    The last outputs are remembered, because a contract asks several questions of each.
    """
    return _parse_once(output) if len(output) <= _MAX_CACHED else _parse(output)


# --- fields ----------------------------------------------------------------------------------

Path = tuple[str, ...]
_STEP = re.compile(r"\[(\d+)\]")


def read_path(text: str, where: str) -> Path:
    """Return the steps of `lines[0].amount`, `lines.0.amount` or `/lines/0/amount`.

    The form with slashes (JSON Pointer) reaches keys that contain points: `~1` is a slash and
    `~0` a tilde. Raises InputError naming `where`.
    """
    if text.startswith("/"):
        return tuple(p.replace("~1", "/").replace("~0", "~") for p in text[1:].split("/"))
    steps = tuple(_STEP.sub(r".\1", text.strip()).removeprefix(".").split("."))
    if "" in steps or "[" in text.replace("[", "", len(_STEP.findall(text))):
        raise InputError(
            where, f"{show(text)} is no path to a field.",
            "Write it like total, lines[0].amount or /lines/0/amount.",
        )  # fmt: skip
    return steps


def show_path(path: Iterable[object]) -> str:
    """Return a path for people: lines[0].amount."""
    shown = ""
    for step in path:
        text = str(step)
        shown += f"[{text}]" if text.isdigit() and shown else f".{text}" if shown else text
    return shown or "the top"


def find(value: Any, path: Path) -> Any:
    """Return what stands at `path`, or MISSING."""
    for step in path:
        if isinstance(value, dict):
            if step not in value:
                return MISSING
            value = value[step]
        elif isinstance(value, list):
            if not (step.isascii() and step.isdigit() and len(step) < 10):
                return MISSING
            if int(step) >= len(value):
                return MISSING
            value = value[int(step)]
        else:
            return MISSING
    return value


def field_value(output: str, path: Path) -> tuple[Any, str]:
    """Return (value at `path` of the output, note for evidence); raises CannotExamine."""
    parsed = parse(output)
    value = find(parsed.value, path)
    if value is MISSING:
        name = show_path(path)
        raise CannotExamine(f"there is no field {name}{parsed.note}", f"Add the field {name}.")
    return value, parsed.note


def in_field(ask: Ask, path: Path) -> Ask:
    """Return `ask` put to the text of one field of the output; numbers as they are written."""
    name = show_path(path)

    def ask_field(output: str, reference: str | None) -> Found | CriterionVerdict:
        value, note = field_value(output, path)
        if isinstance(value, dict | list) or value is None:
            raise CannotExamine(f"field {name} is {type_word(value)}, not text",
                                f"Make {name} a text.")  # fmt: skip
        text = value if isinstance(value, str) else spelled(value)
        try:
            found = ask(text, reference)
        except CannotExamine as error:
            raise CannotExamine(f"field {name}: {error.evidence}", error.change) from error
        if isinstance(found, CriterionVerdict):
            return found
        return found._replace(
            evidence=f"field {name}: {found.evidence}{note}",
            change=found.change and f"In field {name}: {found.change}",
            change_not=found.change_not and f"In field {name}: {found.change_not}",
        )

    return ask_field


def type_word(value: object) -> str:
    """Return what a JSON value is, in words."""
    if is_number(value):
        return "a number"
    words = {"dict": "an object", "list": "a list", "str": "a text", "bool": "true or false"}
    return words.get(type(value).__name__, "null")


def spelled(value: object) -> str:
    """Return a scalar as JSON spells it, numbers as they were written."""
    if isinstance(value, DecimalFloat):
        return str(value.decimal)
    return json.dumps(value, ensure_ascii=False)


def canonical(value: Any) -> Any:
    """Return a hashable copy that is equal for equal JSON: 1 is 1.0, true is not 1."""
    if isinstance(value, dict):
        return frozenset((key, canonical(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(canonical(item) for item in value)
    if is_number(value):
        return exact(value)
    return (type(value).__name__, value)


# --- the check ---------------------------------------------------------------------------------


def _json(given: Mapping[str, Any]) -> Ask:
    def ask(output: str, reference: str | None) -> Found:
        try:
            parsed = parse(output)
        except (NotJson, NotStrict) as error:
            # That it is no strict JSON is certain; only what it holds is not.
            return Found(False, error.evidence, error.change)
        return Found(
            True,
            f"JSON: {type_word(parsed.value)}{parsed.note}",
            "",
            "Answer in plain text, not in JSON.",
        )

    return ask


def field_path(kind: str, given: Mapping[str, Any], name: str = "field") -> Path | None:
    """Return the path in parameter `name`, or None when it was not given."""
    return read_path(given[name], place(kind, name)) if name in given else None


FENCE_RULE = (
    "An output that is one Markdown code fence and nothing else is read as the text inside;"
    " to refuse the fence, add a pattern check such as ^\\s*[\\[{]."
)

KINDS = (
    Kind(
        "json", "Is JSON",
        "Strict JSON: no NaN, no key twice in one object, nothing before or after it."
        f" {FENCE_RULE}",
        (), _json, negatable=True,
    ),
)  # fmt: skip
