"""From recorded traces to the drafts that measured arms are counted from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.loop.stop import Arm
from core.loop.trace import Trace, recorded_outcome
from core.statistics import arms

_ARMS: dict[Arm, arms.ArmName] = {Arm.LOOP: arms.LOOP, Arm.RETRY: arms.RETRY}
_GOLD = {"PASS": True, "FAIL": False}


class Counted(NamedTuple):
    """What is counted of one draft: `passed` as recorded, `gold` label, calls of its round.

    None where the draft was not scored, or not labelled.
    """

    passed: bool | None
    gold: bool | None
    calls: int


class Run(NamedTuple):
    """One trace as it is counted: what it ran, and its drafts in order, none if they cannot be."""

    sample_id: str
    trial: str
    arm: Arm
    drafts: Sequence[Counted]


@dataclass(frozen=True)
class Recorded:
    """Drafts of traces, and how many traces gave none.

    `left_out` ones have missing rounds or no draft at all; `repeated` ones share arm, sample and
    trial with another: which of them counts cannot be told.
    """

    drafts: list[arms.Draft]
    left_out: int
    repeated: int


def counted(trace: Trace) -> list[Counted]:
    """Return what is counted of each draft made; nothing where rounds are missing.

    Rounds recorded beyond a loop's rule are left out: they would give one arm more draws than the
    other. A draft passed if its recorded verdicts say so; None where they are missing or unscored.
    """
    used = trace.used
    if used.gaps:
        return []
    found: list[Counted] = []
    for i, one in enumerate(used.rounds):
        if one.made:
            outcome = recorded_outcome(used, i)
            passed = None if outcome is None else outcome.accepted
            found.append(Counted(passed, _GOLD.get(one.gold or ""), one.calls))
    return found


def drafts_of(traces: Iterable[Trace]) -> Recorded:
    """Return one draft per round made, numbered from 1, with the calls the round is recorded with."""
    return recorded_of(Run(t.sample_id, t.trial, t.arm, counted(t)) for t in traces)


def recorded_of(runs: Iterable[Run]) -> Recorded:
    """Return the drafts of counted traces; see `Recorded` for what is left out."""
    some = list(runs)
    times = Counter((one.arm, one.sample_id, one.trial) for one in some)
    rows: list[arms.Draft] = []
    left_out = repeated = 0
    for one in some:
        if times[one.arm, one.sample_id, one.trial] > 1:
            repeated += 1
        elif not one.drafts:
            left_out += 1
        else:
            arm = _ARMS[one.arm]
            rows.extend(
                arms.Draft(one.sample_id, arm, number, passed, gold, calls, one.trial)
                for number, (passed, gold, calls) in enumerate(one.drafts, 1)
            )
    return Recorded(rows, left_out, repeated)
