"""A judge's instructions in the store: numbered versions, each text once, never overwritten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from core.errors import InputError
from core.judging.prompt import DEFAULT_INSTRUCTIONS, Instructions
from core.store.store import Store, insert_id, now
from core.store.tables_judging import instructions as table

MAX_CHARACTERS = 50_000


@dataclass(frozen=True)
class StoredInstructions:
    """One version; `created_at` "" for the text that ships with the program, before it is used."""

    number: int
    text: str
    author: str = ""
    created_at: str = ""

    @property
    def instructions(self) -> Instructions:
        """The text as a judge is told it."""
        return Instructions(self.text)


def instructions_of(store: Store, project_id: int) -> list[StoredInstructions]:
    """Return a project's instructions, newest first; at least the text that ships, as number 1."""
    with store.read() as c:
        return _all(c, project_id) or [StoredInstructions(1, DEFAULT_INSTRUCTIONS.text)]


def save_instructions(
    store: Store, project_id: int, text: str, *, author: str = ""
) -> StoredInstructions:
    """Return the version with exactly this text, stored as the next number if it is new.

    The text that ships with the program is number 1 of every project. Raises InputError for a
    blank text or one of more than `MAX_CHARACTERS`.
    """
    if not text.strip():
        raise InputError("instructions", "they are blank.", "Say what the judge has to do.")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            "instructions", f"{len(text):,} characters.", f"Keep them under {MAX_CHARACTERS:,}."
        )
    with store.write(project_id) as c:
        found = _all(c, project_id)
        if not found:
            found = [_add(c, project_id, 1, DEFAULT_INSTRUCTIONS.text, "")]
        same = [one for one in found if one.text == text]
        return same[0] if same else _add(c, project_id, found[0].number + 1, text, author)


def _all(c: sa.Connection, project_id: int) -> list[StoredInstructions]:
    query = sa.select(table).where(table.c.project_id == project_id)
    rows = c.execute(query.order_by(table.c.number.desc()))
    return [StoredInstructions(r.number, r.text, r.author, r.created_at) for r in rows]


def _add(c: sa.Connection, project_id: int, number: int, text: str, author: str) -> Any:
    at = now()
    insert_id(
        c, table, project_id=project_id, number=number, text=text,
        text_hash=Instructions(text).version, author=author, created_at=at,
    )  # fmt: skip
    return StoredInstructions(number, text, author, at)
