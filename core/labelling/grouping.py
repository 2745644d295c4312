"""From notes to criteria: a first sorting of notes by shared words, and a criterion from a group.

The sorting looks at words alone and understands nothing: it saves the first clicks, no more. The
criterion is a proposal too; its question, its examples and who checks it are there to be edited.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from core.checks.registry import build
from core.contract.criterion import CheckedBy
from core.contract.lint_words import CASE
from core.contract.rewrite import as_question, gerund
from core.contract.suggest import suggest
from core.text import fold, words
from core.verdict import OVERALL, Verdict

MOST = 9
"""Groups that are suggested at most: as many as have a key of their own."""

_ABSENT = frozenset({"no", "not", "missing", "without", "lacks", "lacking", "absent", "omits"})
_STOP = _ABSENT | frozenset(
    {"a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "bad", "be", "been", "but",
     "by", "can", "could", "did", "do", "does", "doesn't", "don't", "for", "from", "good", "had",
     "has", "have", "here", "if", "in", "is", "isn't", "it", "it's", "its", "just", "more", "much",
     "never", "none", "of", "ok", "okay", "on", "only", "or", "out", "output", "quite", "reply",
     "should", "so", "some", "than", "that", "the", "them", "then", "there", "they", "this", "to",
     "too", "very", "was", "were", "what", "when", "which", "while", "who", "will", "with", "would",
     "wrong", "you", "your"}
)  # fmt: skip


@dataclass(frozen=True)
class Pile:
    """Notes that belong together, by the store ids of their outputs, under a name."""

    name: str
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Labelled:
    """An output's text and whether it was called good."""

    text: str
    good: bool


def suggest_groups(notes: Mapping[int, str]) -> list[Pile]:
    """Return groups of the notes (by output id) that share a content word, at most MOST of them.

    Greedy and deterministic: the word that most notes not yet grouped share makes the next group;
    ties go to the word that comes first. A word in more than half of all notes tells little apart
    and comes last. What shares nothing with another note is in no group.
    """
    kept = {output: list(dict.fromkeys(_content(note))) for output, note in notes.items()}
    order = {word: at for at, word in enumerate(w for found in kept.values() for w in found)}
    everywhere = Counter(word for found in kept.values() for word in found)
    left, piles = dict(kept), list[Pile]()
    while len(piles) < MOST:
        counts = Counter(word for found in left.values() for word in found)
        shared = [word for word, count in counts.items() if count > 1]
        if not shared:
            break
        common = {word: everywhere[word] * 2 > len(notes) for word in shared}
        word = min(shared, key=lambda w: (common[w], -counts[w], order[w]))
        chosen = tuple(output for output, found in left.items() if word in found)
        piles.append(Pile(name_of([notes[output] for output in chosen]), chosen))
        left = {output: found for output, found in left.items() if output not in chosen}
    return piles


def name_of(notes: Sequence[str]) -> str:
    """Return what all the notes share: their common words as the first note writes them.

    With "No" before them if each note says that something is missing, "Too" likewise. Without a common word, the
    first note itself, cut at a word; "New group" if there is nothing to go by.
    """
    if not notes:
        return "New group"
    common = set.intersection(*(set(_content(note)) for note in notes))
    told = list(dict.fromkeys(w for w in words(fold(notes[0])) if _stem(w) in common))[:5]
    if len(notes) == 1 or not told:
        told = words(" ".join(notes[0].split())[:200])[:8] or ["New", "group"]
    elif all(_ABSENT & set(words(fold(note))) for note in notes):
        told = ["no", *told]
    elif all("too" in words(fold(note)) for note in notes):
        told = ["too", *told]
    name = " ".join(told)[:80].rstrip()
    return name[:1].upper() + name[1:]


def _content(note: str) -> Iterable[str]:
    return (_stem(w) for w in words(fold(note)) if w not in _STOP and (len(w) > 1 or w.isdigit()))


def _stem(word: str) -> str:
    """Return the word without a plural s: all the stemming there is."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


# --- from a group to a criterion ---------------------------------------------------------------


def criterion_from_group(
    name: str, group: Sequence[Labelled], others: Sequence[Labelled], taken: Collection[str] = ()
) -> dict[str, Any]:
    """Return a criterion as plain data, made from a group's name and its labelled outputs.

    A group that holds a bad output is one of faults: a bad output of the group fails, a good one
    outside it passes. A group of good outputs alone is one of merits: a good output of the group
    passes, a bad one outside it fails. An example nothing is there for is "". Code decides where
    the question's words name a check and that check agrees with an example of each kind.
    """
    faults = any(not one.good for one in group) or not group
    inside, outside = ([o for o in side if o.text.strip()] for side in (group, others))
    bad = [o.text for o in (inside if faults else outside) if not o.good]
    spoilt = {o.text for o in (*inside, *outside) if not o.good}
    good = [o.text for o in (outside if faults else inside) if o.good and o.text not in spoilt]
    question = question_for(name, faults=faults)
    row: dict[str, Any] = {
        "key": free_key(name, taken),
        "question": question,
        "checked_by": CheckedBy.JUDGE.value,
        "pass_example": typical(good),
        "fail_example": typical(bad),
    }
    found = suggest(question)
    if found is not None and found.surely and len(found.specs) == 1:
        check = build(found.specs[0])
        passing = [text for text in good if check.run(text).verdict is Verdict.PASS]
        failing = [text for text in bad if check.run(text).verdict is Verdict.FAIL]
        if passing and failing:
            row |= {
                "checked_by": CheckedBy.CODE.value, "check": dict(found.specs[0]),
                "pass_example": typical(passing), "fail_example": typical(failing),
            }  # fmt: skip
    return row


def typical(texts: Sequence[str]) -> str:
    """Return the shortest text that has at least half the median length, or "" without any.

    Short, because it is read beside every output; not the very shortest, which is often a stump.
    Ties go to the first.
    """
    if not texts:
        return ""
    least = median(len(text) for text in texts) / 2
    return min((text for text in texts if len(text) >= least), key=len)


def free_key(name: str, taken: Collection[str]) -> str:
    """Return a criterion key made of a group's name that is not among `taken`."""
    stem = "-".join(words(fold(name)))[:60].strip("-") or "criterion"
    stem = f"output-{stem}" if stem == OVERALL else stem
    key, number = stem, 2
    while key in taken:
        key, number = f"{stem}-{number}", number + 1
    return key


_DEMAND = re.compile(
    r"^(?:please |always |never |do not |don['’]t |make sure |ensure )"
    r"|^(?:at most|at least|no more than|not more than|up to|max(?:imum)?|min(?:imum)?) "
    r"|\b(?:must|should|shall|needs? to|ha(?:s|ve) to|ought to)\b",
    CASE,
)
_LACKS = re.compile(
    r"^(?:(?:it |the \w+ )?(?:there (?:is|are) )?(?:no|missing|lacks?|lacking|without|omits?|misses"
    r"|forgets?|leaves out)) (?P<a>(?!longer\b|more\b).+)$"
    r"|^(?P<b>.+?) (?:(?:is|are) )?(?:missing|absent|left out|not there)$",
    CASE,
)
_NOT_DONE = re.compile(
    r"^(?:(?:it|the \w+) )?(?:does not|doesn['’]t|did not|didn['’]t|fails? to) (?P<rest>.+)$", CASE
)
_NOT = re.compile(r"^(?:(?:it|the \w+) )?(?:(?:is )?not|isn['’]t) (?P<rest>.+)$", CASE)
_BEING = re.compile(
    r"^(?:(?:(?:it|the \w+) )?is (?P<is>.+)"
    r"|(?P<too>(?:too|over|under|longer|shorter|more|fewer|less) .+))$",
    CASE,
)
_FAULTY = re.compile(
    r"^(?:(?:it|the \w+) )?(?P<verb>blam|invent|ignor|rambl|hallucinat|contradict|overpromis|repeat"
    r"|misstat|assum|exaggerat|guess|promis|insult|threaten|lectur|confus|mislead|misquot|leak)"
    r"(?P<end>es|e|s|ing)?\b(?P<rest>.*)$",
    CASE,
)
_OUTPUT = "the output"


def question_for(name: str, *, faults: bool) -> str:
    """Return the yes-or-no question (yes is a pass) for a group's name.

    A demand or a question is asked as it stands. With `faults`, any other name says what the
    group's outputs do wrong ("No date", "Blames the customer"), so that yes means they do not.
    """
    text = " ".join(name.split())
    if text.endswith("?"):
        return text
    text = text.rstrip(".;,:! ") or "[…]"
    if not faults:
        return as_question(text) or f"Does {_OUTPUT} have this merit: {text}?"
    if _DEMAND.search(text) and (asked := as_question(text)):
        return asked
    if hit := _LACKS.match(text):
        return f"Does {_OUTPUT} include {_small(hit['a'] or hit['b'])}?"
    if hit := _NOT_DONE.match(text):
        return f"Does {_OUTPUT} {hit['rest']}?"
    if hit := _NOT.match(text):
        return f"Is {_OUTPUT} {hit['rest']}?"
    if hit := _BEING.match(text):
        return f"Does {_OUTPUT} avoid being {_small(hit['is'] or hit['too'])}?"
    if hit := _FAULTY.match(text):
        being = "being " if (hit["end"] or "").lower() == "ing" and not hit["rest"] else ""
        return f"Does {_OUTPUT} avoid {being}{hit['verb'].lower()}ing{hit['rest']}?"
    asked = as_question(text)
    if asked and (does := re.match(rf"Does {_OUTPUT} (?P<verb>\w+)(?P<rest>.*)\?$", asked)):
        third = fold(text).split(" ", 1)[0].endswith("s")
        return f"Does {_OUTPUT} avoid {gerund(does['verb'])}{does['rest']}?" if third else asked
    avoided = f"Does {_OUTPUT} avoid {_small(text)}?"
    return avoided if suggest(avoided) else f"Does {_OUTPUT} avoid this fault: {_small(text)}?"


def _small(text: str) -> str:
    """Return `text` with a small first letter, unless its first word is an acronym or a name."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() else text[:1].lower() + text[1:]
