"""Why a judge and people differ on an output, and what the reasons together ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """What somebody who read the disagreement says is at fault."""

    RELABEL = "relabel"
    JUDGE = "judge"
    UNCLEAR = "unclear"
    MISSED = "missed"


@dataclass(frozen=True)
class Todo:
    """Work that `count` disagreements on a criterion ask for."""

    criterion: str
    reason: Reason
    count: int


_FIRST = (Reason.UNCLEAR, Reason.MISSED, Reason.JUDGE, Reason.RELABEL)


def todo(counts: Mapping[tuple[str, Reason], int]) -> list[Todo]:
    """Return the to-do list: most disagreements first, ties by what is cheapest to put right.

    `counts` is keyed by (criterion, reason). A question nobody can decide comes before a judge
    that gets it wrong: no judge is better than its question.
    """
    found = [Todo(key, reason, n) for (key, reason), n in counts.items() if n]
    return sorted(found, key=lambda one: (-one.count, _FIRST.index(one.reason), one.criterion))
