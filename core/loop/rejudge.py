"""Recorded drafts under another judge or another contract: where each loop would have stopped.

Only what was drafted is known. A loop that would have gone on past its last recorded draft is
unknown, and so is one that needs a verdict nobody gave. Until the first round that is decided
otherwise the drafts are what they would have been; after it they are drafts for other feedback,
which is said wherever a number is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.checks.registry import Check
from core.contract.contract import Contract
from core.contract.criterion import CheckedBy
from core.judging.judge import skipped_by_code
from core.judging.judgement import Judgement, settled
from core.loop.replay import outcomes_of, replay, walked
from core.loop.stop import Exit
from core.loop.trace import Round, Trace
from core.verdict import CriterionVerdict, Unscored, no_verdict

_HAPPENED = frozenset({Exit.CANCELLED, Exit.GENERATOR_ERROR})
"""Exits that no evaluator decides."""
_SKIPPED = "a code check had already decided"

Said = Mapping[str, CriterionVerdict]


def recorded_verdicts(contract: Contract, trace: Trace, this: Round) -> Said:
    """Return the verdicts of a round that hold under `contract`: those on criteria worded alike.

    None where the trace's own contract is not known, or the round has no judgement.
    """
    own = trace.contract
    if not isinstance(own, Contract) or this.judgement is None:
        return {}
    return {
        key: verdict
        for key, verdict in this.judgement.verdicts.items()
        if key in own.by_key
        and key in contract.by_key
        and own.by_key[key].verdict_hash == contract.by_key[key].verdict_hash
    }


def judged_again(
    contract: Contract,
    checks: Mapping[str, Check],
    draft: str | None,
    reference: str | None,
    recorded: Said,
    said: Said | None,
) -> Judgement | None:
    """Return what `contract` makes of a draft, or None where a verdict it needs was never given.

    `checks` are run. Judged criteria take their verdict from `said`, the other judge's, or, if that
    is None, from `recorded`, as criteria decided by people or checked elsewhere do.
    """
    if draft is None:
        return None
    code: dict[str, CriterionVerdict] = {}
    for c in contract.criteria:
        if c.checked_by is not CheckedBy.CODE:
            continue
        if c.key in checks:
            code[c.key] = checks[c.key].run(draft, reference)
        elif c.key in recorded:
            code[c.key] = recorded[c.key]
        else:
            return None
    skipped = skipped_by_code(contract, code)
    verdicts = dict(code)
    for c in contract.criteria:
        if c.checked_by is CheckedBy.PERSON and c.key in recorded:
            verdicts[c.key] = recorded[c.key]
        if c.checked_by is not CheckedBy.JUDGE:
            continue
        given = (recorded if said is None else said).get(c.key)
        if c.key in skipped:
            given = no_verdict(Unscored.SKIPPED, _SKIPPED)
        if given is None or (given.unscored is Unscored.SKIPPED and c.key not in skipped):
            return None
        verdicts[c.key] = given
    return settled(contract, verdicts)


def with_judgements(
    trace: Trace, contract: Contract, judgements: Sequence[Judgement | None]
) -> Trace:
    """Return the trace as if these judgements had been given, under its own stop rule."""
    rounds = tuple(
        replace(r, judgement=j, score=None, error=r.error if not r.made else "")
        for r, j in zip(trace.rounds, judgements, strict=True)
    )
    exit = trace.exit if trace.exit in _HAPPENED else None
    return replace(
        trace, contract=contract, stop=trace.rule, rounds=rounds, exit=exit, returned_round=None
    )


@dataclass(frozen=True, slots=True)
class Again:
    """One trace as it was recorded and as it would have ended.

    `now` is None where that is unknown, and `why` says so. Rounds count drafts; `good` and
    `was_good` are the gold labels of the drafts handed back.
    """

    trace_id: str
    sample_id: str
    was: Exit | None
    was_rounds: int
    was_good: bool | None
    now: Exit | None
    rounds: int
    good: bool | None
    why: str = ""
    unjudged: bool = False

    @property
    def known(self) -> bool:
        """Whether both ends are known, so that they can be compared."""
        return self.was is not None and self.now is not None

    @property
    def earlier(self) -> bool:
        """Whether it would have stopped earlier."""
        return self.known and self.rounds < self.was_rounds

    @property
    def accepts_bad(self) -> bool:
        """Whether it would have accepted a draft whose gold label is FAIL."""
        return self.now is Exit.PASS and self.good is False

    @property
    def gives_up(self) -> bool:
        """Whether it would have accepted nothing where the loop accepted a good draft."""
        return self.now is not Exit.PASS and self.was is Exit.PASS and self.was_good is True

    @property
    def wrongly(self) -> bool:
        """Whether it would have stopped earlier, and wrongly."""
        return self.earlier and (self.accepts_bad or self.gives_up)

    @property
    def label_lacking(self) -> bool:
        """Whether it stops earlier and nobody knows if rightly: no gold label decides it."""
        if not self.earlier or self.wrongly:
            return False
        lost = self.now is not Exit.PASS and self.was is Exit.PASS and self.was_good is None
        return lost or (self.now is Exit.PASS and self.good is None)


def compared(trace: Trace, again: Trace) -> Again:
    """Return a recorded trace beside itself judged again (`with_judgements`)."""
    was = replay(trace)
    state, missing = walked(again, again.rule, outcomes_of(again))
    now = None if state is None or missing else state.exit
    if state is not None and now is Exit.EVALUATOR_ERROR and was.exit is not now:
        # Asked again it may well be read: a verdict that is lacking is neither PASS nor FAIL.
        now, missing = None, f"round {state.number} was never judged: the judge's word is unscored"
    back = None if state is None or now is None else state.returned
    gold = None if back is None else trace.round(back)
    good = None if gold is None or gold.gold is None else gold.gold == "PASS"
    return Again(
        trace.trace_id, trace.sample_id, was.exit, was.rounds, was.good, now,
        0 if state is None else state.drafts, good, missing,
        unjudged="never judged" in missing,
    )  # fmt: skip


@dataclass(frozen=True)
class Rejudged:
    """Many traces judged again, in order."""

    rows: tuple[Again, ...]

    def count(self, what: str) -> int:
        """Return how many rows have the property of this name."""
        return sum(bool(getattr(row, what)) for row in self.rows)

    @property
    def later(self) -> int:
        """Traces that would have stopped later, within what was recorded."""
        return sum(r.known and r.rounds > r.was_rounds for r in self.rows)

    @property
    def otherwise(self) -> int:
        """Traces of the same length that end by another exit."""
        return sum(r.known and r.rounds == r.was_rounds and r.now is not r.was for r in self.rows)

    @property
    def alike(self) -> int:
        """Traces that end as they did."""
        return sum(r.known and r.rounds == r.was_rounds and r.now is r.was for r in self.rows)

    @property
    def went_on(self) -> int:
        """Traces that would have gone on past their last recorded draft: unknown."""
        return sum(r.was is not None and r.now is None and not r.unjudged for r in self.rows)
