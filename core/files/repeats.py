"""Rows that repeat a key inside one file, and the columns a writer adds: shared by all formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from core.errors import InputError, show
from core.files.delimited import to_csv
from core.files.jsonrows import to_jsonl


class Row(Protocol):
    """A row of a file format: comparable without its line, with the user's own columns."""

    @property
    def line(self) -> int:
        """The line number in the file."""
        ...

    @property
    def extra(self) -> Mapping[str, str]:
        """The user's other columns by name."""
        ...


R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class Conflict:
    """Rows of one file with the same key and different content; none of them is loaded."""

    key: str
    lines: tuple[int, ...]

    def __str__(self) -> str:
        """Return the conflict in one line."""
        return f"{self.key} is given differently on lines {', '.join(map(str, self.lines))}"


def collapse(rows: Iterable[R], key: Callable[[R], str]) -> tuple[list[R], int, list[Conflict]]:
    """Return (rows to load, how many identical repeats were dropped, conflicts).

    The first of identical rows stays, in the order of the file. Of rows that differ under one
    key none stays: which of them is right is a person's choice.
    """
    groups: dict[str, list[R]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    kept: list[R] = []
    dropped = 0
    conflicts: list[Conflict] = []
    for name, group in groups.items():
        if all(row == group[0] for row in group):
            kept.append(group[0])
            dropped += len(group) - 1
        else:
            conflicts.append(Conflict(name, tuple(row.line for row in group)))
    return kept, dropped, conflicts


def write(
    rows: Sequence[R], native: Sequence[str], cells: Callable[[R], Sequence[str]], form: str
) -> str:
    """Return `rows` as text in `form` ("csv" or "jsonl"): native columns, then the user's own.

    A user's column with a native name keeps its cells under "name (extra)". Raises InputError
    for another form, and for text that CSV in UTF-8 cannot carry (half a surrogate pair).
    """
    names = list(dict.fromkeys(name for row in rows for name in row.extra))
    columns = list(native)
    for name in names:
        while name in columns:
            name += " (extra)"
        columns.append(name)
    table = [[*cells(row), *(row.extra.get(name, "") for name in names)] for row in rows]
    return as_text(columns, table, form)


def as_text(columns: Sequence[str], table: Sequence[Sequence[str]], form: str) -> str:
    """Return a table as text in `form` ("csv" or "jsonl"); raises InputError as `write` does."""
    if form == "jsonl":
        return to_jsonl(dict(zip(columns, row, strict=True)) for row in table)
    if form != "csv":
        raise InputError("format", f"{show(form)} is not a table format.", "Use csv or jsonl.")
    text = to_csv(columns, table)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            "csv",
            f"a cell holds {show(error.object[error.start])}, which UTF-8 cannot carry.",
            "Export as JSONL.",
        ) from error
    return text
