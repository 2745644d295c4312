"""What was imported when, and which choices were made for it on the mapping screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from core.store import tables as t
from core.store.store import Store, insert_id, now


def record_import(
    connection: Connection,
    project_id: int,
    *,
    kind: str,
    file_name: str,
    sha256: str,
    choices: dict[str, Any],
    counts: dict[str, int],
) -> int:
    """Keep what was imported and which choices were made for it; returns its id."""
    return insert_id(
        connection,
        t.import_batch,
        project_id=project_id,
        kind=kind,
        file_name=file_name,
        sha256=sha256,
        choices=choices,
        counts=counts,
        at=now(),
    )


@dataclass(frozen=True)
class Import:
    """What was imported when, with the choices made on the mapping screen."""

    kind: str
    file_name: str
    choices: dict[str, Any]
    counts: dict[str, int]
    at: str
    id: int = 0
    sha256: str = ""


def imports_of(store: Store, project_id: int) -> list[Import]:
    """Return a project's imports, newest first."""
    table = t.import_batch
    query = sa.select(table).where(table.c.project_id == project_id).order_by(table.c.id.desc())
    with store.read() as c:
        return [
            Import(r.kind, r.file_name, r.choices, r.counts, r.at, r.id, r.sha256)
            for r in c.execute(query)
        ]
