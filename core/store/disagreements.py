"""Reasons of disagreements in the store: the newest of an output, criterion and judge holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from core.errors import InputError
from core.labelling.disagreement import Reason
from core.labelling.label import MAX_NOTE
from core.store import tables as t
from core.store.contracts import Version
from core.store.store import Store, now
from core.store.tables_agreement import disagreement as table
from core.verdict import OVERALL


@dataclass(frozen=True)
class Given:
    """Why a judge and people differ on an output, as `who` said."""

    reason: Reason
    note: str
    who: str
    at: str


def save_reason(
    store: Store,
    project_id: int,
    version: Version,
    judge: int,
    output_id: int,
    criterion: str,
    reason: Reason | None,
    *,
    who: str,
    note: str = "",
) -> None:
    """Store why judge and people differ on an output; None takes the reason back.

    Raises InputError when output, judge or criterion are not of this project, or the note is too
    long. The project's revision stays: no figure depends on a reason.
    """
    if len(note) > MAX_NOTE:
        raise InputError(
            "note", f"it has {len(note):,} characters.", f"Keep it to {MAX_NOTE:,} or fewer."
        )
    with store.write() as c:
        key = _criteria(c, project_id).get(criterion)
        for what, name, value in ((t.output, "output", output_id), (t.judge, "judge", judge)):
            query = sa.select(what.c.id).where(what.c.id == value)
            if key is None or c.scalar(query.where(what.c.project_id == project_id)) is None:
                raise InputError(
                    name if key is not None else "criterion",
                    f"{value if key is not None else criterion!r} is not in this project.",
                    "Open the list of disagreements again.",
                )
        c.execute(
            table.insert().values(
                project_id=project_id,
                output_id=output_id,
                criterion_id=key,
                judge_id=judge,
                contract_version_id=version.id,
                reason=None if reason is None else reason.value,
                note=note,
                question_hash=_question(version, criterion),
                who=who,
                at=now(),
            )
        )


def reasons(
    store: Store, project_id: int, version: Version, judge: int, criterion: str
) -> dict[int, Given]:
    """Return the reasons that hold for a judge on a criterion as it is worded, by output id."""
    with store.read() as c:
        return {
            r.output_id: Given(Reason(r.reason), r.note, r.who, r.at)
            for r in c.execute(_newest(project_id).where(table.c.judge_id == judge))
            if r.key == criterion and _holds(version, r)
        }


def tally(store: Store, project_id: int, version: Version) -> Mapping[tuple[str, Reason], int]:
    """Return how many disagreements have each reason, by (criterion key, reason).

    Of every judge, outputs counted once. Only criteria as `version` words them: rewording is what
    such a reason asks for, and a reason about the whole output asks for a new version.
    """
    seen: set[tuple[str, Reason, int]] = set()
    with store.read() as c:
        for r in c.execute(_newest(project_id)):
            if _holds(version, r):
                seen.add((r.key, Reason(r.reason), r.output_id))
    return Counter((key, reason) for key, reason, _ in seen)


def _newest(project_id: int) -> sa.Select[tuple[object, ...]]:
    newest = (
        sa.select(sa.func.max(table.c.id).label("id"))
        .where(table.c.project_id == project_id)
        .group_by(table.c.output_id, table.c.criterion_id, table.c.judge_id)
        .subquery()
    )
    return (
        sa.select(table, t.criterion.c.key)
        .join(newest, newest.c.id == table.c.id)
        .join(t.criterion, t.criterion.c.id == table.c.criterion_id)
        .join(t.output, t.output.c.id == table.c.output_id)
        .where(table.c.reason.is_not(None), t.output.c.current)
    )


def _holds(version: Version, row: sa.Row[tuple[object, ...]]) -> bool:
    if row.key == OVERALL:
        return bool(row.contract_version_id == version.id)
    return bool(_question(version, row.key) == row.question_hash)


def _question(version: Version, criterion: str) -> str:
    """Return the hash of a criterion's question as worded now, "" for none and for overall."""
    known = {one.key: one.question_hash for one in version.contract.criteria}
    return known.get(criterion, "")


def _criteria(c: sa.Connection, project_id: int) -> dict[str, int]:
    query = sa.select(t.criterion.c.key, t.criterion.c.id)
    return {r.key: r.id for r in c.execute(query.where(t.criterion.c.project_id == project_id))}
