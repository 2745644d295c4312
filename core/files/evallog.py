"""What an evaluation log of another tool holds, whichever tool wrote it, and what becomes of it.

A log brings outputs with scores. Each scorer or assertion is a criterion; what its scores mean
(words, or a number from which on it is a PASS) and which criterion of the contract it belongs to
is a choice, with what is known offered. A score that is none (NaN, an error) is unscored.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.contract.contract import Contract, exact
from core.contract.criterion import CheckedBy, Criterion
from core.errors import InputError, show
from core.files.labels import LabelRow, LabelsFile
from core.files.outputs import OutputRow, OutputsFile, outputs_of
from core.files.problems import Problem
from core.files.repeats import collapse
from core.files.tables import Table
from core.files.verdicts import VerdictRow, VerdictsFile
from core.verdict import (
    OVERALL,
    CriterionVerdict,
    LabelValue,
    Unscored,
    Verdict,
    WordMap,
    fold_word,
)

TOOLS = {"inspect": "Inspect", "promptfoo": "promptfoo"}
"""The names of the tools, under which their scores are shown unless somebody says otherwise."""


@dataclass(frozen=True)
class Score:
    """One scorer's score of one output: a word or a number as text, or why there is none."""

    sample_id: str
    trial: int
    scorer: str
    word: str
    evidence: str = ""
    unscored: Unscored | None = None
    line: int = 0


@dataclass(frozen=True)
class Rating:
    """What a person said of an output in the other tool."""

    sample_id: str
    trial: int
    passed: bool
    note: str = ""
    line: int = 0


@dataclass(frozen=True)
class Scorer:
    """A criterion as the log knows it: its question where the log has one, `judged` by a model."""

    name: str
    question: str = ""
    judged: bool = False


@dataclass(frozen=True)
class EvalLog:
    """One log. `line` of a row counts samples in the file from 1; `said` is about the whole run.

    `warnings` are what a person must know before using the numbers: a run that was cancelled,
    samples that are not there.
    """

    name: str
    sha256: str
    kind: str
    title: str
    rows: Sequence[OutputRow]
    scores: Sequence[Score]
    scorers: Sequence[Scorer]
    ratings: Sequence[Rating] = ()
    problems: Sequence[Problem] = ()
    said: Sequence[str] = ()
    warnings: Sequence[str] = ()
    encoding: str = "utf-8"

    def words(self, scorer: str) -> Counter[str]:
        """Count the words (or numbers) a scorer gave, as compared; unscored ones are not in it."""
        return Counter(
            fold_word(s.word) for s in self.scores if s.scorer == scorer and s.unscored is None
        )

    def unscored(self, scorer: str) -> int:
        """Count the outputs a scorer gave no score."""
        return sum(s.scorer == scorer and s.unscored is not None for s in self.scores)


@dataclass(frozen=True)
class Choice:
    """What one scorer becomes: a criterion (None: left out), and how its scores are read.

    `at_least` is the number from which on a score is a PASS; without it `words` decide.
    """

    criterion: str | None
    words: WordMap = field(default_factory=lambda: WordMap(frozenset()))
    at_least: float | None = None

    @property
    def complete(self) -> bool:
        """Whether the scores can be read."""
        return self.criterion is None or self.at_least is not None or bool(self.words.passes)


# Inspect gives C 1, P 0.5, I and N 0; a binary verdict needs all of it, so P is offered as FAIL.
_PASS = {"inspect": ("c", "1", "true", "yes"), "promptfoo": ("true",)}
_FAIL = {"inspect": ("i", "p", "n", "0", "false", "no"), "promptfoo": ("false",)}


def suggest_choice(log: EvalLog, scorer: str, contract: Contract | None) -> Choice:
    """Return what is known of a scorer, to be offered: its criterion by name, its words."""
    words = log.words(scorer)
    keys = () if contract is None else contract.keys
    same = {key.casefold(): key for key in keys}
    criterion: str | None = same.get(scorer.casefold())
    if scorer.casefold() == OVERALL:
        criterion = OVERALL
    if criterion is None:
        fits = contract is None and new_key(scorer) is not None
        only = len(log.scorers) == 1 and contract is not None
        criterion = scorer if fits else (OVERALL if only else None)
    yes = [word for word in words if word in _PASS[log.kind]]
    no = [word for word in words if word in _FAIL[log.kind]]
    if set(words) <= {*yes, *no}:
        passes = yes or [w for w in _PASS[log.kind][:1] if words]
        return Choice(criterion, WordMap.of(passes, no))
    return Choice(criterion, WordMap.of(yes, no) if yes else WordMap(frozenset()))


def numeric(words: Mapping[str, int]) -> bool:
    """Return whether a scorer's words are numbers, and more than the two that could be words."""
    return extent(words) is not None and not set(words) <= {"0", "1", "true", "false"}


def extent(words: Mapping[str, int]) -> tuple[float, float] | None:
    """Return the smallest and the largest of a scorer's numbers, None if any word is none."""
    numbers = [_number(word) for word in words]
    known = [n for n in numbers if n is not None]
    return (min(known), max(known)) if known and len(known) == len(numbers) else None


def new_key(scorer: str) -> str | None:
    """Return the criterion key a scorer's name can be, or None."""
    try:
        return Criterion(key=scorer).key
    except ValueError:
        return None


def contract_of(log: EvalLog, choices: Mapping[str, Choice]) -> Contract:
    """Return a first contract with the criteria of a log, to be completed by a person.

    What code decided over there is a verdict recorded elsewhere here; what a model decided is a
    judge's criterion.
    """
    criteria = []
    for scorer in log.scorers:
        choice = choices.get(scorer.name)
        if choice is None or choice.criterion in (None, OVERALL):
            continue
        question = scorer.question or f"Does the output pass {scorer.name!r}?"
        by = CheckedBy.JUDGE if scorer.judged else CheckedBy.CODE
        check = None if scorer.judged else {"kind": "recorded", "by": log.kind}
        criteria.append(
            Criterion(key=str(choice.criterion), question=question, checked_by=by, check=check)
        )
    return Contract(title=log.title, criteria=tuple(criteria))


def as_table(log: EvalLog) -> Table:
    """Return the log as a table without rows: its name, problems and identity for an import."""
    return Table(
        log.name, (), [], [], tuple(log.problems), log.encoding, None, log.kind, log.sha256
    )  # fmt: skip


def log_outputs(log: EvalLog) -> OutputsFile:
    """Return the outputs in a log; repeats of an output with other content are conflicts."""
    return outputs_of(list(log.rows), list(log.problems))


def log_verdicts(log: EvalLog, choices: Mapping[str, Choice], judge: str) -> VerdictsFile:
    """Return the scores as verdicts of `judge`; a word with no meaning is a problem.

    Raises InputError for a blank name and for two scorers that become one criterion.
    """
    if not judge.strip():
        raise InputError(log.name, "the scorer has no name here.", "Type one.")
    taken = Counter(c.criterion for c in choices.values() if c.criterion is not None)
    twice = [key for key, n in taken.items() if n > 1]
    if twice:
        raise InputError(
            log.name, f"two scorers become the criterion {show(twice[0])}.",
            "Give each a criterion of its own, or leave one out.",
        )  # fmt: skip
    found: list[VerdictRow] = []
    problems: list[Problem] = []
    for score in log.scores:
        choice = choices.get(score.scorer)
        if choice is None or choice.criterion is None:
            continue
        try:
            result = _result(score, choice)
        except InputError as error:
            problems.append(Problem(score.line, str(error)))
            continue
        found.append(
            VerdictRow(
                score.sample_id,
                score.trial,
                choice.criterion,
                judge.strip(),
                result,
                {},
                score.line,
            )
        )
    rows, duplicates, conflicts = collapse(found, lambda row: row.key)
    unscored = Counter(r.result.unscored.value for r in rows if r.result.unscored is not None)
    return VerdictsFile(rows, problems, duplicates, conflicts, dict(unscored))


def _result(score: Score, choice: Choice) -> CriterionVerdict:
    if score.unscored is not None:
        return CriterionVerdict(None, score.evidence, "", score.unscored)
    if choice.at_least is None:
        verdict = choice.words.read(score.word, place=f"score of {score.scorer}", judge=True)
        reason = None if verdict is not None else Unscored.UNREADABLE
        return CriterionVerdict(verdict, score.evidence, "", reason)
    number = _number(score.word)
    if number is None:
        said = f"the score {show(score.word)} is no number"
        return CriterionVerdict(None, f"{said}. {score.evidence}".strip(), "", Unscored.UNREADABLE)
    passed = exact(number) >= exact(choice.at_least)
    evidence = f"score {score.word}, PASS from {choice.at_least:g}"
    return CriterionVerdict(
        Verdict.PASS if passed else Verdict.FAIL, f"{evidence}. {score.evidence}".strip(". ")
    )


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(fold_word(word))
    return value if math.isfinite(value) else None


def log_labels(log: EvalLog, reviewer: str) -> LabelsFile:
    """Return people's ratings as labels of `reviewer` on the output as a whole."""
    rows = [
        LabelRow(
            r.sample_id, r.trial, OVERALL, reviewer,
            LabelValue.PASS if r.passed else LabelValue.FAIL, r.note, line=r.line,
        )
        for r in log.ratings
    ]  # fmt: skip
    kept, duplicates, conflicts = collapse(rows, lambda row: row.key)
    return LabelsFile(kept, [], duplicates, conflicts, {})


def kept_choices(choices: Mapping[str, Choice]) -> dict[str, Any]:
    """Return the choices in the form kept with the import; `scorers` holds them one by one."""
    kept = {n: c for n, c in choices.items() if c.criterion is not None}
    numbers = {f"{n}: from {c.at_least:g}" for n, c in kept.items() if c.at_least is not None}
    worded = [c.words for c in kept.values() if c.at_least is None]
    rest = any(words.fails is None for words in worded)
    return {
        "pass": sorted({word for words in worded for word in words.passes} | numbers),
        "fail": None if rest else sorted({w for words in worded for w in words.fails or ()}),
        "scorers": {
            n: {"criterion": c.criterion, "at_least": c.at_least, "pass": sorted(c.words.passes)}
            for n, c in choices.items()
        },
    }


def refuse_unread(log: EvalLog, choices: Mapping[str, Choice]) -> None:
    """Raise InputError naming the first scorer whose scores have no meaning yet."""
    for scorer, choice in choices.items():
        if choice.complete or not log.words(scorer):
            continue
        words = log.words(scorer)
        listed = ", ".join(f"{word} × {n:,}" for word, n in words.most_common(8))
        remedy = (
            f"Say from which number on it is a PASS (--pass-from {scorer}=0.5)"
            if numeric(words)
            else "Say which words mean PASS (--pass WORD)"
        )
        raise InputError(
            f"{log.name}, scorer {show(scorer)}", f"its scores have no meaning yet: {listed}.",
            f"{remedy}, or leave it out (--leave-out {scorer}).",
        )  # fmt: skip
