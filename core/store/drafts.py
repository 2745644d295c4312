"""Contract drafts: unsaved edits that survive a reload, one draft a browser tab.

A draft is plain data and may be invalid while it is written; saving it as a version is what
checks it. Each has a random id that stands in the address, so two people never share one.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from core.contract.contract import Contract
from core.store import tables as t
from core.store.contracts import Version, latest_version, save_version, say_same_meaning
from core.store.store import Store, now

_BLANK: dict[str, Any] = {
    "title": "",
    "task": "",
    "evaluator": {"type": "rubric_other_model", "knows": ""},
    "criteria": [],
    "does_not_examine": "",
    "acceptance": {"rule": "all"},
    "stop": {"cap": 3, "window": 1, "keep": "best"},
    "limits": {},
}


@dataclass(frozen=True)
class Draft:
    """A contract being written. `origins[i]` is the key criterion i had in the version it began

    from, "" for a new one; so a changed key is a rename and keeps its labels. `notes` are lines about
    the text the draft was filled from, each with whether it names something left out; they stay
    with the draft until somebody dismisses them.
    """

    id: str
    based_on: int
    contract: dict[str, Any]
    origins: tuple[str, ...]
    notes: tuple[tuple[bool, str], ...] = ()

    @property
    def renames(self) -> dict[str, str]:
        """Old to new key of every criterion whose key was changed."""
        pairs = zip(self.origins, self.contract["criteria"], strict=True)
        return {old: c["key"] for old, c in pairs if old and old != c.get("key")}


def fresh(version: Version | None) -> Draft:
    """Return a draft with the content of `version`, or a blank one; it is not stored."""
    content = _BLANK if version is None else version.contract.to_data()
    origins = tuple(str(c["key"]) for c in content["criteria"])
    return Draft("", 0 if version is None else version.number, content, origins)


def add_draft(store: Store, project_id: int, draft: Draft) -> str:
    """Store a new draft and return its id."""
    stored = replace(draft, id=secrets.token_hex(8))
    with store.write() as c:
        c.execute(t.contract_draft.insert().values(project_id=project_id, **_values(stored)))
    return stored.id


def load_draft(store: Store, project_id: int, draft_id: str) -> Draft | None:
    """Return the draft with this id if it belongs to the project, else None.

    Inside `store.write()` nobody else can change it before that write ends.
    """
    table = t.contract_draft
    query = sa.select(table).where(table.c.id == draft_id, table.c.project_id == project_id)
    if store.inside_write:
        query = query.with_for_update()
    with store.read() as c:
        row = c.execute(query).one_or_none()
    if row is None:
        return None
    # Drafts stored before there were notes have none.
    notes = tuple((bool(left_out), str(line)) for left_out, line in row.content.get("notes", ()))
    content = row.content
    return Draft(row.id, row.based_on, content["contract"], tuple(content["origins"]), notes)


def write_draft(store: Store, draft: Draft) -> bool:
    """Store the present content of a draft; False when it is no longer there to be written."""
    table = t.contract_draft
    with store.write() as c:
        done = c.execute(table.update().where(table.c.id == draft.id).values(_values(draft)))
        return done.rowcount == 1


def drop_draft(store: Store, draft_id: str) -> None:
    """Forget a draft."""
    with store.write() as c:
        c.execute(t.contract_draft.delete().where(t.contract_draft.c.id == draft_id))


def publish_draft(
    store: Store,
    project_id: int,
    draft: Draft,
    *,
    author: str = "",
    name: str = "",
    ready: bool = False,
    same_meaning: Collection[str] = (),
) -> Version:
    """Save a draft as the next contract version and forget the draft, in one act.

    `same_meaning` are the (new) keys of reworded criteria that still ask the same, so that labels
    given before stand. Raises InputError when it is not a complete contract and StaleSaveError when somebody saved a
    newer version; the draft is kept in both cases.
    """
    contract = Contract.from_data(tidy(draft.contract))
    with store.write(project_id):
        base = latest_version(store, project_id)
        version = save_version(
            store,
            project_id,
            contract,
            author=author,
            name=name,
            based_on=draft.based_on,
            renames=draft.renames,
            ready=ready,
        )
        back = {new: old for old, new in draft.renames.items()}
        for key in same_meaning:
            before = base.contract.by_key.get(back.get(key, key)) if base is not None else None
            after = version.contract.by_key.get(key)
            if before is not None and after is not None:
                say_same_meaning(
                    store, project_id, before.question_hash, after.question_hash, author
                )
        drop_draft(store, draft.id)
    return version


def tidy(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a draft's data without what the form leaves behind: a minimum that rule "all" has

    no use for, empty mappings.
    """
    made = {key: value for key, value in data.items() if value != {}}
    acceptance = made.get("acceptance")
    if isinstance(acceptance, Mapping) and acceptance.get("rule") == "all":
        made["acceptance"] = {"rule": "all"}
    return made


def _values(draft: Draft) -> Mapping[str, Any]:
    content: dict[str, Any] = {"contract": draft.contract, "origins": list(draft.origins)}
    if draft.notes:
        content["notes"] = [list(note) for note in draft.notes]
    return {"id": draft.id, "based_on": draft.based_on, "content": content, "updated_at": now()}
