"""Samples and their outputs: stored once, never doubled, never silently replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from core.store import tables as t
from core.store.imports import record_import
from core.store.store import Store, insert_id
from core.text import exact_hash, fingerprint


@dataclass(frozen=True)
class NewOutput:
    """One output to store; `extra` holds the user's own columns. Key: (sample id, trial).

    `given` says which of input and reference the source holds at all: what it does not hold is no
    change to what is stored.
    """

    sample_id: str
    text: str
    trial: int = 1
    input: str = ""
    reference: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)
    given: frozenset[str] = frozenset({"input", "reference"})

    def same_sample(self, input: str, reference: str | None) -> bool:
        """Whether what is given of the sample equals what is stored of it."""
        return ("input" not in self.given or self.input == input) and (
            "reference" not in self.given or self.reference == reference
        )


@dataclass(frozen=True)
class StoredOutput:
    """One output as stored; `id` is the store's own."""

    id: int
    sample_id: str
    trial: int
    text: str
    input: str
    reference: str | None
    extra: Mapping[str, str]


@dataclass(frozen=True)
class OutputDifference:
    """What storing a file would do: new, already present, or another text for a known key."""

    new: tuple[NewOutput, ...]
    present: int
    changed: tuple[NewOutput, ...]


def compare_outputs(store: Store, project_id: int, rows: Sequence[NewOutput]) -> OutputDifference:
    """Return what `add_outputs` would find; `changed` differ in text, input or reference."""
    with store.read() as c:
        return _compare(c, project_id, rows)


def add_outputs(
    store: Store,
    project_id: int,
    rows: Sequence[NewOutput],
    *,
    file_name: str = "",
    sha256: str = "",
    choices: Mapping[str, Any] | None = None,
    replace_changed: bool = False,
) -> OutputDifference:
    """Store outputs in one transaction and return what was found.

    Rows already present change nothing. Rows with another text are left as they are, or with
    `replace_changed` become a new version of that output: labels stay with the old text.
    """
    with store.write(project_id) as c:
        difference = _compare(c, project_id, rows)
        batch = record_import(
            c,
            project_id,
            kind="outputs",
            file_name=file_name,
            sha256=sha256,
            choices=dict(choices or {}),
            counts={
                "new": len(difference.new),
                "present": difference.present,
                "changed": len(difference.changed),
                "replaced": len(difference.changed) if replace_changed else 0,
            },
        )
        samples = _sample_ids(c, project_id)
        for row in difference.new:
            if row.sample_id not in samples:
                samples[row.sample_id] = _add_sample(c, project_id, row)
        versions: dict[tuple[int, int], int] = {}
        for row in difference.changed if replace_changed else ():
            key = (samples[row.sample_id], row.trial)
            versions[key] = 1 + int(
                c.scalar(sa.select(sa.func.max(t.output.c.version)).where(_key(key))) or 0
            )
            c.execute(t.output.update().where(_key(key)).values(current=False))
            if row.given:
                values = {name: getattr(row, name) for name in sorted(row.given)}
                c.execute(t.sample.update().where(t.sample.c.id == key[0]).values(values))
                _date(c, key[0])
        add = [*difference.new, *(difference.changed if replace_changed else ())]
        if add:
            c.execute(
                t.output.insert(),
                [
                    {
                        "project_id": project_id,
                        "sample_pk": samples[row.sample_id],
                        "trial": row.trial,
                        "version": versions.get((samples[row.sample_id], row.trial), 1),
                        "current": True,
                        "text": row.text,
                        "fingerprint": fingerprint(row.text),
                        "extra": dict(row.extra),
                        "import_batch_id": batch,
                    }
                    for row in add
                ],
            )
    return difference


def load_outputs(
    store: Store, project_id: int, ids: Sequence[int] | None = None
) -> list[StoredOutput]:
    """Return the current outputs in the order they came, or those with the given store ids."""
    query = (
        sa.select(t.output, t.sample.c.sample_id, t.sample.c.input, t.sample.c.reference)
        .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .where(t.output.c.project_id == project_id)
        .order_by(t.output.c.id)
    )
    query = query.where(t.output.c.current) if ids is None else query.where(t.output.c.id.in_(ids))
    with store.read() as c:
        return [
            StoredOutput(r.id, r.sample_id, r.trial, r.text, r.input, r.reference, r.extra)
            for r in c.execute(query)
        ]


def previous_texts(store: Store, project_id: int, ids: Sequence[int]) -> dict[int, str]:
    """Return the text each output replaced, for those of `ids` that replaced one."""
    now, before = t.output.alias("now"), t.output.alias("before")
    same = sa.and_(
        before.c.sample_pk == now.c.sample_pk,
        before.c.trial == now.c.trial,
        before.c.version == now.c.version - 1,
    )
    query = (
        sa.select(now.c.id, before.c.text)
        .join(before, same)
        .where(now.c.project_id == project_id, now.c.id.in_(ids))
    )
    with store.read() as c:
        return {r.id: r.text for r in c.execute(query)}


def current_ids(store: Store, project_id: int) -> list[int]:
    """Return the store ids of the current outputs in the order they came, without their texts."""
    query = sa.select(t.output.c.id).where(t.output.c.project_id == project_id, t.output.c.current)
    with store.read() as c:
        return list(c.scalars(query.order_by(t.output.c.id)))


def count_outputs(store: Store, project_id: int) -> int:
    """Return the number of current outputs."""
    query = sa.select(sa.func.count()).where(
        t.output.c.project_id == project_id, t.output.c.current
    )
    with store.read() as c:
        return int(c.scalar(query) or 0)


def output_ids(connection: sa.Connection, project_id: int) -> dict[tuple[str, int], int]:
    """Return the store id of each current output by (sample id, trial)."""
    query = (
        sa.select(t.output.c.id, t.output.c.trial, t.sample.c.sample_id)
        .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .where(t.output.c.project_id == project_id, t.output.c.current)
    )
    return {(r.sample_id, r.trial): r.id for r in connection.execute(query)}


def _compare(c: sa.Connection, project_id: int, rows: Sequence[NewOutput]) -> OutputDifference:
    query = (
        sa.select(
            t.sample.c.sample_id,
            t.output.c.trial,
            t.output.c.text,
            t.sample.c.input,
            t.sample.c.reference,
        )
        .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .where(t.output.c.project_id == project_id, t.output.c.current)
    )
    known = {(r.sample_id, r.trial): (r.text, r.input, r.reference) for r in c.execute(query)}
    inputs = {key[0]: value[1:] for key, value in known.items()}
    new: list[NewOutput] = []
    changed: list[NewOutput] = []
    present = 0
    for row in rows:
        key = (row.sample_id, row.trial)
        if key in known:
            text, *sample = known[key]
            if text == row.text and row.same_sample(*sample):
                present += 1
            else:
                changed.append(row)
        elif row.sample_id in inputs and not row.same_sample(*inputs[row.sample_id]):
            changed.append(row)
        else:
            new.append(row)
            inputs.setdefault(row.sample_id, (row.input, row.reference))
    return OutputDifference(tuple(new), present, tuple(changed))


def _sample_ids(c: sa.Connection, project_id: int) -> dict[str, int]:
    query = sa.select(t.sample.c.sample_id, t.sample.c.id).where(
        t.sample.c.project_id == project_id
    )
    return {r.sample_id: r.id for r in c.execute(query)}


def _add_sample(c: sa.Connection, project_id: int, row: NewOutput) -> int:
    return insert_id(
        c,
        t.sample,
        project_id=project_id,
        sample_id=row.sample_id,
        input=row.input,
        reference=row.reference,
        content_hash=sample_hash(row.input, row.reference),
    )


def sample_hash(input: str, reference: str | None) -> str:
    """Return the identity of what a verdict was given for beside the output itself."""
    return exact_hash(input, reference)


def _date(c: sa.Connection, sample: int) -> None:
    """Store the content hash of a sample that was changed."""
    table = t.sample
    row = c.execute(sa.select(table).where(table.c.id == sample)).one()
    now = sample_hash(row.input, row.reference)
    c.execute(table.update().where(table.c.id == sample).values(content_hash=now))


def _key(key: tuple[int, int]) -> sa.ColumnElement[bool]:
    return sa.and_(t.output.c.sample_pk == key[0], t.output.c.trial == key[1])
