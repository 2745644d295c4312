"""Labels as rows to hand out, and labels taken back: nothing is ever deleted."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from core.errors import InputError
from core.labelling.label import LabelKind
from core.store import tables as t
from core.store import tables_labelling as tl
from core.store.blind import Sight
from core.store.contracts import Version
from core.store.live import asked
from core.store.newest import ASIDE, in_force, newest_of_each_kind
from core.store.store import Store, now
from core.verdict import LabelValue


@dataclass(frozen=True)
class StoredLabel:
    """A label that holds today, with everything known of how it came about.

    `kind` is LABEL for every vote, typed or imported; ADJUDICATION, REPEAT and PRACTICE are no
    votes. `stratum` and `probability` are None where every output was queued for everybody.
    """

    sample_id: str
    trial: int
    criterion: str
    reviewer: str
    verdict: LabelValue
    note: str
    labelled_at: str
    kind: LabelKind
    stratum: str | None
    probability: float | None
    seconds: float | None
    question_hash: str


def stored_labels(
    store: Store, project_id: int, sight: Sight | None = None, *, live: Version | None = None
) -> list[StoredLabel]:
    """Return all labels of current outputs, in the order of outputs, criteria and reviewers.

    With `sight` only the own ones, and what others said where that may be seen. With `live` only
    those about a criterion of that version as it is worded there.
    """
    newest = newest_of_each_kind(project_id).subquery()
    given = tl.assignment
    query = (
        sa.select(
            t.label,
            t.sample.c.sample_id.label("sample"),
            t.output.c.trial,
            t.criterion.c.key.label("criterion"),
            t.reviewer.c.name.label("reviewer"),
            given.c.stratum,
            given.c.probability,
        )
        .join(newest, newest.c.id == t.label.c.id)
        .join(t.output, t.output.c.id == t.label.c.output_id)
        .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .join(t.criterion, t.criterion.c.id == t.label.c.criterion_id)
        .join(t.reviewer, t.reviewer.c.id == t.label.c.reviewer_id)
        .outerjoin(
            given,
            sa.and_(
                given.c.output_id == t.label.c.output_id,
                given.c.reviewer_id == t.label.c.reviewer_id,
            ),
        )
        .where(t.output.c.current, t.label.c.verdict.is_not(None))
    )
    apart = {LabelKind.ADJUDICATION, *ASIDE}
    found = []
    with store.read() as c:
        keys = asked(c, project_id, live)
        for r in c.execute(query):
            if live is not None and (
                r.criterion not in keys or not keys[r.criterion].holds(r.question_hash)
            ):
                continue
            own = sight is None or r.reviewer_id == sight.reviewer_id
            if not own and sight is not None and not sight.may_see(r.criterion, r.output_id):
                continue
            kind = LabelKind(r.kind)
            row = StoredLabel(
                r.sample,
                r.trial,
                r.criterion,
                r.reviewer,
                LabelValue(r.verdict),
                r.note,
                r.labelled_at,
                kind if kind in apart else LabelKind.LABEL,
                r.stratum,
                r.probability,
                r.seconds,
                r.question_hash,
            )
            found.append(((r.output_id, row.criterion, row.reviewer, row.kind.value), row))
    return [row for _, row in sorted(found, key=lambda pair: pair[0])]


@dataclass(frozen=True)
class Held:
    """What a reviewer has said that holds today, counted: votes and what is no vote."""

    reviewer_id: int
    name: str
    labels: int
    decisions: int
    aside: int

    @property
    def total(self) -> int:
        """Return how many rows a withdrawal would take back."""
        return self.labels + self.decisions + self.aside


@dataclass(frozen=True)
class Withdrawal:
    """Labels of one reviewer taken back as one act; `restored_at` None while they are."""

    id: int
    reviewer: str
    labels: int
    by: str
    at: str
    restored_at: str | None


def held_labels(store: Store, project_id: int) -> list[Held]:
    """Return what each reviewer with labels has said, in the order they joined."""
    newest = newest_of_each_kind(project_id).subquery()
    count, kind = sa.func.count, t.label.c.kind
    query = (
        sa.select(
            t.reviewer.c.id,
            t.reviewer.c.name,
            count().filter(kind.not_in([LabelKind.ADJUDICATION, *ASIDE])).label("labels"),
            count().filter(kind == LabelKind.ADJUDICATION).label("decisions"),
            count().filter(kind.in_(ASIDE)).label("aside"),
        )
        .join(t.label, t.label.c.reviewer_id == t.reviewer.c.id)
        .join(newest, newest.c.id == t.label.c.id)
        .where(t.label.c.verdict.is_not(None))
        .group_by(t.reviewer.c.id, t.reviewer.c.name)
        .order_by(t.reviewer.c.id)
    )
    with store.read() as c:
        return [Held(r.id, r.name, r.labels, r.decisions, r.aside) for r in c.execute(query)]


def withdraw_labels(store: Store, project_id: int, reviewer_id: int, by: str) -> int:
    """Take back everything a reviewer has said so far and return the id of the act.

    The rows stay; they count again after `restore_labels`. What the reviewer labels afterwards
    counts. Raises InputError when there is nothing to take back.
    """
    table = tl.label_withdrawal
    mine = sa.and_(t.label.c.project_id == project_id, t.label.c.reviewer_id == reviewer_id)
    with store.write(project_id) as c:
        last = c.scalar(sa.select(sa.func.max(t.label.c.id)).where(mine, in_force()))
        held = {h.reviewer_id: h.total for h in held_labels(store, project_id)}
        if last is None or not held.get(reviewer_id):
            raise InputError(
                "labels", "this reviewer has none that count.", "Choose another reviewer."
            )
        values = {"last_label_id": last, "labels": held[reviewer_id], "by": by, "at": now()}
        made = table.insert().values(project_id=project_id, reviewer_id=reviewer_id, **values)
        return int(c.scalar(made.returning(table.c.id)) or 0)


def restore_labels(store: Store, project_id: int, withdrawal_id: int, by: str) -> None:
    """Bring back what a withdrawal took; where the reviewer has labelled anew, that stays.

    Raises InputError when it was brought back already or is not of this project.
    """
    table = tl.label_withdrawal
    this = sa.and_(
        table.c.id == withdrawal_id,
        table.c.project_id == project_id,
        table.c.restored_at.is_(None),
    )
    with store.write(project_id) as c:
        changed = c.execute(table.update().where(this).values(restored_at=now(), restored_by=by))
        if not changed.rowcount:
            raise InputError(
                "labels", "they were brought back in the meantime.", "Reload the page."
            )


def withdrawals(store: Store, project_id: int) -> list[Withdrawal]:
    """Return what was withdrawn in a project, newest first, with what was brought back since."""
    table = tl.label_withdrawal
    query = (
        sa.select(table, t.reviewer.c.name)
        .join(t.reviewer, t.reviewer.c.id == table.c.reviewer_id)
        .where(table.c.project_id == project_id)
        .order_by(table.c.id.desc())
    )
    with store.read() as c:
        return [
            Withdrawal(r.id, r.name, r.labels, r.by, r.at, r.restored_at) for r in c.execute(query)
        ]
