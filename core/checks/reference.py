"""Checks against something that came with the output: its reference answer, a recorded verdict.

Evidence of a reference check names the field and never the expected value: it is fed back to the
writer, and an answer told is no answer found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import Any

from core.checks.kind import FIELD, Ask, CannotExamine, Found, Kind, Parameter, plural
from core.checks.parsed import (
    MAX_NUMBER,
    MISSING,
    canonical,
    exact,
    field_path,
    field_value,
    find,
    is_number,
    parse,
    show_path,
)  # fmt: skip
from core.errors import show
from core.text import comparison_copy
from core.verdict import CriterionVerdict, Unscored, no_verdict

_NUMBER = re.compile(r"[-+−]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")


def _number(value: Any) -> Decimal | None:
    """Return the number that a JSON value or a plain text such as " 42.0 " is, else None."""
    if is_number(value):
        return exact(value)
    if isinstance(value, str) and len(value) <= MAX_NUMBER and _NUMBER.fullmatch(value.strip()):
        return Decimal(value.strip().replace("−", "-"))
    return None


def _equals_reference(given: Mapping[str, Any]) -> Ask:
    path = field_path("equals_reference", given)
    name = f"field {show_path(path)}" if path else "the output"
    tolerance = exact(given["tolerance"]) if "tolerance" in given else None

    def expected(reference: str | None) -> Any:
        """Return the expected value, or the reason why there is none (told apart by MISSING)."""
        if path is None:
            return reference
        try:
            return find(parse(reference or "").value, path)
        except CannotExamine:
            return MISSING

    def ask(output: str, reference: str | None) -> Found | CriterionVerdict:
        if reference is None:
            return no_verdict(Unscored.ERROR, "there is no reference answer for this input")
        wanted = expected(reference)
        if wanted is MISSING:
            return no_verdict(Unscored.ERROR, f"the reference answer has no {name}")
        target = None if tolerance is None else _number(wanted)
        if tolerance is not None and target is None:
            return no_verdict(Unscored.ERROR, f"the reference answer is no number for {name}")
        value, note = (output, "") if path is None else field_value(output, path)
        change = f"Work out {name} again."
        if tolerance is not None and target is not None:
            number = _number(value)
            if number is None:
                raise CannotExamine(f"{name} is not a number{note}", f"Give {name} as a number.")
            with localcontext() as context:
                context.prec = 2_000
                equal = abs(number - target) <= tolerance
        elif path is None:
            equal = comparison_copy(value).strip() == comparison_copy(wanted).strip()
        else:
            equal = canonical(value) == canonical(wanted)
        if equal:
            return Found(True, f"{name} equals the reference answer{note}", "",
                         f"Make {name} other than the reference answer.")  # fmt: skip
        size = f" ({plural(len(value), 'character')})" if path is None else ""
        return Found(False, f"{name}{size} differs from the reference answer{note}", change)

    return ask


def _recorded(given: Mapping[str, Any]) -> Ask:
    by = given["by"]

    def ask(output: str, reference: str | None) -> CriterionVerdict:
        return no_verdict(Unscored.ERROR, f"no verdict recorded by {show(by)} came with the output")

    return ask


KINDS = (
    Kind(
        "equals_reference", "Equals the reference answer",
        "The whole text (blanks around it and at line ends aside), one field of the JSON, or, with"
        " a tolerance, the number. Evidence names the field, never the expected value. An output"
        " without a reference answer gets no verdict. With not: it must not repeat the reference.",
        (
            Parameter("tolerance", "number", "Tolerance", "Compare as numbers; difference that"
                      " still passes.", required=False),
            Parameter("field", "path", "Only this field", FIELD.help.replace("the text of ", ""),
                      required=False),
        ),
        _equals_reference, negatable=True,
    ),
    Kind(
        "recorded", "Verdict recorded elsewhere",
        "Something else ran (a test suite, a compiler); its verdict comes with a verdict file or a"
        " trace. Without one the output gets no verdict.",
        (Parameter("by", "text", "Recorded by", "What ran, such as pytest."),),
        _recorded,
    ),
)  # fmt: skip
