"""The one reader for tables people really have; pages and the command line both use it.

Everything is text. No type is guessed: ids keep leading zeros, "NA" and "null" stay words. An
empty cell is the empty string; JSON's null and a key missing from one line are empty cells too.
A line that cannot be used is a `Problem` with its number and the rest still loads; nothing here
stores anything.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError, show
from core.files.decoding import decode, refuse_binary
from core.files.delimited import detect_separator, records, separator_from
from core.files.jsonrows import json_array, json_lines, problem_of
from core.files.problems import NeedsChoice, Problem

__all__ = ["MAX_BYTES", "NeedsChoice", "Problem", "Table", "read_table"]

MAX_BYTES = 50_000_000
"""The stated size limit of a table file."""


@dataclass(frozen=True)
class Table:
    """A file as text cells.

    `rows` are tuples in the order of `columns`, `lines` the line number in the file where each
    row begins (counted from 1). `separator` is None for JSON. `sha256` is that of the bytes, so
    the same file loaded again is recognised.
    """

    name: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    lines: list[int]
    problems: tuple[Problem, ...]
    encoding: str
    separator: str | None
    format: str
    sha256: str

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    @property
    def unit(self) -> str:
        """What `lines` count: lines of a text file, samples of a log."""
        return "Sample" if self.format in ("inspect", "promptfoo") else "Line"

    def index(self, column: str) -> int:
        """Return the position of `column`; raises InputError listing what is there."""
        self.require(column)
        return self.columns.index(column)

    def column(self, column: str) -> list[str]:
        """Return all cells of `column`; raises InputError listing what is there."""
        at = self.index(column)
        return [row[at] for row in self.rows]

    def records(self) -> Iterator[dict[str, str]]:
        """Yield each row as a dictionary by column name."""
        for row in self.rows:
            yield dict(zip(self.columns, row, strict=True))

    def place(self, line: int) -> str:
        """Return "file, line n", the place of an error."""
        return f"{self.name}, line {line}"

    def require(self, *columns: str) -> None:
        """Raise InputError when one of `columns` is missing: the closest name, and what it has."""
        for column in columns:
            if column in self.columns:
                continue
            folded = {name.casefold(): name for name in self.columns}
            near = difflib.get_close_matches(column.casefold(), folded, n=1, cutoff=0.6)
            hint = f"Did you mean {show(folded[near[0]])}? " if near else ""
            there = ", ".join(repr(name) for name in self.columns[:30])
            raise InputError(
                self.name, f"there is no column {show(column)}.", f"{hint}It has {there}."
            )


def read_table(
    source: bytes | Path,
    name: str,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Table:
    r"""Return the table in a CSV, TSV, semicolon file, JSON array or JSON lines file.

    `name` is shown in messages and its ending helps to tell the format. `encoding` and
    `separator` are a person's choice. Raises NeedsChoice where one is needed and not given, and
    InputError (one line) for anything that holds no table: missing, empty, over `max_bytes`
    (a path is refused before it is read), a PDF, YAML, an Excel workbook, a header without rows, no
    single usable line. 100,000 rows of 6 columns take about half a second.
    """
    data = _bytes(source, name, max_bytes)
    refuse_binary(data, name)
    text, encoding = decode(data, name, encoding)
    if not text.strip():
        raise InputError(name, "the file is empty.", "Load a file with a header and rows.")
    if "\n" not in text and "\r" in text:  # line ends of old spreadsheets
        text = text.replace("\r", "\n")
    kind = "csv" if separator is not None else _format(text, name)
    problems: list[Problem] = []
    if kind == "csv":
        text, skipped, separator = _separator(text, name, separator)
        columns, rows, lines = _read_delimited(text, separator, name, skipped, problems)
    else:
        found = json_lines(text) if kind == "jsonl" else json_array(text, name)
        columns, rows, lines = _read_objects(found, problems)
    if not rows:
        if kind == "jsonl" and _is_one_object(text):
            raise InputError(
                name, "this is one JSON object, not a table.",
                "Load a list of objects, or a file with one object a line.",
            )  # fmt: skip
        if problems:
            raise InputError(f"{name}, line {problems[0].line}", problems[0].message)
        what = "only a header line" if kind == "csv" else "an empty list"
        raise InputError(name, f"{what}, no rows.", "Load a file with at least one row.")
    return Table(
        name,
        columns,
        rows,
        lines,
        tuple(problems),
        encoding,
        separator,
        kind,
        hashlib.sha256(data).hexdigest(),
    )


def _bytes(source: bytes | Path, name: str, max_bytes: int) -> bytes:
    try:
        if isinstance(source, Path):
            if source.is_dir():
                raise InputError(name, "this is a directory.", "Name a file in it.")
            size = source.stat().st_size
        else:
            size = len(source)
        if size > max_bytes:
            raise InputError(
                name,
                f"{size / 1e6:,.1f} MB is more than the limit of {max_bytes / 1e6:,.1f} MB.",
                "Split it, or leave out columns that are not needed.",
            )
        return source.read_bytes() if isinstance(source, Path) else source
    except FileNotFoundError as error:
        raise InputError(name, "there is no such file.", "Check the path.") from error
    except OSError as error:
        raise InputError(name, f"cannot be read ({error.strerror}).") from error


def _format(text: str, name: str) -> str:
    """Return "csv", "jsonl" or "json": by content where it is plain, else by the name."""
    body = text.lstrip()
    ending = Path(name).suffix.lower()
    if ending in (".yaml", ".yml"):
        raise InputError(name, "this is YAML, not a table.", "Save it as CSV, TSV or JSON.")
    if ending in (".json", ".jsonl", ".ndjson"):
        return "json" if body.startswith("[") else "jsonl"
    if (
        ending not in (".csv", ".tsv", ".tab")
        and body.startswith("[")
        and body.endswith(("]", "\n"))
    ):
        return "json"
    if body.startswith("{"):
        named = ending in (".csv", ".tsv", ".tab")
        return "csv" if named and not _is_one_object(body.split("\n", 1)[0]) else "jsonl"
    return "csv"


def _is_one_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _separator(text: str, name: str, chosen: str | None) -> tuple[str, int, str]:
    """Return (text without Excel's "sep=" line, lines cut off, separator)."""
    first, _, rest = text.partition("\n")
    stated = first.strip("\r")
    skipped = 0
    if len(stated) == 5 and stated.lower().startswith("sep="):
        text, skipped = rest, 1
        chosen = chosen or stated[4]
    if chosen is not None:
        return text, skipped, separator_from(chosen, name)
    return text, skipped, detect_separator(text, name)


def _read_delimited(
    text: str, separator: str, name: str, skipped: int, problems: list[Problem]
) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[int]]:
    found = records(text, separator)
    line, header, problem = next(found, (0, [], "there is no header line"))
    if problem:
        raise InputError(f"{name}, line {line + skipped}", f"the header cannot be read: {problem}.")
    columns = _column_names(header, name, line + skipped, problems)
    width = len(columns)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    for line, cells, problem in found:
        if len(cells) == width:
            rows.append(tuple(cells))
            lines.append(line + skipped)
        else:
            said = problem or f"{len(cells)} cells where the header has {width}"
            problems.append(problem_of(line + skipped, said))
    return columns, rows, lines


def _column_names(
    header: list[str], name: str, line: int, problems: list[Problem]
) -> tuple[str, ...]:
    """Return the column names, trimmed; a column without one is named by its number."""
    columns: list[str] = []
    for number, cell in enumerate(header, 1):
        title = cell.strip()
        if not title:
            title = f"column {number}"
            problems.append(Problem(line, f"Column {number} has no name; here it is {title!r}."))
        if title in columns:
            raise InputError(
                f"{name}, line {line}", f"two columns are called {show(title)}.", "Rename one."
            )
        columns.append(title)
    return tuple(columns)


def _read_objects(
    found: Iterator[tuple[int, dict[str, str], str]], problems: list[Problem]
) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[int]]:
    """Return columns in the order they first appear, and rows with empty cells for missing keys."""
    columns: dict[str, None] = {}
    objects: list[dict[str, str]] = []
    lines: list[int] = []
    for line, fields, problem in found:
        if problem:
            problems.append(problem_of(line, problem))
            continue
        columns.update(dict.fromkeys(fields))
        objects.append(fields)
        lines.append(line)
    names = tuple(columns)
    return names, [tuple(fields.get(name, "") for name in names) for fields in objects], lines
