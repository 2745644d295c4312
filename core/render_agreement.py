"""Agreement as one page for somebody who will not open the workbench: Markdown or HTML, on its own.

Every number is worded by the functions the screen uses, from the same cells, so the two cannot
differ. Names and notes are data; the picture is drawn into the page, nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.charts import RateRow
from core.charts_agreement import interval_svg
from core.render import Block, Bullets, Data, Heading, Paragraph, inline, markdown
from core.render_html import document, element, escaped
from core.statistics.confusion import Confusion
from core.statistics.interval import Result
from core.wording import criterion_name, percent
from core.wording_agreement import FAR, FRR, rate_row

_STYLE = """
body { max-width: 62rem; }
table { border-collapse: collapse; font-size: 0.86em; margin: 0.6em 0; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.25em 0.6em; border-bottom: 1px solid #d0d6dd; vertical-align: top; }
svg { max-width: 100%; height: auto; }
"""
Rates = tuple[Result, Result, Result]
"""False-accept rate, false-reject rate and precision, as shown."""


@dataclass(frozen=True)
class Report:
    """What a page shows about one evaluator, ready to be written down.

    `subject` says who is measured on what, as (label, text) pairs; `sentences` are the headline.
    `measured` maps criterion keys to cells and shown rates; `people` are reviewers by name, each
    against the others. `sections` are further headings with the lines under them.
    """

    title: str
    subject: Sequence[tuple[str, str]]
    sentences: Sequence[str]
    measured: Mapping[str, tuple[Confusion, Rates]]
    people: Sequence[tuple[str, Confusion, Rates]]
    limits: tuple[float | None, float | None]
    sections: Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class _Table:
    rows: Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class _Picture:
    rows: Sequence[RateRow]
    limit: float | None
    title: str


_Part = Block | _Table | _Picture


def report_markdown(report: Report) -> str:
    """Return the report as Markdown; pictures are left to the HTML page, their numbers are not."""
    pieces = []
    for part in _parts(report):
        if isinstance(part, _Table):
            pieces.append(_markdown_table(part))
        elif not isinstance(part, _Picture):
            pieces.append(markdown([part]))
    return "\n".join(pieces)


def report_html(report: Report) -> str:
    """Return the report as one HTML document that needs nothing else."""
    body = []
    for part in _parts(report):
        if isinstance(part, _Table):
            body.append(_html_table(part))
        elif isinstance(part, _Picture):
            body.append(
                f"<p>{escaped(part.title)}</p>{interval_svg(part.rows, part.limit, part.title)}"
            )
        else:
            body.append(element(part))
    return document(report.title, "\n".join(body) + "\n", _STYLE)


def _parts(report: Report) -> list[_Part]:
    parts: list[_Part] = [
        Heading(1, (Data(report.title),)),
        Bullets(tuple((f"{label}: ", Data(text)) for label, text in report.subject)),
        Heading(2, ("What it shows",)),
        *(Paragraph((Data(line),)) for line in report.sentences),
        Heading(2, ("Per criterion",)),
    ]
    rows = [(criterion_name(key), *found) for key, found in report.measured.items()]
    parts += _pictures(rows, report.limits)
    parts.append(_Table([rate_row(*row) for row in rows]))
    parts += [
        Heading(2, ("Who said what",)),
        _Table([_cells(name, cells) for name, cells, _ in rows]),
    ]
    if report.people:
        parts += [
            Heading(2, ("Each reviewer against the others",)),
            *_pictures(report.people, report.limits),
            _Table([rate_row(*row) for row in report.people]),
        ]
    for heading, lines in report.sections:
        if lines:
            parts += [Heading(2, (heading,)), *(Paragraph((Data(line),)) for line in lines)]
    return parts


def _pictures(
    rows: Sequence[tuple[str, Confusion, Rates]], limits: tuple[float | None, float | None]
) -> list[_Part]:
    found: list[_Part] = []
    for at, (series, limit) in enumerate(zip((FAR, FRR), limits, strict=True)):
        title = f"{series} with 95 % intervals"
        if limit is not None:
            title += f"; dashed: the limit of {percent(limit)}"
        found.append(
            _Picture([RateRow(name, series, rates[at]) for name, _, rates in rows], limit, title)
        )
    return found


def _cells(name: str, c: Confusion) -> dict[str, object]:
    return {
        "": name,
        "Good, passed": c.true_accept,
        "Good, failed": c.false_reject,
        "Bad, passed": c.false_accept,
        "Bad, failed": c.true_reject,
    }


def _texts(table: _Table) -> list[list[str]]:
    heads = [str(head) for head in table.rows[0]] if table.rows else []
    return [heads, *([_text(value) for value in row.values()] for row in table.rows)]


def _text(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _markdown_table(table: _Table) -> str:
    head, *rows = _texts(table)
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(inline(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _html_table(table: _Table) -> str:
    head, *rows = _texts(table)
    cells = "".join(f"<th>{escaped(text)}</th>" for text in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escaped(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
