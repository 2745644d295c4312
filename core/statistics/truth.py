"""Truth-level rates from gold labels on drafts: what the cost kernel may be fed with.

Acceptance by a check is not truth: p, r and damage of the kernel are about good and bad drafts.
They are measured here on traces whose drafts carry gold labels, along with the errors of the
check as a whole. Drafts of one task are a cluster wherever a task can count more than once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.statistics.arms import LOOP, Trace
from core.statistics.interval import Result, Undefined, clustered_rate
from core.statistics.uncertainty import NONE, Case, Input, Prices


@dataclass(frozen=True)
class Truth:
    """Rates at truth level; each undefined where no labelled draft speaks of it.

    `p`: first drafts good. `repair`, by round from 2: bad drafts the revision made good ÷ bad
    drafts sent back. `damage`: good drafts it made bad ÷ good drafts sent back, over all rounds.
    `passes_bad`: bad drafts the check passed ÷ bad drafts; `rejects_good` likewise; over all
    drafts, so later rounds, which are harder, count too.
    """

    p: Result
    repair: Mapping[int, Result]
    damage: Result
    passes_bad: Result
    rejects_good: Result

    def case(
        self, cap: int, *, rho: Input | None = None, prices: Prices | None = None
    ) -> Case | Undefined:
        """Return the kernel's inputs, with counts, up to `cap` rounds; the check enters whole.

        Damage that was never measured is taken as 0 only if no good draft was ever sent back.
        Undefined, with the reason, when another rate is missing: a rate is never made up.
        """
        needed = {
            "first drafts": self.p,
            **{f"round {n}": self.repair.get(n) for n in range(2, cap + 1)},
            "bad drafts passed": self.passes_bad,
            "good drafts rejected": self.rejects_good,
        }
        found: list[Input] = []
        for name, result in needed.items():
            if result is None:
                return Undefined(f"not measured: {name} was never reached", None, 0)
            if isinstance(result, Undefined):
                return Undefined(f"{result.reason} ({name})", result.k, result.n)
            one = Input.of(result)
            assert one is not None
            found.append(one)
        p, *rates, far, frr = found
        return Case(
            p,
            tuple(rates) or (Input(0.0),),
            cap,
            critic=True,
            catches=Input(0.0),
            far=far,
            frr=frr,
            damage=Input.of(self.damage) or Input(0.0),
            rho=rho or NONE,
            prices=prices or Prices(),
        )


def truth(traces: Iterable[Trace]) -> Truth:
    """Return the truth-level rates of the loop traces among `traces`; drafts without gold are out.

    A revision counts when both its drafts are labelled and the first was sent back.
    """
    of: dict[str, list[Trace]] = {}
    for one in traces:
        if one.drafts[0].arm == LOOP:
            of.setdefault(one.drafts[0].task, []).append(one)
    some = list(of.values())
    last = max((len(t.drafts) for them in some for t in them), default=1)

    def revised(them: Sequence[Trace], was: bool, rounds: Iterable[int]) -> list[bool]:
        """Return, per revision of a labelled draft that `was` good or bad, whether it turned."""
        pairs = [t.drafts[n - 2 : n] for t in them for n in rounds if len(t.drafts) >= n]
        return [
            after.gold is not was
            for before, after in pairs
            if before.gold is was and before.passed is False and after.gold is not None
        ]

    def passes(them: Sequence[Trace], gold: bool, passed: bool) -> list[bool]:
        return [
            d.passed is passed
            for t in them
            for d in t.drafts
            if d.gold is gold and d.passed is not None
        ]

    return Truth(
        p=_rate([[t.drafts[0].gold for t in them] for them in some], "no labelled first draft"),
        repair={
            n: _rate([revised(them, False, [n]) for them in some], "no bad draft was revised")
            for n in range(2, last + 1)
        },
        damage=_rate(
            [revised(them, True, range(2, last + 1)) for them in some], "no good draft was revised"
        ),
        passes_bad=_rate([passes(t, False, True) for t in some], "no bad draft labelled"),
        rejects_good=_rate([passes(t, True, False) for t in some], "no good draft labelled"),
    )


def _rate(hits: Sequence[Sequence[bool | None]], nothing: str) -> Result:
    """Return hits ÷ all per task, None left out."""
    told = [[x for x in row if x is not None] for row in hits]
    return clustered_rate(
        np.array([sum(row) for row in told], int),
        np.array([len(row) for row in told], int),
        nothing=f"not measured: {nothing}",
    )
