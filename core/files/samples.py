"""Sample files: task inputs by id, as a table; outputs in it, if any, are not looked at."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import InputError, show
from core.files.outputs import suggest_mapping
from core.files.problems import Problem
from core.files.tables import Table


@dataclass(frozen=True)
class SampleRow:
    """One task input with its reference answer, if it has one."""

    sample_id: str
    input: str
    reference: str | None


@dataclass(frozen=True)
class SamplesFile:
    """Usable samples in the file's order, lines that are not, and repeats that were dropped."""

    rows: list[SampleRow]
    problems: list[Problem]
    duplicates: int


def read_samples(table: Table) -> SamplesFile:
    """Return the samples in `table`, whose id and input columns go by names that are known.

    Rows that say the same of a sample collapse. Raises InputError when a column is missing, and
    for a sample with two inputs or references: which one is meant is not guessed.
    """
    columns = suggest_mapping(table.columns)
    if columns.sample_id is None:
        table.require("sample_id")
    if columns.input is None:
        table.require("input")
    problems = list(table.problems)
    found: dict[str, SampleRow] = {}
    duplicates = 0
    for cells, line in zip(table.records(), table.lines, strict=True):
        sample_id = cells[str(columns.sample_id)].strip()
        if not sample_id:
            problems.append(Problem(line, "the sample id is blank."))
            continue
        reference = (cells[columns.reference] if columns.reference else "") or None
        row = SampleRow(sample_id, cells[str(columns.input)], reference)
        there = found.setdefault(sample_id, row)
        if there is row:
            continue
        if there != row:
            raise InputError(
                table.place(line),
                f"sample {show(sample_id)} stands here with another input or reference.",
                "A sample has one input: give the other an id of its own.",
            )
        duplicates += 1
    return SamplesFile(list(found.values()), problems, duplicates)
