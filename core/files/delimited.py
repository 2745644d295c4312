"""Comma, semicolon, tab and bar separated text: strict records in, strict records out.

The csv module of the standard library reads on past a broken quote and swallows the lines after
it, or takes a lone quote inside a cell for text. Here each record stands alone: a broken one is
reported with its line, and reading goes on at the next line.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from core.errors import InputError, show
from core.files.problems import NeedsChoice

SEPARATORS = (",", ";", "\t", "|")
_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|"}
_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"')
MAX_RECORD = 10_000_000
"""Characters one record may have; a longer one is reported by its line number."""

_STRAY = "a quote inside a cell that does not begin with one: quote the cell and double the quote"


def separator_name(separator: str) -> str:
    """Return the separator in words for a screen."""
    words = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
    return words.get(separator, show(separator))


def separator_from(chosen: str, name: str) -> str:
    r"""Return the separator a person typed: one character, or "tab", "\t", "comma" …"""
    separator = _NAMES.get(chosen.casefold(), chosen)
    if len(separator) != 1 or separator in '"\r\n':
        raise InputError(
            name, f"{show(chosen)} cannot separate cells.", "Give one character, such as ; or tab."
        )
    return separator


def records(text: str, separator: str) -> Iterator[tuple[int, list[str], str]]:
    r"""Yield (line number, cells, problem) per record; the cells are empty when there is a problem.

    Blank lines are passed over. Line ends are \n or \r\n; both stay as they are inside quotes.
    In tab-separated text a quote inside a cell is a character like any other, because nobody
    quotes there; elsewhere it is a problem, since the cell may have been meant to go on past the
    next separator.
    """
    plain = re.compile(f"[^{re.escape(separator)}\n]*")
    position, line, length = 0, 1, len(text)
    while position < length:
        end = text.find("\n", position)
        if end < 0:
            end = length
        if text.find('"', position, end) < 0:
            raw = text[position : end - 1 if text[end - 1] == "\r" and end > position else end]
            if len(raw) > MAX_RECORD:
                yield line, [], _too_long(len(raw))
            elif raw.strip(" "):
                yield line, raw.split(separator), ""
            position, line = end + 1, line + 1
            continue
        cells, stop, problem = _quoted_record(text, position, separator, plain)
        if problem:
            yield line, [], problem
            position, line = end + 1, line + 1
            continue
        yield line, cells, ""
        line += text.count("\n", position, stop) + 1
        position = stop + 1


def _quoted_record(
    text: str, position: int, separator: str, plain: re.Pattern[str]
) -> tuple[list[str], int, str]:
    """Return (cells, where the record's line end is, problem) of the record at `position`."""
    cells: list[str] = []
    at = position
    while True:
        if text.startswith('"', at):
            match = _QUOTED.match(text, at)
            if match is None:
                return [], at, "a quote is opened and never closed"
            value = match.group(1)
            if '""' in value:
                value = value.replace('""', '"')
            stop = match.end()
        else:
            match = plain.match(text, at)
            assert match is not None
            value, stop = match.group(), match.end()
            if value.endswith("\r") and not text.startswith(separator, stop):
                value = value[:-1]
            if '"' in value and separator != "\t":
                return [], at, _STRAY
        cells.append(value)
        after = text[stop : stop + 1]
        if after == separator:
            at = stop + 1
            continue
        if after == "\r" and text[stop + 1 : stop + 2] in ("", "\n"):
            stop += 1
        elif after not in ("", "\n"):
            return [], at, "text after a closing quote: a quote inside a cell must be doubled"
        if stop - position > MAX_RECORD:
            return [], at, _too_long(stop - position)
        return cells, stop, ""


def _too_long(size: int) -> str:
    return f"{size:,} characters in one record, more than {MAX_RECORD:,}"


def detect_separator(text: str, name: str) -> str:
    """Return the separator of `text` from its header and first records.

    A separator counts when it cuts the header in two or more; how many of the first 50 records
    it cuts into as many cells decides. Text that no separator cuts is one column (a comma).
    Raises NeedsChoice when two fit about equally well.
    """
    sample = text[:200_000]
    fits: list[tuple[float, int, str]] = []
    for separator in SEPARATORS:
        found = list(islice(records(sample, separator), 51))
        if len(found) > 1 and len(text) > len(sample):
            found.pop()  # the sample may have cut the last record
        if not found or len(found[0][1]) < 2:
            continue
        width, body = len(found[0][1]), found[1:]
        share = sum(len(cells) == width for _, cells, _ in body) / len(body) if body else 1.0
        fits.append((share, width, separator))
    if not fits:
        return ","
    fits.sort(key=lambda fit: fit[:2], reverse=True)
    if len(fits) > 1 and fits[1][0] > 0 and fits[0][0] - fits[1][0] < 0.1:
        guess = fits[0][2]
        other = separator_name(fits[1][2])
        raise NeedsChoice(
            name,
            f"the cells may be separated by {separator_name(guess)} or by {other}.",
            f"Say which (--separator {separator_name(guess)}).",
            field="separator",
            guess=guess,
            preview=show(text.split("\n", 1)[0], 120),
        )
    return fits[0][2]


def to_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return CSV text (comma, \r\n) that reads back to the same columns and cells.

    Cells that begin with = + - or @ are written as they are. A quote mark put before them, as
    some exporters do for spreadsheets, would change the text that was judged and come back with
    it; open the file in a spreadsheet by its "import as text" way instead.
    """
    stream = io.StringIO(newline="")
    # A header cell that holds another separator would make the separator ambiguous when read.
    risky = any(mark in column for column in columns for mark in SEPARATORS)
    csv.writer(stream, quoting=csv.QUOTE_ALL if risky else csv.QUOTE_MINIMAL).writerow(columns)
    csv.writer(stream).writerows(rows)
    return stream.getvalue()
