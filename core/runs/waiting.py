"""Runs that wait for people's labels: seeing whether one can go on, and letting it."""

from __future__ import annotations

from core.contract.criterion import CheckedBy
from core.runs.loops import version_of
from core.store.loops import Reason, person_verdicts, queued_drafts
from core.store.runs import Run, Wish, paused_for, resume
from core.store.store import Store


def wake(store: Store) -> list[int]:
    """Let every run go on of which a waiting draft has its labels; returns their numbers."""
    woken = [run.id for run in paused_for(store, Wish.LABELS) if labelled(store, run)]
    for run_id in woken:
        resume(store, run_id)
    return woken


def labelled(store: Store, run: Run) -> int:
    """Return how many of a run's waiting drafts have all the labels they wait for."""
    return sum(complete for _, complete in waiting_drafts(store, run))


def waiting_drafts(store: Store, run: Run) -> list[tuple[int, bool]]:
    """Return (output id, whether its labels are there) of the drafts a run waits for."""
    version = version_of(store, run)
    keys = [c.key for c in version.contract.criteria if c.checked_by is CheckedBy.PERSON]
    ids = [
        q.output_id
        for q in queued_drafts(store, run.id)
        if q.reason is Reason.PERSON and q.verdicts is None
    ]
    said = person_verdicts(store, run.project_id, version, ids, keys)
    return [(output, set(keys) <= set(said[output])) for output in ids]
