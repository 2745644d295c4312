"""Where a project stands, as counts: what home shows beside the agreement and the arms."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from core.labelling.label import LabelKind
from core.store import tables as t
from core.store.newest import newest_labels
from core.store.store import Store


@dataclass(frozen=True)
class Progress:
    """Counts over a project: current outputs, those with a PASS or FAIL label, labels, people.

    `labels` and `reviewers` count people's own labels; `adjudicated` counts what somebody decided,
    once for each output and criterion.
    """

    outputs: int
    labelled: int
    labels: int
    reviewers: int
    adjudicated: int


def load_progress(store: Store, project_id: int) -> Progress:
    """Return the counts of one project."""
    newest = newest_labels(project_id).subquery()
    count = sa.func.count
    vote = t.label.c.kind != LabelKind.ADJUDICATION
    held = (
        sa.select(
            t.label.c.output_id, t.label.c.criterion_id, t.label.c.reviewer_id, vote.label("vote")
        )
        .join(newest, newest.c.id == t.label.c.id)
        .join(t.output, t.output.c.id == t.label.c.output_id)
        .where(t.label.c.verdict.in_(["PASS", "FAIL"]), t.output.c.current)
        .subquery()
    )
    query = sa.select(
        count(sa.distinct(held.c.output_id)).label("labelled"),
        count().filter(held.c.vote).label("labels"),
        count(sa.distinct(held.c.reviewer_id)).filter(held.c.vote).label("reviewers"),
    ).select_from(held)
    by_hand = (
        sa.select(held.c.output_id, held.c.criterion_id).where(~held.c.vote).distinct().subquery()
    )
    outputs = sa.select(count()).where(t.output.c.project_id == project_id, t.output.c.current)
    with store.read() as c:
        row = c.execute(query).one()
        adjudicated = int(c.scalar(sa.select(count()).select_from(by_hand)) or 0)
        return Progress(
            int(c.scalar(outputs) or 0), row.labelled, row.labels, row.reviewers, adjudicated
        )
