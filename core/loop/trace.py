"""The log of one task: its rounds, how it ended, and what can be said from it about acceptance.

A recorded round without verdicts (a score only) does not say whether it was accepted. Then the
contract written into the trace tells, by comparing the score with what the contract needs;
without a contract the recorded exit tells: the passing round was accepted, the others were not.
Where neither tells, acceptance is None, and a replay that needs it is censored. It is not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from core.contract.contract import Contract, StopRule, needed
from core.contract.criterion import CheckedBy
from core.judging.judgement import Judgement, acceptance, first_unscored, judgement_score, missing
from core.loop.stop import NO_PROGRESS, Arm, Exit
from core.verdict import LabelValue, Unscored, Verdict

BEYOND = "beyond_rule"
"""Mark in a round's `extra`: recorded after the rule had ended the loop, for looking at others."""


@dataclass(frozen=True)
class Round:
    """One draft and its judgement, as logged.

    `draft` is None when the generator gave none (`error` says why). `judgement` is None when
    nobody read the draft, or when only a score was recorded. `score` is None when unscored.
    Tokens, seconds and usd are None where they were not recorded. `gold` is PASS, FAIL or None.
    `checked_by` says per criterion who decided; `extra` keeps what else stood in a file.
    """

    number: int
    draft: str | None
    fingerprint: str | None
    judgement: Judgement | None = None
    score: Fraction | None = None
    feedback: str = ""
    generate_calls: int = 1
    judge_calls: int = 0
    reused: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    seconds: float | None = None
    usd: float | None = None
    gold: LabelValue | None = None
    error: str = ""
    checked_by: Mapping[str, CheckedBy] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """Generate and judge calls of this round."""
        return self.generate_calls + self.judge_calls

    @property
    def made(self) -> bool:
        """Whether there is a draft (its text, or at least its fingerprint)."""
        return self.draft is not None or self.fingerprint is not None

    @property
    def beyond(self) -> bool:
        """Whether the round was recorded after the loop's own rule had ended it."""
        return self.extra.get(BEYOND) is True

    @property
    def read(self) -> bool:
        """Whether an evaluator judged the draft: verdicts or a score, and not unscored."""
        if self.judgement is None or self.judgement.unscored is not None:
            return self.score is not None
        return bool(self.judgement.verdicts) or self.score is not None


@dataclass(frozen=True)
class Trace:
    """The rounds of one task in one arm, in order of their numbers.

    `contract` is the contract itself, or its content hash, or None. `exit` and `returned_round`
    are what was recorded, None if nothing was. Round numbers start at 1, or at 0 if the log did.
    """

    trace_id: str
    arm: Arm
    sample_id: str
    trial: str = "1"
    input: str = ""
    contract: Contract | str | None = None
    stop: StopRule | None = None
    rounds: tuple[Round, ...] = ()
    exit: Exit | None = None
    returned_round: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def first_number(self) -> int:
        """0 for a log that counts from 0, else 1."""
        return 0 if any(r.number == 0 for r in self.rounds) else 1

    @property
    def gaps(self) -> tuple[int, ...]:
        """Numbers of rounds that were never recorded, between the first and the last."""
        have = {r.number for r in self.rounds}
        return tuple(n for n in range(self.first_number, max(have, default=0)) if n not in have)

    @property
    def rule(self) -> StopRule | None:
        """The stop rule of the trace, else of its contract, else None."""
        if self.stop is None and isinstance(self.contract, Contract):
            return self.contract.stop
        return self.stop

    @property
    def uses_judge(self) -> bool:
        """Whether a round of this trace needs room for a judge call beside the generate call."""
        if isinstance(self.contract, Contract):
            return uses_judge(self.contract)
        return any(
            r.judge_calls > 0 or CheckedBy.JUDGE in r.checked_by.values() for r in self.rounds
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """Criterion keys: the contract's, else all that stand in the rounds."""
        if isinstance(self.contract, Contract):
            return self.contract.keys
        return tuple(
            dict.fromkeys(k for r in self.rounds if r.judgement for k in r.judgement.verdicts)
        )

    @property
    def used(self) -> Trace:
        """The trace without the rounds recorded beyond its own rule: what the loop itself did."""
        if not any(r.beyond for r in self.rounds):
            return self
        return replace(self, rounds=tuple(r for r in self.rounds if not r.beyond))

    def round(self, number: int) -> Round | None:
        """Return the (first) round with this number, or None."""
        return next((r for r in self.rounds if r.number == number), None)


NOT_GIVEN = "no verdict on "
"""How the detail of a judgement begins that lacks criteria."""


def uses_judge(contract: Contract) -> bool:
    """Return whether any criterion of the contract is put to a judge."""
    return any(c.checked_by is CheckedBy.JUDGE for c in contract.criteria)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a judgement means for the loop.

    `accepted` True, False, or None (cannot be told); `score` None when there is none;
    `unscored` the reason when there is no judgement, with `detail`.
    """

    accepted: bool | None
    score: Fraction | None
    unscored: Unscored | None = None
    detail: str = ""


def outcome_by(contract: Contract, judgement: Judgement) -> Outcome:
    """Return what `judgement` means under `contract`; missing criteria make it unscored."""
    reason, detail = judgement.unscored, judgement.detail
    if reason is None and (gone := missing(contract, judgement.verdicts)):
        reason, detail = Unscored.UNREADABLE, NOT_GIVEN + ", ".join(map(repr, gone))
    if reason is None:
        known = {k: v for k, v in judgement.verdicts.items() if k in contract.keys}
        reason, detail = first_unscored(known)
    if reason is not None:
        return Outcome(None, None, reason, detail)
    return Outcome(acceptance(contract, judgement), judgement_score(contract, judgement))


def recorded_outcome(trace: Trace, index: int) -> Outcome | None:
    """Return what the judgement of round `index` (0-based) means, or None if it has none.

    Without a contract in the trace verdicts are read by the default rule, all must pass; if the
    trace names a contract by hash and recorded PASS on this round all the same, its rule is one
    we do not have, and acceptance is None.
    """
    this = trace.rounds[index]
    judgement = this.judgement
    if judgement is None:
        return _outcome_of_score(trace, index)
    if isinstance(trace.contract, Contract):
        return outcome_by(trace.contract, judgement)
    reason, detail = judgement.unscored, judgement.detail
    if reason is None:
        reason, detail = first_unscored(judgement.verdicts)
    gone = [key for key in trace.keys if key not in judgement.verdicts]
    if reason is None and gone:
        reason, detail = Unscored.UNREADABLE, NOT_GIVEN + ", ".join(map(repr, gone))
    if reason is not None:
        return Outcome(None, None, reason, detail)
    verdicts = judgement.verdicts.values()
    passes = sum(v.verdict is Verdict.PASS for v in verdicts)
    accepted: bool | None = passes == len(verdicts) and passes > 0
    if not accepted and isinstance(trace.contract, str) and recorded_pass(trace, index):
        accepted = None
    return Outcome(accepted, Fraction(passes))


def _outcome_of_score(trace: Trace, index: int) -> Outcome | None:
    this = trace.rounds[index]
    if not any(r.judgement is None and r.score is not None for r in trace.rounds):
        return None
    if this.score is not None and isinstance(trace.contract, Contract):
        return Outcome(this.score >= needed(trace.contract), this.score)
    if _went_on(trace, index):
        return Outcome(False, this.score)
    if this.score is None:  # no score: only an exit that needs a judged round says it was one
        return Outcome(False, None) if trace.exit in _AFTER_A_JUDGED_ROUND else None
    return Outcome(None if trace.exit is None else recorded_pass(trace, index), this.score)


_AFTER_A_JUDGED_ROUND = NO_PROGRESS | {Exit.CAP, Exit.BUDGET}


def _went_on(trace: Trace, index: int) -> bool:
    """Whether the recorded loop made another draft after this round, so had not accepted it."""
    return index + 1 < len(trace.rounds) and not recorded_pass(trace, index)


def recorded_pass(trace: Trace, index: int) -> bool:
    """Return whether the record says that round `index` (0-based) passed and ended the loop."""
    number = trace.returned_round
    if number is None and trace.rounds:
        number = trace.rounds[-1].number
    return trace.exit is Exit.PASS and trace.rounds[index].number == number
