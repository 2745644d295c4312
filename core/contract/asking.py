"""A requirement in a person's words, asked as a yes-or-no question whose yes is a pass.

The rules cover the forms in which rubrics are written: demands, prohibitions, commands,
statements, limits and names of things. What none of them covers is not guessed at: `as_question`
then returns None, and `word_for_word` puts the sentence into a question as it stands.
"""

from __future__ import annotations

import re

from core.contract.demands import BANNED, IS, THIRD, ask
from core.contract.lint_words import CASE, is_yes_no
from core.contract.phrases import (
    DETERMINED,
    MODAL_WORD,
    OUTPUT,
    after_dropping,
    describes,
    do,
    finite_inside,
    is_output,
    is_subject,
    lower_first,
    more_verbs,
    not_negated,
    second_clause,
    subject_of,
    trimmed,
    turned_to_base,
    turned_to_gerund,
    with_article,
)
from core.contract.verbs import ALSO_ADJECTIVE, base, gerund, is_third, is_verb, unbroken

MAX_SENTENCE = 600


def as_question(sentence: str) -> str | None:
    """Return the yes-or-no question a requirement asks: "It must name a date." or "Names a date".

    A sentence that is such a question already comes back as it is; None where none is recognised.
    """
    text = trimmed(sentence)
    if not text or len(text) > MAX_SENTENCE:
        return None
    if text.endswith(("?", "？")):
        return text if is_yes_no(text) else None
    text = text.rstrip(".;,! 。．；，！")
    # "The reply must not not answer": which of the two it forbids is for the person to say.
    return None if re.search(r"\bnot (?:not|never)\b", text, CASE) else unbroken(ask(text))


def for_the_thing(name: str) -> str | None:
    """Return the question that asks for a thing by its name: "Clear next step", "No jargon".

    Only for a list of what is wanted: the same name may stand for a fault elsewhere.
    """
    text = trimmed(name).rstrip(".;,! 。．；，！")
    return _thing(text) if text and len(text) <= MAX_SENTENCE else None


def word_for_word(sentence: str) -> str:
    """Return a question that holds a sentence as it stands, for want of an honest rewording."""
    said = trimmed(sentence)
    states = re.match(r"(?:it|this|there|the|its|every|each|all)\b", said, CASE)
    demands = re.search(rf"\b(?:{MODAL_WORD}|not|never|no)\b|n['’]t\b|{BANNED}", said, CASE)
    if (
        re.search("[a-z]", said, CASE)
        and not demands
        and not finite_inside(said)
        and not re.search(r"[.!?:;。！？：]", said[:-1])
    ):
        # The name of a thing reads without quotation marks, and lint reads it then.
        return f"Does {OUTPUT} meet this: {said.rstrip('.;,')}?"
    quoted = f"“{said}”" if '"' in said else f'"{said}"'
    if states and not demands:
        return f"Is this true of {OUTPUT}: {quoted}?"
    return f"Does {OUTPUT} meet this: {quoted}?"


def avoided(sentence: str) -> str:
    """Return the question whose yes means that what a sentence says is not so of an output.

    For points under "must not", "fail if" or with negative marks. A sentence that forbids
    something itself ("Never …") is asked as it stands.
    """
    text = after_dropping(trimmed(sentence).rstrip(".;,! 。．；，！"))
    asked = None
    if not_negated(text):
        asked = _avoid(text) if len(text) <= MAX_SENTENCE else None
    elif re.match(r"(?:do not|don['’]t|never|avoid|no)\b", text, CASE):
        asked = as_question(text)
    if asked is not None:
        return asked
    said = trimmed(sentence)
    return f"Is this untrue of {OUTPUT}: “{said}”?" if '"' in said else (
        f'Is this untrue of {OUTPUT}: "{said}"?'
    )  # fmt: skip


def _avoid(text: str) -> str | None:
    if second_clause(text):
        return None
    if hit := re.match(r"(?P<verb>[a-z]+)(?P<rest>\b.*)$", text, CASE | re.DOTALL):
        verb, rest = hit["verb"], hit["rest"]
        if re.match(r"(?:is|are)$", verb, CASE) and rest:
            return f"Does {OUTPUT} avoid being{rest}?"
        if re.match(r"[a-z]{2,}ing$", verb, CASE) and is_verb_like(verb):
            return f"Does {OUTPUT} avoid {lower_first(text)}?"
        if is_third(verb, rest) or verb.lower() == "has":
            plain = turned_to_base(rest)
            turned = None if plain is None else turned_to_gerund(plain)
            return (
                None
                if turned is None
                else f"Does {OUTPUT} avoid {gerund(base(verb.lower()))}{turned}?"
            )
        if is_verb(verb, rest) and not re.match(ALSO_ADJECTIVE, text, CASE):
            turned = turned_to_gerund(rest)
            return (
                None if turned is None else f"Does {OUTPUT} avoid {gerund(verb.lower())}{turned}?"
            )
    if (hit := IS.match(text)) and is_subject(hit["s"]):
        subject = OUTPUT if hit["s"].lower() == "it" else subject_of(hit["s"])
        if more_verbs(hit["rest"]):
            return None
        if is_output(subject):
            return f"{do(subject)} {subject} avoid being {hit['rest']}?"
        return f"Is it true that {subject} {hit['v'].lower()} not {hit['rest']}?"
    if (hit := THIRD.match(text)) and hit["s"] and is_third(hit["verb"], hit["rest"]):
        if is_output(hit["s"]):
            plain = turned_to_base(hit["rest"])
            turned = None if plain is None else turned_to_gerund(plain)
            subject = OUTPUT if hit["s"].strip().lower() == "it" else subject_of(hit["s"])
            return (
                None
                if turned is None
                else f"Does {subject} avoid {gerund(base(hit['verb'].lower()))}{turned}?"
            )
        return None
    if len(text.split()) <= 8 and not finite_inside(text) and not is_output(text):
        return f"Does {OUTPUT} avoid {lower_first(text)}?"
    return None


def is_verb_like(word: str) -> bool:
    """Tell whether an -ing form is one of a verb that is known, and not a noun such as "wording"."""
    stem = word[:-3]
    return any(is_verb(form, " the") for form in (stem, f"{stem}e", stem[:-1])) and bool(stem)


def _thing(text: str) -> str | None:
    """Ask for a thing by its name: "A clear next step", "No jargon", "Polite"."""
    if second_clause(text) or len(text.split()) > 25:
        return None
    if hit := re.match(r"(?:no|zero) (?!more\b|fewer\b|less\b|longer\b|later\b|one\b|matter\b)(?P<x>.+)$",
                       text, CASE):  # fmt: skip
        what = re.sub(r"(?:,|,? and|,? or) no ", " or ", hit["x"], flags=CASE)
        return None if finite_inside(what) or ":" in what else f"Does {OUTPUT} avoid {what}?"
    if (hit := re.match(r"(?:never|not) (?P<x>.+)$", text, CASE)) and describes(
        hit["x"], faults=True
    ):
        return f"Does {OUTPUT} avoid being {hit['x']}?"
    if hit := re.match(r"not (?P<x>(?:longer|shorter|more|less|[a-z]+er) than .+)$", text, CASE):
        return f"Does {OUTPUT} avoid being {hit['x']}?"
    if hit := re.match(r"(?P<s>[^.;:?!,]{1,80}?) can (?P<rest>(?!not\b|only\b).+)$", text, CASE):
        sure = is_subject(hit["s"]) and not re.match(r"you\b|we\b", hit["s"], CASE)
        return f"Can {subject_of(hit['s'])} {hit['rest']}?" if sure else None
    if describes(text) or re.match(r"(?:valid|well[- ]formed) \w+$", text, CASE):
        return f"Is {OUTPUT} {lower_first(text)}?"
    if finite_inside(text) or ":" in text:
        return None
    if DETERMINED.match(text):
        verb = "Is" if is_output(text) and re.match(r"an? ", text, CASE) else "Does"
        return f"{verb} {OUTPUT} {'' if verb == 'Is' else 'include '}{lower_first(text)}?"
    named = with_article(text)
    return f"Does {OUTPUT} have {named}?" if named else None
