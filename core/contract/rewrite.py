"""Questions turned round, split and cleared.

Each function returns None where the words do not allow an honest rewrite: a question nobody
recognises is worse than one to be written by hand.
"""

from __future__ import annotations

import re

from core.contract.asking import as_question
from core.contract.leftover import OUTPUT
from core.contract.lint_words import (
    ADJECTIVES,
    AUXILIARY,
    CASE,
    CONTRACTED,
    JOIN,
    NEGATED,
    SUBJECT,
    VERBS,
    is_yes_no,
    second_question,
)
from core.contract.verbs import gerund, unbroken

__all__ = [
    "BLANK",
    "affirmed",
    "as_question",
    "gerund",
    "parts",
    "unscored",
    "with_blank",
    "without_intent",
]

BLANK = "[…]"
"""Stands in a question where a person has to fill something in."""
_MAX = 600
# What "not" can stand before and is no plain verb: "not the first", "not only", "not answering".
_NO_VERB = re.compile(
    r"(?:the|a|an|any|this|that|these|those|only|just|first|even|also|always|ever|not|no|never|all"
    r"|every|each|in|on|at|for|to|of|under|with|without|too|so|very|yet|more|less|nothing|than|own"
    r"|it|its|if|because|when|be(?:en|ing)|refrain|abstain|avoid|fail|neglect"
    r"|(?!reply|rely|apply|comply|imply|supply|multiply|fly)\w+ly|(?!bring|sing|ring|swing|sting)\w+ing"
    r"|(?!need|feed|exceed|embed|proceed|succeed|shed)\w+ed|(?!discuss|pass|address|stress|focus|guess"
    r"|express|miss|bias|process|access|confess|press|assess|suppress|compress|dismiss|cross|toss)\w+s)$",
    CASE,
)


def with_blank(question: str) -> str:
    """Return the beginning of a question with a blank for what is asked: "Is the reply […]?".

    The change that is always honest: what only a person knows is left for a person to say.
    """
    text = re.sub(r"^\W*(\w+)n['’]t ", r"\1 ", question.strip())
    hit = None if len(text) > _MAX else _OPENING.match(text)
    if hit is None:
        return f"Does the output {BLANK}?"
    return f"{hit['aux'].capitalize()} {hit['s']} {BLANK}?"


_OPENING = re.compile(
    rf"\W*(?P<aux>{AUXILIARY}) (?P<s>it|this|they|(?:the|this|these|its) (?:[\w'’-]+ ){{0,2}}?"
    rf"(?:{OUTPUT}|version|tone))(?= )",
    CASE,
)


def halves(question: str, joined: str) -> tuple[str, str] | None:
    """Return what a question asks before the words that join a second, and a start of that second."""
    text = question.strip()
    at, join = text.find(joined), re.match(rf"(?:{JOIN}) (?:also )?", joined, CASE)
    if at <= 0 or join is None or join.group().lower().startswith("or"):
        return None
    first, rest = _asked(text[:at]), text[at + join.end() :].strip()
    if not is_yes_no(first) or second_question(first) is not None or not rest.endswith("?"):
        return None
    return first, f"Does the output {BLANK} {rest}"


def either(question: str) -> str | None:
    """Return "Does it do one, or the other?", where one yes is enough, or None without an "or"."""
    made = re.sub(r",? or (?=\w)", ", or ", question.strip(), count=1)
    return made if made != question.strip() and second_question(made) is None else None


def _avoiding(demand: str) -> str | None:
    """Return "avoid blaming the customer" for "blame the customer", or None if that is no verb."""
    hit = re.match(
        r"(?:ever )?(?P<adv>(?:simply|merely|directly|explicitly|openly) )?(?P<verb>[a-z]+)\b"
        r"(?P<rest>.*)", demand, CASE | re.DOTALL,
    )  # fmt: skip
    if hit is None or _NO_VERB.match(hit["verb"]) or re.match(r"[-'’]", hit["rest"]):
        return None
    if hit["verb"].lower() == "exceed":
        return f"keep to at most{hit['rest']}"
    return f"avoid {hit['adv'] or ''}{gerund(hit['verb'].lower())}{hit['rest']}"


def affirmed(question: str) -> str | None:
    """Return a question whose "yes" means the same and that holds no "not": not blame, avoid blaming.

    A pass stays a pass: the rewrite changes the words and never which outputs pass.
    """
    text = question.strip()
    if len(text) > _MAX or second_question(text) is not None:
        return None
    if CONTRACTED.match(text):
        # "Isn't it signed?" expects a yes for what is signed, "Doesn't it ramble?" does not.
        return None
    if hit := NEGATED.match(text):
        if hit["aux"].lower() not in ("does", "do"):
            fault = re.fullmatch(
                r"(?![a-z-]+ed\b)[a-z-]+(?: or (?![a-z-]+ed\b)[a-z-]+)?\?", text[hit.end() :], CASE
            )
            if (
                fault is None
                or hit["aux"].lower() not in ("is", "are")
                or _CLAUSE.search(hit["subject"])
            ):
                return None
            return f"{_do(hit['aux'])} {hit['subject']} avoid being {fault.group()}"
        demand = text[hit.end() :]
        # A subject that holds a verb of its own is more than the subject.
        if re.search(r"\b(?:not|never|nor|and)\b", demand, CASE) or _CLAUSE.search(hit["subject"]):
            return None
        avoiding = _avoiding(demand)
        head = f"{hit['aux'].capitalize()} {hit['subject']}"
        return None if avoiding is None else unbroken(f"{head} {avoiding}")
    free = re.match(
        rf"\W*(is|are) (?P<s>{SUBJECT}) free (?:of|from) (?P<x>.+)", text, CASE | re.DOTALL
    )
    if free:
        return unbroken(f"{_do(free[1])} {free['s']} avoid {free['x']}")
    without = re.match(
        rf"\W*(does|do) (?P<s>{SUBJECT}) (?:contain|include|have|mention|use|show) no (?P<x>.+)",
        text, CASE | re.DOTALL,
    )  # fmt: skip
    if without is None:
        return None
    return unbroken(f"{without[1].capitalize()} {without['s']} avoid {without['x']}")


_CLAUSE = re.compile(
    r"\b(?:from|who|which|that|to|has|have|had|is|are|was|were|by|with|without|must|should|can|will"
    r"|avoids?|refrains?|fails?|\w{3,}ing)\b",
    CASE,
)


def _do(auxiliary: str) -> str:
    return "Do" if auxiliary.lower() in ("are", "were", "do", "have") else "Does"


def parts(question: str) -> list[str] | None:
    """Return the questions that one question joins with "and", two to four of them, or None.

    Not those joined with "or": there one yes is enough, and of two criteria both would be needed.
    """
    text = question.strip()
    if len(text) > _MAX or re.search(r"[\"“„«`]|(?<!\w)['‘]", text):
        return None
    made = _sentences(text) or _clauses(text) or _verbs(text) or _adjectives(text)
    if made is None or not 2 <= len(made) <= 4 or any(re.search(r"\bor\b", m, CASE) for m in made):
        return None
    sound = all(is_yes_no(one) and second_question(one) is None for one in made)
    return made if sound else None


def _sentences(text: str) -> list[str] | None:
    made = [f"{one.strip()}?" for one in text.split("?") if one.strip()]
    return made if len(made) > 1 else None


def _clauses(text: str) -> list[str] | None:
    made = re.split(rf",? (?:and|but)(?: also)? (?={AUXILIARY} (?:{SUBJECT}) )", text, flags=CASE)
    return [_asked(one) for one in made] if len(made) > 1 else None


def _verbs(text: str) -> list[str] | None:
    head = re.match(rf"(?P<head>(?:[^,?]{{1,120}}, )?(?:does|do|did|should|must|can|will) {SUBJECT} )"
                    rf"(?:(?:also|clearly|always|first) )?(?={VERBS}\b)", text, CASE)  # fmt: skip
    if head is None:
        return None
    rest = text[head.end() :]
    made = re.split(rf",? (?:and|as well as|but)(?: also| then)? (?={VERBS}\b)|, (?={VERBS}\b)", rest,
                    flags=CASE)  # fmt: skip
    return [_asked(head["head"] + one) for one in made] if len(made) > 1 else None


def _adjectives(text: str) -> list[str] | None:
    hit = re.match(
        rf"(?P<head>(?:[^,?]{{1,120}}, )?(?:is|are) .{{1,120}}?)(?<= )"
        rf"(?P<list>{ADJECTIVES}(?:, {ADJECTIVES})*,? and (?:also )?{ADJECTIVES})\?$", text, CASE,
    )  # fmt: skip
    if hit is None or re.search(JOIN, hit["head"], CASE):
        return None
    made = re.split(r",? and (?:also )?|, ", hit["list"], flags=CASE)
    return [_asked(hit["head"] + one) for one in made]


def _asked(text: str) -> str:
    trimmed = text.strip().rstrip("?,;. ")
    return f"{trimmed[:1].upper()}{trimmed[1:]}?"


def unscored(question: str) -> str | None:
    """Return the yes-or-no form of "Rate from 1 to 5 how …" or "How clear is …?", or None."""
    text = question.strip().rstrip("?. ")
    if len(text) > _MAX:
        return None
    scale = r"(?:,? ?(?:\(?(?:from|on a scale (?:of|from)|between|on) ?\d+ ?(?:to|and|[-–]) ?\d+(?: scale)?\)?|\(\d ?[-–] ?\d+\)))"
    hit = re.match(
        rf"\W*(?:(?:please )?(?:rate|grade|score)(?:{scale})? |to what (?:extent|degree) )?"
        r"how (?P<adj>[a-z-]+) (?P<rest>.+)", text, CASE,
    )  # fmt: skip
    if hit and hit["adj"].lower() not in ("well", "much", "many", "often", "long", "far", "likely"):
        rest = re.sub(rf"{scale}$", "", hit["rest"], flags=CASE)
        after = re.match(rf"(?P<s>{SUBJECT}|[\w' -]+) (?P<v>is|are)$", rest, CASE)
        before = re.match(r"(?P<v>is|are) (?P<s>.+)$", rest, CASE)
        if found := after or before:
            return f"{found['v'].capitalize()} {found['s']} {hit['adj']}?"
    extent = re.match(rf"\W*to what (?:extent|degree) (?={AUXILIARY} )(?P<rest>.+)", text, CASE)
    return _asked(extent["rest"]) if extent else None


def without_intent(question: str) -> str | None:
    """Return a question about what the text does in place of what its writer tries to do."""
    hit = re.match(
        rf"(?P<head>\W*(?:does|do|did) )(?P<s>{SUBJECT}) (?:really |actually |truly )?"
        r"(?:try|attempt|aim|want|intend|hope|mean) to (?P<rest>[a-z].*)$",
        question.strip(), CASE | re.DOTALL,
    )  # fmt: skip
    if hit is None:
        return None
    # Of a person only the text is there to be looked at.
    person = re.search(r"\b(?:writer|author|person|you|they|he|she)$", hit["s"], CASE)
    subject = "the output" if person else hit["s"]
    rest = hit["rest"]
    if being := re.match(r"be (?P<x>.+)", rest, CASE | re.DOTALL):
        made = f"Is {subject} {being['x']}"
    else:
        made = f"Does {subject} {rest}"
    return made if is_yes_no(made) else None
