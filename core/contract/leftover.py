"""What a question still asks once the words of a check are taken out of it.

A check decides a question only when nothing is left over that it cannot see: "at most 60 words,
the signature aside" asks more than a word limit. So the words around a check's own are looked
up in short lists of words that ask nothing, and any other word means that something is asked.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from core.contract.lint_words import CASE, VERBS

MAX_QUESTION = 600
NEGATION = frozenset(
    {"not", "no", "never", "without", "avoid", "avoids", "isn't", "doesn't", "don't", "free"}
)
# A check looks at the whole output; these name a part of it, or somebody else's text.
_PART = (
    r"(?:subject|title|headline|heading|paragraphs?|sections?|bullets?|points?|items?|intro"
    r"(?:duction)?|opening|first|second|third|last|final|closing|description|field|caption"
    r"|quot(?:e|ation)s?|lines?|name|function|method|each|every|any|per|meta|body|abstract"
    r"|docstring|identifier|blocks?|column|row|cell|url|customer|client|user|patient|reader"
    r"|source|input|prompt|ticket|complaint|original|reference|conclusion|ending|beginning"
    r"|footer|header|signature|greeting|tone|style|number)"
)
# Words that no name of an output is made of: what stands there asks something.
_NO_NOUN = (
    rf"(?:{_PART}|not|no|never|only|just|at|more|most|less|least|fewer|twice|once|exactly|if"
    r"|unless|until|while|before|after|rather|instead|than|or|and|but|with|without|when|where"
    r"|which|that|who|whose|whether|except|excluding|including|to|for|from|by|on|in|as|so|what"
    r"|how|let|lets|make|makes|help|helps|ask|asks|tell|tells|(?!reply\b|assembly\b|family\b)\w+ly)"
)
OUTPUT = (
    r"(?:reply|output|text|answer|response|draft|message|e-?mail|summary|letter|note|copy|article"
    r"|post|document|translation|code|file|query|report|memo|essay|story|ad|result|script|program"
    r"|review|whole|it)"
)
_SUBJECT = (
    rf"(?:(?!it\b){OUTPUT}|it|this|they|(?:the|an?|its|this|these|your|our)(?: (?!{_NO_NOUN}\b)[\w'’-]+)"
    rf"(?: (?!{_NO_NOUN}\b|{VERBS}\b)[\w'’-]+){{0,2}}?"
    rf"(?: of (?:the|an?|its|this) (?!{_NO_NOUN}\b)[\w'’-]+)?)"
)
_AUX = r"(?:is|are|was|were|does|do|did|has|have|will|should|must)"
_SAYS_NO = r"not|never|avoids?|avoiding|refrains? from|free of|free from|without"
_BEFORE_WORDS = (
    rf"(?:{_SAYS_NO}|also|explicitly|literally|ever|always|must|should|shall|needs? to|ought to"
    r"|ha(?:s|ve) to|be|is|are|written|phrased)"
)
_LENGTH_WORDS = (
    r"(?:stays?|keeps?|kept|remains?|runs?|fits?|comes?|ha(?:s|ve)|contains?|uses?|consists? of"
    r"|within|in|at|to|of|an?|the|its|total|overall|length|word|words|character|count|limited|restricted"
    r"|itself|long|text|under|somewhere|spans?|being)"
)
_BEFORE = re.compile(
    rf"^\W*(?:{_AUX} )?(?:(?P<subject>{_SUBJECT}) )?(?P<rest>(?:{_BEFORE_WORDS} )*)$", CASE
)
_BEFORE_LENGTH = re.compile(
    rf"^\W*(?:{_AUX} )?(?:(?P<subject>{_SUBJECT}) )?"
    rf"(?P<rest>(?:(?:{_BEFORE_WORDS}|{_LENGTH_WORDS}) )*)$",
    CASE,
)
_BEFORE_SENTENCES = re.compile(
    rf"^\W*(?:{_AUX} )?(?:(?P<subject>{_SUBJECT}) )?"
    rf"(?P<rest>(?:(?:{_BEFORE_WORDS}|{_LENGTH_WORDS}) )*?)"
    rf"(?P<which>(?:every|each|all|any|no)(?: of)?(?: the| its)? sentences?|(?:its |the )?sentences) "
    rf"(?:(?:in|of) (?:the|its) {OUTPUT} )?(?P<more>(?:(?:{_BEFORE_WORDS}|{_LENGTH_WORDS}) )*)$",
    CASE,
)
_AFTER = re.compile(
    rf"^(?:[ ,]+(?:long|in|at|all|total|overall|length|altogether|anywhere|somewhere|as|an?|the|its"
    rf"|entire|or (?:less|fewer|shorter|under)|max(?:imum)?|{OUTPUT}))*[\s?.!,;:)\"”]*$",
    CASE,
)
# For what has to be filled in by hand: any of these asks something besides.
QUALIFIER = re.compile(
    r"\b(?:unless|except\w*|excluding|apart|aside|only|just|first|last|before|after|until|while"
    r"|when\w*|if|whether|rather|instead|than|but|twice|once|times|least|most|more|less|fewer"
    r"|exactly|explains?|describes?|mentions?|about|why|how)\b",
    CASE,
)
_NO = re.compile(rf"\b(?:{_SAYS_NO}|no)\b", CASE)


class Left(NamedTuple):
    """What stands around a check's words, all of it harmless: the subject and how often "not"."""

    subject: str
    negations: int
    before: str


def around(question: str, start: int, end: int, *, length: bool = False) -> Left | None:
    """Return what is left of `question` without [start:end], or None when it asks something."""
    hit = (_BEFORE_LENGTH if length else _BEFORE).match(question[:start])
    if hit is None or _AFTER.match(question[end:]) is None:
        return None
    return Left((hit["subject"] or "").lower(), len(_NO.findall(hit["rest"])), hit["rest"].lower())


LEAVES_OUT = re.compile(
    r"\b(?:avoids?|avoiding|omits?|leav(?:es?|ing) out|free of|no|neither)\b", CASE
)
"""Words of a check that deny by themselves."""


def negated(question: str, hit: re.Match[str], own: str = "") -> dict[str, bool] | None:
    """Return the parameter `not` of a check whose words are `hit`, or None when more is asked.

    `own` are words of the hit itself that may deny.
    """
    left = around(question, hit.start(), hit.end())
    if left is None:
        return None
    denied = left.negations + len(LEAVES_OUT.findall(own))
    # "Suggests using": what is not done but spoken of is no business of the check.
    spoken_of = re.match(r"\w+ing\b", hit.group(), CASE) and not left.negations
    return None if denied > 1 or spoken_of else {"not": True} if denied else {}


def around_sentences(question: str, start: int, end: int) -> Left | None:
    """Return the same for a limit on each sentence: "every sentence …", "… per sentence"."""
    per = re.match(r" (?:per|a|in (?:each|every|any)) sentence\b", question[end:], CASE)
    if per:
        return around(question, start, end + per.end(), length=True)
    hit = _BEFORE_SENTENCES.match(question[:start])
    if hit is None or _AFTER.match(question[end:]) is None:
        return None
    said = " ".join((hit["rest"], hit["which"], hit["more"]))
    return Left(hit["which"].lower(), len(_NO.findall(said)), said.lower())
