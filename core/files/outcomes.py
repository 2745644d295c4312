"""Outcomes tables: one row a task, a column for each draw or arm, brought to one row a draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.errors import InputError, show
from core.files.draws import words_of_draws
from core.files.tables import Table
from core.statistics.arms import LOOP, RETRY, ArmName, Arms, Draft, measure
from core.verdict import Verdict, WordMap

DRAW, PASSED = "draw", "passed"


def one_row_a_draw(table: Table, task: str, passed: Sequence[str]) -> Table:
    """Return the table with a row for each of the columns `passed`, which are draws of a task.

    Raises InputError for a missing column, and for a task that has two rows: the draws of one
    task stand in one row here.
    """
    once(table, task)
    at, columns = table.index(task), [table.index(name) for name in passed]
    rows: list[tuple[str, ...]] = [
        (row[at], name, row[column])
        for row in table.rows
        for name, column in zip(passed, columns, strict=True)
    ]
    lines = [line for line in table.lines for _ in passed]
    return replace(table, columns=(task, DRAW, PASSED), rows=rows, lines=lines)


def once(table: Table, task: str) -> None:
    """Raise InputError naming a task that stands in two rows."""
    seen: dict[str, int] = {}
    for line, cell in zip(table.lines, table.column(task), strict=True):
        before = seen.setdefault(cell.strip(), line)
        if before != line:
            raise InputError(
                f"{table.name}, lines {before} and {line}",
                f"task {show(cell)} has two rows; here a row is a task.",
                "Choose the layout with one row a draw, or keep one of them.",
            )


def read_outcomes(
    table: Table, task: str, loop: str, retry: Sequence[str], words: WordMap | None = None
) -> Arms:
    """Return loop against retries where only the ends are known: did it come out right.

    `loop` says whether the loop's last draft passed; `retry` are independent drafts, of which one
    that passes is enough. Rounds are not known, so of the result only the counts accepted and the
    pairs mean anything. Raises InputError with the line for a word outside the map, a blank task,
    a task with two rows, and when no task has both.
    """
    words = words or words_of_draws([], [])
    named = [task, loop, *retry]
    if not retry or len(set(named)) < len(named):
        raise InputError(table.name, "a column is named twice or not at all.", "Name each once.")
    once(table, task)
    table.require(*named)
    drafts: list[Draft] = []
    sides: list[tuple[str, ArmName, int]] = [(loop, LOOP, 1)]
    sides += [(name, RETRY, number) for number, name in enumerate(retry, 1)]
    for cells, line in zip(table.records(), table.lines, strict=True):
        name = cells[task].strip()
        if not name:
            raise InputError(
                f"{table.place(line)}, column {task}", "the cell is blank.",
                "Fill it, or leave the line out.",
            )  # fmt: skip
        for column, arm, number in sides:
            place = f"{table.place(line)}, column {column}"
            verdict = words.read(cells[column], place=place, judge=True)
            if verdict is not None:
                drafts.append(Draft(name, arm, number, passed=verdict is Verdict.PASS))
    found = measure(drafts)
    if not found.tasks:
        raise InputError(table.name, "no task has both outcomes.", "Name other columns.")
    return found
