"""Label files: what people said, in long or wide shape, and out again in either."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import InputError, show
from core.files.repeats import Conflict, as_text, collapse, write
from core.files.shapes import LABEL_COLUMNS, Shape, cells, row_key
from core.files.tables import Problem, Table
from core.text import person_key
from core.verdict import LabelValue, Verdict, WordMap, fold_word

NATIVE = (
    "sample_id", "trial", "criterion", "reviewer", "verdict", "note", "labelled_at", *LABEL_COLUMNS,
)  # fmt: skip
KINDS = ("label", "adjudication", "repeat", "practice")
"""What a row is: a vote, a decision, a second look at an output, an answer of a practice round."""
NATIVE_WORDS = WordMap.of(["PASS"], ["FAIL"])
"""The words `write_labels` writes; "UNSURE" is read as UNSURE under every map."""
_UNSURE = frozenset({"unsure", "?"})


@dataclass(frozen=True)
class LabelRow:
    """One person's label. `labelled_at` is the text of the file, "" when there is none.

    `kind` is one of KINDS; all but "label" are no votes. `weight` is the chance the output had to
    be drawn, within its `stratum`; None where every output was queued. `question_hash` is the
    wording the label was given for, "" for the present one.
    """

    sample_id: str
    trial: int
    criterion: str
    reviewer: str
    verdict: LabelValue
    note: str = ""
    labelled_at: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    line: int = field(default=0, compare=False)
    kind: str = "label"
    stratum: str = ""
    weight: float | None = None
    seconds: float | None = None
    question_hash: str = ""

    @property
    def key(self) -> str:
        """The row's identity in words; "Ana " and "ana" are one reviewer."""
        who = row_key(self.sample_id, self.trial, self.criterion, person_key(self.reviewer))
        return who if self.kind == "label" else f"{who}, {self.kind}"


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
            more = _more(cell.more)
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
                    **more,
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


def _more(cells: Mapping[str, str]) -> dict[str, Any]:
    """Return what our own columns say; raises InputError naming the cell that cannot be."""
    kind = cells.get("kind", "").strip().casefold() or "label"
    if kind not in KINDS:
        raise InputError("label", f"its kind is {show(kind)}.", f"One of {', '.join(KINDS)}.")
    return {
        "kind": kind,
        "stratum": cells.get("stratum", "").strip()[:10],
        "weight": _number(cells, "weight", 1.0),
        "seconds": _number(cells, "seconds", math.inf),
        "question_hash": cells.get("question_hash", "").strip()[:64],
    }


def _number(cells: Mapping[str, str], name: str, most: float) -> float | None:
    text = cells.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or not 0 <= value <= most or (name == "weight" and not value):
        raise InputError(
            "label", f"its {name} is {show(text)}.", "Give a number, or leave it blank."
        )
    return value


def write_labels(rows: Sequence[LabelRow], form: str = "csv") -> str:
    """Return labels as CSV or JSONL text ("csv", "jsonl"), one row a label.

    Read back with `suggest_shape` and `NATIVE_WORDS` the rows are the same. Numbers are written
    in full, text byte for byte (see `core.files.delimited.to_csv` for spreadsheets).
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
            row.kind,
            row.stratum,
            "" if row.weight is None else repr(row.weight),
            "" if row.seconds is None else repr(row.seconds),
            row.question_hash,
        ),
        form,
    )


def write_wide(rows: Sequence[LabelRow], criteria: Sequence[str], form: str = "csv") -> str:
    """Return labels with one column a criterion, one row for each output, reviewer and kind.

    Only what is said and by whom: notes, times, weights and the wording are in the long form, so
    give it labels of the present wording. Read back with `wide_shape`.
    """
    table: dict[tuple[str, int, str, str], dict[str, str]] = {}
    for row in rows:
        key = (row.sample_id, row.trial, row.reviewer, row.kind)
        table.setdefault(key, {})[row.criterion] = row.verdict.value
    columns = ("sample_id", "trial", "reviewer", "kind", *(_column(key) for key in criteria))
    lines = [
        [sample, str(trial), who, kind, *(said.get(key, "") for key in criteria)]
        for (sample, trial, who, kind), said in table.items()
    ]
    return as_text(columns, lines, form)


def wide_shape(columns: Sequence[str], criteria: Sequence[str]) -> Shape:
    """Return the shape of a file `write_wide` wrote."""
    by = {_column(key): key for key in criteria if _column(key) in columns}
    return Shape("sample_id", by_criterion=by, trial="trial", who="reviewer", more={"kind": "kind"})


def kind_column(table: Table) -> dict[str, str]:
    """Return where a table says what each row is, if its column "kind" holds nothing but KINDS."""
    own = "kind" in table.columns and set(table.column("kind")) <= {"", *KINDS}
    return {"kind": "kind"} if own else {}


def _column(criterion: str) -> str:
    """Return the column of a criterion in a wide file: its key, unless a column has that name."""
    taken = criterion in ("sample_id", "trial", "reviewer", "kind")
    return f"{criterion} (criterion)" if taken else criterion
