"""What the records of a project say about a contract: the figures its page carries."""

from __future__ import annotations

import sqlalchemy as sa

from core.loop.stop import Arm
from core.loop.summary import by_arm, compare_arms
from core.render import Baseline, Calibration
from core.statistics.interval import Result, Undefined, rate
from core.store import tables as t
from core.store.baselines import newest_baseline
from core.store.calibrations import out_of_date, records
from core.store.contracts import Version
from core.store.results import load_results
from core.store.store import Store
from core.store.traces import load_summaries
from core.verdict import OVERALL


def calibration(store: Store, project_id: int, version: Version, judge: int) -> Calibration | None:
    """Return a judge's error rates on whole outputs under `version`, None if nothing is labelled.

    The newest calibration record of the version, with what has changed since, if somebody made
    one. Else as measured now; the date is then that of the newest label or judgement that could
    have gone in.
    """
    made = records(store, project_id, version=version, judge=judge)
    if made:
        one = made[0]
        changed = tuple(out_of_date(store, project_id, one, version))
        return Calibration(
            one.n, one.date, one.false_accept_rate, one.false_reject_rate, one.judge, changed
        )
    found = load_results(store, project_id, version, judge)
    cells = found.confusion(OVERALL)
    if not cells.n:
        return None
    label, judgement = t.label, t.judgement
    with store.read() as c:
        name = c.scalar(sa.select(t.judge.c.name).where(t.judge.c.id == judge))
        newest = [
            c.scalar(
                sa.select(sa.func.max(label.c.labelled_at)).where(label.c.project_id == project_id)
            ),
            c.scalar(
                sa.select(sa.func.max(judgement.c.judged_at)).where(judgement.c.judge_id == judge)
            ),
        ]
    date = max((str(day) for day in newest if day), default="")[:10]
    return Calibration(
        cells.n, date, cells.false_accept_rate, cells.false_reject_rate, str(name or "")
    )


def baseline(store: Store, project_id: int) -> Baseline | None:
    """Return loop against plain retries on the samples that have both under one cap, else None.

    What somebody recorded comes first; without a record it is worked out from the traces.
    """
    recorded = newest_baseline(store, project_id)
    if recorded is not None:
        return recorded.rendered
    summaries = load_summaries(store, project_id)
    arms = compare_arms(summaries)
    if arms is None or arms.cap is None:
        return None
    pairs = arms.accepted
    loop = by_arm(summaries)[Arm.LOOP]

    def share(accepted: int) -> Result:
        if arms is not None and arms.clustered:
            reason = f"{accepted} of {pairs.n}; several trials share a sample, so no interval"
            return Undefined(reason, accepted, pairs.n)
        return rate(accepted, pairs.n, nothing="no pair has ended")

    return Baseline(
        share(pairs.second),
        share(pairs.first),
        loop.calls / loop.accepted if loop.accepted else None,
    )
