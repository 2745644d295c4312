"""A contract as one HTML page to read or print: no script, nothing fetched, every text escaped."""

from __future__ import annotations

import html

from core.contract.contract import Contract
from core.render import (
    Baseline,
    Block,
    Bullets,
    Calibration,
    Data,
    Heading,
    Line,
    Missing,
    Paragraph,
    contract_page,
    visible_line,
    visible_lines,
)

_STYLE = """
:root { color-scheme: light; }
body { font: 11pt/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif;
  color: #1b1f24; background: #fff; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5em; line-height: 1.25; margin: 0 0 1em; }
h2 { font-size: 1.1em; margin: 1.6em 0 0.4em; border-bottom: 1px solid #d0d6dd; }
h3 { font-size: 1em; margin: 1.3em 0 0.3em; }
p, ul { margin: 0.35em 0; }
ul { padding-left: 1.3em; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.35em 0;
  padding: 0.3em 0.8em; border-left: 3px solid #d0d6dd; }
h1, h2, h3, p, li { overflow-wrap: anywhere; }
@page { margin: 18mm 16mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10pt; }
  h1, h2, h3 { break-after: avoid; }
  li, p { break-inside: avoid; }
}
"""


def contract_html(
    contract: Contract,
    *,
    calibration: Calibration | None = None,
    baseline: Baseline | None = None,
) -> str:
    """Return the contract as a whole HTML document that prints cleanly on its own."""
    title = visible_line(contract.title) or "untitled"
    body = contract_body(contract, calibration=calibration, baseline=baseline)
    return document(f"Evaluator contract: {title}", body)


def document(title: str, body: str, style: str = "") -> str:
    """Return a whole HTML document around elements; nothing in it is fetched or run."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escaped(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    )


def contract_body(
    contract: Contract,
    *,
    calibration: Calibration | None = None,
    baseline: Baseline | None = None,
) -> str:
    """Return the page as HTML elements without style, to stand inside another page."""
    page = contract_page(contract, calibration=calibration, baseline=baseline)
    return "".join(f"{element(block)}\n" for block in page)


def element(block: Block) -> str:
    """Return one block of a page as an HTML element."""
    if isinstance(block, Heading):
        return f'<h{block.level} dir="auto">{line_html(block.line)}</h{block.level}>'
    if isinstance(block, Paragraph):
        return f'<p dir="auto">{line_html(block.line)}</p>'
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{line_html(line)}</li>" for line in block.lines) + "</ul>"
    return f'<pre dir="auto">{escaped(visible_lines(block.text))}</pre>'


def line_html(line: Line) -> str:
    """Return one line as HTML, data set apart from the words around it."""
    return "".join(
        f"<bdi>{escaped(visible_line(part.text))}</bdi>"
        if isinstance(part, Data)
        else f"<em>{escaped(part.text)}</em>"
        if isinstance(part, Missing)
        else escaped(part)
        for part in line
    )


def escaped(text: str) -> str:
    """Return text that no browser reads as anything else; half characters are made visible."""
    whole = "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    return html.escape(whole)
