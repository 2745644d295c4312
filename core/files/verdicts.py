"""Verdict files: what evaluators said elsewhere, in long or wide shape, out again in long shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.errors import InputError
from core.files.repeats import Conflict, collapse, write
from core.files.shapes import Shape, cells, row_key
from core.files.tables import Problem, Table
from core.verdict import CriterionVerdict, Unscored, WordMap, fold_word

NATIVE = ("sample_id", "trial", "criterion", "judge", "verdict", "evidence", "change")
NATIVE_WORDS = WordMap.of(["PASS"], ["FAIL"])
"""The words `write_verdicts` writes, beside "UNKNOWN" and the unscored reasons."""

# Words for "the evaluator gave nothing"; any other word that is no verdict was a reply that
# nobody could read as one.
_NOTHING = frozenset({"", "n/a", "na", "nan", "none", "null", "-"})
_REASONS = {reason.value: reason for reason in Unscored}


@dataclass(frozen=True)
class VerdictRow:
    """One evaluator's verdict on one criterion, or the reason why there is none."""

    sample_id: str
    trial: int
    criterion: str
    judge: str
    result: CriterionVerdict
    extra: dict[str, str] = field(default_factory=dict)
    line: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """The row's identity in words."""
        return row_key(self.sample_id, self.trial, self.criterion, self.judge)


@dataclass(frozen=True)
class VerdictsFile:
    """What a verdict file holds.

    `rows` have a verdict or an unscored reason; `unscored` counts the latter by reason.
    `duplicates` counts identical repeats that were dropped; of `conflicts` nothing is in `rows`.
    """

    rows: list[VerdictRow]
    problems: list[Problem]
    duplicates: int
    conflicts: list[Conflict]
    unscored: dict[str, int]


def read_verdicts(table: Table, shape: Shape, words: WordMap) -> VerdictsFile:
    """Return the verdicts in `table`; a word outside the map is a problem with its line.

    Raises InputError as `core.files.shapes.cells` does.
    """
    problems = list(table.problems)
    found: list[VerdictRow] = []
    for cell in cells(table, shape, "judge", problems):
        try:
            result = read_verdict(cell.word, words, evidence=cell.said, change=cell.change)
        except InputError as error:
            problems.append(Problem(cell.line, f"{error.problem} {error.remedy}"))
            continue
        found.append(
            VerdictRow(
                cell.sample_id, cell.trial, cell.criterion, cell.who, result, cell.extra, cell.line
            )
        )
    rows, duplicates, conflicts = collapse(found, lambda row: row.key)
    unscored = Counter(row.result.unscored.value for row in rows if row.result.unscored is not None)
    return VerdictsFile(rows, problems, duplicates, conflicts, dict(unscored))


def read_verdict(
    word: str, words: WordMap, *, evidence: str = "", change: str = "", place: str = "verdict"
) -> CriterionVerdict:
    """Return the verdict a word stands for, or the reason why there is none.

    "unknown" is the verdict UNKNOWN. A reason by its own name is that reason; a blank cell, "n/a"
    and the like are `empty`; "garbage", "unsure" and "?" are `unreadable`. Raises InputError for
    a word that is not mapped.
    """
    verdict = words.read(word, place=place, judge=True)
    if verdict is not None:
        return CriterionVerdict(verdict, evidence, change)
    folded = fold_word(word)
    other = Unscored.EMPTY if folded in _NOTHING else Unscored.UNREADABLE
    return CriterionVerdict(None, evidence, change, _REASONS.get(folded, other))


def verdict_word(result: CriterionVerdict) -> str:
    """Return the word a file holds for a result: PASS, FAIL, UNKNOWN or the unscored reason."""
    if result.verdict is not None:
        return result.verdict.value
    return "" if result.unscored is None else result.unscored.value


def write_verdicts(rows: Sequence[VerdictRow], form: str = "csv") -> str:
    """Return verdicts as CSV or JSONL text ("csv", "jsonl"), one row a verdict.

    Read back with `suggest_shape` and `NATIVE_WORDS` the rows are the same.
    """
    return write(
        rows,
        NATIVE,
        lambda row: (
            row.sample_id,
            str(row.trial),
            row.criterion,
            row.judge,
            verdict_word(row.result),
            row.result.evidence,
            row.result.change,
        ),
        form,
    )
