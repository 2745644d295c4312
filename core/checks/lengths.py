"""Checks on length and on the last character."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import regex

from core.checks.kind import Ask, Found, Kind, Parameter, plural, stopped
from core.errors import show
from core.text import count_words

# A sentence ends at a terminator (with closing quotes or brackets) before a blank, at an empty
# line, and before a list item. A point does not end one before a small letter ("e.g. this") or
# after the abbreviations below.
_END = regex.compile(
    r"[\p{STerm}…][\p{Pe}\p{Pf}\"'”’]{0,3}\s++(?!\p{Ll})|[。！？｡][」』）]?+"
    r"|\n\s*\n|\n(?=\s*+(?:[-*•+]|\d+[.)])\s)"
)
_ABBREVIATION = regex.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|cf|approx)\.\Z")
_LAST = regex.compile(r"[\p{STerm}…][\p{Pe}\p{Pf}\"'”’*_`]{0,6}\Z")
MAX_SENTENCES = 100_000
_LIMIT = Parameter("limit", "whole number", "Limit", "The highest number that passes.")
_WORDS_RULE = (
    "Words are joined across hyphen and apostrophe (Don't re-run x-rays: 3); emoji and dashes are"
    " none; Chinese, Japanese, Thai, Lao, Khmer and Burmese count one per character."
)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of `text`, trimmed, none of them blank."""
    start = 0
    for end in _END.finditer(text):
        stop = end.start() + 1
        if _ABBREVIATION.search(text, max(0, stop - 8), stop):
            continue
        if piece := text[start : end.end()].strip():
            yield piece
        start = end.end()
    if piece := text[start:].strip():
        yield piece


def _at_most(count: Callable[[str], int], unit: str) -> Callable[[Mapping[str, Any]], Ask]:
    def make(given: Mapping[str, Any]) -> Ask:
        limit: int = given["limit"]

        def ask(output: str, reference: str | None) -> Found:
            number = count(output)
            evidence = f"{plural(number, unit)}, limit {limit:,}"
            if number <= limit:
                more = f"Add {plural(limit + 1 - number, unit)} or more."
                return Found(True, evidence, "", more)
            return Found(False, evidence, f"Cut {plural(number - limit, unit)} or more.")

        return ask

    return make


def _min_words(given: Mapping[str, Any]) -> Ask:
    limit: int = given["limit"]

    def ask(output: str, reference: str | None) -> Found:
        number = count_words(output)
        evidence = f"{plural(number, 'word')}, lower limit {limit:,}"
        if number >= limit:
            fewer = f"Cut {plural(number - limit + 1, 'word')} or more."
            never = "Raise the limit: no text has fewer than 0 words."
            return Found(True, evidence, "", fewer if limit else never)
        return Found(False, evidence, f"Add {plural(limit - number, 'word')} or more.")

    return ask


def _max_sentence_words(given: Mapping[str, Any]) -> Ask:
    limit: int = given["limit"]

    def ask(output: str, reference: str | None) -> Found:
        counts = [
            (count_words(text), text) for text in islice(sentences(output), MAX_SENTENCES + 1)
        ]
        if len(counts) > MAX_SENTENCES:
            raise stopped(f"more than {MAX_SENTENCES:,} sentences")
        long = [(n, words, text) for n, (words, text) in enumerate(counts, 1) if words > limit]
        if not long:
            longest = max((words for words, _ in counts), default=0)
            return Found(
                True, f"longest sentence {plural(longest, 'word')}, limit {limit:,}", "",
                f"Write one sentence of at least {plural(limit + 1, 'word')}.",
            )  # fmt: skip
        places = [
            f"sentence {n} has {plural(words, 'word')}: {show(text, 60)}"
            for n, words, text in long[:50]
        ]
        more = f"; and {len(long) - 50:,} more" if len(long) > 50 else ""
        return Found(
            False,
            f"{'; '.join(places)}{more} (limit {limit:,})",
            "Shorten or split each sentence named.",
        )

    return ask


def _ends_with_sentence(given: Mapping[str, Any]) -> Ask:
    def ask(output: str, reference: str | None) -> Found:
        text = output[-1000:].rstrip() or output.rstrip()
        if not text:
            return Found(False, "the output is empty", "Write the output.")
        tail = show(text[-30:], 60)
        if _LAST.search(text[-12:]):
            return Found(True, f"ends with {tail}", "", "End without a full stop.")
        return Found(
            False,
            f"ends with {tail}, no end of a sentence",
            "Finish the last sentence and end it with a full stop.",
        )

    return ask


KINDS = (
    Kind(
        "max_words", "At most so many words", f"Counts the words of the output. {_WORDS_RULE}",
        (_LIMIT,), _at_most(count_words, "word"), negatable=True, reads_field=True,
    ),
    Kind(
        "min_words", "At least so many words", f"Counts the words of the output. {_WORDS_RULE}",
        (Parameter("limit", "whole number", "Limit", "The lowest number that passes."),),
        _min_words, negatable=True, reads_field=True,
    ),
    Kind(
        "max_sentence_words", "No sentence longer than so many words",
        "A sentence ends at . ! ? … before a blank, at an empty line or before a list item.",
        (_LIMIT,), _max_sentence_words, negatable=True, reads_field=True,
    ),
    Kind(
        "max_characters", "At most so many characters",
        "Counts Unicode characters, blanks and line ends included.",
        (_LIMIT,), _at_most(len, "character"), negatable=True, reads_field=True,
    ),
    Kind(
        "ends_with_sentence", "Ends with a whole sentence",
        "The last character is . ! ? … (closing quotes, brackets and blanks may follow).",
        (), _ends_with_sentence, negatable=True, reads_field=True,
    ),
)  # fmt: skip
