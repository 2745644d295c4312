"""The wordings lint knows: vague words, scores, hunts, comparisons, negations, joined questions.

Patterns run on questions people wrote, in English; each is linear and none runs on an output.
"""

from __future__ import annotations

import re

CASE = re.IGNORECASE

_VAGUE = re.compile(
    r"\b(?:good|great|nice|best|better|excellent|perfect|appropriate(?:ly)?|suitabl[ey]"
    r"|proper(?:ly)?|adequate(?:ly)?|reasonabl[ey]|acceptabl[ey]|sufficient(?:ly)?|clear(?:ly)?"
    r"|professional(?:ly)?|engaging|compelling|interesting|high[- ]quality|quality"
    r"|well[- ](?:written|structured|organi[sz]ed|designed|formatted|crafted)"
    r"|natural(?:ly)?|effective(?:ly)?|helpful(?:ly)?|useful(?:ly)?|concise(?:ly)?|polished"
    r"|readable|elegant(?:ly)?|robust|comprehensive(?:ly)?|thorough(?:ly)?|strong|creative"
    r"|friendly|fluent(?:ly)?|satisfactory|satisfying|on[- ]brand|user[- ]friendly"
    r"|meaningful(?:ly)?|insightful|persuasive(?:ly)?|catchy|intuitive|sensible|decent|efficient"
    r"|idiomatic|maintainable|clean|smooth(?:ly)?|simple|plain english"
    r"|easy to (?:read|understand|follow|use)|right (?:tone|length|level|amount)|main points?"
    r"|key (?:points?|facts?|findings?|information)|(?:most )?(?:important|relevant|necessary)"
    r"|etc|and so on|as needed|(?:where|if|when) (?:appropriate|possible|necessary|needed)"
    r"|too (?:long|short|technical|formal|informal|vague|wordy|much|many)|enough"
    r"|(?:short|brief|long)(?= ?\?| and\b| or\b|,))\b",
    CASE,
)
_QUOTED = re.compile(r"[\"“„«`][^\"”“»`]{0,200}[\"”“»`]|(?<!\w)['‘][^'’]{0,200}['’](?!\w)")

SCORE = re.compile(
    r"\b(?:rate (?:the|how|it|this|from|on|each)|grade (?:the|how|it|this|from|on)"
    r"|(?:give|assign)\b[^?]{0,40}\b(?:score|rating|points?|stars?)"
    r"|scor(?:e|ing|es) (?:of|from|between|on|the|at least|above|below|how|each|\d)"
    r"|scale (?:of|from)|from [01] (?:to|through) (?:5|10|100)\b"
    r"|out of (?:5|five|10|ten|100)\b|to what (?:extent|degree)|\d ?/ ?(?:5|10|100)\b"
    r"|(?:\d|one|five|four) stars?\b|on a \d+ ?[-–] ?\d+ scale)"
    r"|\([01] ?[-–] ?(?:5|10|100)\)"
    r"|^\W*how (?:well|good|much|many|likely|clear|accurate|helpful|relevant|\w+) (?=\w)",
    CASE,
)
_FAULTS = (
    r"(?:issues?|problems?|errors?|mistakes?|flaws?|faults?|weakness(?:es)?|defects?|bugs?"
    r"|inaccurac(?:y|ies)|vulnerabilit(?:y|ies)|improvements?)"
)
OPEN_ENDED = re.compile(
    rf"\b(?:(?:no|any|free (?:of|from)|without(?: any)?|all possible|every possible)"
    rf"(?: more| other| further| remaining| obvious| possible| potential)?"
    rf"(?: factual| logical| security| grammatical| grammar| spelling)? {_FAULTS}"
    r"|(?:nothing|anything|something)(?: left| else)? (?:wrong|missing|left"
    r"|to (?:improve|fix|change|correct|critici[sz]e|add)"
    r"|(?:that )?(?:could|can|should) be (?:improved|better|fixed|added))"
    r"|(?:could|can) (?:it |this |the \w+ )?(?:still )?be (?:further )?improved|flawless|perfect"
    r"|(?:error|bug|mistake)[- ]free|room for improvement|as good as (?:possible|it can be)"
    r"|all (?:possible )?edge cases|every (?:possible )?edge case|everything (?:correct|right|fine"
    r"|covered|in order))\b(?: left| remaining)?",
    CASE,
)
INTENT = re.compile(
    r"\b(?:intention(?:s|ally)?|intended to|intends? to|meant to|means to|sincere(?:ly)?"
    r"|genuine(?:ly)?|honestly|deliberate(?:ly)?|on purpose"
    r"|(?:writer|author|model|assistant|agent|ai|it|reply|answer|response|text|output"
    r"|email|message|summary|translator|student|developer)"
    r" (?:(?:really |actually |truly )?(?:tr(?:y|ies|ied)|attempt(?:s|ed)?|want(?:s|ed)?"
    r"|aim(?:s|ed)?|hope[sd]?|mean[st]?|intend(?:s|ed)?) to)"
    r"|(?:writer|author|model|assistant|ai|agent|translator|student|developer|nurse|doctor)"
    r" (?:really |actually |truly )?"
    r"(?:understands?|understood|thinks?|thought|believes?|believed|knows?|knew|cares?|feels?|felt))"
    r"\b",
    CASE,
)
ASSERTION = re.compile(
    r"\b(?:says?|states?|claims?|confirms?|promises?|recommends?|advises?|concludes?|asserts?"
    r"|denies|deny|agrees?|admits?|offers?|instructs?|tells?|uses?|runs?)\b",
    CASE,
)
_COMPARATIVE = re.compile(
    r"\b(?:better|worse|(?<!no )(?<!any )longer|shorter|clearer|simpler|easier|friendlier|warmer"
    r"|softer|stronger|tighter|faster|quicker|cleaner|safer|smoother|nicer|richer|calmer|kinder"
    r"|improved|(?<!or )(?<!one )(?<!any )(?:more|less) (?!than\b|of\b|or\b)[a-z]{3,})\b",
    CASE,
)
_YARDSTICK = re.compile(
    r"\bthan\b|\bcompared (?:to|with)\b|\brelative to\b|\bas \w+ as\b|\bversus\b", CASE
)
_UNSEEN = re.compile(
    r"\bthan (?:before|previously|last time|earlier|(?:it|the \w+) (?:was|were) before"
    r"|(?:in )?(?:the |its |your )?(?:previous|last|earlier|old|first|prior)"
    r" (?:draft|version|round|attempt|reply|answer|try|one)s?)\b",
    CASE,
)

AUXILIARY = (
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must|may|might"
    r"|isn't|aren't|doesn't|don't|hasn't)"
)
_NOT_BINARY = re.compile(
    r"(?:how|what|which|who|whom|whose|why|where|rate|score|grade|describe|list|explain|evaluate"
    r"|assess|check|judge|make sure|ensure|(?:in|to|on|for|by|at) (?:what|which|whom))\b",
    CASE,
)
_FOLLOW_UP = re.compile(r"\bif (?:so|not|yes|no),? (?:why|how|what|which|where|who)\b", CASE)
_CLAUSE = re.compile(rf"(?:^|[,;:–—]\s*)(?:then )?{AUXILIARY}\b", CASE)

VERBS = (
    r"(?:mention|state|name|give|offer|avoid|include|explain|apologi[sz]e|contain|list|cite|answer"
    r"|provide|say|end|start|begin|open|refer|keep|ask|thank|address|describe|show|follow|stay|use"
    r"|quote|promise|confirm|link|propose|suggest|tell|greet|sign|close|return|define|handle|call"
    r"|leave|summari[sz]e|recommend|identify|note|report|respond|reply|acknowledge|preserve|match"
    r"|cover|add|remove|omit|specify|warn|check|validate|raise|log|test|translate|point|direct"
    r"|invite|repeat|express|present|highlight|distinguish|compare|document|record|flag|sound|read"
    r"|sum|equal|fit|have|be)"
)
ADJECTIVES = (
    r"(?:professional|friendly|polite|short|brief|long|correct|complete|accurate|concise|clear"
    r"|formal|calm|true|valid|relevant|consistent|current|neutral|specific|honest|kind|safe|legal"
    r"|simple|fluent|warm|readable|empathetic|present|visible|unique|sorted|dated|signed|named"
    r"|tested|documented|precise|factual|objective|balanced|grammatical|idiomatic|plain|direct"
    r"|\w{3,}(?:ful|ive|ous|able|ible|ly|less|ised|ized))"
)
JOIN = r"\b(?:and|or|as well as|but(?: also)?)\b"
_SECOND = re.compile(
    rf"{JOIN} (?:also |then |not |never )*(?:{AUXILIARY} (?!not\b)|(?:it|they|the \w+) "
    rf"(?:{AUXILIARY}\b|\w+s\b)|{VERBS}\b)",
    CASE,
)
_TWO_ADJECTIVES = re.compile(
    rf"^\W*(?:is|are)\b.{{0,120}}\b{ADJECTIVES},? {JOIN} (?:is |also )?{ADJECTIVES}\s*\?", CASE
)
_ALTERNATIVE = re.compile(r"\bor not\b", CASE)

SUBJECT = (
    r"(?:it|this|they|he|she|there|(?:the|a|an|each|every|all|any|its|their|this|these)"
    r"(?: (?!that\b|whether\b|not\b|no\b|never\b)[\w'’-]+){1,3}?)"
)
NEGATED = re.compile(
    rf"^\W*(?P<aux>{AUXILIARY}) (?P<subject>{SUBJECT}) (?P<word>not|never) (?!only\b|just\b|to\b)",
    CASE,
)
CONTRACTED = re.compile(
    r"^\W*(?P<aux>is|are|was|were|does|do|did|has|have|can|could|will|would|should)n['’]t ", CASE
)
FREE_OF = re.compile(r"\bfree (?:of|from) (?!charge\b)(?=\w)", CASE)
NO_THING = re.compile(
    r"\b(?:contains?|includes?|ha(?:s|ve)|mentions?|gives?|uses?|makes?|adds?|names?|shows?)"
    r" no (?!more\b|fewer\b|less\b|longer\b|later\b)(?=\w)"
    r"|^\W*(?:is|are) there no (?=\w)|^\W*(?:is|are|does|do|has|have) (?:no|none|nothing|nobody)\b"
    r"(?! more than)",
    CASE,
)  # fmt: skip


def unquoted(question: str) -> str:
    """Return the question without what it quotes: a quoted word is looked for, not used."""
    return _QUOTED.sub("…", question)


def vague(question: str) -> list[str]:
    """Return the vague words of a question, each once, as written."""
    return list(dict.fromkeys(hit.group() for hit in _VAGUE.finditer(unquoted(question))))


def comparison(question: str) -> tuple[str, bool] | None:
    """Return (comparing words, whether they name a draft nobody shows), or None if all is said."""
    text = unquoted(question)
    if hit := _UNSEEN.search(text):
        return hit.group(), True
    hit = _COMPARATIVE.search(text)
    if hit is None or _YARDSTICK.search(text, hit.start() - 20 if hit.start() > 20 else 0):
        return None
    return hit.group(), False


def negation(question: str) -> str | None:
    """Return the words that make "yes" mean that something is absent, or None."""
    text = unquoted(question)
    if hit := CONTRACTED.search(text):
        return hit.group().strip()
    if hit := NEGATED.search(text):
        return hit["word"]
    hit = FREE_OF.search(text) or NO_THING.search(text)
    return hit.group().strip() if hit else None


def is_yes_no(question: str) -> bool:
    """Tell whether a question can be answered with yes or no."""
    text = question.strip()
    if not text.endswith(("?", "？", "؟", "?)", '?"', "?”")) or _FOLLOW_UP.search(text):
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
    joined = re.search(JOIN + r"[^?]{0,40}", hit.group() + text[hit.end() :], CASE)
    return joined.group().strip() if joined else hit.group().strip()
