"""Checks read off ordinary wording: names without quotes, counts of marks, closed lists, shapes.

Beside the readers of the module suggest. Each returns (checks, whether the question's words settle
them); where they do not, a check is offered only if it gets both examples right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from core.contract.leftover import LEAVES_OUT, OUTPUT, around, negated
from core.contract.lint_words import CASE

Read = tuple[tuple[dict[str, Any], ...], bool]

_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {word: 10 * (at + 2) for at, word in enumerate(_TENS)} | {"fifteen": 15}  # fmt: skip
_SPELLED = re.compile(
    rf"\b(?:(?P<a>{'|'.join(_NUMBERS)}) (?P<h>hundred)(?: and (?P<b>{'|'.join(_NUMBERS)}))?"
    rf"|(?P<c>{'|'.join(_NUMBERS)}))(?=[ -](?:words?|characters?)\b)",
    CASE,
)
_COUNT_OF = re.compile(
    r"\b(?P<what>word|character) count\b(?P<how>[^.?]{0,40}?(?:at most|no more than|not exceed|under"
    r"|below|less than|at least|more than|over|above|exactly)) (?P<n>\d+)(?! ?(?:words?|characters?))\b",
    CASE,
)
_THE_WORD = re.compile(
    r"\bthe word (?!limit|count|order|choice|length|budget)(?P<w>\w(?:[\w’'-]*\w)?)(?=\s*[?.]?$)",
    CASE,
)


def settled(question: str) -> str:
    """Return a question with spelled numbers as digits and a named word in quotes."""

    def digits(hit: re.Match[str]) -> str:
        if hit["c"]:
            return str(_NUMBERS[hit["c"].lower()])
        rest = _NUMBERS[hit["b"].lower()] if hit["b"] else 0
        return str(100 * _NUMBERS[hit["a"].lower()] + rest)

    text = _SPELLED.sub(digits, question)
    text = _COUNT_OF.sub(lambda h: f"{h['what']} count{h['how']} {h['n']} {h['what']}s", text)
    return _THE_WORD.sub(r'the word "\g<w>"', text)


THINGS = (
    (r"exclamation (?:marks?|points?)", "!"),
    (r"question marks?", r"\?"),
    (r"urls?|links?|hyperlinks?|web addresses?", r"(?i)https?://|\bwww\."),
    (r"e-?mail address(?:es)?", r"[\w.+-]+@[\w-]+\.\w+"),
    (r"bullet points?|bullets|bullet(?:ed)? lists?", r"(?m)^\s*[-*•] "),
    (r"digits?|numerals?", r"\d"),
    (r"code (?:blocks?|fences?)", r"(?m)^\s*```"),
    (r"html(?: tags?)?", r"<[a-zA-Z/][^>]*>"),
    (r"em[- ]dash(?:es)?", "—"),
    (r"emojis?", "[\U0001f300-\U0001faff\u2600-\u27bf]"),
    (r"semi-?colons?", ";"),
    (r"hashtags?", r"#\w"),
    (r"line breaks?|newlines?", r"\n"),
    (r"markdown head(?:ings?|ers?)", r"(?m)^#{1,6} "),
    (r"(?:iso )?dates? in (?:the )?(?:(?:form|format) )?YYYY-MM-DD(?: format)?",
     r"\b\d{4}-\d{2}-\d{2}\b"),
)  # fmt: skip
"""What a text may hold that a pattern finds: (its names, the pattern)."""
# One of these can match twice: https://www.…, the two ends of a block, emojis of several signs.
_NOT_COUNTED = {THINGS[at][1] for at in (2, 6, 7, 9)}
_THING = "|".join(f"({thing})" for thing, _ in THINGS)
_HAS_THING = re.compile(
    r"\b(?P<verb>contain(?:s|ing)?|includ(?:es?|ing)|us(?:es?|ing)|avoids?|ha(?:s|ve|ving)|free of"
    r"|leaves? out|omits?)(?P<gap>(?: (?:any|an?|no|at least one)\b)?)"
    rf" (?:{_THING})(?!\w)",
    CASE,
)
_WITHOUT = re.compile(
    rf"^\W*(?:is |are )?(?:it|(?:the )?(?:\w+ )?{OUTPUT})(?: is| must be| should be)? (?:written )?"
    rf"without (?:any |an? )?(?:{_THING})\s*[?.]?$",
    CASE,
)
_MANY = re.compile(
    r"\b(?:contains?|includes?|uses?|ha(?:s|ve)) (?P<how>at most|no more than|not more than|up to"
    r"|at least|no fewer than|exactly|more than|fewer than|less than) "
    rf"(?P<n>\d{{1,2}}|{'|'.join(_NUMBERS)}) (?:{_THING})(?!\w)",
    CASE,
)


def _which(hit: re.Match[str], before: int) -> str:
    """Return the pattern of the thing named; `before` groups stand in front of the things."""
    return THINGS[next(n for n, group in enumerate(hit.groups()[before:]) if group)][1]


def thing(question: str) -> Read | None:
    """Marks, links, lists and the like: there, not there."""
    if hit := _WITHOUT.match(question):
        return ({"kind": "regex", "pattern": _which(hit, 0), "not": True},), True
    if (hit := _HAS_THING.search(question)) is None:
        return None
    turned = negated(question, hit, f"{hit['verb']}{hit['gap']}")
    if turned is None or (turned and "least" in hit["gap"].lower()):
        return None
    return ({"kind": "regex", "pattern": _which(hit, 2), **turned},), True


def many(question: str) -> Read | None:
    """At most, at least or exactly so many of them."""
    if (hit := _MANY.search(question)) is None or negated(question, hit) != {}:
        return None
    how, said = hit["how"].lower(), hit["n"].lower()
    number = int(said) if said.isdigit() else _NUMBERS[said]
    one = _which(hit, 2)
    if one in _NOT_COUNTED:
        return None
    flags = re.match(r"\(\?([a-z])\)", one)
    one = f"(?{flags[1]}:{one[4:]})" if flags else f"(?:{one})"
    if how == "exactly":
        # One check, and only where a single character is counted: no others in between.
        bare = one[3:-1]
        if len(bare.lstrip("\\")) != 1:
            return None
        other = rf"[^{bare}]*"
        return ({"kind": "regex", "pattern": f"^{other}(?:{bare}{other}){{{number}}}$"},), True
    most = how in ("at most", "no more than", "not more than", "up to", "fewer than", "less than")
    beyond = number + (how in ("at most", "no more than", "not more than", "up to", "more than"))
    if not 1 <= beyond <= 60:
        return None
    pattern = one if beyond == 1 else rf"(?:{one}[\s\S]*?){{{beyond}}}"
    return ({"kind": "regex", "pattern": pattern} | ({"not": True} if most else {}),), True


_NAME = r"(?-i:[A-Z])[\w&.-]*\w(?: (?-i:[A-Z])[\w&.-]*\w)?"
_NAMES = re.compile(
    r"\b(?P<verb>mention(?:s|ing)?|nam(?:es?|ing)|refer(?:s|ring)? to|recommend(?:s|ing)?) "
    r"(?:(?:any of )?(?:the |our |its )?(?:competitors?|competing products?|brands?|compan(?:y|ies)"
    rf"|rivals?):? )?(?P<list>{_NAME}(?:(?:, ?(?:and |or |nor )?| and | or | nor ){_NAME})*)"
    r"(?=\s*[?.]?$)",
    CASE,
)


def names(question: str) -> Read | None:
    """Proper names that are, or are not, mentioned."""
    if (hit := _NAMES.search(question)) is None:
        return None
    turned = negated(question, hit)
    found = [one for one in re.split(r", ?(?:and |or |nor )?| and | or | nor ", hit["list"]) if one]
    if turned is None or any(one.isupper() for one in found):
        return None
    if len(found) == 1:
        return ({"kind": "contains", "text": found[0], **turned},), False
    joined = re.search(r" (and|or|nor) ", hit["list"])
    if turned:
        # "Not A and B" may mean not both; "avoid A and B" means neither.
        if joined and joined[1] == "and" and not LEAVES_OUT.search(question[: hit.start()]):
            return None
        return ({"kind": "contains_any", "texts": found, "not": True},), False
    if joined is None:
        return None
    kind = "contains_all" if joined[1] == "and" else "contains_any"
    return ({"kind": kind, "texts": found},), False


_QUOTED = r"(?:\"(?P<q1>[^\"]{1,80})\"|“(?P<q2>[^”]{1,80})”|`(?P<q3>[^`]{1,80})`)"
_APPEARS = re.compile(
    r"^\W*?(?:(?:is|are|does|do|must|should) )?(?:the )?(?:exact )?"
    rf"(?:(?:words?|phrase|term|string|name) )?{_QUOTED}"
    r"(?P<how> (?:must |does |do |is |are |be |to )*(?:(?:not|never) )?(?:be )?(?:appears?|occurs?"
    r"|used|mentioned|present|included|found|contained|absent|missing|left out|in))"
    rf"(?: (?:anywhere )?(?:in )?(?:the )?(?:\w+ )?{OUTPUT}| anywhere)?\s*[?.]?$",
    CASE,
)


def appears(question: str) -> Read | None:
    """A phrase as the subject: "Does the word "refund" appear in the reply?"."""
    if (hit := _APPEARS.match(question)) is None:
        return None
    text = hit["q1"] or hit["q2"] or hit["q3"]
    denied = len(re.findall(r"\b(?:not|never|absent|missing|left out)\b", hit["how"], CASE))
    return ({"kind": "contains", "text": text} | ({"not": True} if denied % 2 else {}),), True


_ONE_OF = re.compile(
    rf"^\W*?(?:is )?(?:it|(?:the )?(?:\w+ )?(?:{OUTPUT}|label|category|class|verdict|sentiment))"
    r"(?: is| must be| should be)?(?: always)?(?P<how>(?: (?:exactly|either|one of:?|only|just|equal to|the"
    r"|words?|labels?|values?|text|string|following:?))*) "
    r"(?P<list>(?:\"[^\"]{1,80}\"|“[^”]{1,80}”|`[^`]{1,80}`)(?:(?:, ?|,? or )"
    r"(?:\"[^\"]{1,80}\"|“[^”]{1,80}”|`[^`]{1,80}`))*)\s*[?.]?$",
    CASE,
)


def one_of(question: str) -> Read | None:
    """A closed list of answers: nothing but one of them."""
    if (hit := _ONE_OF.match(question)) is None:
        return None
    texts = [found[1:-1] for found in re.findall(r"\"[^\"]*\"|“[^”]*”|`[^`]*`", hit["list"])]
    if len(texts) > 1 and " or " not in hit["list"] and "one of" not in hit["how"].lower():
        return None
    either = "|".join(re.sub(r"([^\w\s])", r"\\\1", text) for text in texts)
    exact = "" if "exactly" in hit["how"].lower() else "(?i)"
    # Whether "Yes" is "yes", or a blank at the end counts, the question leaves open.
    return ({"kind": "regex", "pattern": rf"{exact}^\s*(?:{either})\s*$"},), False


_PATTERN = re.compile(
    r"\bmatch(?:es)? (?:the |this )?(?:regex|regexp|regular expression|pattern)"
    r" (?:\"(?P<a>[^\"]+)\"|`(?P<b>[^`]+)`|/(?P<c>[^/]+)/|(?P<d>\^\S*\$))",
    CASE,
)


def pattern(question: str) -> Read | None:
    """A regular expression written out."""
    if (hit := _PATTERN.search(question)) is None:
        return None
    turned = negated(question, hit)
    if turned is None:
        return None
    return ({"kind": "regex", "pattern": next(filter(None, hit.groups())), **turned},), True


_ENDS = tuple(
    (re.compile(rf"\bends? (?:with|in) {what}(?=\s*[?.]?$)", CASE), ending)
    for what, ending in ((r"an? (?:\w+ )?question", r"\?\s*$"), (r"a (?:period|dot)", r"\.\s*$"))
)
_STARTS_NAME = re.compile(
    r"\b(?P<edge>start|begin|open|end|close)s? with (?P<w>(?-i:[A-Z][a-z]+))(?=\s*[?.]?$)", CASE
)
_NUMBER_OF = (
    r"(?:order|ticket|invoice|case|reference|tracking|booking|account|claim|customer|policy|serial)"
    r" (?:number|id|no\.)"
)
_SHAPES = tuple(
    (re.compile(rf"\b(?:contain|includ|quot|giv|stat|show)(?:e?s|e)? (?:the|an?|its) (?:\w+'s )?{what}"
                r"(?=\s*[?.]?$)", CASE), shape)
    for what, shape in (
        (_NUMBER_OF, r"\d{3,}"),
        (r"(?:phone|telephone) number", r"\+?\d[\d ()/.-]{5,}\d"),
        (r"(?:price|amount)", r"[$€£¥] ?\d|\d ?(?:[$€£¥]|USD\b|EUR\b|GBP\b|dollars\b|euros\b)"),
    )
)  # fmt: skip


def shape(question: str) -> Read | None:
    """How a text ends or begins, and numbers known by their shape."""
    for ends, ending in _ENDS:
        if hit := ends.search(question):
            turned = negated(question, hit)
            if turned is None:
                return None
            # "A friendly question" asks for more than a question mark.
            sure = re.search(r"\ba (?:question|period|dot)$", hit.group(), CASE) is not None
            return ({"kind": "regex", "pattern": ending, **turned},), sure
    if (hit := _STARTS_NAME.search(question)) and (turned := negated(question, hit)) is not None:
        first = hit["edge"].lower() in ("start", "begin", "open")
        made = rf"(?i)^\s*{hit['w']}\b" if first else rf"(?i)\b{hit['w']}\s*$"
        return ({"kind": "regex", "pattern": made, **turned},), False
    for names_it, looks in _SHAPES:
        if (hit := names_it.search(question)) and around(question, hit.start(), hit.end()):
            turned = negated(question, hit)
            return None if turned is None else (
                ({"kind": "regex", "pattern": looks, **turned},), False)  # fmt: skip
    return None


READERS: tuple[Callable[[str], Read | None], ...] = (
    many, thing, appears, one_of, pattern, shape, names,
)  # fmt: skip
