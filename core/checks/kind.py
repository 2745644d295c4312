"""What a kind of check is: its parameters, how it is built, and what it found in an output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from core.verdict import CriterionVerdict

ParameterType = Literal[
    "whole number", "number", "text", "texts", "pattern", "schema", "expression", "path", "flag"
]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kind of check, with what a form needs to ask for it.

    Types: `whole number` (0 or more), `number` (finite, 0 or more), `text` and `texts` (none of
    them blank), `pattern` (RE2), `schema` (a JSON Schema, an object), `expression` (JMESPath),
    `path` (of a field: `lines[0].amount` or `/lines/0/amount`), `flag` (true or false).
    """

    name: str
    type: ParameterType
    label: str
    help: str
    required: bool = True


class Found(NamedTuple):
    """What a check found: whether its condition holds, where and with what value.

    `change` says what to change when the condition ought to hold and does not, `change_not` when
    it ought not to hold (`not: true`) and does.
    """

    holds: bool
    evidence: str
    change: str = ""
    change_not: str = ""


class CannotExamine(Exception):
    """The output cannot be examined for the condition, so it fails, negated or not."""

    def __init__(self, evidence: str, change: str) -> None:
        self.evidence = evidence
        self.change = change
        super().__init__(evidence)


def stopped(why: str, change: str = "Give less text.") -> CannotExamine:
    """Return the error of a check that would take too long: bounded by work, never by the clock,

    so that the same output gets the same verdict on every machine. The bounds are set for about a
    second of work at most.
    """
    return CannotExamine(f"check stopped: {why}", change)


Ask = Callable[[str, str | None], Found | CriterionVerdict]
"""Examines (output, reference). Raises CannotExamine; a verdict is returned as it is."""


@dataclass(frozen=True)
class Kind:
    """One kind of check.

    `make` gets the parameters given (already of the right type) and returns the check; it raises
    InputError for a value it cannot use. `negatable` says whether `not: true` makes sense,
    `reads_field` whether `field` may limit it to one text field of the output read as JSON.
    """

    name: str
    title: str
    help: str
    own_parameters: tuple[Parameter, ...]
    make: Callable[[Mapping[str, Any]], Ask]
    negatable: bool = False
    reads_field: bool = False

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters apart from `kind` and `not`, in the order a form shows them."""
        return (*self.own_parameters, FIELD) if self.reads_field else self.own_parameters


FIELD = Parameter(
    "field",
    "path",
    "Only this field",
    "Read the output as JSON and look at the text of this field alone, such as reply.body.",
    required=False,
)


def place(kind: str, parameter: str) -> str:
    """Return how errors name a parameter of a check."""
    return f"check {kind}, {parameter}"


def plural(count: int, word: str) -> str:
    """Return "1 word", "2 words"."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def listed(items: list[str]) -> str:
    """Return items in one line: "a", "a and b", "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
