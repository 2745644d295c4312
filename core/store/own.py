"""What a reviewer may see of labels while labelling: their own, and more only after their own."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from core.labelling.label import LabelKind
from core.labelling.settling import splits
from core.store import tables as t
from core.store.contracts import Version
from core.store.settling import Reader, load_label_table
from core.store.store import Store


def recent_seconds(store: Store, project_id: int, reviewer_id: int, limit: int) -> list[float]:
    """Return how long a reviewer's last `limit` decisions took, in seconds, newest first."""
    query = (
        sa.select(t.label.c.seconds)
        .where(
            t.label.c.project_id == project_id,
            t.label.c.reviewer_id == reviewer_id,
            t.label.c.kind == LabelKind.LABEL,
            t.label.c.verdict.is_not(None),
            t.label.c.seconds.is_not(None),
        )
        .order_by(t.label.c.id.desc())
        .limit(limit)
    )
    with store.read() as c:
        return [float(seconds) for seconds in c.scalars(query)]


def disagreed(
    store: Store, project_id: int, version: Version | None, reviewer_id: int, keys: Sequence[str]
) -> dict[str, frozenset[int]]:
    """Return, by criterion, the outputs on which people differ where this reviewer has labelled.

    Outputs without a label of theirs for the present wording are not looked at.
    """
    table = load_label_table(store, project_id, version, Reader(reviewer_id))
    return {
        key: frozenset(table.outputs[splits(table.codes[key])].tolist())
        for key in keys
        if key in table.codes
    }
