"""Who is given which output to label: settings, claims in batches, and giving back.

Every claim and every release is one write that holds the project (BEGIN IMMEDIATE on SQLite, the
lock on the project's row on PostgreSQL), so that two reviewers who ask at once are never given the
same place; the unique places of the table say so once more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from core.errors import InputError, show
from core.labelling.draw import Stratum, draw, strata
from core.store import tables as t
from core.store import tables_labelling as tl
from core.store.contracts import Version
from core.store.judgements import JudgeKind, judges
from core.store.live import counted_outputs
from core.store.newest import newest_votes
from core.store.results import load_results
from core.store.store import Store, lock_project, now
from core.verdict import OVERALL

BATCH = 50
"""Outputs given out at once."""
LOW = 30
"""Open outputs below which a reviewer is given more."""
MAX_SEED = 200


@dataclass(frozen=True)
class QueueSettings:
    """How outputs reach reviewers in a project.

    `reviewers_each` people label each output, 0 is everybody. `random_size` outputs are drawn at
    random before the most useful ones, None is all at random. `release_hours` without a label and
    what a reviewer has not begun is given to others, 0 is never. `seed` makes every order.
    """

    reviewers_each: int = 0
    random_size: int | None = None
    repeats: bool = False
    practice: bool = False
    release_hours: int = 24
    seed: str = ""

    @property
    def given_out(self) -> bool:
        """Whether outputs are assigned; else everybody's queue holds all of them."""
        return self.reviewers_each > 0 or self.random_size is not None


@dataclass(frozen=True)
class Load:
    """A reviewer's share: outputs given, those of them without any label, and the last act."""

    reviewer_id: int
    name: str
    given: int
    open: int
    last_act: str


def queue_settings(store: Store, project_id: int) -> QueueSettings:
    """Return the settings of a project; nothing set yet is everybody labels everything."""
    table = tl.queue_settings
    with store.read() as c:
        row = c.execute(sa.select(table).where(table.c.project_id == project_id)).one_or_none()
        if row is None:
            slug = c.scalar(sa.select(t.project.c.slug).where(t.project.c.id == project_id))
            return QueueSettings(seed=str(slug or ""))
    return QueueSettings(
        row.reviewers_each,
        row.random_size,
        row.repeats,
        row.practice,
        row.release_hours,
        row.seed,
    )


def save_queue_settings(store: Store, project_id: int, settings: QueueSettings, who: str) -> None:
    """Store the settings. What was given out before stays with whom it was given to.

    Raises InputError naming the setting that cannot be.
    """
    whole = {
        "reviewers per output": (settings.reviewers_each, 0, 100),
        "random outputs first": (
            1 if settings.random_size is None else settings.random_size, 1, 10_000_000,
        ),
        "hours until release": (settings.release_hours, 0, 8760),
    }  # fmt: skip
    for name, (value, least, most) in whole.items():
        if isinstance(value, bool) or not least <= value <= most:
            raise InputError(name, f"got {show(value)}.", f"Give {least} to {most:,}.")
    if not settings.seed.strip() or len(settings.seed) > MAX_SEED:
        raise InputError("seed", f"got {show(settings.seed)}.", f"Give 1 to {MAX_SEED} characters.")
    values = {
        "reviewers_each": settings.reviewers_each,
        "random_size": settings.random_size,
        "repeats": settings.repeats,
        "practice": settings.practice,
        "release_hours": settings.release_hours,
        "seed": settings.seed,
        "set_by": who,
        "set_at": now(),
    }
    table = tl.queue_settings
    with store.write(project_id) as c:
        changed = c.execute(table.update().where(table.c.project_id == project_id).values(values))
        if not changed.rowcount:
            c.execute(table.insert().values(project_id=project_id, **values))


def output_strata(store: Store, project_id: int, version: Version | None) -> dict[int, Stratum]:
    """Return the stratum of every output that counts, by what the judges said of it as a whole.

    The newest judge is the one that joined last. Without a judge the code checks speak, without
    either every output is UNJUDGED.
    """
    known = judges(store, project_id)
    said = [j for j in known if j.kind is not JudgeKind.CODE] or known
    found = [load_results(store, project_id, version, j.id) for j in reversed(said)]
    if not found:
        with store.read() as c:
            return _unjudged(c, project_id, version)
    per_output = strata([one.judge[OVERALL] for one in found])
    return dict(zip(found[0].outputs.tolist(), per_output, strict=True))


def _unjudged(c: sa.Connection, project_id: int, version: Version | None) -> dict[int, Stratum]:
    ids, _, _ = counted_outputs(c, project_id, version)
    return dict.fromkeys(ids.tolist(), Stratum.UNJUDGED)


def claim(
    store: Store, project_id: int, version: Version | None, reviewer_id: int, want: int = BATCH
) -> int:
    """Give `reviewer_id` up to `want` more outputs and return how many there were.

    First those that wait for a second or third reviewer, so that labels meet; then new draws. Who
    has labelled an output already holds a place there without being asked.
    """
    settings = queue_settings(store, project_id)
    if not settings.given_out or want < 1:
        return 0
    if settings.random_size is None:
        with store.read() as c:
            outputs = _unjudged(c, project_id, version)
    else:
        outputs = output_strata(store, project_id, version)
    with store.write() as c:
        # No new revision yet: asking for more when there is none must not make numbers stale.
        lock_project(c, project_id)
        _release_idle(c, project_id, settings, but=reviewer_id)
        rows = assigned(c, project_id)
        voters = voters_of(c, project_id)
        most = settings.reviewers_each or math.inf
        taken: dict[int, dict[int, int | None]] = {}
        how: dict[int, tuple[Stratum, float]] = {}
        for r in rows:
            taken.setdefault(r.output_id, {})[r.reviewer_id] = r.slot
            how.setdefault(r.output_id, (Stratum(r.stratum), r.probability))
        mine: list[dict[str, Any]] = []

        def give(output: int) -> None:
            """Give an output to this reviewer if it has room for one more person."""
            held = taken.setdefault(output, {})
            slots = {slot for slot in held.values() if slot is not None}
            people = {who for who, slot in held.items() if slot is not None}
            people |= voters.get(output, set())
            if output not in outputs or reviewer_id in people or len(people) >= most:
                return
            slot = next(n for n in range(1, len(slots) + 2) if n not in slots)
            mine.append(_row(project_id, output, reviewer_id, slot, how[output]))

        for output in list(taken):  # in the order in which they were drawn
            if len(mine) < want:
                give(output)
        passed_by: list[dict[str, Any]] = []
        while len(mine) < want:
            fresh = draw(
                want - len(mine),
                outputs,
                {o: stratum for o, (stratum, _) in how.items() if o in outputs},
                random_size=settings.random_size,
                seed=settings.seed,
            )
            for one in fresh:
                how[one.output_id] = (one.stratum, one.probability)
                # Labels given unasked keep the chance with which the output came in.
                passed_by += [
                    _row(project_id, one.output_id, who, None, how[one.output_id])
                    for who in sorted(voters.get(one.output_id, set()))
                ]
                give(one.output_id)
            if not fresh:
                break
        if passed_by or mine:
            with store.write(project_id):
                _store(c, [*passed_by, *mine], {o: set(held) for o, held in taken.items()})
    return len(mine)


def release(store: Store, project_id: int, reviewer_id: int) -> int:
    """Give back what was given to a reviewer and has no label of theirs yet; returns how much."""
    with store.write(project_id) as c:
        return _release(c, project_id, [reviewer_id])


def loads(store: Store, project_id: int) -> list[Load]:
    """Return the share of every reviewer who was given outputs, in the order they joined."""
    with store.read() as c:
        rows = [r for r in assigned(c, project_id) if r.slot is not None]
        voters = voters_of(c, project_id)
        acts = _last_acts(c, project_id)
        people = sa.select(t.reviewer).where(t.reviewer.c.project_id == project_id)
        names = {r.id: r.name for r in c.execute(people.order_by(t.reviewer.c.id))}
    found = []
    for who, name in names.items():
        given = [r for r in rows if r.reviewer_id == who]
        open_ = sum(who not in voters.get(r.output_id, set()) for r in given)
        if given:
            found.append(Load(who, name, len(given), open_, acts.get(who, "")))
    return found


def assigned(c: sa.Connection, project_id: int) -> list[Any]:
    """Return the assignments of current outputs, oldest first."""
    table = tl.assignment
    query = sa.select(table).join(t.output, t.output.c.id == table.c.output_id)
    query = query.where(table.c.project_id == project_id, t.output.c.current)
    return list(c.execute(query.order_by(table.c.id)))


def voters_of(c: sa.Connection, project_id: int) -> dict[int, set[int]]:
    """Return who has said anything of each output, of whatever criterion and wording."""
    newest = newest_votes(project_id).subquery()
    query = (
        sa.select(t.label.c.output_id, t.label.c.reviewer_id)
        .join(newest, newest.c.id == t.label.c.id)
        .where(t.label.c.verdict.is_not(None))
        .distinct()
    )
    found: dict[int, set[int]] = {}
    for r in c.execute(query):
        found.setdefault(r.output_id, set()).add(r.reviewer_id)
    return found


def _last_acts(c: sa.Connection, project_id: int) -> dict[int, str]:
    """Return when each reviewer last labelled here or was given outputs; imports do not count."""
    labels = (
        sa.select(t.label.c.reviewer_id, sa.func.max(t.label.c.labelled_at).label("at"))
        .where(t.label.c.project_id == project_id, t.label.c.import_batch_id.is_(None))
        .group_by(t.label.c.reviewer_id)
    )
    table = tl.assignment
    given = (
        sa.select(table.c.reviewer_id, sa.func.max(table.c.at).label("at"))
        .where(table.c.project_id == project_id, table.c.slot.is_not(None))
        .group_by(table.c.reviewer_id)
    )
    found: dict[int, str] = {}
    for r in [*c.execute(labels), *c.execute(given)]:
        found[r.reviewer_id] = max(r.at, found.get(r.reviewer_id, ""))
    return found


def _release_idle(c: sa.Connection, project_id: int, settings: QueueSettings, but: int) -> None:
    if not settings.release_hours:
        return
    limit = datetime.now(UTC) - timedelta(hours=settings.release_hours)
    line = limit.isoformat(timespec="microseconds")
    idle = [who for who, at in _last_acts(c, project_id).items() if at < line and who != but]
    _release(c, project_id, idle)


def _release(c: sa.Connection, project_id: int, people: list[int]) -> int:
    if not people:
        return 0
    voters = voters_of(c, project_id)
    ids = [
        r.id
        for r in assigned(c, project_id)
        if r.slot is not None
        and r.reviewer_id in people
        and r.reviewer_id not in voters.get(r.output_id, set())
    ]
    table = tl.assignment
    for at in range(0, len(ids), 500):
        c.execute(table.update().where(table.c.id.in_(ids[at : at + 500])).values(slot=None))
    return len(ids)


def _row(
    project_id: int, output: int, reviewer: int, slot: int | None, how: tuple[Stratum, float]
) -> dict[str, Any]:
    return {
        "project_id": project_id,
        "output_id": output,
        "reviewer_id": reviewer,
        "slot": slot,
        "stratum": how[0].value,
        "probability": how[1],
    }


def _store(c: sa.Connection, rows: list[dict[str, Any]], held: Mapping[int, set[int]]) -> None:
    """Insert assignments; one that was given back before is taken up again."""
    table, at = tl.assignment, now()
    again = [r for r in rows if r["reviewer_id"] in held.get(r["output_id"], set())]
    for r in again:
        mine = sa.and_(table.c.output_id == r["output_id"], table.c.reviewer_id == r["reviewer_id"])
        c.execute(table.update().where(mine).values(slot=r["slot"], at=at))
    fresh = [{**r, "at": at} for r in rows if r not in again]
    if fresh:
        c.execute(table.insert(), fresh)
