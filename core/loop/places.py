"""Which text of a draft a failure names, and how much of the rest a revision kept.

A failure names a sentence when it quotes from it, repeats it, or points at it by number
("sentence 2", "line 3"). A quotation that is not in the draft names something absent, so no text
of the draft. A failure with neither is about the text as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from functools import lru_cache

import regex

from core.text import fold, words
from core.verdict import CriterionVerdict

_SENTENCE_END = regex.compile(r"(?<=[.!?…])\s+|\n+")
_QUOTED = regex.compile(
    r"“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|\"([^\"]+)\"|`([^`]+)`"
    r"|(?<![\p{L}\p{N}])[‘']([^’'\n]*(?:[’'](?=\p{L})[^’'\n]*)*)[’'](?![\p{L}\p{N}])"
)
_POINTER = regex.compile(r"\b(sentence|line|paragraph)\s+(?:no\.?\s*|#)?(\d+)\b", regex.I)
_PLACE = regex.compile(r"\d|[$/][\p{L}_]|\b(?:first|second|third|last)\b", regex.I)
_PARAGRAPH = regex.compile(r"\n\s*\n")
_FEWEST_WORDS = 5
_LONG = 3000


@lru_cache(maxsize=256)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of `text` (lines are cut too), folded to plain words."""
    return tuple(key for part in _SENTENCE_END.split(text) if (key := _key(part)))


def quotations(text: str) -> list[str]:
    """Return what stands in quotation marks or backticks; apostrophes in words are none."""
    return [next(g for g in m.groups() if g) for m in _QUOTED.finditer(text) if any(m.groups())]


def names_a_place(evidence: str) -> bool:
    """Return whether a failure's evidence quotes text or points somewhere (a number, a path)."""
    return bool(quotations(evidence)) or _PLACE.search(evidence) is not None


def named_text(draft: str, failures: Sequence[CriterionVerdict]) -> frozenset[str] | None:
    """Return the sentences of `draft` that the failures name; None if one names the whole text."""
    every = sentences(draft)
    named: set[str] = set()
    for failure in failures:
        said = f"{failure.evidence}\n{failure.change}"
        hits = _pointed_at(draft, failure.evidence)
        spoken = f" {_key(said)} "
        hits |= {s for s in every if s.count(" ") >= 2 and f" {s} " in spoken}
        quotes = [key for q in quotations(said) if (key := _key(q))]
        for quote in quotes:
            hits |= {s for s in every if f" {quote} " in f" {s} " or f" {s} " in f" {quote} "}
        if not hits and not quotes:
            return None
        named |= hits
    return frozenset(named)


def lost_share(draft: str, failures: Sequence[CriterionVerdict], revised: str) -> Fraction | None:
    """Return the share of words in sentences no failure named that `revised` does not keep.

    In [0, 1]; None when a failure is about the whole text, or fewer than five words are unnamed.
    """
    named = named_text(draft, failures)
    if named is None:
        return None
    rest = [w for s in sentences(draft) if s not in named for w in s.split()]
    if len(rest) < _FEWEST_WORDS:
        return None
    new = [w for s in sentences(revised) for w in s.split()]
    matcher = SequenceMatcher(None, rest, new, autojunk=len(rest) > _LONG)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return Fraction(len(rest) - kept, len(rest))


def _key(text: str) -> str:
    return " ".join(words(fold(text)))


def _pointed_at(draft: str, evidence: str) -> set[str]:
    """Return the sentences that "sentence 2", "line 3" or "paragraph 1" point at."""
    hits: set[str] = set()
    for kind, number in _POINTER.findall(evidence):
        parts = _parts(draft, kind.lower())
        if len(number) < 6 and 1 <= int(number) <= len(parts):
            hits |= set(sentences(parts[int(number) - 1]))
    return hits


def _parts(draft: str, kind: str) -> list[str]:
    if kind == "line":
        return draft.split("\n")
    parts = _SENTENCE_END.split(draft) if kind == "sentence" else _PARAGRAPH.split(draft)
    return [p for p in parts if p.strip()]
