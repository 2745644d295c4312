"""Whether what a judge quotes as evidence stands in the output it judged."""

from __future__ import annotations

import re

from core.text import count_words, fold

MIN_WORDS = 3
MIN_CHARACTERS = 12
_MAX_EVIDENCE = 20_000
# A single quotation mark opens only before and closes only behind something that is no letter, so
# that the apostrophes of "don't" and "the judges' notes" are none. Lengths are bounded: the text is
# a model's.
_QUOTED = re.compile(
    r"[\"＂](?P<plain>[^\"＂]{1,2000})[\"＂]"
    r"|[“„‟](?P<curly>[^“”„‟]{1,2000})[”“]"
    r"|«(?P<french>[^«»]{1,2000})»"
    r"|»(?P<german>[^«»]{1,2000})«"
    r"|「(?P<corner>[^「」]{1,2000})」"
    r"|(?<!\w)'(?P<single>[^'\n]{1,500}(?:'(?=\w)[^'\n]{1,500}){0,20})'(?!\w)"
    r"|(?<!\w)[‘‚](?P<curly_single>[^‘’‚\n]{1,500}(?:’(?=\w)[^‘’‚\n]{1,500}){0,20})[’‘](?!\w)"
)
_LEFT_OUT = re.compile(r"\s*[\[(]?(?:\.{3,}|…)[\])]?\s*")
_EDGES = " .,;:!?-\"'()[]"


def quotations(evidence: str) -> list[str]:
    """Return the quoted passages of `MIN_WORDS` words or `MIN_CHARACTERS` characters and more.

    Shorter ones are as often names or emphasis as quotations.
    """
    found = [m.group(m.lastgroup or 0) for m in _QUOTED.finditer(evidence[:_MAX_EVIDENCE])]
    return [q for q in found if len(q.strip()) >= MIN_CHARACTERS or count_words(q) >= MIN_WORDS]


def unfounded_quotes(evidence: str, output: str) -> tuple[str, ...]:
    """Return the passages `evidence` quotes that do not stand in `output`.

    Case, blanks, typographic quotation marks and dashes do not count, nor does punctuation at the
    ends of a quotation; where one leaves something out ("…"), its parts must follow each other.
    """
    quoted = quotations(evidence)
    if not quoted:
        return ()
    text = fold(output.replace("\x00", ""))
    return tuple(quote for quote in quoted if not _stands_in(quote, text))


def _stands_in(quote: str, folded: str) -> bool:
    parts = [fold(part.replace("\x00", "")).strip(_EDGES) for part in _LEFT_OUT.split(quote)]
    start = 0
    for part in filter(None, parts):
        start = folded.find(part, start)
        if start < 0:
            return False
        start += len(part)
    return True
