"""Sentences turned into yes-or-no questions, and questions turned round, split and cleared.

Each function returns None where the words do not allow an honest rewrite: a question nobody
recognises is worse than one to be written by hand.
"""

from __future__ import annotations

import re

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

BLANK = "[…]"
"""Stands in a question where a person has to fill something in."""
_MAX = 600
_DOUBLED = frozenset(
    {"begin", "omit", "refer", "commit", "admit", "forget", "submit", "permit", "transfer", "prefer",
     "defer", "infer", "occur", "incur", "emit", "transmit", "format", "program", "embed", "control",
     "compel", "regret", "quit", "overrun"}
)  # fmt: skip
_ONE_SYLLABLE = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")
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
# Where a rewrite went over a clause it did not see, it reads like this.
_BROKEN = re.compile(
    r"\b(?:from|by|of|to|without) avoid\b|\bavoid (?:not|no|never|avoid\w*)\b|\b(\w+) \1\b"
    r"|^(?:does|do|is|are) (?:refrain|abstain|avoid|never|not|please|state)\b",
    CASE,
)


def gerund(verb: str) -> str:
    """Return the -ing form of an English verb: blame is blaming, run is running."""
    lower = verb.lower()
    if lower.endswith("ie"):
        return f"{verb[:-2]}ying"
    if lower.endswith("e") and not lower.endswith(("ee", "oe", "ye")) and lower != "be":
        return f"{verb[:-1]}ing"
    doubled = lower in _DOUBLED or _ONE_SYLLABLE.match(lower)
    return f"{verb}{verb[-1]}ing" if doubled else f"{verb}ing"


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


def _unbroken(question: str | None) -> str | None:
    return None if question is None or _BROKEN.search(question) else question


def base(verb: str) -> str:
    """Return the plain form of an English verb in the third person: mentions is mention."""
    lower = verb.lower()
    if lower in ("has", "is", "are"):
        return {"has": "have"}.get(lower, "be")
    if lower == "does":
        return "do"
    if lower.endswith("ies") and len(lower) > 4:
        return f"{verb[:-3]}y"
    if lower.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if lower.endswith("s") and not lower.endswith("ss") else verb


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
            return None
        demand = text[hit.end() :]
        # A subject that holds a verb of its own is more than the subject.
        if re.search(r"\b(?:not|never|nor|and)\b", demand, CASE) or _CLAUSE.search(hit["subject"]):
            return None
        avoiding = _avoiding(demand)
        head = f"{hit['aux'].capitalize()} {hit['subject']}"
        return None if avoiding is None else _unbroken(f"{head} {avoiding}")
    free = re.match(
        rf"\W*(is|are) (?P<s>{SUBJECT}) free (?:of|from) (?P<x>.+)", text, CASE | re.DOTALL
    )
    if free:
        return _unbroken(f"{_do(free[1])} {free['s']} avoid {free['x']}")
    without = re.match(
        rf"\W*(does|do) (?P<s>{SUBJECT}) (?:contain|include|have|mention|use|show) no (?P<x>.+)",
        text, CASE | re.DOTALL,
    )  # fmt: skip
    if without is None:
        return None
    return _unbroken(f"{without[1].capitalize()} {without['s']} avoid {without['x']}")


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
    made, count = re.subn(
        r"\b(?:really |actually |truly )?(?:try|attempt|aim|want|intend|hope) to (?=[a-z])", "",
        question.strip(), count=1, flags=CASE,
    )  # fmt: skip
    return made if count and is_yes_no(made) else None


# --- sentences -------------------------------------------------------------------------------

_MODAL = re.compile(
    r"^(?P<s>[^.;:?!]{1,120}?) (?:also )?(?P<modal>must|should|shall|needs? to|ha(?:s|ve) to|ought to"
    r"|(?:is|are) (?:required|expected|supposed) to|may|can|will)"
    r"(?P<neg>(?: ?not|n['’]t|not| never)\b)? (?P<rest>.+)$",
    CASE | re.DOTALL,
)
_ADVERB = r"(?:(?:also|always|clearly|explicitly|correctly|only|briefly|first|at least|directly|[a-z]+ly) )*"
_CONDITION = re.compile(
    r"^(?P<when>(?:if|when|whenever|where|unless|in case) [^,?.;:]{3,120}), (?:then )?(?P<demand>.+)$",
    CASE | re.DOTALL,
)
_FORBIDDEN = re.compile(
    r"^(?:please )?(?:do not|don['’]t|never) (?P<demand>.+)$",
    CASE | re.DOTALL,
)
_LEAD = re.compile(
    r"^(?:please |always |make sure (?:that )?|ensure (?:that )?|check (?:that|whether|if) "
    r"|verify (?:that|whether|if) |confirm (?:that|whether|if) |whether |and |then |also |it['’]s important that )+",
    CASE,
)  # fmt: skip
_IS = re.compile(r"^(?P<s>[^.;:?!,]{1,100}?) (?P<v>is|are) (?P<rest>.+)$", CASE | re.DOTALL)
_THIRD = re.compile(
    rf"^(?P<s>(?:it|this|(?:the|a|an|each|every|its) [\w'’-]+(?: [\w'’-]+){{0,2}}?) )?"
    rf"(?P<adv>{_ADVERB})(?P<verb>has|does|[a-z]+s)\b(?P<rest>.*)$",
    CASE | re.DOTALL,
)
_AMOUNT = re.compile(
    r"^(?:(?P<max>max(?:imum)?(?: length)?(?: of)?:?)|(?P<min>min(?:imum)?(?: length)?(?: of)?:?)"
    r"|(?P<how>at most|no more than|not more than|fewer than|less than|under|up to|at least|more than"
    r"|between)) (?P<rest>\d.*)$",
    CASE,
)
# "State the date that must be met": the words before the modal are no subject.
_NO_SUBJECT = re.compile(
    rf"(?:refrain|abstain|{VERBS})\b.+|.+ (?:that|which|who|you|we|they|it|if|when)$", CASE
)
_BARE_MODAL = re.compile(r"^(?:must|should|shall|needs to|has to) ", CASE)
# "Correct grammar" is no demand to correct something; "Correct the grammar" is one.
_ALSO_ADJECTIVE = (
    r"(?:correct|sound|direct|free|open|close|equal|fit|separate|round|present|point|mark|link"
    r"|cover|support|filter|group|match)\b(?! (?:the|a|an|its|all|any|every|each|no|to|with)\b)"
)
_BASE = re.compile(
    rf"^(?P<adv>{_ADVERB})(?P<verb>(?!{_ALSO_ADJECTIVE}){VERBS})\b(?P<rest>.+)$", CASE | re.DOTALL
)
_PLURAL = re.compile(
    r"^(?:they|we|these|those|both|all)\b|\band\b|\b\w+[^s\W]s$|\b(?:people|criteria)$", CASE
)
_WRITER = re.compile(r"^(?:you|we|one)$", CASE)
_OUTPUT = "the output"


def as_question(sentence: str) -> str | None:
    """Return the yes-or-no question a requirement asks: "It must name a date." or "Names a date".

    A sentence that is such a question already comes back as it is; None where none is recognised.
    """
    return _unbroken(_as_question(sentence))


def _as_question(sentence: str) -> str | None:
    text = " ".join(sentence.split()).strip(" *_-–—•")
    if not text or len(text) > _MAX:
        return None
    if text.endswith("?"):
        return text if is_yes_no(text) else None
    text = text.rstrip(".;,! ")
    if hit := _CONDITION.match(text):
        asked = _as_question(hit["demand"])
        return None if asked is None else f"{hit['when']}, {_lower(asked)}"
    if re.match(r"(?:refrain|abstain) from ", text, CASE):
        return f"Does {_OUTPUT} {_lower(text)}?"
    if hit := _FORBIDDEN.match(text):
        return _forbidden(hit)
    text = _LEAD.sub("", text) or text
    if hit := _AMOUNT.match(text):
        how = "at most" if hit["max"] else "at least" if hit["min"] else hit["how"].lower()
        return f"Is {_OUTPUT} {how} {hit['rest']}?"
    if _BARE_MODAL.match(text):
        text = f"{_OUTPUT} {text}"
    if (hit := _MODAL.match(text)) and not _NO_SUBJECT.match(hit["s"]):
        return _from_modal(hit)
    if hit := _FORBIDDEN.match(text):
        return _forbidden(hit)
    if hit := _BASE.match(text):
        adverbs = hit["adv"].lower()
        return f"Does {_OUTPUT} {adverbs}{_lower(hit['verb'])}{hit['rest']}?"
    return _from_statement(text)


def _forbidden(hit: re.Match[str]) -> str | None:
    """Return the question of "Do not …"; "Never answering …" names what to avoid already."""
    demand = hit["demand"]
    if re.match(r"\w{2,}ing\b", demand) and not re.match(r"(?:bring|sing|ring|thing)\b", demand):
        return f"Does {_OUTPUT} avoid {_lower(demand)}?"
    avoiding = _avoiding(demand)
    return None if avoiding is None else f"Does {_OUTPUT} {avoiding}?"


def _from_modal(hit: re.Match[str]) -> str | None:
    subject = _subject(hit["s"])
    if hit["modal"].lower() in ("may", "can", "will") and not hit["neg"]:
        return None
    many = _PLURAL.search(subject) is not None
    do, be, have = ("Do", "Are", "Have") if many else ("Does", "Is", "Has")
    rest = hit["rest"].strip()
    if hit["neg"] or (never := re.match(r"(?:never|not) ", rest, CASE)):
        avoiding = _avoiding(rest if hit["neg"] else rest[never.end() :])  # type: ignore[union-attr]
        return None if avoiding is None else f"{do} {subject} {avoiding}?"
    if plain := re.match(r"(?:always |also )?be (?P<rest>.+)", rest, CASE | re.DOTALL):
        return f"{be} {subject} {plain['rest']}?"
    if been := re.match(r"have been (?P<rest>.+)", rest, CASE | re.DOTALL):
        return f"{have} {subject} been {been['rest']}?"
    return f"{do} {subject} {rest}?"


def _from_statement(text: str) -> str | None:
    if hit := _THIRD.match(text):
        verb = base(hit["verb"])
        known = re.match(rf"{VERBS}\b", verb + hit["rest"], CASE) and hit["rest"]
        if known and hit["verb"].lower() not in ("is", "this"):
            subject = _subject(hit["s"] or _OUTPUT)
            return f"Does {subject} {hit['adv'].lower()}{_lower(verb)}{hit['rest']}?"
    if hit := _IS.match(text):
        negated = re.match(r"not ", hit["rest"], CASE)
        return None if negated else f"{hit['v'].capitalize()} {_subject(hit['s'])} {hit['rest']}?"
    return None


def _subject(text: str) -> str:
    """Return the subject as it stands inside a question; the writer is asked about as the output."""
    trimmed = text.strip()
    return _OUTPUT if _WRITER.match(trimmed) else _lower(trimmed)


def _lower(text: str) -> str:
    """Return `text` with a small first letter, unless its first word is an acronym or a name."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() else text[:1].lower() + text[1:]
