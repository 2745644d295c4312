"""The traces of a run as they grow: one line each, those under way first, then the newest ended."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from core.contract.contract import Contract
from core.loop.stop import Arm, Exit
from core.loop.trace import Round, Trace
from core.runs.loop_setup import LoopSetup
from core.runs.loop_summary import in_progress
from core.runs.loops import version_of
from core.store.paths import newest_run_keys
from core.store.runs import Run
from core.store.store import Store
from core.store.traces import load_traces


@dataclass(frozen=True, slots=True)
class Growing:
    """One trace of a run: a step for each round so far, and its exit once it has one."""

    trace_id: str
    sample_id: str
    trial: str
    arm: Arm
    steps: tuple[str, ...]
    exit: Exit | None
    returned: int | None


def growing(store: Store, run: Run, most: int = 30) -> list[Growing]:
    """Return at most `most` traces under way and as many that ended last, newest first."""
    contract = LoopSetup.from_data(run.config).by_rule(version_of(store, run).contract)
    keys = newest_run_keys(store, run.id, most)
    ended = load_traces(store, run.project_id, keys)
    under_way = in_progress(store, run, most) if len(keys) < run.total else []
    return [_line(x, contract) for x in (*under_way, *(ended[key] for key in keys if key in ended))]


def _line(trace: Trace, contract: Contract) -> Growing:
    top = _top(contract)
    steps = [step_words(r, top, passed=_passed(trace, r)) for r in trace.rounds]
    if not steps and trace.exit is None:
        steps = ["writing …"]
    return Growing(
        trace.trace_id, trace.sample_id, trace.trial, trace.arm, tuple(steps), trace.exit,
        trace.returned_round,
    )  # fmt: skip


def _top(contract: Contract) -> Fraction:
    if contract.acceptance.rule == "threshold":
        return contract.total_weight
    return Fraction(len(contract.criteria))


def _passed(trace: Trace, r: Round) -> bool:
    return trace.exit is Exit.PASS and r.number == trace.returned_round


def step_words(r: Round, top: Fraction, *, passed: bool) -> str:
    """Return a round in a few words: "✓ 3 of 3", "✕ 2 of 3", "2 of 3, reused", "being judged"."""
    if not r.made:
        return "no draft"
    if r.score is None:
        unscored = None if r.judgement is None else r.judgement.unscored
        return "being judged" if unscored is None and not r.error else f"– {unscored or 'error'}"
    more = ", reused" if r.reused else ", beyond the rule" if r.beyond else ""
    return f"{'✓' if passed else '✕'} {float(r.score):g} of {float(top):g}{more}"
