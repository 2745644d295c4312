"""The code checks a contract may name: one registry, one family of checks per module.

A check is data in a contract (`{kind: max_words, limit: 60}`). `KINDS` describes every kind so
that a form can be drawn from it; `build` turns the data into something to run, and refuses by name
what it cannot run, before anything is saved or paid for.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from core.checks import lengths, parsed, phrases, python_code, reference, schema, values
from core.checks.kind import Ask, CannotExamine, Kind, Parameter, ParameterType, place, stopped
from core.errors import InputError, show
from core.verdict import CriterionVerdict, Unscored, failed, no_verdict, passed

MAX_OUTPUT = 1_000_000
"""Characters of an output that checks look into; no model writes as many in one go."""
_ANY_LENGTH = ("recorded", "max_characters")
MAX_SPEC_SIZE = 50_000
MAX_SPEC_DEPTH = 120

KINDS: dict[str, Kind] = {
    kind.name: kind
    for family in (lengths, phrases, parsed, schema, values, reference, python_code)
    for kind in family.KINDS
}
"""Every kind of check by name, in the order a form shows them."""


class Check(Protocol):
    """A check built from its parameters, ready to run; it never raises on an output."""

    kind: str

    def run(self, output: str, reference: str | None = None) -> CriterionVerdict:
        """Return the verdict on `output` with evidence that names place and value."""
        ...


class _Built:
    """A check: the kind's question, and whether its condition must hold or must not."""

    __slots__ = ("_ask", "_negated", "kind")

    def __init__(self, kind: str, ask: Ask, negated: bool) -> None:
        self.kind = kind
        self._ask = ask
        self._negated = negated

    def run(self, output: str, reference: str | None = None) -> CriterionVerdict:
        """Return the verdict on `output` with evidence that names place and value.

        What cannot be examined fails, negated or not; a check that broke gives no verdict.
        """
        try:
            longest = max(len(output), len(reference or ""))
            if longest > MAX_OUTPUT and self.kind not in _ANY_LENGTH:
                raise stopped(f"{longest:,} characters, more than {MAX_OUTPUT:,}")
            found = self._ask(output, reference)
        except CannotExamine as error:
            return failed(error.evidence, error.change)
        except (RecursionError, MemoryError):
            return failed("too deeply nested to examine", "Nest it less deeply.")
        except Exception as error:
            # The last resort of "never raises": a broken check is neither PASS nor FAIL.
            return no_verdict(Unscored.ERROR, f"the check {self.kind} broke: {error!r:.200}")
        if isinstance(found, CriterionVerdict):
            return found
        if found.holds is not self._negated:
            return passed(found.evidence)
        return failed(found.evidence, found.change_not if self._negated else found.change)


def build(spec: Mapping[str, Any]) -> Check:
    """Return the check that `spec` (kind, parameters, `not`) describes; repeated calls are cheap.

    Raises InputError naming the parameter that cannot be used.
    """
    given: object = spec
    if not isinstance(given, Mapping):
        raise InputError("check", f"expected kind and parameters, got {show(spec)}.")
    _refuse_what_json_cannot_hold(spec)
    return _build(json.dumps(dict(spec)))


def _refuse_what_json_cannot_hold(spec: Mapping[str, Any]) -> None:
    """Refuse what would not survive a file: dates, NaN, keys that are no text, endless nesting."""
    # The size first: what it lets through is small enough to look into.
    if parsed.tree_size(spec, MAX_SPEC_SIZE) > MAX_SPEC_SIZE or (
        parsed.depth_exceeds(spec, MAX_SPEC_DEPTH)
    ):
        raise InputError("check", "it is too large or too deeply nested.", "Make it smaller.")
    pending: list[Any] = [spec]
    while pending:
        item = pending.pop()
        if isinstance(item, Mapping):
            for key in item:
                if not isinstance(key, str):
                    raise InputError("check", f"the key {show(key)} is not text.", "Quote it.")
            pending.extend(item.values())
        elif isinstance(item, list | tuple):
            pending.extend(item)
        elif item is not None and not isinstance(item, str | int | float):
            raise InputError("check", f"{show(item)} is neither text nor a number.", "Quote it.")
        elif isinstance(item, float) and not math.isfinite(item):
            name = next((f", {key}" for key, value in spec.items() if value is item), "")
            raise InputError(f"check{name}", f"{item} is not a finite number.")


@lru_cache(maxsize=512)
def _build(spec_json: str) -> Check:
    # Built from a copy of its own: a spec changed afterwards changes no check.
    spec: dict[str, Any] = json.loads(spec_json)
    name = spec.pop("kind", None)
    if name is None:
        raise InputError("check, kind", "it is missing.", f"Choose one of {', '.join(KINDS)}.")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        close = difflib.get_close_matches(str(name), KINDS, n=1)
        remedy = f"Did you mean {close[0]}? " if close else ""
        raise InputError(
            "check, kind", f"there is no kind {show(name)}.",
            f"{remedy}Known: {', '.join(KINDS)}.",
        )  # fmt: skip
    negated = spec.pop("not", False)
    if not isinstance(negated, bool):
        raise InputError(place(kind.name, "not"), f"{show(negated)} is not true or false.")
    if negated and not kind.negatable:
        raise InputError(place(kind.name, "not"), f"{kind.name} cannot be negated.",
                         "Leave not out, and record the verdict the other way round.")  # fmt: skip
    given = _read(kind, spec)
    ask = kind.make(given)
    path = parsed.field_path(kind.name, given) if kind.reads_field else None
    return _Built(kind.name, ask if path is None else parsed.in_field(ask, path), negated)


def _read(kind: Kind, spec: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters, each of its type; raises InputError naming the first that is not."""
    known = {parameter.name: parameter for parameter in kind.parameters}
    for name in spec:
        if name not in known:
            takes = ", ".join(known) or "no parameters"
            raise InputError(place(kind.name, name), "there is no such parameter.",
                             f"{kind.name} takes {takes}.")  # fmt: skip
    for parameter in known.values():
        if parameter.required and spec.get(parameter.name) is None:
            raise InputError(place(kind.name, parameter.name), "it is missing.", parameter.help)
    # An empty optional parameter is one that was not filled in; 0 and false are values.
    return {
        name: _typed(value, known[name], place(kind.name, name))
        for name, value in spec.items()
        if value is not None
    }


def _typed(value: Any, parameter: Parameter, where: str) -> Any:
    fits, expected = _TYPES[parameter.type]
    if not fits(value):
        quote = (
            " Write it in quotes." if expected == _TEXT and isinstance(value, int | float) else ""
        )
        raise InputError(where, f"{show(value)} is not {expected}.", f"{parameter.help}{quote}")
    return value


MOST = 1_000_000_000
"""The largest whole number a check takes; no output is that long."""


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


_TEXT = "a text that is not blank"
_TYPES: dict[ParameterType, tuple[Callable[[Any], bool], str]] = {
    "whole number": (_is_whole, f"a whole number from 0 to {MOST:,}"),
    "number": (_is_amount, "a number of 0 or more"),
    "text": (_is_text, _TEXT),
    "texts": (
        lambda v: isinstance(v, list) and bool(v) and all(_is_text(x) for x in v),
        "a list of texts, none of them blank",
    ),
    "pattern": (lambda v: isinstance(v, str) and bool(v), "a pattern"),
    "schema": (lambda v: isinstance(v, dict), "an object"),
    "expression": (_is_text, _TEXT),
    "path": (_is_text, _TEXT),
    "flag": (lambda v: isinstance(v, bool), "true or false"),
}
