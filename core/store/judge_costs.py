"""What a judge costs, by the ledger of its runs."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from core.store import tables as t
from core.store.store import Store
from core.store.tables_runs import call, run


@dataclass(frozen=True)
class JudgeCost:
    """Judgements the runs of a judge paid for, and what they came to.

    `usd` is None where no price was set for any of the calls; `unpriced` counts calls without one.
    """

    judgements: int
    calls: int
    usd: float | None
    unpriced: int

    @property
    def per_thousand(self) -> float | None:
        """US dollars per 1,000 judgements, or None without judgements or prices."""
        return (
            None if self.usd is None or not self.judgements else 1000 * self.usd / self.judgements
        )


def judge_cost(store: Store, judge: int) -> JudgeCost | None:
    """Return what a judge's own runs cost, or None when it has had none (recorded verdicts)."""
    calls = (
        sa.select(
            sa.func.count().label("calls"),
            sa.func.sum(call.c.usd).label("usd"),
            sa.func.count(call.c.usd).label("priced"),
        )
        .select_from(call)
        .join(run, run.c.id == call.c.run_id)
        .where(run.c.judge_id == judge, call.c.replied_at.is_not(None))
    )
    made = sa.select(sa.func.count()).where(
        t.judgement.c.judge_id == judge, t.judgement.c.run_id.is_not(None)
    )
    with store.read() as c:
        row = c.execute(calls).one()
        judgements = int(c.scalar(made) or 0)
    if not row.calls:
        return None
    usd = None if row.usd is None else float(row.usd)
    return JudgeCost(judgements, int(row.calls), usd, int(row.calls) - int(row.priced))
