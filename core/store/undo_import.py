"""Taking back an import: what it stored goes again, what others have added to it stays.

Labels, verdicts and traces of the import go. Its outputs go too, except those that somebody else
has labelled or judged since; where an output took the place of an older text, that is current
again. A contract that was made with the import stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from core.errors import InputError
from core.store import tables as t
from core.store.imports import Import, imports_of
from core.store.store import Store

_STEP = 500


@dataclass(frozen=True)
class Act:
    """What was imported from one file in one go: one import a kind."""

    file_name: str
    sha256: str
    at: str
    ids: tuple[int, ...]
    new: dict[str, int]
    """How many rows of each kind came with it."""


def acts_of(store: Store, project_id: int) -> list[Act]:
    """Return the acts of a project's imports, newest first; what runs have stored is none."""
    found: list[list[Import]] = []
    for batch in imports_of(store, project_id):
        if not batch.sha256:
            continue
        same = found and (found[-1][0].sha256, found[-1][0].file_name) == (
            batch.sha256,
            batch.file_name,
        )
        if same:
            found[-1].append(batch)
        else:
            found.append([batch])
    return [_act(batches) for batches in found]


def _act(batches: Sequence[Import]) -> Act:
    new: dict[str, int] = {}
    for batch in reversed(batches):
        stored = batch.counts.get("new", 0) + batch.counts.get(
            "replaced" if batch.kind == "outputs" else "changed", 0
        )
        new[batch.kind] = new.get(batch.kind, 0) + stored
    first = batches[0]
    return Act(first.file_name, first.sha256, first.at, tuple(b.id for b in batches), new)


def undo_import(store: Store, project_id: int, act: Act) -> dict[str, int]:
    """Take back what an act stored and return how many rows went, and outputs that `stayed`.

    Raises InputError when it was taken back already.
    """
    with store.write(project_id) as c:
        mine = t.import_batch.c.id.in_(act.ids) & (t.import_batch.c.project_id == project_id)
        ids = list(c.scalars(sa.select(t.import_batch.c.id).where(mine)))
        if not ids:
            raise InputError(act.file_name, "this import was taken back already.")
        counts = {
            name: int(
                c.scalar(
                    sa.select(sa.func.count()).select_from(table).where(
                        table.c.import_batch_id.in_(ids)
                    )
                ) or 0
            )
            for name, table in (("labels", t.label), ("judgements", t.judgement), ("traces", t.trace))
        }  # fmt: skip
        for table in (t.label, t.judgement, t.trace):
            c.execute(table.delete().where(table.c.import_batch_id.in_(ids)))
        judged = sa.select(t.judgement.c.judge_id).where(t.judgement.c.project_id == project_id)
        c.execute(
            t.judge.delete().where(
                t.judge.c.project_id == project_id,
                t.judge.c.kind == "recorded",
                t.judge.c.id.not_in(judged),
            )
        )
        counts["outputs"], counts["stayed"] = _undo_outputs(c, project_id, ids)
        c.execute(t.import_batch.delete().where(t.import_batch.c.id.in_(ids)))
    return counts


def _undo_outputs(c: sa.Connection, project_id: int, ids: Sequence[int]) -> tuple[int, int]:
    """Delete outputs of these imports that nothing hangs on; returns (deleted, kept)."""
    o = t.output.c
    query = sa.select(o.id, o.sample_pk, o.trial, o.version).where(
        o.project_id == project_id, o.import_batch_id.in_(ids)
    )
    rows = {r.id: r for r in c.execute(query)}
    used: set[int] = set()
    others = [
        table for table in t.metadata.tables.values()
        if table is not t.output and "output_id" in table.c
    ]  # fmt: skip
    for table in others:
        query = sa.select(table.c.output_id).where(
            table.c.output_id.in_(sa.select(o.id).where(o.import_batch_id.in_(ids)))
        )
        if table is t.judgement:  # code checks are made again in no time
            query = query.join(t.judge).where(t.judge.c.kind != "code")
        used |= set(c.scalars(query))
    free = [key for key in rows if key not in used]
    for start in range(0, len(free), _STEP):
        c.execute(t.output.delete().where(o.id.in_(free[start : start + _STEP])))
    for key in free:
        row = rows[key]
        if row.version > 1:
            before = sa.select(sa.func.max(o.version)).where(
                o.sample_pk == row.sample_pk, o.trial == row.trial
            )
            c.execute(
                t.output.update()
                .where(
                    o.sample_pk == row.sample_pk,
                    o.trial == row.trial,
                    o.version == before.scalar_subquery(),
                )
                .values(current=True)
            )
    _drop_bare_samples(c, project_id, sorted({rows[key].sample_pk for key in free}))
    return len(free), len(rows) - len(free)


def _drop_bare_samples(c: sa.Connection, project_id: int, keys: Sequence[int]) -> None:
    """Delete samples that no output is left of and no other table knows."""
    known = [
        (table, column) for table in t.metadata.tables.values()
        for column in table.c if column.name in ("sample_pk", "sample_key")
    ]  # fmt: skip
    used: set[int] = set()
    for start in range(0, len(keys), _STEP):
        some = keys[start : start + _STEP]
        for _, column in known:
            used |= set(c.scalars(sa.select(column).where(column.in_(some))))
    bare = [key for key in keys if key not in used]
    for start in range(0, len(bare), _STEP):
        some = bare[start : start + _STEP]
        c.execute(t.sample.delete().where(t.sample.c.id.in_(some)))
