"""Verdicts, the reasons for having none, people's labels, and the words files use for them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.errors import InputError, show

OVERALL = "overall"
"""The reserved criterion key of a label or verdict about the whole output."""


class Verdict(StrEnum):
    """What an evaluator says about one criterion of one output."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNKNOWN = "UNKNOWN"

    @property
    def accepts(self) -> bool:
        """Whether this verdict counts as PASS; UNKNOWN counts as FAIL."""
        return self is Verdict.PASS


class Unscored(StrEnum):
    """Why there is no verdict. Never FAIL, never PASS, in no rate; counted and shown."""

    REFUSED = "refused"
    TRUNCATED = "truncated"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    ERROR = "error"
    SKIPPED = "skipped"


class LabelValue(StrEnum):
    """What a person says about one criterion of one output; UNSURE is a missing label."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNSURE = "UNSURE"


@dataclass(frozen=True)
class CriterionVerdict:
    """A verdict on one criterion, or the reason why there is none (exactly one of the two).

    `evidence` names place and value; `change` says what to change when the verdict is not PASS.
    """

    verdict: Verdict | None
    evidence: str = ""
    change: str = ""
    unscored: Unscored | None = None

    def __post_init__(self) -> None:
        if (self.verdict is None) == (self.unscored is None):
            raise ValueError("a criterion verdict is either a verdict or an unscored reason")


def passed(evidence: str) -> CriterionVerdict:
    """Return a PASS with its evidence."""
    return CriterionVerdict(Verdict.PASS, evidence)


def failed(evidence: str, change: str = "") -> CriterionVerdict:
    """Return a FAIL with its evidence and what to change."""
    return CriterionVerdict(Verdict.FAIL, evidence, change)


def no_verdict(reason: Unscored, evidence: str = "") -> CriterionVerdict:
    """Return an unscored result with what is known about why."""
    return CriterionVerdict(None, evidence, unscored=reason)


# --- words in files -------------------------------------------------------------------------

PASS_WORDS = frozenset(
    {"pass", "passed", "true", "yes", "y", "1", "1.0", "met", "c", "correct", "good"}
)
FAIL_WORDS = frozenset(
    {"fail", "failed", "false", "no", "n", "0", "0.0", "unmet", "i", "incorrect", "bad"}
)
MISSING_WORDS = frozenset(
    {
        "",
        "unsure",
        "?",
        "n/a",
        "na",
        "nan",
        "none",
        "null",
        "-",
        "garbage",
        "error",
        "unscored",
        "skipped",
        *[reason.value for reason in Unscored],
    }
)
UNKNOWN_WORD = "unknown"


def fold_word(value: object) -> str:
    """Return the form in which two verdict words are compared: text, trimmed, case-folded.

    Invisible characters (zero-width, byte-order marks) are dropped, so that "\\u200bfail" is
    "fail". A whole number with zeros behind the point is that number, so that 1, "1" and "1.0"
    (what a column with gaps becomes in a spreadsheet or a dataframe) are one word.
    """
    if value is None:
        return ""
    text = unicodedata.normalize("NFKC", str(value))
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    word = text.strip().casefold()
    whole, point, zeros = word.partition(".")
    return whole if point and whole.isdigit() and zeros and not zeros.strip("0") else word


@dataclass(frozen=True)
class WordMap:
    """Which words of a column mean PASS and which mean FAIL.

    With only `passes` given, every other word is FAIL, except the missing words. With both, a
    word in neither list is missing if it is one of `MISSING_WORDS`, else an error. The choice is
    kept with the import it was made for and printed beside its numbers.
    """

    passes: frozenset[str]
    fails: frozenset[str] | None = None

    @classmethod
    def of(cls, passes: Iterable[object], fails: Iterable[object] | None = None) -> WordMap:
        """Return a map from words as typed; raises InputError when a word is in both lists."""
        yes = frozenset(fold_word(word) for word in passes)
        no = None if fails is None else frozenset(fold_word(word) for word in fails)
        if no is not None and yes & no:
            raise InputError(
                "verdict words",
                f"{show(min(yes & no))} is given as both PASS and FAIL.",
                "Keep it in one list.",
            )
        return cls(yes, no)

    def read(self, value: object, *, place: str, judge: bool) -> Verdict | None:
        """Return the verdict `value` stands for, or None when there is none.

        `judge` tells the two columns apart: "unknown" is UNKNOWN from a judge and a missing
        label from a person. Raises InputError naming `place` for a word that is not mapped.
        """
        word = fold_word(value)
        if word in self.passes:
            return Verdict.PASS
        if self.fails is not None and word in self.fails:
            return Verdict.FAIL
        if word == UNKNOWN_WORD:
            return Verdict.UNKNOWN if judge else None
        if word in MISSING_WORDS:
            return None
        if self.fails is None:
            return Verdict.FAIL
        raise InputError(
            place,
            f"{show(value)} is not one of the words for PASS or FAIL.",
            "Map it to PASS or FAIL, or clear the cell.",
        )


def suggest_words(values: Iterable[object]) -> tuple[list[str], list[str], list[str]]:
    """Sort the distinct words of a column into (looks like PASS, looks like FAIL, not known).

    A suggestion to show, never an assumption: 0 and 1 stay "not known", because tools disagree
    on which of them means pass. Missing words are left out.
    """
    seen = dict.fromkeys(fold_word(value) for value in values)
    known = [w for w in seen if w not in MISSING_WORDS and w != UNKNOWN_WORD]
    numeric = {"0", "1", "0.0", "1.0"}
    yes = [w for w in known if w in PASS_WORDS - numeric]
    no = [w for w in known if w in FAIL_WORDS - numeric]
    return yes, no, [w for w in known if w not in yes and w not in no]
