"""The question a point of a rubric asks, with what stands above it: its label, its introduction."""

from __future__ import annotations

import re

from core.contract.asking import as_question, for_the_thing
from core.contract.lint_words import CASE, is_yes_no
from core.contract.phrases import MODAL_WORD, after_dropping, finite_inside, is_output, lower_first
from core.contract.rubric_words import COMMAND, DEMAND, LABELLED, PART, opens_a_list, within
from core.contract.suggest import suggest
from core.text import words

TO_THE_GRADER = "An instruction to the grader, and no criterion."
NOT_LOOKED_AT = f"{TO_THE_GRADER} It may belong under what the criteria do not examine."


def question_of(text: str, part: str = "") -> str | None:
    """Return the question a point asks, or None where none can be read from it for sure.

    `part` is what the section is about, if it is a part of the output such as its subject line.
    """
    # "Must not: repeat the question" and "Avoid: slang" go on after the colon.
    bare = re.sub(
        rf"^((?:{MODAL_WORD})(?: not| never)?|(?:please )?(?:avoid|include|mention|name|use|state|give))[:：]",
        r"\1", text, flags=CASE,
    )  # fmt: skip
    asked = None
    label = LABELLED.match(bare)
    name = re.sub("^no ", "", label["name"].strip(" *_"), flags=CASE) if label else ""
    if label and len(words(name)) <= 4 and not DEMAND.search(name) and not finite_inside(name):
        # "Tone: the reply must be calm." names the point and then says it.
        asked = as_question(label["said"])
        if asked is None and COMMAND.match(f"{name} the"):  # "Mention: the date"
            asked = as_question(f"{name} {label['said']}")
        asked = asked or for_the_thing(label["said"])
        part = named["part"] if (named := PART.match(name)) else part
    else:
        asked = as_question(bare) or for_the_thing(bare)
    if asked and part and "the output" in asked:
        asked = within(part, asked)
    return asked if asked and is_yes_no(asked) else None


def under_introduction(lead: str, point: str) -> str | None:
    """Return the question that an introduction and a point make: "It must" and "name the date"."""
    if not lead or DEMAND.search(point) or len(lead) > 120:
        return None
    text = after_dropping(lead)
    third = re.match(r"\w+s\b|is\b|has\b", point)
    if opens_a_list(text, point) or (is_output(text) and third and as_question(point)):
        asked = as_question(f"{text} {lower_first(point)}")
        return asked if asked and is_yes_no(asked) else None
    return None


def to_the_grader(text: str) -> str:
    """Return why an instruction to the grader is no criterion."""
    aside = re.match(r"\W*(?:do not|don['’]t|never|ignore|disregard|overlook)\b", text, CASE)
    return NOT_LOOKED_AT if aside else TO_THE_GRADER


def code_could(question: str) -> bool:
    """Tell whether a check can be offered that decides a question by its words alone."""
    found = suggest(question)
    return found is not None and found.surely and bool(found.specs)
