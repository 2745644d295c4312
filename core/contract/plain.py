"""A contract as plain data, valid or not: what an editor holds while somebody is typing.

Whatever has the wrong type reads as if it were not there; `problems` in the module contract says
so by name. Nothing here raises on any data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from core.contract.criterion import CheckedBy
from core.contract.finding import Finding, Patch


@dataclass(frozen=True)
class Row:
    """One criterion of a draft. `data` is what stands there, `weight` None if it is unusable."""

    position: int
    data: Any
    key: str
    question: str
    checked_by: str
    check: Mapping[str, Any] | None
    pass_example: str
    fail_example: str
    weight: Fraction | None

    @property
    def by_code(self) -> bool:
        """Whether code decides this criterion."""
        return self.checked_by == CheckedBy.CODE.value

    def finding(self, rule: str, message: str, fix: str, patch: Patch | None = None) -> Finding:
        """Return a finding about this criterion."""
        name = self.key or f"number {self.position + 1}"
        return Finding(name, rule, message, fix, patch, self.position)

    def change(self, label: str, *rows: Mapping[str, Any]) -> Patch | None:
        """Return the patch that puts this criterion, changed by each of `rows`, in its place."""
        if not isinstance(self.data, Mapping):
            return None
        return Patch(label, self.data, tuple(_merged(self.data, r) for r in rows), self.position)

    def remove(self, label: str) -> Patch:
        """Return the patch that takes this criterion out."""
        return Patch(label, self.data, (), self.position)


@dataclass(frozen=True)
class Draft:
    """A contract of which any part may be missing or of the wrong type."""

    data: Mapping[str, Any]
    rows: tuple[Row, ...]
    does_not_examine: str
    knows: str
    evaluator: str
    minimum: Fraction | None

    @cached_property
    def total_weight(self) -> Fraction:
        """Sum of the usable weights."""
        return sum((row.weight for row in self.rows if row.weight is not None), Fraction(0))

    def change(self, label: str, **fields: Any) -> Patch:
        """Return the patch that sets fields of the contract itself."""
        return Patch(label, {name: self.data.get(name) for name in fields}, fields)


def read(data: Mapping[str, Any]) -> Draft:
    """Return the draft that `data` holds."""
    criteria = data.get("criteria")
    listed = criteria if isinstance(criteria, list | tuple) else ()
    evaluator, acceptance = _mapping(data.get("evaluator")), _mapping(data.get("acceptance"))
    return Draft(
        data=data,
        rows=tuple(read_row(position, item) for position, item in enumerate(listed)),
        does_not_examine=_text(data.get("does_not_examine")),
        knows=_text(evaluator.get("knows")),
        evaluator=_text(evaluator.get("type")),
        minimum=_number(acceptance.get("minimum")) if acceptance.get("rule") == "threshold" else None,
    )  # fmt: skip


def read_row(position: int, item: Any) -> Row:
    """Return the criterion that `item` holds, standing at `position`."""
    given = _mapping(item)
    check = given.get("check")
    return Row(
        position=position,
        data=item,
        key=_text(given.get("key")),
        question=_text(given.get("question")),
        checked_by=_text(given.get("checked_by", CheckedBy.JUDGE.value)),
        check=check if isinstance(check, Mapping) else None,
        pass_example=_text(given.get("pass_example")),
        fail_example=_text(given.get("fail_example")),
        weight=_number(given.get("weight", 1)),
    )


def _merged(data: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `data` with `changes`; a change to None takes the field out."""
    return {name: value for name, value in {**data, **changes}.items() if value is not None}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    # Through its shortest decimal: 0.1 typed ten times makes 1.
    return Fraction(repr(value)) if value > 0 else None


_SAYS_NOTHING = frozenset(
    {"", "none", "nothing", "n/a", "na", "not applicable", "tbd", "todo", "to do", "unknown", "?"}
)


def is_blank(text: str) -> bool:
    """Tell whether a required line is blank in substance: nothing, "none", "n/a", "-", "TBD"."""
    return text.strip(" \t\r\n.-–—…_!*").casefold() in _SAYS_NOTHING
