"""Groups of notes in the store: what reviewers wrote about outputs as a whole, sorted into piles.

A project's groups are shared; the notes in them are read for one reviewer at a time, so nobody
sees what a colleague wrote or said. Nothing is deleted: every act returns the `Undo` that takes it
back, and a removed group keeps its members until they are put elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from core.errors import InputError, show
from core.labelling.grouping import Labelled, Pile
from core.store import tables as t
from core.store.newest import newest_labels
from core.store.store import Store, insert_id, now
from core.text import fold
from core.verdict import OVERALL, LabelValue

EXCERPT = 1_000
"""Characters of an output that come with its note."""
MAX_NAME = 200


@dataclass(frozen=True)
class Note:
    """A reviewer's own note on one output, newest state; `group` is None while it is in none.

    `excerpt` is the beginning of the output, `verdict` None where the note came without a label.
    """

    output_id: int
    sample_id: str
    trial: int
    verdict: LabelValue | None
    note: str
    excerpt: str
    group: int | None


@dataclass(frozen=True)
class NoteGroup:
    """A group; `criterion` is the key of the criterion it was made into, or None."""

    id: int
    name: str
    criterion: str | None


@dataclass(frozen=True)
class Undo:
    """What puts everything back as it was before one act; `what` says the act in words.

    `members` are (output, reviewer, group before or None), `names` (group, name before), `removed`
    (group, when it had been removed before, or None).
    """

    what: str
    members: tuple[tuple[int, int, int | None], ...] = ()
    names: tuple[tuple[int, str], ...] = ()
    removed: tuple[tuple[int, str | None], ...] = ()
    made: tuple[int, ...] = ()


# --- reading ---------------------------------------------------------------------------------


def own_notes(store: Store, project_id: int, reviewer_id: int) -> list[Note]:
    """Return the notes of one reviewer on current outputs as a whole, in the order of outputs."""
    excerpt = sa.func.substr(t.output.c.text, 1, EXCERPT, type_=t.ModelText).label("excerpt")
    live = sa.and_(
        t.note_group.c.id == t.note_group_member.c.note_group_id,
        t.note_group.c.removed_at.is_(None),
    )
    query = _own(
        project_id, reviewer_id, t.sample.c.sample_id, t.output.c.trial, excerpt,
        t.note_group.c.id.label("group"),
    )  # fmt: skip
    query = (
        query.join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .outerjoin(
            t.note_group_member,
            sa.and_(
                t.note_group_member.c.output_id == t.label.c.output_id,
                t.note_group_member.c.reviewer_id == t.label.c.reviewer_id,
            ),
        )
        .outerjoin(t.note_group, live)
    )
    with store.read() as c:
        return [
            Note(r.output_id, r.sample_id, r.trial, _value(r.verdict), r.note, r.excerpt, r.group)
            for r in c.execute(query)
            if r.note.strip()
        ]


def count_notes(store: Store, project_id: int, reviewer_id: int) -> int:
    """Return how many current outputs one reviewer wrote a note about, as a whole."""
    noted = sa.func.trim(t.label.c.note) != ""
    query = sa.select(sa.func.count()).select_from(
        _own(project_id, reviewer_id).where(noted).subquery()
    )
    with store.read() as c:
        return int(c.scalar(query) or 0)


def own_labelled(store: Store, project_id: int, reviewer_id: int) -> dict[int, Labelled]:
    """Return every current output one reviewer called good or bad, whole, by its store id."""
    query = _own(project_id, reviewer_id, t.output.c.text)
    with store.read() as c:
        rows = c.execute(query).all()
    found = ((r.output_id, r.text, _value(r.verdict)) for r in rows)
    return {
        output: Labelled(text, verdict is LabelValue.PASS)
        for output, text, verdict in found
        if verdict in (LabelValue.PASS, LabelValue.FAIL)
    }


def note_groups(store: Store, project_id: int, *, removed: bool = False) -> list[NoteGroup]:
    """Return the groups of a project in their order, or those that were removed."""
    table = t.note_group
    gone = table.c.removed_at.isnot(None) if removed else table.c.removed_at.is_(None)
    query = sa.select(table).where(table.c.project_id == project_id, gone)
    with store.read() as c:
        rows = c.execute(query.order_by(table.c.position, table.c.id))
        return [NoteGroup(r.id, r.name, r.criterion) for r in rows]


def _own(project_id: int, reviewer_id: int, *columns: Any) -> sa.Select[Any]:
    """Select a reviewer's newest `overall` labels of current outputs, in the order of outputs."""
    newest = newest_labels(project_id).where(t.label.c.reviewer_id == reviewer_id).subquery()
    return (
        sa.select(t.label.c.output_id, t.label.c.verdict, t.label.c.note, *columns)
        .join(newest, newest.c.id == t.label.c.id)
        .join(t.criterion, t.criterion.c.id == t.label.c.criterion_id)
        .join(t.output, t.output.c.id == t.label.c.output_id)
        .where(t.criterion.c.key == OVERALL, t.output.c.current)
        .order_by(t.label.c.output_id)
    )


def _value(verdict: str | None) -> LabelValue | None:
    return None if verdict is None else LabelValue(verdict)


# --- writing: each is one transaction and returns what takes it back ---------------------------


def add_groups(
    store: Store, project_id: int, reviewer_id: int, piles: Sequence[Pile]
) -> tuple[list[int], Undo]:
    """Make a group of each pile, with its outputs' notes in it; returns (group ids, undo).

    A name in use gets a number. Raises InputError for a blank or endless name.
    """
    ids: list[int] = []
    members: list[tuple[int, int, int | None]] = []
    with store.write(project_id) as c:
        for pile in piles:
            name = _free(c, project_id, _clean(pile.name))
            last = sa.select(sa.func.max(t.note_group.c.position))
            last = last.where(t.note_group.c.project_id == project_id)
            ids.append(
                insert_id(
                    c, t.note_group, project_id=project_id, name=name,
                    position=int(c.scalar(last) or 0) + 1,
                )
            )  # fmt: skip
            members += _put(c, project_id, reviewer_id, pile.outputs, ids[-1])
    what = "a new group" if len(ids) == 1 else f"{len(ids)} new groups"
    return ids, Undo(what, members=tuple(reversed(members)), made=tuple(ids))


def put_notes(
    store: Store, project_id: int, reviewer_id: int, outputs: Sequence[int], group_id: int | None
) -> Undo:
    """Put a reviewer's notes on these outputs into a group, or with None into none.

    Raises InputError when the group or an output is not in this project.
    """
    with store.write(project_id) as c:
        if group_id is not None:
            _group(c, project_id, group_id)
        members = _put(c, project_id, reviewer_id, outputs, group_id)
    return Undo("moving notes", members=tuple(members))


def rename_group(store: Store, project_id: int, group_id: int, name: str) -> Undo:
    """Give a group another name; raises InputError for one that is blank, endless or in use."""
    clean = _clean(name)
    with store.write(project_id) as c:
        before = _group(c, project_id, group_id)
        if _free(c, project_id, clean, but=group_id) != clean:
            raise InputError(
                "group name", f"{show(clean)} exists already.", "Choose another, or merge the two."
            )
        _set(c, group_id, name=clean)
    return Undo("a new name", names=((group_id, before.name),))


def merge_groups(store: Store, project_id: int, group_id: int, into: int) -> Undo:
    """Move every note of one group, whoever wrote it, into another, and remove the first."""
    with store.write(project_id) as c:
        _group(c, project_id, group_id)
        _group(c, project_id, into)
        if group_id == into:
            raise InputError("merging groups", "both are the same group.", "Choose another.")
        table = t.note_group_member
        here = table.c.note_group_id == group_id
        rows = c.execute(sa.select(table).where(here)).all()
        c.execute(table.update().where(here).values(note_group_id=into))
        _set(c, group_id, removed_at=now())
    members = tuple((r.output_id, r.reviewer_id, group_id) for r in rows)
    return Undo("merging groups", members=members, removed=((group_id, None),))


def remove_group(store: Store, project_id: int, group_id: int) -> Undo:
    """Take a group off the screen; its notes are in no group until it comes back."""
    with store.write(project_id) as c:
        before = _group(c, project_id, group_id)
        _set(c, group_id, removed_at=now())
    return Undo("removing a group", removed=((group_id, before.removed_at),))


def restore_group(store: Store, project_id: int, group_id: int) -> Undo:
    """Bring a removed group back with the notes that were not put elsewhere since."""
    with store.write(project_id) as c:
        before = _group(c, project_id, group_id, removed=True)
        name = _free(c, project_id, before.name, but=group_id)
        _set(c, group_id, removed_at=None, name=name)
    return Undo(
        "bringing a group back",
        names=((group_id, before.name),),
        removed=((group_id, before.removed_at),),
    )


def note_criterion(store: Store, project_id: int, group_id: int, key: str) -> None:
    """Note that a group was made into the criterion with this key."""
    with store.write(project_id) as c:
        _group(c, project_id, group_id)
        _set(c, group_id, criterion=key)


def take_back(store: Store, project_id: int, undo: Undo) -> None:
    """Undo one act. What somebody else did to the same notes since is undone with it."""
    with store.write(project_id) as c:
        for output, reviewer, group in undo.members:
            _put(c, project_id, reviewer, (output,), group)
        for group, name in undo.names:
            _set(c, group, name=name)
        for group, when in undo.removed:
            _set(c, group, removed_at=when)
        for group in undo.made:
            _set(c, group, removed_at=now())


def _put(
    c: sa.Connection,
    project_id: int,
    reviewer_id: int,
    outputs: Sequence[int],
    group_id: int | None,
) -> list[tuple[int, int, int | None]]:
    """Set the group of each output's note and return where each was before."""
    member, output = t.note_group_member, t.output
    chosen = list(dict.fromkeys(outputs))
    known = sa.select(output.c.id).where(output.c.project_id == project_id, output.c.id.in_(chosen))
    if missing := set(chosen) - set(c.scalars(known)):
        raise InputError("notes", f"output {min(missing)} is not in this project.", "Reload.")
    mine = sa.and_(member.c.reviewer_id == reviewer_id, member.c.output_id.in_(chosen))
    before: Mapping[int, int] = {
        r.output_id: r.note_group_id for r in c.execute(sa.select(member).where(mine))
    }
    c.execute(member.delete().where(mine))
    if group_id is not None and chosen:
        rows = [
            {"output_id": one, "reviewer_id": reviewer_id, "note_group_id": group_id}
            for one in chosen
        ]
        c.execute(member.insert(), rows)
    return [(one, reviewer_id, before.get(one)) for one in chosen]


def _group(c: sa.Connection, project_id: int, group_id: int, *, removed: bool = False) -> Any:
    table = t.note_group
    query = sa.select(table).where(table.c.id == group_id, table.c.project_id == project_id)
    row = c.execute(query).one_or_none()
    if row is None or (row.removed_at is not None) != removed:
        raise InputError(
            "group", "it was removed, or brought back, in the meantime.", "Choose another."
        )
    return row


def _set(c: sa.Connection, group_id: int, **values: Any) -> None:
    c.execute(t.note_group.update().where(t.note_group.c.id == group_id).values(values))


def _clean(name: str) -> str:
    clean = " ".join(name.split())
    if not clean:
        raise InputError("group name", "it is blank.", "Say in a few words what the notes share.")
    if len(clean) > MAX_NAME:
        raise InputError("group name", f"it has more than {MAX_NAME} characters.", "Shorten it.")
    return clean


def _free(c: sa.Connection, project_id: int, name: str, *, but: int | None = None) -> str:
    """Return `name`, with a number behind it if another group on screen has it."""
    table = t.note_group
    query = sa.select(table.c.id, table.c.name).where(
        table.c.project_id == project_id, table.c.removed_at.is_(None)
    )
    taken = {fold(r.name) for r in c.execute(query) if r.id != but}
    free, number = name, 2
    while fold(free) in taken:
        free, number = f"{name} ({number})", number + 1
    return free
