"""What is said about the spans of a file when they become traces: what was used, what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.files.span_map import listed
from core.files.spans import Span, SpanFile
from core.wording import plural

_LINES = {
    "no_draft": "Traces with verdicts but no draft, left out",
    "early": "Verdicts that belong to no draft, left out",
    "lost": "Drafts and verdicts that do not say to which trace they belong, left out",
    "no_text": "Drafts without text where the mapping looks, kept without one",
    "silent": "Verdict spans that say nothing where the mapping looks",
    "bare": "Rounds without a verdict",
    "contradict": "Verdicts that contradict another of their round, unscored",
    "ties": "Traces with drafts that begin at the same time, taken in the order of the file",
    "unnumbered": "Drafts without the number of their round, counted on in order of time",
    "retried": "Drafts that failed and were made again, counted as calls of the next draft",
    "by_code": "Verdicts without a model call in or below them, counted as checks by code",
}


def told(
    spans: SpanFile,
    drafts: int,
    verdicts: int,
    below: int,
    loose: Sequence[Span],
    counts: Counter[str],
    unread: Counter[str],
) -> list[str]:
    """Return lines with counts; `counts` are by the kinds of this module, `unread` by word."""
    found = [
        f"{plural(len(spans.spans), 'span')}: {drafts:,} drafts, {verdicts:,} verdicts, "
        f"{below:,} below them, {len(loose):,} not used."
    ]
    if loose:
        found.append(f"Not used, by name: {listed(Counter(s.name for s in loose))}.")
    found += [f"{text}: {counts[key]:,}." for key, text in _LINES.items() if counts[key]]
    unread = +unread
    if unread:
        found.append(
            f"Verdicts that cannot be read as PASS or FAIL, unscored: {unread.total():,} "
            f"({listed(unread)})."
        )
    if spans.repeats:
        found.append(f"Spans that stand twice in the file and count once: {spans.repeats:,}.")
    return found
