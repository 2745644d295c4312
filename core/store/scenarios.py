"""Saved inputs of the arithmetic page, by name; every save is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from core.errors import InputError, show
from core.store.store import Store, now
from core.store.tables_arithmetic import scenario as table

MAX_NAME = 100


@dataclass(frozen=True)
class SavedScenario:
    """The newest save under a name: who saved it when, and every input as text by its name."""

    id: int
    name: str
    version: int
    author: str
    saved_at: str
    inputs: Mapping[str, str]


def save_scenario(
    store: Store, project_id: int, name: str, inputs: Mapping[str, str], *, author: str = ""
) -> SavedScenario:
    """Store the inputs under `name` and return them; the saves before stay in the table.

    The same inputs under the same name change nothing. Raises InputError for a blank or long name.
    """
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME:
        came = "it is blank" if not name else f"{show(name)} is longer than {MAX_NAME} characters"
        raise InputError("scenario name", f"{came}.", "Give a short name.")
    with store.write(project_id) as c:
        query = sa.select(table).where(table.c.project_id == project_id, table.c.name == name)
        before = c.execute(query.order_by(table.c.version.desc()).limit(1)).one_or_none()
        same = before is not None and before.removed_at is None and before.inputs == dict(inputs)
        if before is None or not same:
            c.execute(
                table.insert().values(
                    project_id=project_id, name=name, author=author, inputs=dict(inputs),
                    version=1 if before is None else before.version + 1, saved_at=now(),
                )
            )  # fmt: skip
        row = c.execute(query.order_by(table.c.version.desc()).limit(1)).one()
    return _saved(row)


def scenarios(store: Store, project_id: int) -> list[SavedScenario]:
    """Return the newest save under each name that was not removed, in the order of the names' age."""
    query = sa.select(table).where(table.c.project_id == project_id).order_by(table.c.id)
    newest: dict[str, sa.Row[tuple[object, ...]]] = {}
    with store.read() as c:
        for row in c.execute(query):
            newest[row.name] = row
    return [_saved(row) for row in newest.values() if row.removed_at is None]


def remove_scenario(store: Store, project_id: int, name: str) -> None:
    """Take a name off the list; its saves stay in the table, and saving it again brings it back."""
    _mark_removed(store, project_id, name, now())


def restore_scenario(store: Store, project_id: int, name: str) -> None:
    """Put a name that was taken off back on the list, with its newest save."""
    _mark_removed(store, project_id, name, None)


def _mark_removed(store: Store, project_id: int, name: str, at: str | None) -> None:
    with store.write(project_id) as c:
        c.execute(
            table.update()
            .where(table.c.project_id == project_id, table.c.name == name)
            .values(removed_at=at)
        )


def _saved(row: sa.Row[tuple[object, ...]]) -> SavedScenario:
    return SavedScenario(row.id, row.name, row.version, row.author, row.saved_at, row.inputs)
