"""What is weak about a contract, saved or being typed: one small function per rule, in two lists.

A rule yields findings and nothing else; it never changes or refuses a contract. Rules work on
plain data, so a draft with invalid parts is linted like any other, and what is invalid is a
finding too. Rules read English questions; questions in other languages only meet the rules that
need no words. Each finding is one plain line saying why and one saying what to do, and carries the
change itself where an honest one exists.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from core.checks.parsed import depth_exceeds, tree_size
from core.contract.contract import MAX_DEPTH, MAX_SIZE, Contract, problems
from core.contract.finding import Finding, Patch, apply, follow
from core.contract.ladder import EvaluatorType
from core.contract.lint_checks import CHECK_RULES
from core.contract.lint_question import QUESTION_RULES
from core.contract.near import near_pairs
from core.contract.plain import Draft, Row, is_blank, read, read_row
from core.errors import show
from core.text import fold

__all__ = ["CONTRACT_RULES", "CRITERION_RULES", "Finding", "Patch", "apply", "follow", "lint",
           "lint_data"]  # fmt: skip


def lint(contract: Contract) -> list[Finding]:
    """Return what is weak about `contract`, criterion by criterion, then the contract itself."""
    return lint_data(contract.to_data())


def lint_data(data: Mapping[str, Any]) -> list[Finding]:
    """Return what is weak about a contract's plain data, valid or not; never raises.

    Missing fields read as their defaults; fields of the wrong type read as missing and are
    findings of the rule `unusable`. No more than `core.contract.contract.MAX_SIZE` values.
    """
    given: object = data
    if not isinstance(given, Mapping):
        return [Finding(None, "unusable", f"{show(data)} is no contract.", "Start from a new one.")]
    if depth_exceeds(data, MAX_DEPTH) or tree_size(data, MAX_SIZE) > MAX_SIZE:
        return [Finding(None, "unusable", "It is too large or too deeply nested for a contract.",
                        "Make it smaller.")]  # fmt: skip
    draft = read(data)
    found = [finding for row in draft.rows for finding in _about(row)]
    found.extend(finding for rule in CONTRACT_RULES for finding in rule(draft))
    return found


def _about(row: Row) -> Iterator[Finding]:
    """Yield what is weak about one criterion, remembered from the last time it read the same."""
    try:
        text = json.dumps(row.data, allow_nan=False)
        same = json.loads(text) == row.data
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same:  # Nothing JSON can hold, such as a date or a key that is a number.
        yield from _look(row)
        return
    for finding in _remembered(text, None if row.key else row.position):
        patch = finding.patch and replace(finding.patch, position=row.position)
        yield replace(finding, position=row.position, patch=patch)


@lru_cache(maxsize=5_000)
def _remembered(text: str, position: int | None) -> tuple[Finding, ...]:
    # A criterion without a key is named by its position; others are free to move.
    return tuple(_look(read_row(position or 0, json.loads(text))))


def _look(row: Row) -> Iterator[Finding]:
    return (finding for rule in CRITERION_RULES for finding in rule(row))


# --- the contract ----------------------------------------------------------------------------


def unusable(draft: Draft) -> Iterator[Finding]:
    """What cannot be saved as it stands, field by field."""
    for position, line in problems(draft.data):
        row = draft.rows[position] if position is not None and position < len(draft.rows) else None
        line = " ".join(line.split())
        text = f"{line[:1].upper()}{line[1:]}."
        fix = "Correct it: a contract cannot be saved like this."
        if row is None:
            yield Finding(None, "unusable", text, fix)
        else:
            yield row.finding("unusable", text, fix)


def same_key(draft: Draft) -> Iterator[Finding]:
    """Labels and verdicts find their criterion by its key."""
    taken = {row.key for row in draft.rows}
    seen: set[str] = set()
    for row in draft.rows:
        if row.key and row.key in seen:
            number = 2
            while (free := f"{row.key[:190]}-{number}") in taken:
                number += 1
            taken.add(free)
            yield row.finding(
                "same_key", f"Two criteria share the key {show(row.key)}.",
                f"Call this one {show(free)}.", row.change(f"Rename to {free}", {"key": free}),
            )  # fmt: skip
        seen.add(row.key)


def duplicate(draft: Draft) -> Iterator[Finding]:
    """A question asked twice counts twice."""
    seen: dict[tuple[str, str], Row] = {}
    for row in draft.rows:
        question = fold(row.question)
        if not question:
            continue
        first = seen.setdefault((question, repr(row.check)), row)
        if first is not row:
            yield row.finding(
                "duplicate", f"This asks the same as {show(_name(first))}, so it counts twice.",
                "Remove one of the two.", _removed(draft, row),
            )  # fmt: skip
    for i, j in near_pairs([row.question for row in draft.rows]):
        one, other = draft.rows[i], draft.rows[j]
        if one.check is None or other.check is None:
            yield other.finding(
                "duplicate", f"This asks nearly the same as {show(_name(one))}, so it counts nearly"
                " twice.", "Merge the two, or say what sets them apart.", _removed(draft, other),
            )  # fmt: skip


def _name(row: Row) -> str:
    return row.key or f"number {row.position + 1}"


def _removed(draft: Draft, row: Row) -> Patch | None:
    """Return the patch that removes a criterion, or None if nothing could be accepted then."""
    left = draft.total_weight - (row.weight or 0)
    if draft.minimum is not None and draft.minimum > left:
        return None
    return row.remove("Remove this one")


def unreachable(draft: Draft) -> Iterator[Finding]:
    """A rule nobody can meet, or one that a single criterion meets, is no gate."""
    weights = [row.weight for row in draft.rows if row.weight is not None]
    if draft.minimum is not None:
        if draft.minimum > draft.total_weight:
            yield Finding(
                None, "unreachable",
                f"The minimum {float(draft.minimum):g} is above all weights together"
                f" ({float(draft.total_weight):g}), so nothing can be accepted.",
                "Lower the minimum.", _with_minimum(draft, draft.total_weight) if weights else None,
            )  # fmt: skip
        alone = [
            row for row in draft.rows if row.weight is not None and row.weight >= draft.minimum
        ]
        if len(draft.rows) > 1 and alone:
            least = max(weights) + min(weights)
            yield Finding(
                None, "one_is_enough",
                f"{show(_name(alone[0]))} alone reaches the minimum, so every other criterion may"
                " fail.",
                "Raise the minimum, or lower that weight.", _with_minimum(draft, least),
            )  # fmt: skip
        return
    lowest, highest = -1, None
    for row in draft.rows:
        check = row.check or {}
        limit = check.get("limit")
        if not isinstance(limit, int) or check.get("field") is not None:
            continue
        kind, turned = check.get("kind"), check.get("not") is True
        # Not at most 60 is at least 61.
        if kind == ("max_words" if turned else "min_words"):
            lowest = max(lowest, limit + turned)
        elif kind == ("min_words" if turned else "max_words"):
            highest = min(limit - turned, limit if highest is None else highest)
    if highest is not None and lowest > highest:
        yield Finding(
            None, "unreachable",
            f"At least {lowest} and at most {highest} words: nothing can be accepted.",
            "Change one of the two limits.",
        )  # fmt: skip


def _with_minimum(draft: Draft, minimum: Fraction) -> Patch:
    number = int(minimum) if minimum.denominator == 1 else float(minimum)
    acceptance = {**draft.data["acceptance"], "minimum": number}
    return draft.change(f"Set the minimum to {number:g}", acceptance=acceptance)


def blind_spot(draft: Draft) -> Iterator[Finding]:
    """What a contract leaves out has to be said, or readers take it as examined."""
    if is_blank(draft.does_not_examine):
        yield Finding(
            None, "blind_spot", "Nothing says what this contract does not examine.",
            "Say what could be wrong with an accepted output (does_not_examine).",
        )  # fmt: skip


def knows_nothing(draft: Draft) -> Iterator[Finding]:
    """An evaluator that knows no more than the generator has nothing to add."""
    if not draft.knows.strip():
        yield Finding(
            None, "knows_nothing",
            "Nothing says what the evaluator knows that the generator does not.",
            "Say what it knows (evaluator.knows); if there is nothing, climb the ladder.",
        )  # fmt: skip


def self_review(draft: Draft) -> Iterator[Finding]:
    """Self-review adds nothing the writer did not have."""
    if draft.evaluator == EvaluatorType.SELF_REVIEW.value:
        fresh = {**draft.data["evaluator"], "type": EvaluatorType.RUBRIC_SAME_MODEL.value}
        yield Finding(
            None, "self_review",
            "Self-review in the writer's own conversation is a rubber stamp.",
            "Use a fresh context at least; better a reference, a tool or an executed check.",
            draft.change("Use a fresh context", evaluator=fresh),
        )  # fmt: skip


CRITERION_RULES: tuple[Callable[[Row], Iterator[Finding]], ...] = (*QUESTION_RULES, *CHECK_RULES)
CONTRACT_RULES: tuple[Callable[[Draft], Iterator[Finding]], ...] = (
    unusable, same_key, duplicate, unreachable, blind_spot, knows_nothing, self_review,
)  # fmt: skip
