"""Labels in the store: append-only, each act of a reviewer once, the newest state wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from core.errors import InputError, show
from core.labelling.label import LabelEntry, LabelKind
from core.store import tables as t
from core.store import tables_labelling as tl
from core.store.contracts import Version
from core.store.imports import record_import
from core.store.newest import ASIDE, newest_of_each_kind, newest_votes
from core.store.outputs import output_ids
from core.store.store import Store, criterion_ids, insert_id, lock_project, now
from core.text import person_key
from core.verdict import OVERALL, LabelValue


@dataclass(frozen=True)
class Saved:
    """What became of a batch: the highest stored seq a client, and entries that cannot be kept."""

    ack: Mapping[str, int]
    refused: tuple[tuple[LabelEntry, str], ...]


@dataclass(frozen=True, slots=True)
class LabelState:
    """A reviewer's present label of one output and criterion; `row` rises with every act stored."""

    output_id: int
    criterion: str
    verdict: LabelValue | None
    deferred: bool
    note: str
    question_hash: str
    row: int = 0


@dataclass(frozen=True)
class NewLabel:
    """A label from a file. Key: (sample id, trial, criterion, reviewer, kind).

    `kind` is IMPORT for a vote, else ADJUDICATION, REPEAT or PRACTICE. `question_hash` is the
    wording it was given for, "" for that of the contract. `stratum` with `probability` say how the
    output came into the queue, if the file says so.
    """

    sample_id: str
    criterion: str
    reviewer: str
    verdict: LabelValue
    trial: int = 1
    note: str = ""
    labelled_at: str = ""
    kind: LabelKind = LabelKind.IMPORT
    question_hash: str = ""
    seconds: float | None = None
    stratum: str = ""
    probability: float | None = None


def save_reviewer(store: Store, project_id: int, name: str) -> tuple[int, str]:
    """Return (id, name as first given) of the reviewer, made on first use.

    "Ana " and "ana" are one person. Raises InputError for a blank name.
    """
    if not person_key(name):
        raise InputError(
            "reviewer name", "it is blank.", "Type your name: labels belong to a person."
        )
    with store.read() as c:
        found = _find_reviewer(c, project_id, name)
    if found is not None:
        return found
    # From now on less is shown to this person, so the revision rises.
    with store.write(project_id) as c:
        lock_project(c, project_id)  # two tabs of one new person ask at once
        return _reviewer(c, project_id, name)


def find_reviewer(store: Store, project_id: int, name: str) -> int | None:
    """Return the id of a project's reviewer of this name, or None; makes nobody one."""
    with store.read() as c:
        found = _find_reviewer(c, project_id, name)
    return None if found is None else found[0]


def save_labels(
    store: Store, project_id: int, reviewer_id: int, entries: Sequence[LabelEntry]
) -> Saved:
    """Store what a reviewer's browser sent, in order, in one transaction.

    An entry stored before (same client and seq) is acknowledged and changes nothing. Entries for
    an output or criterion that is not in this project are refused, by name, and acknowledged.
    """
    refused: list[tuple[LabelEntry, str]] = []
    with store.write(project_id) as c:
        outputs = _known_outputs(c, project_id, {e.output_id for e in entries})
        keys = {e.criterion for e in entries}
        query = sa.select(t.criterion.c.key, t.criterion.c.id)
        known = {
            r.key: r.id
            for r in c.execute(query.where(t.criterion.c.project_id == project_id))
            if r.key in keys
        }
        rows = []
        for entry in entries:
            if entry.output_id not in outputs:
                refused.append((entry, f"output {entry.output_id} is not in this project"))
            elif entry.criterion not in known:
                refused.append((entry, f"criterion {entry.criterion!r} is not in this project"))
            else:
                rows.append(_row(entry, project_id, known[entry.criterion], reviewer_id))
        _insert_once(c, rows)
    ack: dict[str, int] = {}
    for entry in entries:
        ack[entry.client] = max(entry.seq, ack.get(entry.client, 0))
    return Saved(ack, tuple(refused))


def acknowledged(store: Store, client: str) -> int:
    """Return the highest seq stored for a browser's client id, 0 if none."""
    with store.read() as c:
        return int(
            c.scalar(sa.select(sa.func.max(t.label.c.seq)).where(t.label.c.client == client)) or 0
        )


def reviewer_labels(
    store: Store, project_id: int, reviewer_id: int, criterion: str | None = None
) -> list[LabelState]:
    """Return the present labels of one reviewer and nobody else's, in the order of outputs.

    With `criterion`, only those on this criterion.
    """
    newest = newest_votes(project_id).where(t.label.c.reviewer_id == reviewer_id)
    if criterion is not None:
        known = sa.select(t.criterion.c.id).where(
            t.criterion.c.project_id == project_id, t.criterion.c.key == criterion
        )
        newest = newest.where(t.label.c.criterion_id.in_(known))
    rows = newest.subquery()
    label = t.label.c
    query = (
        sa.select(
            label.output_id, t.criterion.c.key, label.verdict, label.deferred, label.note,
            label.question_hash, label.id,
        )
        .join(rows, rows.c.id == label.id)
        .join(t.criterion, t.criterion.c.id == label.criterion_id)
        .order_by(label.output_id)
    )  # fmt: skip
    said: dict[str | None, LabelValue | None] = {value.value: value for value in LabelValue}
    said[None] = None
    with store.read() as c:
        found = c.execute(query).all()
    # One at a time through the enum would take as long as reading them.
    return [LabelState(o, key, said[v], *more) for o, key, v, *more in found]


def add_labels(
    store: Store,
    project_id: int,
    rows: Sequence[NewLabel],
    version: Version | None,
    *,
    file_name: str = "",
    sha256: str = "",
    choices: Mapping[str, Any] | None = None,
) -> dict[str, int]:
    """Store labels from a file in one transaction; returns counts by what became of them.

    `new` and `changed` were stored, `present` say what is stored already, `no_output` and
    `no_criterion` have nothing to belong to and were left out.
    """
    counts = {"new": 0, "changed": 0, "present": 0, "no_output": 0, "no_criterion": 0}
    questions = (
        {} if version is None else {c.key: c.question_hash for c in version.contract.criteria}
    )
    with store.write(project_id) as c:
        outputs = output_ids(c, project_id)
        criteria = criterion_ids(c, project_id, [OVERALL])
        present = _present(c, project_id)
        reviewers: dict[str, int] = {}
        batch = record_import(
            c,
            project_id,
            kind="labels",
            file_name=file_name,
            sha256=sha256,
            choices=dict(choices or {}),
            counts=counts,
        )
        add: list[dict[str, Any]] = []
        drawn: dict[tuple[int, ...], tuple[str, float]] = {}
        for row in rows:
            output = outputs.get((row.sample_id, row.trial))
            if output is None:
                counts["no_output"] += 1
                continue
            if row.criterion != OVERALL and row.criterion not in questions:
                counts["no_criterion"] += 1
                continue
            if row.reviewer not in reviewers:
                reviewers[row.reviewer] = _reviewer(c, project_id, row.reviewer)[0]
            key = (output, criteria[row.criterion], reviewers[row.reviewer])
            if row.probability is not None and key[::2] not in drawn:
                drawn[key[::2]] = (row.stratum, row.probability)
            kind = "" if row.kind is LabelKind.IMPORT else row.kind.value
            verdict, note, question = present.get((*key, kind), (None, "", ""))
            if (verdict, note) == (row.verdict.value, row.note) and (
                row.question_hash in ("", question)
            ):
                counts["present"] += 1
                continue
            counts["changed" if (*key, kind) in present else "new"] += 1
            question = row.question_hash or questions.get(row.criterion, "")
            present[(*key, kind)] = (row.verdict.value, row.note, question)
            entry = LabelEntry(
                f"import-{batch}",
                len(add) + 1,
                output,
                row.criterion,
                row.kind,
                row.verdict,
                False,
                row.note,
                question,
                row.seconds,
            )
            values = _row(entry, project_id, key[1], key[2])
            values |= {"labelled_at": row.labelled_at or now(), "import_batch_id": batch}
            add.append(values)
        note_draws(c, project_id, drawn)
        _insert_once(c, add)
        c.execute(t.import_batch.update().where(t.import_batch.c.id == batch).values(counts=counts))
    return counts


def _present(
    c: sa.Connection, project_id: int
) -> dict[tuple[int, int, int, str], tuple[str | None, str, str]]:
    """Return what holds today by (output, criterion, reviewer, kind), "" for a vote."""
    newest = newest_of_each_kind(project_id).subquery()
    query = sa.select(t.label).join(newest, newest.c.id == t.label.c.id)
    apart = {LabelKind.ADJUDICATION, *ASIDE}
    return {
        (r.output_id, r.criterion_id, r.reviewer_id, r.kind if r.kind in apart else ""): (
            r.verdict,
            r.note,
            r.question_hash,
        )
        for r in c.execute(query)
    }


def note_draws(
    c: sa.Connection, project_id: int, drawn: Mapping[tuple[int, ...], tuple[str, float]]
) -> None:
    """Keep how outputs came into the queue, by (output, reviewer), where it is not known yet."""
    table = tl.assignment
    query = sa.select(table.c.output_id, table.c.reviewer_id).where(
        table.c.project_id == project_id
    )
    known = {(r.output_id, r.reviewer_id) for r in c.execute(query)} if drawn else set()
    rows = [
        {
            "project_id": project_id,
            "output_id": key[0],
            "reviewer_id": key[1],
            "slot": None,
            "stratum": stratum,
            "probability": probability,
            "at": now(),
        }
        for key, (stratum, probability) in drawn.items()
        if key not in known
    ]
    if rows:
        c.execute(table.insert(), rows)


def _known_outputs(c: sa.Connection, project_id: int, ids: set[int]) -> set[int]:
    query = sa.select(t.output.c.id).where(
        t.output.c.project_id == project_id, t.output.c.id.in_(ids)
    )
    return set(c.scalars(query))


def _row(entry: LabelEntry, project_id: int, criterion: int, reviewer: int) -> dict[str, Any]:
    return {
        "project_id": project_id,
        "output_id": entry.output_id,
        "criterion_id": criterion,
        "reviewer_id": reviewer,
        "kind": entry.kind.value,
        "verdict": None if entry.verdict is None else entry.verdict.value,
        "deferred": entry.deferred,
        "note": entry.note,
        "question_hash": entry.question_hash,
        "client": entry.client,
        "seq": entry.seq,
        "labelled_at": now(),
        "seconds": entry.seconds,
        "import_batch_id": None,
    }


def _insert_once(c: sa.Connection, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    dialect = postgresql if c.dialect.name == "postgresql" else sqlite
    c.execute(
        dialect.insert(t.label).on_conflict_do_nothing(index_elements=["client", "seq"]), rows
    )


def _find_reviewer(c: sa.Connection, project_id: int, name: str) -> tuple[int, str] | None:
    row = c.execute(
        sa.select(t.reviewer.c.id, t.reviewer.c.name).where(
            t.reviewer.c.project_id == project_id, t.reviewer.c.key == person_key(name)
        )
    ).one_or_none()
    return None if row is None else (row.id, row.name)


def _reviewer(c: sa.Connection, project_id: int, name: str) -> tuple[int, str]:
    found = _find_reviewer(c, project_id, name)
    if found is not None:
        return found
    clean = " ".join(name.split())
    if not clean:
        raise InputError("reviewer", f"got {show(name)}.", "Every label belongs to a named person.")
    return insert_id(c, t.reviewer, project_id=project_id, key=person_key(name), name=clean), clean
