"""One output with everything said about it, for reading: text, labels with notes, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from core.labelling.label import LabelKind
from core.store import tables as t
from core.store.blind import Sight
from core.store.contracts import Version, wording
from core.store.judgements import newest_verdicts
from core.store.newest import newest_labels
from core.store.outputs import StoredOutput, load_outputs
from core.store.store import Store
from core.verdict import OVERALL, CriterionVerdict


@dataclass(frozen=True)
class Said:
    """What one reviewer said about one criterion of an output; `settled`: as adjudicator."""

    reviewer: str
    criterion: str
    verdict: str
    note: str
    settled: bool = False


@dataclass(frozen=True)
class Case:
    """An output, what reviewers said about it, and the newest verdicts by criterion key."""

    output: StoredOutput
    labels: tuple[Said, ...]
    verdicts: dict[str, CriterionVerdict]


def load_case(
    store: Store,
    project_id: int,
    output_id: int,
    judges: Sequence[int],
    version: Version | None = None,
    sight: Sight | None = None,
) -> Case | None:
    """Return an output with its labels and the verdicts of `judges`, later judges winning.

    With `version`, only verdicts given under its wording and for the sample as it is now. With
    `sight` what a person who labels here may see of it and no more. None when the output is not in
    the project.
    """
    found = load_outputs(store, project_id, [output_id])
    if not found:
        return None
    newest = newest_labels(project_id).where(t.label.c.output_id == output_id).subquery()
    query = (
        sa.select(
            t.reviewer.c.id.label("reviewer_id"),
            t.reviewer.c.name,
            t.criterion.c.key,
            t.label.c.verdict,
            t.label.c.note,
            (t.label.c.kind == LabelKind.ADJUDICATION).label("settled"),
        )
        .join(newest, newest.c.id == t.label.c.id)
        .join(t.reviewer, t.reviewer.c.id == t.label.c.reviewer_id)
        .join(t.criterion, t.criterion.c.id == t.label.c.criterion_id)
        .where(t.label.c.verdict.is_not(None))
        .order_by(t.criterion.c.id, sa.literal_column("settled"), t.reviewer.c.name)
    )
    with store.read() as c:
        overall = (t.criterion.c.project_id == project_id) & (t.criterion.c.key == OVERALL)
        hashes = None
        if version is not None:
            whole = int(c.scalar(sa.select(t.criterion.c.id).where(overall)) or 0)
            hashes = {whole: "", **wording(version)}
        labels = tuple(
            Said(r.name, r.key, r.verdict, r.note, bool(r.settled))
            for r in c.execute(query)
            if sight is None
            or r.reviewer_id == sight.reviewer_id
            or sight.may_see(r.key, output_id)
        )
        names = {
            r.id: r.key
            for r in c.execute(
                sa.select(t.criterion.c.id, t.criterion.c.key).where(
                    t.criterion.c.project_id == project_id
                )
            )
        }
        verdicts: dict[str, CriterionVerdict] = {}
        for judge in judges:
            said = newest_verdicts(c, judge, [output_id], hashes).get(output_id, {})
            verdicts |= {names[criterion]: verdict for criterion, verdict in said.items()}
    if sight is not None:
        verdicts = {key: v for key, v in verdicts.items() if sight.may_see(key, output_id)}
    return Case(found[0], labels, verdicts)
