"""From a long table, one row a draw, to how many draws of each task passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InputError, show
from core.files.tables import Table
from core.statistics.attempts import Attempts
from core.verdict import FAIL_WORDS, PASS_WORDS, Verdict, WordMap, fold_word


@dataclass(frozen=True)
class Draws:
    """Draws counted per task.

    `left_out` counts draws without a verdict, by word ("blank", "error" …): they are in no
    number. `unscored_tasks` counts tasks that are left with no draw at all. `unknown` counts
    draws whose verdict is UNKNOWN, which are not passed.
    """

    attempts: Attempts
    left_out: dict[str, int]
    unscored_tasks: int
    unknown: int


def words_of_draws(passes: Sequence[str], fails: Sequence[str]) -> WordMap:
    """Return the word map of a column that says by its name that it holds what passed.

    There 1 is passed and 0 is not, as are true/false, yes/no, pass/fail. With `passes` the map
    is taken as it stands; `fails` alone adds words for not passed.
    """
    if passes:
        return WordMap.of(passes, fails or None)
    failing = {fold_word(word) for word in fails}
    return WordMap.of(PASS_WORDS - failing, FAIL_WORDS | failing)


def read_draws(table: Table, task: str, passed: str, words: WordMap) -> Draws:
    """Return the draws in `table`: `task` names the task of a row, `passed` whether it passed.

    Ids are text, so "007" and "7" are two tasks. Raises InputError with the line for a blank
    task and for a word outside the map, and when no row has a verdict.
    """
    tasks, cells = table.column(task), table.column(passed)
    if task == passed:
        raise InputError(table.name, f"{show(task)} is named twice.", "Name two columns.")
    draws: Counter[str] = Counter()
    good: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    unknown = 0
    for line, cell, value in zip(table.lines, tasks, cells, strict=True):
        name = cell.strip()
        if not name:
            raise InputError(
                f"{table.place(line)}, column {task}", "the cell is blank.",
                "Fill it, or leave the line out.",
            )  # fmt: skip
        verdict = words.read(value, place=f"{table.place(line)}, column {passed}", judge=True)
        draws[name] += verdict is not None
        good[name] += verdict is Verdict.PASS
        unknown += verdict is Verdict.UNKNOWN
        if verdict is None:
            left_out[fold_word(value) or "blank"] += 1
    scored = [name for name, n in draws.items() if n]
    if not scored:
        raise InputError(
            f"{table.name}, column {passed}", "no row has a verdict.", "Choose another column."
        )
    attempts = Attempts.of([draws[n] for n in scored], [good[n] for n in scored])
    return Draws(attempts, dict(left_out), len(draws) - len(scored), unknown)
