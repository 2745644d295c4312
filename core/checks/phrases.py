"""Checks that look for phrases and patterns.

Phrases are whole words: "free" is not in "freedom", "30" not in "1,300" nor "can" in "can't"; a
hyphen and a possessive 's end a word, so "free" is in "risk-free" and "customer" in "customer's".
Both sides are compared case-folded, with typographic quotes, dashes and spaces as plain ones and
runs of blanks as one. Scripts without blanks between words have no word ends and match anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import regex

from core.checks.kind import Ask, Found, Kind, Parameter, listed, place, stopped
from core.checks.patterns import PatternError, compiled, search
from core.errors import InputError, show
from core.text import fold, is_unspaced

_WORDLIKE = regex.compile(r"[\p{L}\p{M}\p{N}_]")
# The four separators are blanks to `str.split`, which folding uses, and none to this library.
_TOKEN = regex.compile(r"[^\s\x1c-\x1f]+")
_MAX_CACHED = 20_000
MAX_WORK = 100_000_000


@lru_cache(maxsize=64)
def _fold_once(text: str) -> str:
    return fold(text)


def _folded(text: str) -> str:
    """Return `fold(text)`, remembered because a contract asks for several phrases of one output."""
    return _fold_once(text) if len(text) <= _MAX_CACHED else fold(text)


def _whole_words(phrase: str) -> Any:
    """Return the compiled pattern that finds the folded `phrase` as whole words."""
    before = after = ""
    if _WORDLIKE.match(phrase[0]) and not is_unspaced(phrase[0]):
        before = r"(?<![\p{L}\p{M}\p{N}_])(?<![\p{L}\p{M}\p{N}_]')"
    if phrase[0].isdigit():
        before += r"(?<!\d[.,])"
    if _WORDLIKE.match(phrase[-1]) and not is_unspaced(phrase[-1]):
        after = r"(?![\p{L}\p{M}\p{N}_])(?!'(?!s(?![\p{L}\p{M}\p{N}_]))[\p{L}\p{M}\p{N}_])"
    if phrase[-1].isdigit():
        after += r"(?![.,]\d)"
    return regex.compile(before + regex.escape(phrase, special_only=True) + after)


def _position(output: str, folded: str, at: int) -> int:
    """Return the place in `output`, counted from 1, of the character at `at` of its folded copy.

    The words of both correspond, so the place is exact to the word, and to the character unless
    folding changed the length of that very word.
    """
    start_of_word = folded.rfind(" ", 0, at) + 1
    number = folded.count(" ", 0, at)
    for token in _TOKEN.finditer(output):
        # An invisible token folds to no word, a spacing accent to two.
        count = 1 if token.group().isascii() else len(fold(token.group()).split())
        if number < count:
            return int(min(token.start() + at - start_of_word, token.end() - 1)) + 1
        number -= count
    return 1


Phrase = tuple[str, str, Any]


def _prepare(kind: str, parameter: str, texts: list[str]) -> list[Phrase]:
    """Return (text as written, folded, pattern) of each phrase; refuses what folds to nothing."""
    made: dict[str, Phrase] = {}
    for text in texts:
        folded = fold(text)
        if not folded:
            raise InputError(
                place(kind, parameter), f"{show(text)} holds nothing to look for.",
                "Write the words themselves.",
            )  # fmt: skip
        made.setdefault(folded, (text, folded, _whole_words(folded)))
    return list(made.values())


def _sort(output: str, phrases: list[Phrase]) -> tuple[list[str], list[str], list[str]]:
    """Return (found with place, found quoted, missing quoted with a word on near misses)."""
    if len(output) * len(phrases) > MAX_WORK:
        raise stopped(f"{len(phrases):,} phrases in {len(output):,} characters")
    folded = _folded(output)
    places, found, missing = [], [], []
    for text, plain, pattern in phrases:
        quoted = show(text)
        match = pattern.search(folded)
        if match is not None:
            places.append(f"{quoted} at character {_position(output, folded, match.start()):,}")
            found.append(quoted)
        else:
            inside = folded.find(plain)
            if inside >= 0:
                where = _position(output, folded, inside)
                quoted += f" (only inside a longer word at character {where:,})"
            missing.append(quoted)
    return places, found, missing


def _phrases(kind: str, parameter: str) -> Callable[[Mapping[str, Any]], Ask]:
    """Return the maker of one of the three phrase checks; `contains` is contains_all of one."""
    any_of = kind == "contains_any"

    def make(given: Mapping[str, Any]) -> Ask:
        value = given[parameter]
        phrases = _prepare(kind, parameter, [value] if isinstance(value, str) else value)
        wanted = [show(text) for text, _, _ in phrases]

        def ask(output: str, reference: str | None) -> Found:
            places, found, missing = _sort(output, phrases)
            holds = bool(places) if any_of else not missing
            if holds:
                # Breaking "all of these" takes the removal of one, breaking "any" of each.
                remove = listed(found) if any_of or len(found) == 1 else f"one of {listed(found)}"
                return Found(True, f"contains {listed(places)}", "", f"Remove {remove}.")
            present = f"; contains {listed(places)}" if places else ""
            needed = f"one of {listed(wanted)}" if any_of and len(wanted) > 1 else listed(
                [item.split(" (only inside")[0] for item in missing]
            )  # fmt: skip
            return Found(False, f"does not contain {listed(missing)}{present}", f"Write {needed}.")

        return ask

    return make


def _regex(given: Mapping[str, Any]) -> Ask:
    pattern: str = given["pattern"]
    try:
        compiled(pattern)
    except PatternError as error:
        raise InputError(
            place("regex", "pattern"), f"{show(pattern)} cannot be run: {error}.",
            "Write it without look-around or back-references (RE2 syntax).",
        ) from error  # fmt: skip

    def ask(output: str, reference: str | None) -> Found:
        span = search(pattern, output)
        if span is None:
            return Found(
                False, f"nothing matches {show(pattern)}", f"Write text that matches {pattern}"
            )
        start, end = span
        matched = show(output[start:end])
        return Found(
            True, f"{matched} at character {start + 1:,} matches {show(pattern)}",
            "", f"Remove {matched}.",
        )  # fmt: skip

    return ask


_RULE = (
    "Whole words, case ignored; typographic quotes, dashes and spaces count as plain ones."
    " A hyphen and 's end a word; presence of words does not mean the text asserts them."
)

KINDS = (
    Kind(
        "contains", "Contains a phrase", _RULE,
        (Parameter("text", "text", "Phrase", "The words to look for."),),
        _phrases("contains", "text"), negatable=True, reads_field=True,
    ),
    Kind(
        "contains_any", "Contains one of several phrases", _RULE,
        (Parameter("texts", "texts", "Phrases", "One of them is enough, one a line."),),
        _phrases("contains_any", "texts"), negatable=True, reads_field=True,
    ),
    Kind(
        "contains_all", "Contains all of several phrases", _RULE,
        (Parameter("texts", "texts", "Phrases", "Each of them must be there, one a line."),),
        _phrases("contains_all", "texts"), negatable=True, reads_field=True,
    ),
    Kind(
        "regex", "Matches a pattern",
        "RE2 syntax, searched anywhere; (?i) ignores case, (?s) lets . cross lines. Back-references"
        " and look-around do not exist in RE2.",
        (Parameter("pattern", "pattern", "Pattern", "A regular expression in RE2 syntax."),),
        _regex, negatable=True, reads_field=True,
    ),
)  # fmt: skip
