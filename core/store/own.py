"""What a reviewer may see of labels while labelling: their own, and more only after their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from core.labelling.label import LabelKind
from core.labelling.settling import splits
from core.store import tables as t
from core.store.contracts import Version
from core.store.labels import reviewer_labels
from core.store.settling import Reader, load_label_table
from core.store.store import Store
from core.verdict import LabelValue

_VOTES = (LabelKind.LABEL, LabelKind.DEFER, LabelKind.UNDO, LabelKind.IMPORT)


@dataclass(frozen=True)
class Shown:
    """What a stored label is held against: a verdict (None: left undecided), its note, its date."""

    verdict: LabelValue | None
    note: str
    at: str = ""


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


def earlier_label(
    store: Store,
    project_id: int,
    reviewer_id: int,
    criterion: str,
    output_id: int,
    live: Collection[str],
) -> Shown | None:
    """Return what this reviewer said of an output under an earlier wording, or None.

    None as long as there is no label of theirs for the present wording, whose hashes are `live`:
    seen before, the earlier one would be repeated.
    """
    own = reviewer_labels(store, project_id, reviewer_id, criterion)
    if not any(
        s.output_id == output_id and s.verdict is not None and s.question_hash in live for s in own
    ):
        return None
    query = (
        sa.select(t.label.c.verdict, t.label.c.note, t.label.c.labelled_at)
        .join(t.criterion, t.criterion.c.id == t.label.c.criterion_id)
        .where(
            t.label.c.project_id == project_id,
            t.label.c.reviewer_id == reviewer_id,
            t.label.c.output_id == output_id,
            t.label.c.kind.in_(_VOTES),
            t.label.c.verdict.is_not(None),
            t.label.c.question_hash.not_in(sorted(live)),
            t.criterion.c.key == criterion,
        )
        .order_by(t.label.c.id.desc())
        .limit(1)
    )
    with store.read() as c:
        row = c.execute(query).one_or_none()
    return None if row is None else Shown(LabelValue(row.verdict), row.note, row.labelled_at)


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
