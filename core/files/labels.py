"""Label files: what people said, in long or wide shape, out again in long shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.errors import InputError
from core.files.repeats import Conflict, collapse, write
from core.files.shapes import Shape, cells, row_key
from core.files.tables import Problem, Table
from core.text import person_key
from core.verdict import LabelValue, Verdict, WordMap, fold_word

NATIVE = ("sample_id", "trial", "criterion", "reviewer", "verdict", "note", "labelled_at")
NATIVE_WORDS = WordMap.of(["PASS"], ["FAIL"])
"""The words `write_labels` writes; "UNSURE" is read as UNSURE under every map."""
_UNSURE = frozenset({"unsure", "?"})


@dataclass(frozen=True)
class LabelRow:
    """One person's label. `labelled_at` is the text of the file, "" when there is none."""

    sample_id: str
    trial: int
    criterion: str
    reviewer: str
    verdict: LabelValue
    note: str = ""
    labelled_at: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    line: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """The row's identity in words; "Ana " and "ana" are one reviewer."""
        return row_key(self.sample_id, self.trial, self.criterion, person_key(self.reviewer))


@dataclass(frozen=True)
class LabelsFile:
    """What a label file holds.

    `rows` have PASS, FAIL or UNSURE. `unlabelled` counts, by word, the cells that are no PASS or
    FAIL: "blank", "n/a", "garbage" have no row, "unsure" has one. `duplicates` counts identical
    repeats that were dropped; of `conflicts` nothing is in `rows`.
    """

    rows: list[LabelRow]
    problems: list[Problem]
    duplicates: int
    conflicts: list[Conflict]
    unlabelled: dict[str, int]


def read_labels(table: Table, shape: Shape, words: WordMap) -> LabelsFile:
    """Return the labels in `table`; a word outside the map is a problem with its line.

    Raises InputError as `core.files.shapes.cells` does.
    """
    problems = list(table.problems)
    unlabelled: Counter[str] = Counter()
    found: list[LabelRow] = []
    for cell in cells(table, shape, "reviewer", problems):
        try:
            value = read_label(cell.word, words)
        except InputError as error:
            problems.append(Problem(cell.line, f"{error.problem} {error.remedy}"))
            continue
        if value is None or value is LabelValue.UNSURE:
            unlabelled[fold_word(cell.word) or "blank"] += 1
        if value is not None:
            found.append(
                LabelRow(
                    cell.sample_id,
                    cell.trial,
                    cell.criterion,
                    cell.who,
                    value,
                    cell.said,
                    cell.labelled_at,
                    cell.extra,
                    cell.line,
                )
            )
    rows, duplicates, conflicts = collapse(found, lambda row: row.key)
    return LabelsFile(rows, problems, duplicates, conflicts, dict(unlabelled))


def read_label(word: str, words: WordMap, place: str = "label") -> LabelValue | None:
    """Return the label a word stands for, None for no label at all; raises InputError."""
    verdict = words.read(word, place=place, judge=False)
    if verdict is None:
        return LabelValue.UNSURE if fold_word(word) in _UNSURE else None
    return LabelValue.PASS if verdict is Verdict.PASS else LabelValue.FAIL


def write_labels(rows: Sequence[LabelRow], form: str = "csv") -> str:
    """Return labels as CSV or JSONL text ("csv", "jsonl"), one row a label.

    Read back with `suggest_shape` and `NATIVE_WORDS` the rows are the same.
    """
    return write(
        rows,
        NATIVE,
        lambda row: (
            row.sample_id,
            str(row.trial),
            row.criterion,
            row.reviewer,
            row.verdict.value,
            row.note,
            row.labelled_at,
        ),
        form,
    )
