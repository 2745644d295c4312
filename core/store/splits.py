"""A project's dev / test split in the store: made once, kept with its seed and date."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from core.labelling.split import Side, Split
from core.store import tables as t
from core.store.store import Store, insert_id, now
from core.store.tables_judging import split as table


@dataclass(frozen=True)
class StoredSplit:
    """The split a project goes by, and when it was made; `earlier` splits were replaced by it."""

    split: Split
    at: str
    earlier: int


def make_split(store: Store, project_id: int, split: Split) -> StoredSplit:
    """Store a split as the one that counts; the same again changes nothing."""
    with store.write(project_id) as c:
        found = _load(c, project_id)
        if found is None or found.split != split:
            insert_id(
                c, table, project_id=project_id, seed=split.seed, test_share=split.test_share,
                at=now(),
            )  # fmt: skip
            found = _load(c, project_id)
    assert found is not None
    return found


def load_split(store: Store, project_id: int) -> StoredSplit | None:
    """Return the split that counts, or None when there is none yet."""
    with store.read() as c:
        return _load(c, project_id)


def _load(c: sa.Connection, project_id: int) -> StoredSplit | None:
    query = sa.select(table).where(table.c.project_id == project_id).order_by(table.c.id.desc())
    rows = c.execute(query).all()
    if not rows:
        return None
    newest = rows[0]
    return StoredSplit(Split(newest.seed, newest.test_share), newest.at, len(rows) - 1)


def sides(store: Store, project_id: int, split: Split) -> dict[int, Side]:
    """Return the side of every current output, by store id: that of its sample."""
    query = (
        sa.select(t.output.c.id, t.sample.c.sample_id)
        .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .where(t.output.c.project_id == project_id, t.output.c.current)
    )
    with store.read() as c:
        return {r.id: split.side(r.sample_id) for r in c.execute(query)}
