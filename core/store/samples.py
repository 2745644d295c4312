"""Samples by themselves: what a loop writes drafts for, before there is any output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from core.store import tables as t
from core.store.outputs import sample_hash
from core.store.store import Store, insert_id


@dataclass(frozen=True, slots=True)
class StoredSample:
    """One sample as stored; `key` is the store's own."""

    key: int
    sample_id: str
    input: str
    reference: str | None

    @property
    def content_hash(self) -> str:
        """Identity of input and reference."""
        return sample_hash(self.input, self.reference)


@dataclass(frozen=True, slots=True)
class NewSample:
    """A sample to store."""

    sample_id: str
    input: str
    reference: str | None = None


def put_samples(store: Store, project_id: int, rows: Sequence[NewSample]) -> list[int]:
    """Store samples, those known with another input or reference as they are now; returns keys.

    Outputs and labels of a changed sample stay; verdicts given for the old input show as out of
    date.
    """
    keys: list[int] = []
    with store.write(project_id) as c:
        query = sa.select(t.sample).where(t.sample.c.project_id == project_id)
        known = {r.sample_id: r for r in c.execute(query)}
        for row in rows:
            there = known.get(row.sample_id)
            values = {
                "input": row.input,
                "reference": row.reference,
                "content_hash": sample_hash(row.input, row.reference),
            }
            if there is None:
                keys.append(
                    insert_id(c, t.sample, project_id=project_id, sample_id=row.sample_id, **values)
                )
                continue
            keys.append(there.id)
            if (there.input, there.reference) != (row.input, row.reference):
                c.execute(t.sample.update().where(t.sample.c.id == there.id).values(values))
    return keys


def first_outputs(store: Store, project_id: int, keys: Sequence[int]) -> dict[int, int]:
    """Return, by key of a sample, the id of its output with the lowest trial; loops' drafts are none.

    Samples without an output are left out. The text of an output id never changes.
    """
    o = t.output.c
    query = sa.select(o.sample_pk, o.id).where(
        o.project_id == project_id, o.current, o.trial >= 0, o.sample_pk.in_(keys)
    )
    with store.read() as c:
        rows = c.execute(query.order_by(o.sample_pk, o.trial.desc())).all()
    return {r.sample_pk: r.id for r in rows}


def output_texts(store: Store, ids: Sequence[int]) -> dict[int, str]:
    """Return the texts of these outputs (a few hundred at most) by id, whatever version they are."""
    with store.read() as c:
        rows = c.execute(sa.select(t.output.c.id, t.output.c.text).where(t.output.c.id.in_(ids)))
        return {r.id: r.text for r in rows}


def load_samples(
    store: Store, project_id: int, keys: Sequence[int] | None = None
) -> list[StoredSample]:
    """Return a project's samples in the order they came, or those with the given keys."""
    table = t.sample.c
    query = sa.select(table.id, table.sample_id, table.input, table.reference).where(
        table.project_id == project_id
    )
    if keys is not None:
        query = query.where(table.id.in_(keys))
    with store.read() as c:
        return [StoredSample(*row) for row in c.execute(query.order_by(table.id))]
