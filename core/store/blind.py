"""What a person who labels may see: nothing anybody else said before the own label is stored.

The queue itself reads no verdict and no colleague's label. Everything else that shows them asks
here first, output by output and criterion by criterion. Counts and rates over all outputs are not
held back: they say nothing of one output.

Who has stopped labelling sees everything; that is a row with its time, as is starting again. While
people label, somebody who is not known as one of them (no name, or one that never joined) may be
one of them all the same, and sees nothing until they say that they do not label here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from core.contract.criterion import CheckedBy
from core.store import tables as t
from core.store import tables_labelling as tl
from core.store.assignments import assigned, queue_settings, voters_of
from core.store.contracts import Version
from core.store.live import asked
from core.store.newest import newest_votes
from core.store.store import Store, now
from core.text import person_key
from core.verdict import OVERALL


@dataclass(frozen=True)
class Sight:
    """Whose sight it is, and by criterion key the ids of the outputs this person may see whole.

    `hidden` counts the outputs of which something is still held back. `reviewer_id` 0 is nobody
    known here.
    """

    reviewer_id: int
    seen: Mapping[str, frozenset[int]]
    hidden: int

    def may_see(self, criterion: str, output_id: int) -> bool:
        """Whether what others said of an output on a criterion may be shown."""
        return output_id in self.seen.get(criterion, frozenset())

    def shown(self, criterion: str, outputs: Iterable[int]) -> list[int]:
        """Return those of `outputs` that may be shown, in their order."""
        seen = self.seen.get(criterion, frozenset())
        return [o for o in outputs if o in seen]


@dataclass(frozen=True)
class Standing:
    """Whether a person labels here, and since when it is so ("" from the beginning)."""

    labelling: bool
    since: str


def sight_of(store: Store, project_id: int, version: Version | None, name: str) -> Sight | None:
    """Return what the reviewer of this name may see, None for everything.

    Everything for who has stopped labelling or has nothing left to label; nothing for who never
    joined as a reviewer, unless nobody is labelling here. An output that has all the reviewers it
    is to have is never this person's to label, so it is not hidden. A whole output counts as
    labelled when its `overall` label is stored, or a label on every criterion that code does not
    check.
    """
    most = queue_settings(store, project_id).reviewers_each
    with store.read() as c:
        who = c.scalar(
            sa.select(t.reviewer.c.id).where(
                t.reviewer.c.project_id == project_id, t.reviewer.c.key == person_key(name)
            )
        )
        if who is not None:
            return _sight(c, project_id, version, int(who), most)
        labelling = _labelling(c, project_id)
        if all(_sight(c, project_id, version, one, most) is None for one in labelling):
            return None
        keys = asked(c, project_id, version)
        outputs = c.scalar(sa.select(sa.func.count()).select_from(_current(project_id).subquery()))
    return Sight(0, dict.fromkeys(keys, frozenset[int]()), int(outputs or 0))


def _current(project_id: int) -> sa.Select[tuple[int]]:
    return sa.select(t.output.c.id).where(t.output.c.project_id == project_id, t.output.c.current)


def _labelling(c: sa.Connection, project_id: int) -> list[int]:
    """Return the reviewers who label here: who came in person and has not stopped.

    Who is known from imported labels alone did not come.
    """
    said = sa.select(t.label.c.id).where(t.label.c.reviewer_id == t.reviewer.c.id)
    came = ~said.exists() | said.where(t.label.c.import_batch_id.is_(None)).exists()
    query = sa.select(t.reviewer.c.id).where(t.reviewer.c.project_id == project_id, came)
    found = c.scalars(query.order_by(t.reviewer.c.id)).all()
    return [who for who in found if _standing(c, who).labelling]


def _sight(
    c: sa.Connection, project_id: int, version: Version | None, who: int, most: int
) -> Sight | None:
    if not _standing(c, who).labelling:
        return None
    keys = asked(c, project_id, version)
    outputs = frozenset(c.scalars(_current(project_id)))
    full = _full(c, project_id, who, most)
    newest = newest_votes(project_id).where(t.label.c.reviewer_id == who).subquery()
    query = (
        sa.select(t.label.c.output_id, t.label.c.criterion_id, t.label.c.question_hash)
        .join(newest, newest.c.id == t.label.c.id)
        .where(t.label.c.verdict.is_not(None))
    )
    own = c.execute(query).all()
    seen = {
        key: full
        | {
            r.output_id
            for r in own
            if r.criterion_id == question.criterion and question.holds(r.question_hash)
        }
        for key, question in keys.items()
    }
    people = [] if version is None else [
        c.key for c in version.contract.criteria if c.checked_by is not CheckedBy.CODE
    ]  # fmt: skip
    if people:
        seen[OVERALL] |= frozenset.intersection(*(frozenset(seen[key]) for key in people))
    left = {key: frozenset(ids) for key, ids in seen.items()}
    whole = frozenset.intersection(*left.values())
    return None if outputs <= whole else Sight(who, left, len(outputs - whole))


def hidden_traces(store: Store, project_id: int, sight: Sight) -> frozenset[str]:
    """Return the ids of traces that hold the very text of an output that is not to be seen yet."""
    trace, round_, output = t.trace, t.round_, t.output
    query = (
        sa.select(trace.c.trace_id, output.c.id)
        .join(round_, round_.c.trace_pk == trace.c.id)
        .join(output, output.c.fingerprint == round_.c.fingerprint)
        .where(trace.c.project_id == project_id, output.c.project_id == project_id)
        .where(output.c.current)
        .distinct()
    )
    with store.read() as c:
        rows = c.execute(query).all()
    return frozenset(
        r.trace_id for r in rows if not all(sight.may_see(key, r.id) for key in sight.seen)
    )


def standing(store: Store, reviewer_id: int) -> Standing:
    """Return whether a reviewer labels here; who joined does until they say otherwise."""
    with store.read() as c:
        return _standing(c, reviewer_id)


def set_standing(store: Store, project_id: int, reviewer_id: int, *, labelling: bool) -> None:
    """Record that a reviewer stops labelling here and reads what others said, or starts again."""
    with store.write(project_id) as c:
        if _standing(c, reviewer_id).labelling != labelling:
            values = {"labelling": labelling, "at": now()}
            c.execute(
                tl.reviewer_standing.insert().values(
                    project_id=project_id, reviewer_id=reviewer_id, **values
                )
            )


def _standing(c: sa.Connection, reviewer_id: int) -> Standing:
    table = tl.reviewer_standing
    query = sa.select(table).where(table.c.reviewer_id == reviewer_id)
    row = c.execute(query.order_by(table.c.id.desc()).limit(1)).one_or_none()
    return Standing(True, "") if row is None else Standing(row.labelling, row.at)


def _full(c: sa.Connection, project_id: int, who: int, most: int) -> frozenset[int]:
    """Return the outputs that have all their reviewers, `who` not among them."""
    if not most:
        return frozenset()
    people = {output: set(names) for output, names in voters_of(c, project_id).items()}
    for r in assigned(c, project_id):
        if r.slot is not None:
            people.setdefault(r.output_id, set()).add(r.reviewer_id)
    return frozenset(o for o, names in people.items() if who not in names and len(names) >= most)
