"""From recorded traces to the drafts that measured arms are counted from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.loop.stop import Arm
from core.loop.trace import Trace, recorded_outcome
from core.statistics import arms

_ARMS: dict[Arm, arms.ArmName] = {Arm.LOOP: arms.LOOP, Arm.RETRY: arms.RETRY}
_GOLD = {"PASS": True, "FAIL": False}


@dataclass(frozen=True)
class Recorded:
    """Drafts of traces, and how many traces gave none.

    `left_out` ones have missing rounds or no draft at all; `repeated` ones share arm, sample and
    trial with another: which of them counts cannot be told.
    """

    drafts: list[arms.Draft]
    left_out: int
    repeated: int


def drafts_of(traces: Iterable[Trace]) -> Recorded:
    """Return one draft per round made, numbered from 1, with the calls the round is recorded with.

    `passed` is what the recorded verdicts mean; None where they are missing or unscored.
    """
    some = list(traces)
    times = Counter((t.arm, t.sample_id, t.trial) for t in some)
    rows: list[arms.Draft] = []
    left_out = repeated = 0
    for t in some:
        if times[t.arm, t.sample_id, t.trial] > 1:
            repeated += 1
            continue
        made = [i for i, r in enumerate(t.rounds) if r.made]
        if t.gaps or not made:
            left_out += 1
            continue
        for number, i in enumerate(made, 1):
            outcome, one = recorded_outcome(t, i), t.rounds[i]
            rows.append(
                arms.Draft(
                    task=t.sample_id,
                    arm=_ARMS[t.arm],
                    round=number,
                    passed=None if outcome is None else outcome.accepted,
                    gold=_GOLD.get(one.gold or ""),
                    calls=one.calls,
                    trial=t.trial,
                )
            )
    return Recorded(rows, left_out, repeated)
