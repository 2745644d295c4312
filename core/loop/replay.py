"""A stop rule applied to recorded rounds, through the same `step` that runs a loop.

A replay is *censored* when it needs something that was never recorded: the next round, a round
missing in the middle, a judgement, or whether a round was accepted. A censored trace has no exit
and is in no count of exits, acceptances or calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.contract.contract import Budget, Contract, StopRule
from core.loop.shapes import Shape, find_shapes
from core.loop.step import (
    Cancelled,
    DraftMade,
    EvaluatorFailed,
    Expects,
    GeneratorFailed,
    Judged,
    State,
    end,
    start,
    step,
)
from core.loop.stop import Cost, Exit, changed_rule
from core.loop.trace import Outcome, Round, Trace, recorded_outcome
from core.verdict import LabelValue, Unscored


@dataclass(frozen=True)
class Replay:
    """What the stop rule makes of one trace.

    `exit` is None exactly when `censored` says why. `state` is where the replay stood when it
    ended; None when there was no stop rule to apply.
    """

    trace: Trace
    exit: Exit | None
    censored: str
    state: State | None
    shapes: tuple[Shape, ...]

    @property
    def rounds(self) -> int:
        """Drafts the replay used."""
        return 0 if self.state is None else self.state.drafts

    @property
    def returned_round(self) -> int | None:
        """Number of the round handed back, or None."""
        return None if self.exit is None or self.state is None else self.state.returned

    @property
    def accepted(self) -> bool | None:
        """Whether the loop accepted; None when censored."""
        return None if self.exit is None else self.exit is Exit.PASS

    @property
    def good(self) -> bool | None:
        """Gold label of the returned round as a truth value; None without label or round."""
        if self.returned_round is None or (this := self.trace.round(self.returned_round)) is None:
            return None
        return {LabelValue.PASS: True, LabelValue.FAIL: False}.get(this.gold or LabelValue.UNSURE)

    @property
    def calls(self) -> int | None:
        """Generate and judge calls up to the exit; None when censored."""
        return None if self.exit is None or self.state is None else self.state.spent.calls

    def row(self) -> dict[str, Any]:
        """Return one row of the `replay` command's JSON."""
        recorded = self.trace.exit
        return {
            "trace_id": self.trace.trace_id,
            "sample_id": self.trace.sample_id,
            "trial": self.trace.trial,
            "arm": self.trace.arm.value,
            "exit": None if self.exit is None else self.exit.value,
            "recorded_exit": None if recorded is None else recorded.value,
            "rounds": self.rounds,
            "returned_round": self.returned_round,
            "accepted": self.accepted,
            "good": self.good,
            "calls": self.calls,
            "shapes": [shape.name for shape in self.shapes],
        }


def replay(trace: Trace, stop: StopRule | None = None) -> Replay:
    """Apply `stop`, or else the trace's own rule, to the recorded rounds.

    A repeated draft in the loop arm reuses the first judgement at no cost, whatever the log paid
    for it. A cancelled run and a failed generator are things that happened, so they end a replay
    under any rule that gets that far; a recorded BUDGET exit does so under the same budget.
    The shapes are those of what the loop did, whatever the rule: rounds recorded beyond its own
    rule show none.
    """
    state, missing = walked(trace, stop or trace.rule, outcomes_of(trace))
    exit = None if state is None else state.exit
    return Replay(trace, exit, missing, state, find_shapes(trace.used))


def outcomes_of(trace: Trace) -> list[Outcome | None]:
    """Return what each recorded judgement means, round by round."""
    return [recorded_outcome(trace, i) for i in range(len(trace.rounds))]


def walked(
    trace: Trace, rule: StopRule | None, outcomes: Sequence[Outcome | None]
) -> tuple[State | None, str]:
    """Return where `rule` leaves the recorded rounds, and what was missing to end, "" if nothing.

    The state is None when there is no rule. `outcomes` are those of `outcomes_of`.
    """
    if rule is None:
        return None, "no stop rule is recorded"
    state = start(
        rule, trace.arm, uses_judge=trace.uses_judge, first_number=trace.first_number
    )  # fmt: skip
    for index in range(len(trace.rounds)):
        if state.exit is not None:
            break
        state, missing = _replay_round(state, trace, index, outcomes[index])
        if missing:
            return state, missing
    if state.exit is None:
        state = _replay_ending(state, trace)
    if state.exit is None:
        return state, f"round {state.number} was never recorded"
    return state, ""


def _replay_round(
    state: State, trace: Trace, index: int, outcome: Outcome | None
) -> tuple[State, str]:
    """Return the state after one recorded round, and what was missing in the record, if any."""
    this = trace.rounds[index]
    if this.number != state.number:
        return state, f"round {state.number} was never recorded"
    if not this.made:
        if not this.error and trace.exit is not Exit.GENERATOR_ERROR:
            return state, f"the draft of round {this.number} was never recorded"
        failed = GeneratorFailed(this.error, _cost(this, this.calls), this.feedback)
        return step(state, failed), ""
    made = DraftMade(
        this.draft, _cost(this, this.generate_calls), this.feedback, this.fingerprint
    )  # fmt: skip
    before, state = state, step(state, made)
    if state.expects is not Expects.EVALUATE:
        return state, ""
    asked = Cost(calls=this.judge_calls)
    if outcome is None:
        if index == len(trace.rounds) - 1 and trace.exit is Exit.EVALUATOR_ERROR:
            return step(state, EvaluatorFailed(Unscored.ERROR, this.error, asked)), ""
        if index == len(trace.rounds) - 1 and trace.exit is Exit.CANCELLED:
            return step(state, Cancelled()), ""
        return before, f"round {this.number} was never judged"
    told = outcome.accepted is not None or outcome.unscored is not None
    if not told and not isinstance(trace.contract, Contract):
        if this.judgement is not None:
            why = "only the hash of its contract is known, and not every criterion passed"
            return before, f"whether round {this.number} was accepted: {why}"
        return before, f"whether round {this.number} was accepted is not recorded"
    if outcome.unscored is not None and this.error:
        outcome = replace(outcome, detail=this.error)
    return step(state, Judged(outcome, this.judgement, asked)), ""


def _replay_ending(state: State, trace: Trace) -> State:
    """Apply what happened after the last recorded round, if it was no decision of a stop rule."""
    if trace.gaps and max(trace.gaps) >= state.number:
        return state
    if trace.exit is Exit.CANCELLED:
        return step(state, Cancelled())
    if trace.exit is Exit.GENERATOR_ERROR:
        return step(state, GeneratorFailed(""))
    own = trace.rule
    if trace.exit is Exit.BUDGET and own is not None and own.budget == state.rule.budget:
        return end(state, Exit.BUDGET) if own.budget != Budget() else state
    return state


def _cost(this: Round, calls: int) -> Cost:
    return Cost(
        calls, this.tokens_in, this.tokens_out, this.tokens_cached, this.seconds, this.usd
    )  # fmt: skip


def replay_all(
    traces: Iterable[Trace], *, cap: object = None, window: object = None
) -> list[Replay]:
    """Replay each trace by its own rule with another cap or window, where given.

    Raises InputError for a cap or window that is not a whole number of 1 or more.
    """
    changed_rule(None, cap=cap, window=window)  # refuse before the first trace is touched
    if window is not None:
        changed_rule(StopRule(), window=window)
    return [
        replay(trace, changed_rule(trace.rule, cap=cap, window=window)) for trace in traces
    ]  # fmt: skip


def summary(replays: Iterable[Replay]) -> dict[str, Any]:
    """Return the `replay` command's JSON for these replays.

    `observed` and `censored` add up to `traces`; exits, acceptances and calls are of the observed
    ones. `accepted_good` counts accepted traces whose returned round has gold PASS,
    `accepted_unlabelled` those where it has none. `shapes` counts traces per shape.
    """
    rows = [r.row() for r in replays]
    observed = [r for r in rows if r["exit"] is not None]
    accepted = [r for r in observed if r["accepted"]]
    return {
        "traces": len(rows),
        "exits": dict(Counter(r["exit"] for r in observed)),
        "accepted": len(accepted),
        "accepted_good": sum(r["good"] is True for r in accepted),
        "accepted_unlabelled": sum(r["good"] is None for r in accepted),
        "calls": sum(r["calls"] for r in observed),
        "observed": len(observed),
        "censored": len(rows) - len(observed),
        "shapes": dict(Counter(name for r in rows for name in r["shapes"])),
        "rows": rows,
    }
