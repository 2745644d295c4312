"""Output files: one row per output, keyed by sample id and trial, any other column kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.errors import InputError, show
from core.files.repeats import Conflict, collapse, write
from core.files.tables import Problem, Table

DEFAULT_TRIAL = 1
"""The trial of an output in a file without a trial column: its only draw is the first."""

_KNOWN = {
    "sample_id": (
        "sample_id",
        "id",
        "idx",
        "sample",
        "item_id",
        "question_id",
        "task_id",
        "uid",
        "key",
        "sku",
        "ticket",
        "ticket_id",
    ),
    "output": (
        "output",
        "response",
        "answer",
        "completion",
        "reply",
        "generation",
        "prediction",
        "text",
        "draft",
        "summary",
        "description",
    ),
    "input": (
        "input",
        "prompt",
        "question",
        "instruction",
        "task",
        "query",
        "message",
        "customer_message",
        "user_message",
        "request",
        "source",
    ),
    "reference": ("reference", "expected", "target", "ideal", "reference_answer", "ground_truth"),
    "trial": ("trial", "epoch", "draw", "attempt", "repeat"),
}


@dataclass(frozen=True)
class ColumnMap:
    """Which column holds what; None is not there.

    `row_numbers` uses the row's number as its sample id. It is only ever a person's choice: row
    numbers change when a row is added above, and labels would move to other outputs with them.
    """

    sample_id: str | None = None
    output: str | None = None
    input: str | None = None
    reference: str | None = None
    trial: str | None = None
    row_numbers: bool = False


@dataclass(frozen=True)
class OutputRow:
    """One output. An empty `output` is a text like any other, and so is "0"."""

    sample_id: str
    trial: int
    input: str
    output: str
    reference: str | None
    extra: dict[str, str] = field(default_factory=dict)
    line: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """The row's identity in words."""
        return f"sample {show(self.sample_id)}, trial {self.trial}"


@dataclass(frozen=True)
class OutputsFile:
    """What a file holds: usable rows, lines that are not, repeats.

    `duplicates` counts rows that repeat an earlier one word for word and were dropped.
    """

    rows: list[OutputRow]
    problems: list[Problem]
    duplicates: int
    conflicts: list[Conflict]


def suggest_mapping(columns: Sequence[str]) -> ColumnMap:
    """Return the columns whose names are known, to be offered, not assumed."""
    folded = {name.strip().casefold().replace(" ", "_"): name for name in reversed(columns)}

    def known(part: str) -> str | None:
        return next((folded[word] for word in _KNOWN[part] if word in folded), None)

    return ColumnMap(
        known("sample_id"), known("output"), known("input"), known("reference"), known("trial")
    )


def read_trial(cell: str) -> int:
    """Return the trial in a cell: a whole number; "1.0" is understood as 1.

    Drafts that a loop run handed to people have one below zero, and come back as they went out.
    Raises ValueError with the reason.
    """
    text = cell.strip()
    whole, _, zeros = text.partition(".")
    digits = whole.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 10 and not zeros.strip("0"):
        return int(whole)
    raise ValueError(f"the trial must be a whole number, got {show(cell)}.")


def read_outputs(table: Table, mapping: ColumnMap) -> OutputsFile:
    """Return the outputs in `table`.

    A blank reference is no reference. Rows with the same sample id and trial: word for word the
    same collapse, others are conflicts and none of them is loaded. A sample whose input differs
    from its first row's is a problem, because a sample has one input. Raises InputError for a
    mapped column that is missing, and when no output or id column is given.
    """
    if mapping.output is None:
        raise InputError(
            table.name, "no column is named as the output.", f"It has {_listed(table)}."
        )
    if mapping.sample_id is None and not mapping.row_numbers:
        raise InputError(
            table.name,
            "no column is named as the sample id.",
            f"It has {_listed(table)}; choose one, or choose row numbers.",
        )
    parts = (mapping.sample_id, mapping.output, mapping.input, mapping.reference, mapping.trial)
    used = [name for name in parts if name is not None]
    table.require(*used)
    extras = [name for name in table.columns if name not in used]
    problems = list(table.problems)
    found: list[OutputRow] = []
    for number, (cells, line) in enumerate(zip(table.records(), table.lines, strict=True), 1):
        sample_id = str(number) if mapping.sample_id is None else cells[mapping.sample_id].strip()
        if not sample_id:
            problems.append(Problem(line, "the sample id is blank."))
            continue
        try:
            trial = DEFAULT_TRIAL if mapping.trial is None else read_trial(cells[mapping.trial])
        except ValueError as error:
            problems.append(Problem(line, str(error)))
            continue
        found.append(
            OutputRow(
                sample_id,
                trial,
                cells[mapping.input] if mapping.input else "",
                cells[mapping.output],
                (cells[mapping.reference] if mapping.reference else "") or None,
                {name: cells[name] for name in extras},
                line,
            )
        )
    return outputs_of(found, problems)


def outputs_of(found: list[OutputRow], problems: list[Problem]) -> OutputsFile:
    """Return what rows of outputs make together, wherever they were read; adds to `problems`.

    Identical repeats collapse, others are conflicts; a sample has one input.
    """
    rows, duplicates, conflicts = collapse(found, lambda row: row.key)
    return OutputsFile(_one_input(rows, problems), problems, duplicates, conflicts)


def _one_input(rows: list[OutputRow], problems: list[Problem]) -> list[OutputRow]:
    """Return the rows whose input is that of their sample's first row; report the others."""
    first: dict[str, OutputRow] = {}
    kept = []
    for row in rows:
        known = first.setdefault(row.sample_id, row)
        if row.input == known.input:
            kept.append(row)
        else:
            said = f"sample {show(row.sample_id)} has another input on line {known.line}."
            problems.append(Problem(row.line, said))
    return kept


def _listed(table: Table) -> str:
    return ", ".join(repr(name) for name in table.columns[:30])


def write_outputs(rows: Sequence[OutputRow], form: str = "csv") -> str:
    """Return outputs as CSV or JSONL text ("csv", "jsonl") that reads back to the same rows.

    The reference column is there when a row has a reference.
    """
    native = ["sample_id", "trial", "input", "output"]
    if not any(row.reference is not None for row in rows):
        return write(rows, native, _cells, form)
    return write(
        rows, [*native, "reference"], lambda row: [*_cells(row), row.reference or ""], form
    )


def _cells(row: OutputRow) -> list[str]:
    return [row.sample_id, str(row.trial), row.input, row.output]
