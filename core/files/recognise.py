"""What kind of file somebody has dropped: told by its content, to be offered and corrected."""

from __future__ import annotations

import codecs
import re

from core.files.inspect_zip import is_eval

KINDS = {
    "table": "Table: CSV, TSV, JSON lines or a JSON array",
    "inspect": "Inspect log",
    "promptfoo": "promptfoo results",
    "traces": "Traces of this program",
    "spans": "Spans: OpenTelemetry or OpenInference",
}
_HEAD = 300_000


def recognise(data: bytes, name: str) -> str:
    """Return one of KINDS; "table" where nothing else fits. Reads the beginning of the file."""
    if is_eval(data) or (data.startswith(b"PK") and name.lower().endswith(".eval")):
        return "inspect"
    head = _text(data[:_HEAD]).lstrip("\ufeff \t\r\n")
    if not head.startswith(("{", "[")):
        first = head.split("\n", 1)[0]
        return "spans" if "context.span_id" in first and "name" in first else "table"
    has = {m.group(1) for m in re.finditer(r'(?<!\\)"([A-Za-z_.]+)"\s*:', head)}
    begins = re.match(r'\{\s*"([A-Za-z_]+)"', head)
    first = begins.group(1) if begins else ""
    # The events of an Inspect log are spans too: what the whole document is comes first.
    if {"eval", "status", "version"} <= has and first in ("version", "status", "eval"):
        return "inspect"
    if first in ("resourceSpans", "resource_spans"):
        return "spans"
    if {"trace_id", "rounds"} <= has:
        return "traces"
    graded = {"gradingResult", "componentResults", "promptIdx", "testIdx"} & has
    if graded or {"evalId", "results"} <= has or {"results", "stats", "prompts"} <= has:
        return "promptfoo"
    if {"resourceSpans", "resource_spans", "span_id", "spanId", "context.span_id"} & has:
        return "spans"
    return "table"


def _text(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "ignore")
    return head.decode("utf-8", "ignore")
