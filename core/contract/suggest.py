"""The check that could decide a question, read off its words.

A check is offered only when it decides all that is asked: see the module leftover.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.checks.registry import build
from core.contract import suggest_shape
from core.contract.leftover import (
    LEAVES_OUT,
    MAX_QUESTION,
    OUTPUT,
    QUALIFIER,
    around,
    around_sentences,
)
from core.contract.leftover import negated as negated_by
from core.contract.lint_words import CASE, second_question
from core.errors import InputError


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
    (re.compile(rf"(?<!\w)(?:{pattern})", CASE), kind, shift)
    for pattern, kind, shift in (
        (_MOST, "max", 0),
        (rf"(?:fewer than|less than|under|below|shorter than) {_NUMBER}{_UNIT}", "max", -1),
        (rf"{_NUMBER}{_UNIT} or (?:fewer|less|shorter|under)", "max", 0),
        (rf"{_NUMBER}-word (?:limit|maximum)", "max", 0),
        (rf"(?:keeps?|sticks?) to {_NUMBER}{_UNIT}", "max", 0),
        (rf"(?:at least|no fewer than|no less than|minimum(?: of)?) {_NUMBER}{_UNIT}", "min", 0),
        (rf"(?:more than|over|above|longer than|exceeds?|exceeding) {_NUMBER}{_UNIT}", "min", 1),
        (rf"{_NUMBER}{_UNIT} or (?:more|longer)", "min", 0),
    )
)
_BETWEEN = re.compile(
    r"\b(?:between |from )?(?P<low>[0-9][0-9,]*) ?(?:and|to|-|–) ?(?P<high>[0-9][0-9,]*) words\b",
    CASE,
)

_EXACTLY = re.compile(rf"\bexactly {_NUMBER} words\b", CASE)

_QUOTE = (
    r"(?:\"[^\"]{1,80}\"|“[^”]{1,80}”|`[^`]{1,80}`|(?<!\w)['‘][^'’]{1,80}['’](?!\w))"
)  # fmt: skip
_LIST = rf"{_QUOTE}(?:(?:, ?|,? (?:and|or|nor) )(?:the )?(?:words? |phrases? |terms? )?{_QUOTE})*"
_WORDING = r"(?:words?|phrases?|terms?|strings?|expressions?|keywords?|sentences?|wordings?)"
_PHRASE = re.compile(
    r"\b(?P<verb>mention(?:s|ing)?|contain(?:s|ing)?|includ(?:es?|ing)|avoids?|use[sd]?|using|says?"
    r"|nam(?:es?|ing)"
    r"|saying|leaves? out|leaving out|omits?|free of|ha(?:s|ve))"
    r"(?P<gap>(?: (?:the|an?|any|no|neither|exact|literal|following|these|both|either|all of|any of"
    r"|competitors?|brands?|compan(?:y|ies)|products?|names?"
    rf"|(?:at least )?one of|mention of|{_WORDING}):?)*) (?P<list>{_LIST})",
    CASE,
)
_EDGE = re.compile(
    rf"(?i:\b(?P<edge>start|begin|open|end|close|finish)(?:e?s)? with (?:the )?(?:{_WORDING} |line )?)"
    rf"(?:(?P<list>{_LIST})|(?P<e>[A-Z]{{3,20}})\b)"
)
_SQL = (
    r"(?:SELECT|INSERT|UPDATE|DELETE|DROP|WHERE|LIMIT|JOIN|UNION|HAVING|DISTINCT|TRUNCATE|ALTER"
    r"|CREATE|OFFSET|RETURNING|COMMIT|ROLLBACK)"
)
_TOKEN = re.compile(
    r"(?i:\b(?:mentions?|mentioning) (?:the )?)(?P<a>[A-Z]{3,20})(?! ?\w)"
    r"|(?i:\b(?:contain(?:s|ing)?|includ(?:es?|ing)|us(?:es?|ing)) (?:an? |the )?)"
    rf"(?:(?P<b>{_SQL})(?: (?:clause|keyword|statement))?|(?P<c>[A-Z]{{3,20}}) (?:clause|keyword|hint))\b"
)
_MENTION = re.compile(
    r"\b(?:mentions?|mentioning) (?P<det>the |an? )?(?P<what>[\w.-]+(?: [\w.-]+)?)(?=\s*\?)", CASE
)
_MODULE = r"[`'\"]?[a-z_]\w*[`'\"]?"
_IMPORTS = re.compile(
    r"\b(?:imports?|importing) (?P<lead>the )?(?P<a>module |package |library )?"
    rf"(?P<what>{_MODULE}(?:(?:, | or | and ){_MODULE})*)(?P<z> module| package| library)?(?=\s*\?)"
)
_MODULES = sys.stdlib_module_names | {
    "numpy", "pandas", "requests", "scipy", "sklearn", "torch", "tensorflow", "flask", "django",
    "pytest", "yaml", "httpx", "pydantic", "matplotlib", "sqlalchemy", "boto3", "polars",
}  # fmt: skip
_KEYS = re.compile(
    r"(?:\b(?:(?:an? |in |as )(?:valid |well-formed )?|valid |well-formed )JSON(?: object)? )?"
    r"\b(?:ha(?:s|ve|ving)|contains?|containing|includes?|including|with|holds?|avoids?)"
    r"(?P<only> only| exactly| just)?(?: (?:all|of|the|these|following|required|an?|top-level|both))*"
    rf" (?:keys?|fields?|propert(?:y|ies)|attributes?):? (?P<list>{_LIST}"
    r"|(?!(?:and|or)\b)\w+(?:(?:, |,? and )\w+)*)",
    CASE,
)
_JSON = re.compile(
    r"\b(?:in |as )?(?:valid|well[- ]formed|parseable|parses? as|strict|an?) (?:valid )?JSON"
    r"(?: (?P<shape>object|array|list))?(?: (?:format|syntax|document))?",
    CASE,
)
_JSON_IS = re.compile(
    r"^\W*is the (?:returned |generated )?JSON (?:output |response |object )?"
    rf"(?:valid|well[- ]formed|parseable)\W*$|^\W*(?:is )?(?:it|(?:the )?(?:\w+ )?{OUTPUT})"
    r"(?: is| must be| should be)? (?:(?:in|as|only|pure|just|written in|formatted as) )?JSON"
    r"(?: format| only)?\s*[?.]?$", CASE,
)  # fmt: skip
_PYTHON = re.compile(
    r"\b(?:(?:syntactically )?(?:valid|correct)|parses? (?:without errors? )?as(?: valid)?)"
    r" Python(?: (?P<version>3\.\d{1,2}))?(?: (?:code|syntax|source(?: code)?|file|module))?",
    CASE,
)
_CLOSES = tuple(
    (re.compile(rf"\bends? (?:with|in) {what}", CASE), spec)
    for what, spec in (
        (r"a (?:complete|whole|full) (?:sentence|stop)\b", {"kind": "ends_with_sentence"}),
        (r"a question mark\b", {"kind": "regex", "pattern": r"\?\s*$"}),
        (r"an exclamation (?:mark|point)\b", {"kind": "regex", "pattern": r"!\s*$"}),
    )
)
_REFERENCE = re.compile(
    r"\b(?:equals?|match(?:es)?|identical to|(?:exactly )?the same as) the (?:reference|expected"
    r"|known|gold)(?: (?:answer|value|result|output))?(?: exactly)?",
    CASE,
)
_ANSWER = re.compile(
    rf"^(?:it|(?:the|its) (?:(?:\w+ )?value|label|final answer|{OUTPUT}))$", CASE
)  # fmt: skip
_TO_FILL_IN = tuple(
    (re.compile(pattern, CASE), Suggestion(written))
    for pattern, written in (
        (r"\b(?:match(?:es)?|fits?|conforms?|follows?|validates?|adheres?|compl(?:y|ies)|satisf(?:y|ies)"
         r"|valid) (?:to |against |with |under |according to )?(?:the|our|an?|this|its)"
         r" (?:(?:given|provided|expected|required|target|output|response|agreed) )?(?:JSON )?schema\b",
         "{kind: json_schema, schema: …}"),
        (r"\b(?:add|adds|sum|sums) up to\b|\bsums? to the\b|\bequals? the sum\b|\badd up\?",
         "{kind: sum_equals, items: …, total: …}"),
        (r"\b(?:unit |all |existing )?tests? (?:suite )?pass(?:es)?\b|\bpass(?:es)? (?:all |the )"
         r"(?:\w+ )?tests\b|\bdoes (?:it|the code) compile\b",
         "{kind: recorded, by: …}"),
    )
)  # fmt: skip


@lru_cache(maxsize=4_096)
def suggest(question: str) -> Suggestion | None:
    """Return the check that could decide all that `question` asks, or None."""
    text = " ".join(question.split())
    if len(text) > MAX_QUESTION:
        return None
    text = suggest_shape.settled(text)
    for read in _READERS:
        if found := read(text):
            return found
    for pattern, made in _TO_FILL_IN:
        if hit := pattern.search(text):
            rest = (
                re.sub(r"\bparses? and\b", "", text[: hit.start()], flags=CASE) + text[hit.end() :]
            )
            if QUALIFIER.search(rest) is None and second_question(rest) is None:
                return made
    return None


def _length(question: str) -> Suggestion | None:
    if not _DIGIT.search(question):
        return None
    if hit := _BETWEEN.search(question):
        low, high = (int(hit[name].replace(",", "")) for name in ("low", "high"))
        left = around(question, hit.start(), hit.end(), length=True)
        if left is None or left.negations or low > high:
            return None
        return _of({"kind": "min_words", "limit": low}, {"kind": "max_words", "limit": high})
    if hit := _EXACTLY.search(question):
        left = around(question, hit.start(), hit.end(), length=True)
        if left is None or left.negations:
            return None
        limit = int(hit["n"].replace(",", ""))
        return _of({"kind": "min_words", "limit": limit}, {"kind": "max_words", "limit": limit})
    for pattern, kind, shift in _LIMITS:
        if hit := pattern.search(question):
            limit = max(int(hit["n"].replace(",", "")) + shift, 0)
            unit = hit.groupdict().get("unit", "words").lower()
            counted = "words" if unit.startswith("word") else "characters"
            where = (question, hit.start(), hit.end())
            sentence = around_sentences(*where)
            if (left := sentence or around(*where, length=True)) is None or left.negations > 1:
                return None
            if left.negations:
                # "Is it not longer than 60 words?": the other side of the same line.
                kind, limit = ("max", limit - 1) if kind == "min" else ("min", limit + 1)
            if sentence:
                if kind != "max" or counted != "words":
                    return None
                return _of({"kind": "max_sentence_words", "limit": limit})
            if kind == "min" and counted == "characters":
                return _of({"kind": "max_characters", "limit": max(limit - 1, 0), "not": True})
            return _of({"kind": f"{kind}_{counted}", "limit": limit})
    return None


def _keys(question: str) -> Suggestion | None:
    if (hit := _KEYS.search(question)) is None:
        return None
    quoted = hit["list"][:1] in "\"“`'‘"
    names = _texts(hit["list"]) if quoted else re.split(r", (?:and )?| and ", hit["list"])
    if (not quoted and "json" not in question.lower()) or re.search(r" n?or ", hit["list"]):
        return None
    negated = negated_by(question, hit, question[hit.start() : hit.start("list")])
    if negated is None or (negated and hit["only"]):
        return None
    schema: dict[str, Any] = {"type": "object"}
    if negated:
        schema["properties"] = dict.fromkeys(names, False)
    else:
        schema["required"] = names
    if hit["only"]:
        schema |= {"properties": dict.fromkeys(names, True), "additionalProperties": False}
    return _of({"kind": "json_schema", "schema": schema})


def _data(question: str) -> Suggestion | None:
    if _JSON_IS.match(question):
        return _of({"kind": "json"})
    if hit := _JSON.search(question):
        negated = negated_by(question, hit)
        shape = hit["shape"]
        plain = hit.group().lower() in ("a json", "an json")
        if negated is None or plain or (negated and shape):
            return None
        if shape:
            kind = "object" if shape.lower() == "object" else "array"
            return _of({"kind": "json_schema", "schema": {"type": kind}})
        return _of({"kind": "json", **negated})
    if hit := _PYTHON.search(question):
        negated = negated_by(question, hit)
        version = {"version": hit["version"]} if hit["version"] else {}
        return None if negated is None else _of({"kind": "python_parses", **version, **negated})
    if hit := _REFERENCE.search(question):
        left = around(question, hit.start(), hit.end())
        if left is None or left.negations > 1 or not _ANSWER.match(left.subject):
            return None
        return _of({"kind": "equals_reference", **({"not": True} if left.negations else {})})
    return None


def _place(question: str) -> Suggestion | None:
    for pattern, spec in _CLOSES:
        if hit := pattern.search(question):
            negated = negated_by(question, hit)
            return None if negated is None else _of({**spec, **negated})
    if (hit := _EDGE.search(question)) is None:
        return None
    negated = negated_by(question, hit)
    if negated is None or re.search(r"[\"”`'’](?:,| and | nor )", hit["list"] or ""):
        return None
    texts = [hit["e"]] if hit["e"] else _texts(hit["list"])
    escaped = [re.sub(r"([^\w\s])", r"\\\1", text) for text in texts]
    either = escaped[0] if len(escaped) == 1 else f"(?:{'|'.join(escaped)})"
    first = hit["edge"].lower() in ("start", "begin", "open")
    # "Hi" is not the beginning of "History".
    inner = {re.match(r"[A-Za-z0-9_]", text[-1] if first else text[0]) is None for text in texts}
    edge = r"\b" if inner == {False} else ""
    pattern_text = rf"(?i)^\s*{either}{edge}" if first else rf"(?i){edge}{either}\s*$"
    return _of({"kind": "regex", "pattern": pattern_text, **negated})


def _texts(quoted: str) -> list[str]:
    return [found[1:-1] for found in re.findall(_QUOTE, quoted)]


def _phrase(question: str) -> Suggestion | None:
    if (hit := _PHRASE.search(question)) is None:
        return None
    own = f"{hit['verb']}{hit['gap']}"
    negated = negated_by(question, hit, own)
    if negated is None:
        return None
    texts, gap = _texts(hit["list"]), hit["gap"].lower()
    if len(texts) == 1:
        return _of({"kind": "contains", "text": texts[0], **negated})
    between = re.sub(_QUOTE, " ", hit["list"]).lower()
    joined = {word for word in ("and", "or", "nor") if re.search(rf"\b{word}\b", between)}
    some = bool(joined & {"or", "nor"}) or re.search(r"\b(?:any|either|one) ?(?:of)?\b", gap)
    every = "and" in joined or re.search(r"\b(?:all|both)\b", gap)
    if negated:
        # "Not A and B" may mean not both; "avoid A and B" means neither.
        left_out = LEAVES_OUT.search(own) or re.search(r"\bavoid", question, CASE)
        if "all of" in gap or (every and not left_out):
            return None
        return _of({"kind": "contains_any", "texts": texts, "not": True})
    if bool(some) is bool(every):
        return None
    return _of({"kind": "contains_any" if some else "contains_all", "texts": texts})


def _token(question: str) -> Suggestion | None:
    if (hit := _TOKEN.search(question)) is None:
        return None
    negated = negated_by(question, hit)
    what = hit["a"] or hit["b"] or hit["c"]
    return None if negated is None else _of({"kind": "contains", "text": what, **negated})


def _imports(question: str) -> Suggestion | None:
    if (hit := _IMPORTS.search(question)) is None:
        return None
    names = re.findall(r"[a-z_]\w*", re.sub(r"(?:, | or | and )", "  ", hit["what"]))
    negated = negated_by(question, hit)
    known = bool(hit["a"] or hit["z"]) or hit["what"][0] in "`'\"" or set(names) <= _MODULES
    if negated is None or (hit["lead"] and not known) or QUALIFIER.search(hit["what"]):
        return None
    if len(names) > 1 and not negated and not re.search(" or ", hit["what"]):
        return None
    if negated and " and " in hit["what"] and "avoid" not in question.lower():
        return None
    spec = {"kind": "python_imports", "texts": names, **negated}
    return Suggestion(write(spec), (spec,), surely=known)


def _shape(question: str) -> Suggestion | None:
    for read in suggest_shape.READERS:
        if found := read(question):
            specs, surely = found
            if all(_builds(spec) for spec in specs):
                said = " and ".join(write(spec) for spec in specs)
                return Suggestion(
                    said if surely else f"{said} if that is how it looks", specs, surely
                )
    return None


def _builds(spec: dict[str, Any]) -> bool:
    try:
        build(spec)
    except InputError:
        return False
    return True


def _mention(question: str) -> Suggestion | None:
    hit = _MENTION.search(question)
    if hit is None or QUALIFIER.search(hit["what"]) or _ASKS.search(hit["what"]):
        return None
    negated = negated_by(question, hit)
    if negated is None:
        return None
    what = json.dumps(hit["what"], ensure_ascii=False)
    return Suggestion(
        f"{{kind: contains_any, texts: [{what}, …]}} if you can list the wordings that count",
        ({"kind": "contains_any", "texts": [hit["what"]], **negated},),
        surely=False,
    )


_ASKS = re.compile(
    r"\b(?:and|or|by|with|without|to|in|for|any\w*|every\w*|some\w*|no\w*|it|them|this|that|both"
    r"|all|either|again|correctly|name|competitors?|at|as|\w+ly)\b",
    CASE,
)
_READERS: tuple[Callable[[str], Suggestion | None], ...] = (
    _length, _keys, _data, _place, _phrase, _shape, _token, _imports, _mention,
)  # fmt: skip


def _of(*specs: dict[str, Any]) -> Suggestion:
    return Suggestion(" and ".join(write(spec) for spec in specs), specs)


def write(spec: dict[str, Any]) -> str:
    """Return a check as it would stand in a contract file: {kind: max_words, limit: 60}."""
    shown = [
        f"{name}: {value if name == 'kind' else json.dumps(value, ensure_ascii=False)}"
        for name, value in spec.items()
    ]
    return f"{{{', '.join(shown)}}}"
