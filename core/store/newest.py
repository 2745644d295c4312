"""Which label rows hold today: the newest of each kind, unless its reviewer's labels were withdrawn.

Every reader of labels starts here. Second labels of the same output (repeats) and answers of the
practice round are rows of the same table and never votes: only who asks for them by name gets them.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from core.labelling.label import LabelKind
from core.store import tables as t
from core.store import tables_labelling as tl

ASIDE = (LabelKind.REPEAT, LabelKind.PRACTICE)
"""Kinds of rows that are neither a vote nor a decision."""


def newest_labels(project_id: int) -> sa.Select[Any]:
    """Select the ids of the rows that hold today.

    One for each output, criterion and reviewer, and beside it one for what the same person
    settled there: who adjudicates keeps the own vote.
    """
    by_hand = t.label.c.kind == LabelKind.ADJUDICATION
    return _newest(project_id, by_hand).where(t.label.c.kind.not_in(ASIDE))


def newest_votes(project_id: int) -> sa.Select[Any]:
    """Select the ids of the rows that hold each reviewer's own label, adjudications left out."""
    return newest_labels(project_id).where(t.label.c.kind != LabelKind.ADJUDICATION)


def newest_aside(project_id: int, kind: LabelKind, *, first: bool = False) -> sa.Select[Any]:
    """Select the ids of each reviewer's newest repeats or practice answers.

    With `first` the first answer of each that holds a verdict: one given after the settled
    answer was shown says nothing.
    """
    if not first:
        return _newest(project_id).where(t.label.c.kind == kind)
    return _newest(project_id, pick=sa.func.min).where(
        t.label.c.kind == kind, t.label.c.verdict.is_not(None)
    )


def newest_of_each_kind(project_id: int) -> sa.Select[Any]:
    """Select the ids of the newest vote, decision, repeat and practice answer of everybody."""
    kind = sa.case((t.label.c.kind.in_([LabelKind.ADJUDICATION, *ASIDE]), t.label.c.kind), else_="")
    return _newest(project_id, kind)


def in_force() -> sa.ColumnElement[bool]:
    """Say of a label row that it was not withdrawn, or was brought back."""
    gone = tl.label_withdrawal
    return ~sa.exists().where(
        gone.c.reviewer_id == t.label.c.reviewer_id,
        gone.c.last_label_id >= t.label.c.id,
        gone.c.restored_at.is_(None),
    )


def _newest(project_id: int, *also: Any, pick: Any = sa.func.max) -> sa.Select[Any]:
    key = (t.label.c.output_id, t.label.c.criterion_id, t.label.c.reviewer_id, *also)
    return (
        sa.select(pick(t.label.c.id).label("id"))
        .where(t.label.c.project_id == project_id, in_force())
        .group_by(*key)
    )
