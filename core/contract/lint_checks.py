"""Rules about a criterion's examples and its check, and what code could check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from core.checks.registry import Check, build
from core.checks.values import number_equality
from core.contract import lint_words as words
from core.contract.criterion import CheckedBy
from core.contract.finding import Finding, Patch
from core.contract.plain import Row
from core.contract.suggest import Suggestion, suggest, write
from core.contract.suggest_example import from_example
from core.errors import InputError
from core.text import comparison_copy, is_unspaced
from core.verdict import Verdict

_CODE = CheckedBy.CODE.value
_RIGHT = (("pass", Verdict.PASS), ("fail", Verdict.FAIL))


def missing_example(row: Row) -> Iterator[Finding]:
    """A criterion without both examples means something else to each reader."""
    for name, text in (("pass", row.pass_example), ("fail", row.fail_example)):
        if not text.strip():
            yield row.finding(
                "missing_example",
                f"There is no {name} example, so nobody can tell where the line is.",
                f"Add an output that should {name}.",
            )  # fmt: skip


def same_examples(row: Row) -> Iterator[Finding]:
    """Two equal examples draw no line."""
    first, second = row.pass_example, row.fail_example
    if first.strip() and comparison_copy(first) == comparison_copy(second):
        yield row.finding(
            "same_examples", "The pass example and the fail example are the same text.",
            "Change one so that they differ in what the question asks.",
            row.change("Empty the fail example", {"fail_example": ""}),
        )  # fmt: skip


def _check(spec: Mapping[str, Any] | None) -> Check | None:
    """Return the check, or None; a draft may hold one that cannot be built yet."""
    try:
        return None if spec is None else build(spec)
    except InputError:
        return None


def _wrong(check: Check, row: Row) -> dict[str, str]:
    """Return the examples that the check gets wrong, by name, each with what it says."""
    found: dict[str, str] = {}
    for (name, right), text in zip(_RIGHT, (row.pass_example, row.fail_example), strict=True):
        if not text.strip():
            continue
        # An example has no reference answer and no recorded verdict: no verdict is no mistake.
        got = check.run(text)
        if got.verdict is not None and got.verdict is not right:
            found[name] = f"{got.verdict.value} to the {name} example: {got.evidence}"
    return found


def _swapped(row: Row) -> Patch | None:
    return row.change(
        "Swap the two examples",
        {"pass_example": row.fail_example, "fail_example": row.pass_example},
    )


def example_misjudged(row: Row) -> Iterator[Finding]:
    """A check that gets its own examples wrong asks something else than the question does."""
    check = _check(row.check)
    if check is None:
        return
    wrong = _wrong(check, row)
    patch, advice = None, "Correct the example or the parameters of the check."
    if len(wrong) == 1:
        name = next(iter(wrong))
        patch = row.change(f"Empty the {name} example", {f"{name}_example": ""})
    if len(wrong) == 2:
        patch = _swapped(row)
        turned = _turned(row)
        if turned is not None and turned in _specs(row.question):
            # The question agrees with the examples, so it is the check that is the wrong way round.
            patch = row.change("Turn the check round", {"check": turned})
    for said in wrong.values():
        yield row.finding(
            "example_misjudged", f"The check says {said}.",
            f"{patch.label}." if patch and len(wrong) == 2 else advice,
            patch,
        )  # fmt: skip


def _turned(row: Row) -> dict[str, Any] | None:
    spec = dict(row.check or {})
    if spec.pop("not", False) is not True:
        spec["not"] = True
    return spec if _check(spec) is not None else None


def _specs(question: str) -> tuple[dict[str, Any], ...]:
    found = suggest(question)
    return found.specs if found is not None and found.surely else ()


def examples_swapped(row: Row) -> Iterator[Finding]:
    """Where the words of the question settle it, both examples can be seen to stand wrongly."""
    if row.by_code or len(specs := _specs(row.question)) != 1:
        return
    check = _check(specs[0])
    if check is not None and len(_wrong(check, row)) == 2:
        yield row.finding(
            "examples_swapped", "The pass example fails the question and the fail example passes.",
            "Swap the two examples.", _swapped(row),
        )  # fmt: skip


# --- judge or code ---------------------------------------------------------------------------


def code_could_check(row: Row) -> Iterator[Finding]:
    """Where code can decide it is free, instant and never wavers."""
    if row.by_code or (found := suggest(row.question)) is None:
        return
    if not found.specs and row.pass_example.strip():
        for spec in islice(from_example(found.written, row.pass_example), 5):
            check = _check(spec)
            if check is not None and not _wrong(check, row):
                found = Suggestion(write(spec), (spec,), surely=False)
                break
    patch = _to_code(row, found)
    yield row.finding(
        "code_could_check", "Code can decide this for free and always alike.",
        f"Set checked_by to code with check {found.written}.", patch,
    )  # fmt: skip


def _to_code(row: Row, found: Suggestion) -> Patch | None:
    """Return the patch that lets code check a criterion, or None while that would be a guess."""
    checks = [_check(spec) for spec in found.specs]
    if not checks or any(check is None for check in checks):
        return None
    if not found.surely:
        # The words of the question need not be those of an output: only if both examples agree.
        both = row.pass_example.strip() and row.fail_example.strip()
        if not both or any(_wrong(check, row) for check in checks if check is not None):
            return None
    if len(found.specs) == 1:
        return row.change("Let code check it", {"checked_by": _CODE, "check": found.specs[0]})
    if not row.key.strip():
        return None
    weight = {"weight": float((row.weight or 1) / 2)} if row.weight not in (None, 1) else {}
    return row.change(
        f"Let code check it, as {len(found.specs)} criteria",
        *(
            {"key": f"{row.key[:180]}-{spec['kind']}", "checked_by": _CODE, "check": spec, **weight,
             "fail_example": "" if _passes(spec, row.fail_example) else row.fail_example}
            for spec in found.specs
        ),
    )  # fmt: skip


def _passes(spec: Mapping[str, Any], text: str) -> bool:
    check = _check(spec)
    return check is not None and check.run(text).verdict is Verdict.PASS


def unspaced_script(row: Row) -> Iterator[Finding]:
    """Word limits do not fit scripts that put no blanks between words."""
    check = row.check or {}
    kind = check.get("kind")
    if kind in ("max_words", "min_words", "max_sentence_words") and is_unspaced(
        row.pass_example + row.fail_example + row.question
    ):
        patch = None
        if kind == "max_words":
            characters = {**check, "kind": "max_characters"}
            patch = row.change("Count characters", {"check": characters})
        yield row.finding(
            "unspaced_script",
            "This script puts no blanks between words, so every character counts as one word.",
            "Use max_characters, or set the limit in characters.", patch,
        )  # fmt: skip


def exact_number(row: Row) -> Iterator[Finding]:
    """Fractions are stored in binary, so == between two of them fails on a last digit."""
    check = row.check or {}
    expression = check.get("expression")
    if check.get("kind") != "expression" or not isinstance(expression, str):
        return
    operator = number_equality(expression, row.pass_example)
    if operator is not None:
        yield row.finding(
            "exact_number", f"{operator} between numbers turns on the last digit of a fraction.",
            "Use close(a, b, `0.005`) with the tolerance you accept.",
            _with_tolerance(row, check, expression),
        )  # fmt: skip


def _with_tolerance(row: Row, check: Mapping[str, Any], expression: str) -> Patch | None:
    left, operator, right = expression.partition("==")
    # Only where == is all there is: elsewhere the two sides cannot be told from the text.
    if not operator or any(
        mark in expression for mark in ("||", "&&", "!", "?", "|", "'", '"', "=" * 3)
    ):
        return None
    close = f"close({left.strip()}, {right.strip()}, `0.005`)"
    changed = {**check, "expression": close}
    if "==" in right or _check(changed) is None:
        return None
    return row.change("Allow a difference of 0.005", {"check": changed})


def presence(row: Row) -> Iterator[Finding]:
    """Finding words is no proof that the text asserts them: "not v2.1" contains v2.1."""
    check = row.check or {}
    if (
        check.get("kind") in ("contains", "contains_any", "contains_all")
        and check.get("not") is not True
        and words.ASSERTION.search(words.unquoted(row.question))
    ):
        yield row.finding(
            "presence",
            "The question asks what the text says, the check only whether words occur in it.",
            "Add a judge criterion for the statement, or ask whether the words are mentioned.",
            row.change("Let a judge decide what the text says", {"checked_by": "judge", "check": None}),
        )  # fmt: skip


def format_unchecked(row: Row) -> Iterator[Finding]:
    """A JSON Schema's format is a remark, not a rule."""
    check = row.check or {}
    if check.get("kind") == "json_schema" and _names_format(check.get("schema")):
        yield row.finding(
            "format_unchecked",
            "The schema uses format, which is a remark and is not checked.",
            "Use pattern for what has to hold.", _with_patterns(row),
        )  # fmt: skip


_FORMATS = {
    "date": r"^\d{4}-\d{2}-\d{2}$",
    "time": r"^\d{2}:\d{2}:\d{2}",
    "date-time": r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}",
    "email": r"^[^@\s]+@[^@\s]+$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:",
    "uuid": r"^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
}


def _with_patterns(row: Row) -> Patch | None:
    """Return the patch that asks for the shape of each format by pattern, where all are known."""
    check = dict(row.check or {})

    def turned(item: Any) -> Any:
        if isinstance(item, list):
            return [turned(part) for part in item]
        if not isinstance(item, dict):
            return item
        made = {key: turned(value) for key, value in item.items()}
        said = item.get("format")
        if isinstance(said, str) and said in _FORMATS and "pattern" not in item:
            del made["format"]
            made["pattern"] = _FORMATS[said]
        return made

    changed = {**check, "schema": turned(check.get("schema"))}
    if _names_format(changed["schema"]) or (made := _check(changed)) is None or _wrong(made, row):
        return None
    return row.change("Check the shape by pattern", {"check": changed})


def _names_format(schema: object) -> bool:
    """Tell whether a JSON Schema uses the keyword format anywhere (a property may be so called)."""
    pending: list[tuple[object, bool]] = [(schema, True)]
    while pending:
        item, is_schema = pending.pop()
        if isinstance(item, dict):
            if is_schema and isinstance(item.get("format"), str):
                return True
            for key, value in item.items():
                if key not in ("enum", "const", "default", "examples"):
                    named = is_schema and key in (
                        "properties", "patternProperties", "$defs", "definitions",
                        "dependentSchemas",
                    )  # fmt: skip
                    pending.append((value, not named))
        elif isinstance(item, list):
            pending.extend((part, True) for part in item)
    return False


CHECK_RULES: tuple[Callable[[Row], Iterator[Finding]], ...] = (
    missing_example, same_examples, example_misjudged, examples_swapped,
    code_could_check, unspaced_script, exact_number, presence, format_unchecked,
)  # fmt: skip
