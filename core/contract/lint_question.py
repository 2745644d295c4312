"""Rules about a criterion's question: one small function per rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from core.contract import lint_words as words
from core.contract import rewrite
from core.contract.criterion import CheckedBy
from core.contract.finding import Finding, Patch
from core.contract.plain import Row
from core.contract.rubric import split_rubric
from core.contract.suggest import suggest
from core.errors import show

_HINTS = {
    "concise": 'a word limit, such as "Is the output at most 60 words?"',
    "concisely": 'a word limit, such as "Is the output at most 60 words?"',
    "short": 'a word limit, such as "Is the output at most 60 words?"',
    "brief": 'a word limit, such as "Is the output at most 60 words?"',
    "long": 'a number of words, such as "Is the output at least 200 words?"',
    "too long": 'a word limit, such as "Is the output at most 60 words?"',
    "professional": "the words or habits that are not wanted, such as slang or exclamation marks",
    "friendly": "what a friendly text does, such as greeting the reader by name",
    "comprehensive": "the points that have to be there, one criterion each",
    "thorough": "the points that have to be there, one criterion each",
    "key points": "the points that have to be there, one criterion each",
    "main points": "the points that have to be there, one criterion each",
    "readable": "a limit, such as at most 25 words a sentence",
    "easy to read": "a limit, such as at most 25 words a sentence",
    "easy to understand": "a limit, or the terms that have to be explained",
    "etc": "every item the list stands for",
}


_OPENING = f"Does the output {rewrite.BLANK}?"
_ONE_FAULT = f"Does the output avoid {rewrite.BLANK}?"


def _blank(row: Row) -> Patch | None:
    """Return the patch for where only a person knows what to ask: the rest of it is a blank."""
    asked = rewrite.with_blank(row.question)
    return row.change(f"Leave a blank to fill in: {asked}", {"question": asked})


def no_question(row: Row) -> Iterator[Finding]:
    """Without a question neither a person nor a judge knows what to answer."""
    if not row.question.strip():
        yield row.finding(
            "no_question", "There is no question to answer.",
            "Write one yes-or-no question about the output.",
            row.change(f"Start with: {_OPENING}", {"question": _OPENING}),
        )  # fmt: skip


def not_yes_no(row: Row) -> Iterator[Finding]:
    """A criterion is binary: its question has to be answerable with yes or no."""
    if not row.question.strip() or words.is_yes_no(row.question):
        return
    asked = None if words.SCORE.search(row.question) else rewrite.as_question(row.question)
    patch = _blank(row)
    if known := asked is not None and words.is_yes_no(asked):
        patch = row.change(f"Ask: {asked}", {"question": asked})
    elif len(several := _several(row.question)) > 1 and row.key.strip():
        patch = row.change(
            f"Ask: {' '.join(several)}",
            *_split(row, several),
        )
    yield row.finding(
        "not_yes_no", "This cannot be answered with yes or no.",
        f"Ask: {asked}" if known else 'Ask it as "Does the output …?" or "Is the output …?"', patch,
    )  # fmt: skip


def _several(statement: str) -> tuple[str, ...]:
    """Return the questions that the demands of one sentence come to, as a rubric's would."""
    if len(statement) > 600 or words.SCORE.search(statement):
        return ()
    asked = tuple(str(made.get("question", "")) for made in split_rubric(statement).criteria)
    sound = all(words.is_yes_no(one) and rewrite.BLANK not in one for one in asked)
    return asked if sound and len(asked) <= 4 else ()


def blank_left(row: Row) -> Iterator[Finding]:
    """A blank that nobody filled in asks nothing."""
    if rewrite.BLANK in row.question:
        yield row.finding(
            "blank_left", f"{rewrite.BLANK} in the question is still to be filled in.",
            "Write there what a text that passes shows, or take the criterion out.",
            row.remove("Take this criterion out"),
        )  # fmt: skip


def score_wording(row: Row) -> Iterator[Finding]:
    """Scores drift between readers and rounds; a yes or no can be compared and measured."""
    hit = words.SCORE.search(row.question)
    if hit is None:
        return
    asked = rewrite.unscored(row.question)
    patch = _blank(row)
    if known := (asked is not None and words.is_yes_no(asked) and not words.SCORE.search(asked)):
        patch = row.change(f"Ask: {asked}", {"question": asked})
    yield row.finding(
        "score_wording",
        f"{show(hit.group().strip())} asks for a score, and scores drift between readers.",
        f"Ask: {asked}" if known else "Ask a yes-or-no question about the level that is good enough.",
        patch,
    )  # fmt: skip


def vague_word(row: Row) -> Iterator[Finding]:
    """A word each reader fills differently makes two readers disagree."""
    if row.by_code:
        return
    found = words.vague(row.question)
    if found:
        hint = next((_HINTS[w.lower()] for w in found if w.lower() in _HINTS), None)
        yield row.finding(
            "vague_word",
            f"{', '.join(show(word) for word in found)} can mean something else to each reader.",
            "Say what can be seen in a text that passes and is missing in one that fails."
            if hint is None
            else f"Say what can be seen in a text that passes: {hint}.",
            _with_blanks(row, found),
        )


def _with_blanks(row: Row, found: Sequence[str]) -> Patch | None:
    """Return the patch that leaves a blank where each vague word stands: a person has to fill it."""
    asked = row.question
    for word in found:
        asked = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", rewrite.BLANK, asked)
    if asked == row.question or words.vague(asked) or not words.is_yes_no(asked):
        return _blank(row)
    return row.change(f"Leave a blank to fill in: {asked}", {"question": asked})


def comparison(row: Row) -> Iterator[Finding]:
    """Better or shorter than what? An evaluator sees one output and nothing beside it."""
    if row.by_code or words.OPEN_ENDED.search(row.question):
        return
    if (hit := words.comparison(row.question)) is None:
        return
    phrase, unseen = hit
    if unseen:
        yield row.finding(
            "comparison", f"{show(phrase)}: an evaluator sees one output and no earlier draft.",
            "Say what has to be true of this output alone.", _blank(row),
        )  # fmt: skip
        return
    # The place to fill in goes right behind the comparison where the question ends with it.
    trimmed = row.question.strip()
    patch = _blank(row)
    if trimmed[-1:] == "?" and trimmed[:-1].rstrip().lower().endswith(phrase.lower()):
        asked = f"{trimmed[:-1].rstrip()} than {rewrite.BLANK}?"
        patch = row.change(f"Ask: {asked}", {"question": asked})
    yield row.finding(
        "comparison", f"{show(phrase)} compares, and nothing says with what.",
        "Name what it is compared with, or give a limit.", patch,
    )  # fmt: skip


def negation(row: Row) -> Iterator[Finding]:
    """Some readers answer "Does it not …?" with no, some with yes, and mean the same."""
    if row.by_code or words.OPEN_ENDED.search(row.question):
        return
    phrase = words.negation(row.question)
    if phrase is None:
        return
    asked = rewrite.affirmed(row.question)
    patch = _blank(row)
    if known := (asked is not None and words.is_yes_no(asked) and words.negation(asked) is None):
        patch = row.change(f"Ask: {asked}", {"question": asked})
    yield row.finding(
        "negation", f"{show(phrase)} turns yes and no round, so readers mix up pass and fail.",
        f"Ask: {asked}" if known else 'Ask so that "yes" is a pass: "Does the output avoid …?"',
        patch,
    )  # fmt: skip


def _split(row: Row, questions: Sequence[str]) -> list[dict[str, Any]]:
    """Return the changes that make one criterion several, which share its weight."""
    weight = float((row.weight or 1) / len(questions))
    share = {"weight": weight} if row.weight not in (None, 1) else {}
    return [
        {"key": f"{row.key[:190]}-{n}", "question": one, "fail_example": "", **share}
        for n, one in enumerate(questions, 1)
    ]


def two_questions(row: Row) -> Iterator[Finding]:
    """One verdict for two questions cannot say which of them failed."""
    joined = words.second_question(row.question)
    if joined is None or suggest(row.question) is not None:
        # What one check decides is one question, however it is worded.
        return
    split = None if row.checked_by == CheckedBy.CODE.value else rewrite.parts(row.question)
    patch = None
    if split is not None and row.key.strip():
        # What passed both passes each; which of them the fail example fails is not known.
        patch = row.change(f"Split into {len(split)} criteria", *_split(row, split))
    elif split is None and (half := rewrite.halves(row.question, joined)) and row.key.strip():
        patch = row.change(
            "Split in two, the second to be completed",
            *_split(row, half),
        )
    elif (asked := rewrite.either(row.question)) is not None:
        patch = row.change(f"Either is enough: {asked}", {"question": asked})
    yield row.finding(
        "two_questions",
        f"{show(joined)} joins two questions, and one verdict cannot say which failed.",
        f"Split it: {' '.join(split)}" if patch and split
        else "Split it into two criteria, or say that either of the two is enough.", patch,
    )  # fmt: skip


def open_ended(row: Row) -> Iterator[Finding]:
    """A search without an end always finds something, so the loop never stops by itself."""
    if hit := words.OPEN_ENDED.search(row.question):
        yield row.finding(
            "open_ended",
            f"{show(hit.group().strip())} is a hunt without an end: a reader can always find more.",
            "Name the one fault to look for.",
            row.change(f"Ask: {_ONE_FAULT}", {"question": _ONE_FAULT}),
        )  # fmt: skip


def intent(row: Row) -> Iterator[Finding]:
    """A text shows what it says, not what its writer meant."""
    hit = words.INTENT.search(row.question)
    if hit is None:
        return
    asked = rewrite.without_intent(row.question)
    patch = _blank(row)
    if known := asked is not None and not words.INTENT.search(asked):
        patch = row.change(f"Ask: {asked}", {"question": asked})
    yield row.finding(
        "intent", f"{show(hit.group().strip())} asks what the writer meant, which no text shows.",
        f"Ask: {asked}" if known else "Ask what the text says.", patch,
    )  # fmt: skip


QUESTION_RULES: tuple[Callable[[Row], Iterator[Finding]], ...] = (
    no_question, blank_left, not_yes_no, score_wording, vague_word, comparison, negation,
    two_questions, open_ended, intent,
)  # fmt: skip
