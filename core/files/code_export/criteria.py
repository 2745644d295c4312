"""The criteria of a contract as Python: which check function each calls, and what cannot be inlined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.checks.parsed import read_path
from core.checks.registry import KINDS
from core.contract.contract import Contract, Threshold, exact
from core.contract.criterion import CheckedBy, Criterion
from core.files.code_export.literals import Many, Text, Value, call, listing, quoted
from core.files.code_export.schemas import decisive, has_pattern, plain_schema, python_value
from core.judging.prompt import criterion_ids, judged_criteria
from core.text import fold, is_unspaced

LIBRARIES = {"regex": "google-re2"}
"""What a kind of check needs beside the standard library, as the package index calls it."""


@dataclass(frozen=True)
class Inlined:
    """A criterion's check as a call of the exported file, and what that call needs.

    `piece` is the piece with the function; `given` are its arguments by name. `outside` says why
    there is no call and who has to decide instead.
    """

    piece: str = ""
    value: Many | None = None
    negated: bool = False
    sees_reference: bool = False
    cannot_examine: bool = False
    in_field: bool = False
    unspaced: bool = False
    schema_pattern: bool = False
    library: str = ""
    outside: str = ""


_TEXT_KINDS = {
    "max_words": "max_words",
    "min_words": "min_words",
    "max_characters": "max_characters",
    "max_sentence_words": "max_sentence_words",
}


def inlined(criterion: Criterion) -> Inlined:
    """Return how the exported file decides a criterion that code or a person decides."""
    if criterion.checked_by is CheckedBy.PERSON:
        return Inlined(outside="a person")
    spec = dict(criterion.check or {})
    kind, negated = spec["kind"], spec.get("not") is True
    given = {k: v for k, v in spec.items() if k not in ("kind", "not") and v is not None}
    if kind == "recorded":
        return Inlined(outside=f"a verdict recorded by {given['by']}")
    made = _call(kind, given)
    if made is None:
        return Inlined(outside=f"a check of the kind {kind}, which is not inlined")
    piece, arguments = made
    function = {"json": "is_json", "regex": "matches"}.get(piece, piece)
    field = given.get("field") if KINDS[kind].reads_field else None
    reference = kind == "equals_reference"
    seen = ["text"] if field is not None else ["draft", "reference"] if reference else ["draft"]
    value = call(f"lambda {', '.join(seen)}: {function}", seen, arguments)
    if field is not None:
        value = call("lambda draft: in_field", ["draft", _path(field), value], {})
    schema_pattern = kind == "json_schema" and has_pattern(given["schema"])
    phrases = [t for t in (*given.get("texts", ()), given.get("text", "")) if isinstance(t, str)]
    return Inlined(
        piece, value, negated, reference,
        cannot_examine=(
            kind in _CANNOT_EXAMINE or not {"field", "tolerance"}.isdisjoint(given)
        ),
        in_field=field is not None,
        unspaced=any(is_unspaced(fold(t)) for t in phrases),
        schema_pattern=schema_pattern,
        library=LIBRARIES.get(kind, "") or (
            LIBRARIES["regex"] if schema_pattern else ""
        ),
    )  # fmt: skip


_CANNOT_EXAMINE = frozenset(
    {"max_sentence_words", "regex", "json", "json_schema", "python_parses", "python_imports"}
)


def _call(kind: str, given: dict[str, Any]) -> tuple[str, dict[str, Value]] | None:
    """Return (piece, arguments) of a kind, or None where it cannot be inlined faithfully."""
    if kind in _TEXT_KINDS:
        return kind, {"limit": str(given["limit"])}
    if kind in ("ends_with_sentence", "json"):
        return kind, {}
    if kind == "contains":
        return "contains", {"phrases": listing([Text(given["text"])])}
    if kind in ("contains_any", "contains_all"):
        phrases = listing([Text(t) for t in given["texts"]])
        return "contains", {"phrases": phrases, **_flag("any_of", kind == "contains_any")}
    if kind == "regex":
        return "regex", {"pattern": Text(given["pattern"])}
    if kind == "equals_reference":
        tolerance = {}
        name = "equals_reference"
        if "tolerance" in given:
            name = "near_reference"
            tolerance = {"tolerance": f'Decimal("{given["tolerance"]}")'}
        if "field" in given:
            return f"{name}_field", {"path": _path(given["field"]), **tolerance}
        return name, {**tolerance}
    if kind == "python_parses":
        version = given.get("version")
        return kind, {"version": f"(3, {int(version[2:])})"} if version else {}
    if kind == "python_imports":
        modules = listing([Text(t) for t in given["texts"]])
        return kind, {"modules": modules, **_flag("only", given.get("only") is True)}
    if kind == "json_schema" and plain_schema(given["schema"]):
        path = given.get("path") or given.get("field")
        where: dict[str, Value] = {"path": _path(path)} if path else {}
        return kind, {**where, "schema": python_value(decisive(given["schema"]))}
    return None


def _flag(name: str, value: bool) -> dict[str, Value]:
    return {name: "True"} if value else {}


def _path(text: str) -> Many:
    return listing([quoted(step) for step in read_path(text, "field")])


def criteria_values(contract: Contract, how: Mapping[str, Inlined]) -> list[Many]:
    """Return the criteria as the calls that make them; `how` says how code decides, by key."""
    ids = {c.key: name for name, c in criterion_ids(judged_criteria(contract)).items()}
    weighted = isinstance(contract.acceptance, Threshold)
    return [_criterion(c, how.get(c.key), ids.get(c.key, ""), weighted) for c in contract.criteria]


def _criterion(criterion: Criterion, how: Inlined | None, id: str, weighted: bool) -> Many:
    given: dict[str, Value] = {
        "key": quoted(criterion.key),
        "question": Text(criterion.question),
        "checked_by": quoted(criterion.checked_by.value),
    }
    if how is not None and how.value is not None:
        given["check"] = how.value
    if how is not None and how.sees_reference:
        given["sees_reference"] = "True"
    if how is not None and how.negated:
        given["negated"] = "True"
    if how is not None and how.outside:
        given["outside"] = Text(how.outside)
    if criterion.checked_by is CheckedBy.JUDGE:
        given["id"] = quoted(id)
        for name in ("pass_example", "fail_example"):
            if text := getattr(criterion, name):
                given[name] = Text(text)
    if weighted and exact(criterion.weight) != 1:
        given["weight"] = fraction(criterion.weight)
    return call("Criterion", [], given, exploded=True)


def fraction(number: float) -> str:
    """Return a weight as an exact fraction: whole as it is, else the decimal that was written."""
    value = exact(number)
    if value.denominator == 1:
        return f"Fraction({value.numerator})"
    return f'Fraction("{number}")'
