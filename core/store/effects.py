"""What each saved change of a contract did to the labels and verdicts given before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import sqlalchemy as sa

from core.contract.difference import stale
from core.store import tables as t
from core.store.contracts import Version, equivalent_hashes
from core.store.newest import newest_labels
from core.store.store import Store


@dataclass(frozen=True)
class Effect:
    """One criterion that a version changed, and what had been said about its older wording.

    `labels` counts labels that hold today, `verdicts` those of all judges, both given for the
    wording or check of the version before. `reworded` is False when only the check changed: then
    labels stand. `said_by` and `said_at` name who said that question and examples still mean the
    same; None: nobody did, so the labels went stale.
    """

    version: int
    since: int
    criterion: str
    reworded: bool
    labels: int
    verdicts: int
    said_by: str | None = None
    said_at: str | None = None

    @property
    def labels_stand(self) -> bool:
        """Whether labels for the older wording still count under this version."""
        return not self.reworded or self.said_by is not None


def renames(older: Version, newer: Version) -> dict[str, str]:
    """Return old to new key of every criterion that two versions share under different keys."""
    keys = {identity: key for key, identity in newer.criteria.items()}
    return {k: keys[i] for k, i in older.criteria.items() if i in keys and keys[i] != k}


def effects(store: Store, project_id: int, versions: Sequence[Version]) -> list[Effect]:
    """Return what each of `versions` (newest first) changed since the one before it."""
    with store.read() as c:
        same = equivalent_hashes(c, project_id)
        said = {
            frozenset((row.old_hash, row.new_hash)): row
            for row in c.execute(
                sa.select(t.same_meaning).where(t.same_meaning.c.project_id == project_id)
            )
        }
        labels, verdicts = _label_counts(c, project_id), _verdict_counts(c, project_id)
    found: list[Effect] = []
    for newer, older in pairwise(versions):
        moved = renames(older, newer)
        was = {moved.get(k, k): one for k, one in older.contract.by_key.items()}
        now = newer.contract.by_key
        gone = stale(older.contract, newer.contract, moved)
        for key in dict.fromkeys((*gone.labels, *gone.verdicts)):
            before, after = was[key], now[key]
            identity = newer.criteria[key]
            pair = frozenset((before.question_hash, after.question_hash))
            direct = said.get(pair)
            joined = after.question_hash in same.get(before.question_hash, frozenset())
            by = direct.who if direct is not None else "joined by other answers" if joined else None
            found.append(
                Effect(
                    newer.number,
                    older.number,
                    key,
                    key in gone.labels,
                    sum(
                        labels[identity, one]
                        for one in same.get(before.question_hash, {before.question_hash})
                    ),
                    verdicts[identity, before.verdict_hash],
                    by if key in gone.labels else None,
                    direct.at if direct is not None and key in gone.labels else None,
                )
            )
    return found


def _label_counts(c: sa.Connection, project_id: int) -> Counter[tuple[int, str]]:
    """Count the labels that hold today by (criterion, question hash); undone ones are none."""
    newest = newest_labels(project_id).subquery()
    query = (
        sa.select(t.label.c.criterion_id, t.label.c.question_hash, sa.func.count())
        .join(newest, newest.c.id == t.label.c.id)
        .where(t.label.c.verdict.isnot(None))
        .group_by(t.label.c.criterion_id, t.label.c.question_hash)
    )
    return Counter({(r[0], r[1]): int(r[2]) for r in c.execute(query)})


def _verdict_counts(c: sa.Connection, project_id: int) -> Counter[tuple[int, str]]:
    """Count the verdicts of all judges by (criterion, verdict hash)."""
    query = (
        sa.select(t.verdict.c.criterion_id, t.verdict.c.verdict_hash, sa.func.count())
        .join(t.judgement, t.judgement.c.id == t.verdict.c.judgement_id)
        .where(t.judgement.c.project_id == project_id, t.verdict.c.verdict.isnot(None))
        .group_by(t.verdict.c.criterion_id, t.verdict.c.verdict_hash)
    )
    return Counter({(r[0], r[1]): int(r[2]) for r in c.execute(query)})
