"""Tunings in the store: which dev outputs were judged again after which change, and by which draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from core.store.store import Store, insert_id, now
from core.store.tables_judging import tuning as table


@dataclass(frozen=True)
class Tuning:
    """One re-judging: outputs by store id, the judge before, the run that judges them again."""

    id: int
    run_id: int
    before_judge: int
    before_version: int
    criterion: str
    seed: str
    disagreements: tuple[int, ...]
    controls: tuple[int, ...]
    agreements: int
    at: str


def add_tuning(
    store: Store,
    project_id: int,
    *,
    run_id: int,
    before_judge: int,
    before_version: int,
    criterion: str,
    seed: str,
    disagreements: Sequence[int],
    controls: Sequence[int],
    agreements: int,
) -> int:
    """Store a tuning and return its id."""
    with store.write(project_id) as c:
        return insert_id(
            c, table, project_id=project_id, run_id=run_id, before_judge_id=before_judge,
            before_version_id=before_version, criterion=criterion, seed=seed,
            disagreements=list(disagreements), controls=list(controls), agreements=agreements,
            at=now(),
        )  # fmt: skip


def tunings_of(store: Store, project_id: int) -> list[Tuning]:
    """Return a project's tunings, newest first."""
    query = sa.select(table).where(table.c.project_id == project_id).order_by(table.c.id.desc())
    with store.read() as c:
        return [_tuning(r) for r in c.execute(query)]


def _tuning(r: Any) -> Tuning:
    return Tuning(
        r.id, r.run_id, r.before_judge_id, r.before_version_id, r.criterion, r.seed,
        tuple(r.disagreements), tuple(r.controls), r.agreements, r.at,
    )  # fmt: skip
