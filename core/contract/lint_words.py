"""The wordings lint knows: vague words, scores, hunts, joined questions, what code could check.

Patterns run on questions people wrote, in English; each is linear and none runs on an output.
"""

from __future__ import annotations

import json
import re

from core.text import fold, words

_CASE = re.IGNORECASE

_VAGUE = re.compile(
    r"\b(?:good|great|nice|best|better|excellent|perfect|appropriate(?:ly)?|suitabl[ey]"
    r"|proper(?:ly)?|adequate(?:ly)?|reasonabl[ey]|acceptabl[ey]|sufficient(?:ly)?|clear(?:ly)?"
    r"|professional(?:ly)?|engaging|compelling|interesting|high[- ]quality|quality|well[- ]written"
    r"|natural(?:ly)?|effective(?:ly)?|helpful(?:ly)?|useful(?:ly)?|concise(?:ly)?|polished"
    r"|readable|elegant(?:ly)?|robust|comprehensive(?:ly)?|thorough(?:ly)?|strong|creative"
    r"|friendly|fluent(?:ly)?|satisfactory|satisfying|on[- ]brand|user[- ]friendly)\b",
    _CASE,
)
_QUOTED = re.compile(r"[\"“„«`][^\"”“»`]{0,200}[\"”“»`]|(?<!\w)['‘][^'’]{0,200}['’](?!\w)")

SCORE = re.compile(
    r"\b(?:rate (?:the|how|it|this|from|on)|grade (?:the|how|it|this)"
    r"|(?:give|assign)\b[^?]{0,40}\b(?:score|rating|points?)"
    r"|scor(?:e|ing) (?:of|from|between|on|the)|scale (?:of|from)"
    r"|from [01] (?:to|through) (?:5|10|100)\b|out of (?:5|five|10|ten|100)\b"
    r"|to what (?:extent|degree))"
    r"|\([01] ?[-–] ?(?:5|10|100)\)"
    r"|^\W*how (?:well|good|much|many|likely|clear|accurate|helpful|relevant)\b",
    _CASE,
)
_FAULTS = (
    r"(?:issues?|problems?|errors?|mistakes?|flaws?|faults?|weakness(?:es)?|defects?"
    r"|improvements?)"
)
OPEN_ENDED = re.compile(
    rf"\b(?:(?:no|any|free (?:of|from)|without(?: any)?|all possible)"
    rf"(?: more| other| further| remaining| obvious)? {_FAULTS}"
    r"|(?:nothing|anything|something)(?: left| else)? (?:wrong|missing|left"
    r"|to (?:improve|fix|change|correct|critici[sz]e)|that could be improved)"
    r"|(?:could|can) (?:it |this |the \w+ )?(?:still )?be improved|flawless|perfect)\b"
    r"(?: left| remaining)?",
    _CASE,
)
INTENT = re.compile(
    r"\b(?:intention|intended to|intends? to|meant to|means to|sincere(?:ly)?|genuine(?:ly)?"
    r"|honestly|(?:writer|author|model|assistant|agent|ai|it|reply|answer|response|text|output"
    r"|email|message) (?:tr(?:y|ies|ied)|attempts?|wants?|aims?|hopes?) to"
    r"|(?:writer|author|model|assistant|ai|agent) (?:understands?|thinks?|believes?|knows?|cares?"
    r"|feels?))\b",
    _CASE,
)
ASSERTION = re.compile(
    r"\b(?:says?|states?|claims?|confirms?|promises?|recommends?|advises?|concludes?|asserts?"
    r"|denies|deny|agrees?|admits?|offers?|instructs?|tells?|uses?|runs?)\b",
    _CASE,
)

_AUXILIARY = (
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must|may|might"
    r"|isn't|aren't|doesn't|don't|hasn't)"
)
_NOT_BINARY = re.compile(
    r"(?:how|what|which|who|whom|whose|why|where|rate|score|grade|describe|list|explain|evaluate"
    r"|assess|check|judge|make sure|ensure)\b",
    _CASE,
)
_CLAUSE = re.compile(rf"(?:^|[,;:–—]\s*)(?:then )?{_AUXILIARY}\b", _CASE)

_VERBS = (
    r"(?:mention|state|name|give|offer|avoid|include|explain|apologi[sz]e|contain|list|cite|answer"
    r"|provide|say|end|start|begin|refer|keep|ask|thank|address|describe|show|follow|stay|use|quote"
    r"|promise|confirm|link|propose|suggest|tell|greet|sign|close|return|define|handle|call|leave)"
)
_ADJECTIVES = (
    r"(?:professional|friendly|polite|short|brief|long|correct|complete|accurate|concise|clear|formal|calm|true|valid"
    r"|relevant|consistent|current|neutral|specific|honest|kind|safe|legal|simple|fluent|warm"
    r"|\w{3,}(?:ful|ive|ous|able|ible|ly|less|ised|ized))"
)
_JOIN = r"\b(?:and|or|as well as|but(?: also)?)\b"
_SECOND = re.compile(
    rf"{_JOIN} (?:also |then |not |never )*(?:{_AUXILIARY} (?!not\b)|(?:it|they|the \w+) "
    rf"(?:{_AUXILIARY}\b|\w+s\b)|{_VERBS}\b)",
    _CASE,
)
_TWO_ADJECTIVES = re.compile(
    rf"^\W*(?:is|are)\b.{{0,120}}\b{_ADJECTIVES},? {_JOIN} (?:is |also )?{_ADJECTIVES}\s*\?", _CASE
)
_ALTERNATIVE = re.compile(r"\bor not\b", _CASE)

_NUMBER = r"(?P<n>[0-9][0-9,]*)"
_LIMITS = (
    (rf"(?:at most|no more than|not more than|up to|maximum(?: of)?|within) {_NUMBER} words",
     "max_words", 0),
    (rf"(?:fewer than|less than|under|below) {_NUMBER} words", "max_words", -1),
    (rf"{_NUMBER} words or (?:fewer|less)", "max_words", 0),
    (rf"(?:at least|no fewer than|no less than|minimum(?: of)?) {_NUMBER} words", "min_words", 0),
    (rf"(?:more than|over|above) {_NUMBER} words", "min_words", 1),
    (rf"{_NUMBER} words or more", "min_words", 0),
    (rf"(?:at most|no more than|up to|within) {_NUMBER} characters", "max_characters", 0),
    (rf"(?:fewer than|less than|under|below) {_NUMBER} characters", "max_characters", -1),
    (rf"{_NUMBER} characters or (?:fewer|less)", "max_characters", 0),
)  # fmt: skip
_COMPILED_LIMITS = tuple((re.compile(p, _CASE), kind, shift) for p, kind, shift in _LIMITS)
_PHRASE = re.compile(
    r"\b(?P<verb>mentions?|contains?|includes?|avoids?|uses?)\b[^?\"“'‘]{0,40}?"
    r"(?:\"(?P<a>[^\"]{1,80})\"|“(?P<b>[^”]{1,80})”|(?<!\w)['‘](?P<c>[^'’]{1,80})['’](?!\w))",
    _CASE,
)
_MENTION = re.compile(r"\bmentions? (?:the |an? )?(?P<what>[\w.-]+(?: [\w.-]+)?)\s*\?", _CASE)
_NEGATION = frozenset({"not", "no", "never", "without", "avoid", "avoids", "isn't", "doesn't"})
_OTHER_CODE = (
    (r"\b(?:valid|well[- ]formed|parses? as|strict) JSON\b", "{kind: json}"),
    (r"\b(?:JSON )?schema\b", "{kind: json_schema, schema: …}"),
    (r"\b(?:valid|parses? as|syntactically \w+) Python\b|\bPython\b.{0,30}\bparses?\b",
     "{kind: python_parses}"),
    (r"\b(?:add|adds|sum|sums) up\b|\bsums? to\b|\bequals? the sum\b",
     "{kind: sum_equals, items: …, total: …}"),
    (r"\bends? with a (?:complete|whole|full) (?:sentence|stop)\b", "{kind: ends_with_sentence}"),
)  # fmt: skip
_COMPILED_OTHER = tuple((re.compile(pattern, _CASE), kind) for pattern, kind in _OTHER_CODE)

_FILLER = frozenset(
    {"the", "a", "an", "is", "are", "does", "do", "it", "its", "this", "that", "in", "of", "to",
     "for", "any", "with", "by", "on", "reply", "output", "text", "answer", "response", "draft",
     "message"}
)  # fmt: skip


def unquoted(question: str) -> str:
    """Return the question without what it quotes: a quoted word is looked for, not used."""
    return _QUOTED.sub("…", question)


def vague(question: str) -> list[str]:
    """Return the vague words of a question, each once, as written."""
    return list(dict.fromkeys(hit.group() for hit in _VAGUE.finditer(unquoted(question))))


def is_yes_no(question: str) -> bool:
    """Tell whether a question can be answered with yes or no."""
    text = question.strip()
    if not text.endswith(("?", "？", "؟", "?)", '?"', "?”")):
        return False
    return _NOT_BINARY.match(text) is None or _CLAUSE.search(text) is not None


def second_question(question: str) -> str | None:
    """Return the words at which a question turns into two, or None."""
    text = unquoted(question)
    if text.count("?") + text.count("？") > 1:
        return "? … ?"
    if _ALTERNATIVE.search(text):
        text = _ALTERNATIVE.sub("", text)
    hit = _SECOND.search(text) or _TWO_ADJECTIVES.search(text)
    if hit is None:
        return None
    joined = re.search(_JOIN + r"[^?]{0,40}", hit.group() + text[hit.end() :], _CASE)
    return joined.group().strip() if joined else hit.group().strip()


def code_for(question: str) -> str | None:
    """Return the check that could decide a question, as it would stand in a contract, or None."""
    for pattern, kind, shift in _COMPILED_LIMITS:
        if hit := pattern.search(question):
            limit = int(hit["n"].replace(",", "")) + shift
            return f"{{kind: {kind}, limit: {max(limit, 0)}}}"
    for pattern, suggestion in _COMPILED_OTHER:
        if pattern.search(question):
            return suggestion
    if second_question(question) is not None:
        return None
    if hit := _PHRASE.search(question):
        what = next(text for text in (hit["a"], hit["b"], hit["c"]) if text)
        head = [*words(fold(question[: hit.start()])), fold(hit["verb"])]
        negated = ", not: true" if _NEGATION & set(head) else ""
        return f"{{kind: contains, text: {json.dumps(what, ensure_ascii=False)}{negated}}}"
    if hit := _MENTION.search(question):
        what = json.dumps(hit["what"], ensure_ascii=False)
        return f"{{kind: contains_any, texts: [{what}, …]}} if you can list the wordings that count"
    return None


def nearly_same(one: str, other: str) -> bool:
    """Tell whether two questions ask nearly the same: four of five words that matter are shared.

    Numbers and negations have to agree: "at most 60 words" is not "at most 80 words".
    """
    left, right = set(words(fold(one))), set(words(fold(other)))
    if fold(one) == fold(other) or left & _NEGATION != right & _NEGATION:
        return False
    if {w for w in left if w[0].isdigit()} != {w for w in right if w[0].isdigit()}:
        return False
    left, right = left - _FILLER, right - _FILLER
    if min(len(left), len(right)) < 2:
        return False
    return len(left & right) >= 0.8 * len(left | right)


def names_format(schema: object) -> bool:
    """Tell whether a JSON Schema uses the keyword format anywhere (a property may be so called)."""
    pending: list[tuple[object, bool]] = [(schema, True)]
    while pending:
        item, is_schema = pending.pop()
        if isinstance(item, dict):
            if is_schema and isinstance(item.get("format"), str):
                return True
            for key, value in item.items():
                if key not in ("enum", "const", "default", "examples"):
                    named = is_schema and key in (
                        "properties", "patternProperties", "$defs", "definitions",
                        "dependentSchemas",
                    )  # fmt: skip
                    pending.append((value, not named))
        elif isinstance(item, list):
            pending.extend((part, True) for part in item)
    return False
