"""The check that could decide a question, read off its words."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.contract.lint_words import CASE, second_question
from core.text import fold, words

NEGATION = frozenset(
    {"not", "no", "never", "without", "avoid", "avoids", "isn't", "doesn't", "don't", "free"}
)


@dataclass(frozen=True)
class Suggestion:
    """A check that could decide a question. `specs` are complete checks, or empty.

    More than one: the question asks for all of them. `written` is how it would stand in a
    contract, with … where a parameter is not in the question. `surely` is False where the words
    of the question may not be the words of an output.
    """

    written: str
    specs: tuple[dict[str, Any], ...] = ()
    surely: bool = True


_DIGIT = re.compile("[0-9]")
_NUMBER = r"(?P<n>[0-9][0-9,]*)"
_UNIT = r"(?: |-)(?P<unit>words?|characters?|letters?)\b"
_MOST = (
    rf"(?:at most|no more than|not more than|up to|maximum(?: length)?(?: of)?|max\.?|within"
    rf"|a limit of|limited to|no longer than|not longer than|not exceed|<=|≤) {_NUMBER}{_UNIT}"
)
_LIMITS = tuple(
    (re.compile(pattern, CASE), kind, shift)
    for pattern, kind, shift in (
        (_MOST, "max", 0),
        (rf"(?:fewer than|less than|under|below|shorter than) {_NUMBER}{_UNIT}", "max", -1),
        (rf"{_NUMBER}{_UNIT} or (?:fewer|less|shorter)", "max", 0),
        (rf"{_NUMBER}-word (?:limit|maximum)", "max", 0),
        (rf"(?:at least|no fewer than|no less than|minimum(?: of)?) {_NUMBER}{_UNIT}", "min", 0),
        (rf"(?:more than|over|above|longer than|exceeds?) {_NUMBER}{_UNIT}", "min", 1),
        (rf"{_NUMBER}{_UNIT} or (?:more|longer)", "min", 0),
    )
)
_BETWEEN = re.compile(
    r"\b(?:between |from )?(?P<low>[0-9][0-9,]*) ?(?:and|to|-|–) ?(?P<high>[0-9][0-9,]*) words\b",
    CASE,
)
_PER_SENTENCE = re.compile(
    r"\bwords? (?:per|a|in (?:each|every|any)) sentence|\b(?:each|every|all|no|any) sentences?\b"
    r"|\bsentences? (?:of|with|under|below|shorter|longer|at most|that)\b",
    CASE,
)
# A limit on a part of the output is none on the whole of it.
_PART = re.compile(
    r"\b(?:subject|title|headline|heading|paragraph|section|bullets?(?: points?)?|items?|intro"
    r"(?:duction)?|opening|first|last|closing|description|field|caption|quote|line|name|function"
    r"|method|each|every|any|per|meta|body|abstract|docstring|identifier)\b",
    CASE,
)

_QUOTE = (
    r"(?:\"(?P<a>[^\"]{1,80})\"|“(?P<b>[^”]{1,80})”|`(?P<d>[^`]{1,80})`"
    r"|(?<!\w)['‘](?P<c>[^'’]{1,80})['’](?!\w))"
)
_PHRASE = re.compile(
    r"\b(?P<verb>mention(?:s|ing)?|contain(?:s|ing)?|include?(?:s|ing)?|including|avoids?|use[sd]?|using"
    rf"|says?|saying|leave out|omits?|free of)\b[^?\"“'‘`]{{0,40}}?{_QUOTE}",
    CASE,
)
_EDGE = re.compile(
    r"(?i:\b(?P<edge>starts?|begins?|opens?|ends?|closes?|finish(?:es)?) with (?:the )?"
    r"(?:word |words |phrase |line |keyword |sentence )?)"
    rf"(?:{_QUOTE}|(?P<e>[A-Z]{{3,20}})\b)"
)
_TOKEN = re.compile(
    r"(?i:\b(?:mention|contain|include|use)s?) (?:an? |the )?(?P<what>[A-Z]{3,20})"
    r"(?: (?:clause|keyword|statement|hint))?\?"
)
_MENTION = re.compile(r"\bmentions? (?:the |an? )?(?P<what>[\w.-]+(?: [\w.-]+)?)\s*\?", CASE)
_IMPORTS = re.compile(r"\bimports? (?:the )?(?:module |package |library )?(?P<what>[a-z_]\w*)\s*\?")

_OTHER = tuple(
    (re.compile(pattern, CASE), made)
    for pattern, made in (
        (r"\b(?:valid|well[- ]formed|parses? as|parseable|strict) JSON\b",
         Suggestion("{kind: json}", ({"kind": "json"},))),
        (r"\b(?:JSON )?schema\b(?! change| migration| design)",
         Suggestion("{kind: json_schema, schema: …}")),
        (r"\b(?:valid|parses? as|syntactically \w+) Python\b|\bPython\b.{0,30}\bparses?\b",
         Suggestion("{kind: python_parses}", ({"kind": "python_parses"},))),
        (r"\b(?:add|adds|sum|sums) up to\b|\bsums? to the\b|\bequals? the sum\b|\badd up\?",
         Suggestion("{kind: sum_equals, items: …, total: …}")),
        (r"\bends? (?:with|in) a (?:complete|whole|full) (?:sentence|stop)\b",
         Suggestion("{kind: ends_with_sentence}", ({"kind": "ends_with_sentence"},))),
        (r"\bends? (?:with|in) a question mark\b",
         Suggestion(r"{kind: regex, pattern: '\?\s*$'}",
                    ({"kind": "regex", "pattern": r"\?\s*$"},))),
        (r"\b(?:equals?|match(?:es)?|identical to|the same as) the (?:reference|expected|known|gold)"
         r"(?: answer| value| result| output)?\?",
         Suggestion("{kind: equals_reference}", ({"kind": "equals_reference"},))),
        (r"\b(?:unit |all |existing )?tests? (?:suite )?pass(?:es)?\b|\bpass(?:es)? (?:all |the )"
         r"(?:\w+ )?tests\b|\bdoes (?:it|the code) compile\b",
         Suggestion("{kind: recorded, by: …}")),
    )
)  # fmt: skip
_THINGS = (
    (r"exclamation (?:marks?|points?)", "!"),
    (r"question marks?", r"\?"),
    (r"urls?|links?|hyperlinks?|web addresses?", r"(?i)https?://|\bwww\."),
    (r"e-?mail address(?:es)?", r"[\w.+-]+@[\w-]+\.\w+"),
    (r"bullet points?|bullets|bulleted lists?", r"(?m)^\s*[-*•] "),
    (r"digits?|numerals?", r"\d"),
    (r"code (?:blocks?|fences?)", r"(?m)^\s*```"),
    (r"html(?: tags?)?", r"<[a-zA-Z/][^>]*>"),
    (r"em[- ]dash(?:es)?", "—"),
    (r"emojis?", "[\U0001f300-\U0001faff\u2600-\u27bf]"),
)
_HAS_THING = re.compile(
    r"\b(?:contain(?:s|ing)?|includes?|including|us(?:es?|ing)|avoids?|have|has|free of|leaves? out"
    rf"|omits?) (?:any |an? |no )?(?:{'|'.join(f'({thing})' for thing, _ in _THINGS)})\s*\?",
    CASE,
)


@lru_cache(maxsize=4_096)
def suggest(question: str) -> Suggestion | None:
    """Return the check that could decide `question`, or None."""
    if found := _length(question):
        return found
    for pattern, made in _OTHER:
        if pattern.search(question):
            return made
    if second_question(question) is not None:
        return None
    return _place(question) or _words(question)


def code_for(question: str) -> str | None:
    """Return the check that could decide a question, as it would stand in a contract, or None."""
    found = suggest(question)
    return None if found is None else found.written


def _length(question: str) -> Suggestion | None:
    if not _DIGIT.search(question):
        return None
    sentence = _PER_SENTENCE.search(question) is not None
    if not sentence and _PART.search(question):
        return None
    if hit := _BETWEEN.search(question):
        low, high = (int(hit[name].replace(",", "")) for name in ("low", "high"))
        if low <= high and not sentence:
            return _of({"kind": "min_words", "limit": low}, {"kind": "max_words", "limit": high})
    for pattern, kind, shift in _LIMITS:
        if hit := pattern.search(question):
            limit = max(int(hit["n"].replace(",", "")) + shift, 0)
            unit = hit.groupdict().get("unit", "words").lower()
            counted = "words" if unit.startswith("word") else "characters"
            if _negated(question[: hit.start()]) and pattern is not _LIMITS[0][0]:
                # "Is it not longer than 60 words?": the other side of the same line.
                kind, limit = ("max", limit - 1) if kind == "min" else ("min", limit + 1)
            if sentence:
                if kind == "min":
                    # "Is no sentence longer than 25 words?"
                    kind, limit = (
                        ("max", limit - 1) if re.search(r"\bno\b", question, CASE) else ("", 0)
                    )
                if kind != "max" or counted != "words":
                    return None
                return _of({"kind": "max_sentence_words", "limit": limit})
            if kind == "min" and counted == "characters":
                return None
            return _of({"kind": f"{kind}_{counted}", "limit": limit})
    return None


def _place(question: str) -> Suggestion | None:
    if not (hit := _EDGE.search(question)):
        return None
    what = next(hit[name] for name in "abcde" if hit[name])
    text = re.sub(r"([^\w\s])", r"\\\1", what)
    first = hit["edge"].lower()[0] in "sbo"
    pattern = rf"(?i)^\s*{text}" if first else rf"(?i){text}\s*$"
    negated = {"not": True} if _negated(question[: hit.start()]) else {}
    return _of({"kind": "regex", "pattern": pattern, **negated})


def _words(question: str) -> Suggestion | None:
    if hit := _HAS_THING.search(question):
        negated = {"not": True} if _negated(question[: hit.end()]) else {}
        return _of({"kind": "regex", "pattern": _THINGS[(hit.lastindex or 1) - 1][1], **negated})
    if hit := _PHRASE.search(question):
        negated = {"not": True} if _negated(question[: hit.start()] + " " + hit["verb"]) or (
            hit["verb"].lower() in ("leave out", "omit", "omits", "free of")) else {}  # fmt: skip
        texts = [
            next(t for t in m.groups() if t) for m in re.finditer(_QUOTE, question[hit.start() :])
        ]
        if len(texts) == 1:
            return _of({"kind": "contains", "text": texts[0], **negated})
        either = negated or re.search(
            r"\b(?:either|any|one of|or)\b", question[hit.start() :], CASE
        )
        return _of(
            {"kind": "contains_any" if either else "contains_all", "texts": texts, **negated}
        )
    negated = {"not": True} if _negated(question) else {}
    if hit := _TOKEN.search(question):
        return _of({"kind": "contains", "text": hit["what"], **negated})
    if hit := _IMPORTS.search(question):
        return _of({"kind": "python_imports", "texts": [hit["what"]], **negated})
    if hit := _MENTION.search(question):
        what = json.dumps(hit["what"], ensure_ascii=False)
        return Suggestion(
            f"{{kind: contains_any, texts: [{what}, …]}} if you can list the wordings that count",
            ({"kind": "contains_any", "texts": [hit["what"]], **negated},),
            surely=False,
        )
    return None


def _negated(text: str) -> bool:
    return not NEGATION.isdisjoint(words(fold(text)))


def _of(*specs: dict[str, Any]) -> Suggestion:
    return Suggestion(" and ".join(write(spec) for spec in specs), specs)


def write(spec: dict[str, Any]) -> str:
    """Return a check as it would stand in a contract file: {kind: max_words, limit: 60}."""
    shown = [
        f"{name}: {value if name == 'kind' else json.dumps(value, ensure_ascii=False)}"
        for name, value in spec.items()
    ]
    return f"{{{', '.join(shown)}}}"
