"""A loop by hand: a person writes each draft, the contract's checks judge it, the rule decides.

No model and no key. Where a criterion is for a judge or a person, the person at the keyboard says
PASS or FAIL to it. The whole loop is the list of what was typed, so a page keeps that list and
nothing else: the same list always gives the same loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.contract.contract import Contract
from core.contract.criterion import CheckedBy
from core.judging.judge import skipped_by_code
from core.judging.judgement import settled
from core.loop.generator import feedback_on
from core.loop.step import Cancelled, DraftMade, Expects, State, judged, start_for, step, to_trace
from core.loop.stop import NO_COST, Arm, Exit
from core.loop.trace import Trace
from core.verdict import CriterionVerdict, Unscored, no_verdict

BY_HAND = "by hand"
"""The writer of such a loop, where a model's name stands in others."""


@dataclass(frozen=True)
class Typed:
    """One draft a person typed, and what they said of the criteria no code decides."""

    draft: str
    verdicts: Mapping[str, CriterionVerdict] = field(default_factory=dict)


@dataclass(frozen=True)
class ByHand:
    """Where the loop stands.

    `asks` are the criteria whose verdict is needed for the last draft before it can go on; `code`
    is what the checks said of it. `feedback` is what a writer would be sent next, empty when it has
    ended or nothing was typed yet. `ignored` counts drafts typed after the end.
    """

    state: State
    asks: tuple[str, ...]
    code: Mapping[str, CriterionVerdict]
    feedback: str
    ignored: int

    @property
    def exit(self) -> Exit | None:
        """How it ended, or None."""
        return self.state.exit

    def trace(
        self,
        contract: Contract,
        input: str = "",
        *,
        trace_id: str = BY_HAND,
        sample_id: str = BY_HAND,
        trial: str = "1",
    ) -> Trace:
        """Return the loop as a trace that every view of traces can show; it says who wrote."""
        return to_trace(
            self.state, trace_id, sample_id, trial=trial, input=input, contract=contract,
            extra={"writer": BY_HAND},
        )  # fmt: skip


def by_hand(
    contract: Contract,
    typed: Sequence[Typed],
    *,
    reference: str | None = None,
    stopped: bool = False,
    arm: Arm = Arm.LOOP,
) -> ByHand:
    """Return the loop that these drafts make under a contract, in order.

    A blank draft is a draft: code judges it too. `stopped` ends the loop after the last one
    (CANCELLED). A verdict that is missing leaves the loop waiting at that draft.
    """
    checks = {c.key: check for c in contract.criteria if (check := c.code_check()) is not None}
    state = start_for(contract, arm)
    asks: tuple[str, ...] = ()
    code: dict[str, CriterionVerdict] = {}
    feedback = ""
    used = 0
    for one in typed:
        if state.exit is not None or asks:
            break
        used += 1
        state = step(state, DraftMade(one.draft, feedback=feedback))
        if state.expects is Expects.EVALUATE:
            code = {key: check.run(one.draft, reference) for key, check in checks.items()}
            given, asks = _given(contract, code, one)
            if not asks:
                state = step(state, judged(contract, settled(contract, given, "by hand"), NO_COST))
        feedback = _feedback(contract, state, reference)
    if stopped:
        state, asks = step(state, Cancelled()), ()
    return ByHand(state, asks, code, "" if state.exit is not None else feedback, len(typed) - used)


def _given(
    contract: Contract, code: Mapping[str, CriterionVerdict], one: Typed
) -> tuple[dict[str, CriterionVerdict], tuple[str, ...]]:
    """Return the verdicts on a draft by criterion, and the criteria that still need one."""
    given = dict(code)
    spared = skipped_by_code(contract, code)
    for criterion in contract.criteria:
        if criterion.checked_by is CheckedBy.CODE:
            continue
        if criterion.key in one.verdicts:
            given[criterion.key] = one.verdicts[criterion.key]
        elif criterion.key in spared or (spared and criterion.checked_by is CheckedBy.PERSON):
            given[criterion.key] = no_verdict(Unscored.SKIPPED, "a code check had already decided")
    return given, tuple(k for k in contract.keys if k not in given)


def _feedback(contract: Contract, state: State, reference: str | None) -> str:
    last = state.rounds[-1] if state.rounds else None
    if last is None or last.judgement is None or state.open_round is not None:
        return ""
    return feedback_on(contract, last.judgement.verdicts, reference)
