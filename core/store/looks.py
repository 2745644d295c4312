"""Looks at the test part: once per contract version it is a test, each further look wears it out."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from core.store.contracts import Version
from core.store.store import Store, now
from core.store.tables_agreement import test_look as table


@dataclass(frozen=True)
class Look:
    """Somebody opened the test part under a contract version."""

    who: str
    at: str


def open_test(store: Store, project_id: int, version: Version, who: str) -> int:
    """Record that `who` looks at the test part now; returns how many looks this version has had."""
    with store.write(project_id) as c:
        c.execute(
            table.insert().values(
                project_id=project_id, contract_version_id=version.id, who=who, at=now()
            )
        )
    return len(looks(store, version))


def looks(store: Store, version: Version) -> list[Look]:
    """Return the looks at the test part under a contract version, oldest first."""
    query = sa.select(table).where(table.c.contract_version_id == version.id).order_by(table.c.id)
    with store.read() as c:
        return [Look(r.who, r.at) for r in c.execute(query)]


def looks_so_far(store: Store, project_id: int) -> int:
    """Return how often the test part was opened under all versions together."""
    query = sa.select(sa.func.count()).where(table.c.project_id == project_id)
    with store.read() as c:
        return int(c.scalar(query) or 0)
