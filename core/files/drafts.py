"""From a table, one row a draft, to the drafts of loop and retries."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from core.errors import InputError, show
from core.files.tables import Table
from core.statistics.arms import LOOP, RETRY, ArmName, Draft
from core.verdict import Verdict, WordMap, fold_word

_ARMS: dict[str, ArmName] = {"loop": LOOP, "retry": RETRY, "retries": RETRY}
_WHOLE = re.compile(r"(\d{1,6})(\.0*)?")


@dataclass(frozen=True)
class Drafts:
    """Drafts in the order of the file.

    `repeats` counts identical rows that were dropped; `left_out` drafts without a verdict, by
    word; `unknown` those whose verdict is UNKNOWN, which are not passed.
    """

    rows: list[Draft]
    repeats: int
    left_out: dict[str, int]
    unknown: int


def read_drafts(
    table: Table,
    task: str,
    arm: str,
    round: str,
    passed: str,
    words: WordMap,
    *,
    gold: str | None = None,
    calls: str | None = None,
    calls_each: float = 1.0,
) -> Drafts:
    """Return the drafts in `table` by the names of its columns.

    A draft costs `calls_each` calls unless the column `calls` says otherwise. Ids are text. Raises
    InputError with the line for a blank id, an arm other than loop and retry, a round that is no
    whole number, calls that are no number from 0 up, a word outside the map, and a draft given
    twice, differently.
    """
    named = [task, arm, round, passed, *([gold] if gold else []), *([calls] if calls else [])]
    for name, times in Counter(named).items():
        if times > 1:
            raise InputError(table.name, f"{show(name)} is named twice.", "Name other columns.")
    at = [table.index(name) for name in named]
    seen: dict[tuple[str, ArmName, int], int] = {}
    left_out: Counter[str] = Counter()
    rows: list[Draft] = []
    unknown = 0
    for number, (line, cells) in enumerate(zip(table.lines, table.rows, strict=True)):
        place = table.place(line)
        name, arm_cell, round_cell, verdict_cell = (cells[i] for i in at[:4])
        if not name.strip():
            raise InputError(
                f"{place}, column {task}", "the cell is blank.", "Fill it, or leave the line out."
            )
        key = (
            name.strip(),
            _arm(arm_cell, f"{place}, column {arm}"),
            _round(round_cell, f"{place}, column {round}"),
        )
        before = seen.setdefault(key, number)
        if before != number:
            if table.rows[before] == cells:
                continue
            raise InputError(
                f"{table.name}, lines {table.lines[before]} and {line}",
                f"round {key[2]} of task {show(key[0])} in the {key[1]} arm is given twice, "
                "differently.", "Keep one of them.",
            )  # fmt: skip
        verdict = words.read(verdict_cell, place=f"{place}, column {passed}", judge=True)
        unknown += verdict is Verdict.UNKNOWN
        if verdict is None:
            left_out[fold_word(verdict_cell) or "blank"] += 1
        label = None
        if gold is not None:
            label = words.read(cells[at[4]], place=f"{place}, column {gold}", judge=False)
        rows.append(
            Draft(
                *key,
                passed=None if verdict is None else verdict is Verdict.PASS,
                gold=None if label is None else label is Verdict.PASS,
                calls=_calls(cells[at[-1]], f"{place}, column {calls}") if calls else calls_each,
            )
        )
    return Drafts(rows, len(table) - len(rows), dict(left_out), unknown)


def _arm(cell: str, place: str) -> ArmName:
    found = _ARMS.get(fold_word(cell))
    if found is None:
        raise InputError(place, f"{show(cell)} is no arm.", "Use loop or retry.")
    return found


def _round(cell: str, place: str) -> int:
    found = _WHOLE.fullmatch(cell.strip())
    if found is None:
        raise InputError(place, f"{show(cell)} is no round.", "Number rounds 1, 2, 3 …")
    return int(found[1])


def _calls(cell: str, place: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise InputError(place, f"{show(cell)} is no number of calls.", "Give 0 or more.")
    return number
