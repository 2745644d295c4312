"""Judgements in the store: what each evaluator said, with its evidence, never doubled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from core.store import tables as t
from core.store.contracts import Version
from core.store.imports import record_import
from core.store.outputs import output_ids
from core.store.store import Store, criterion_ids, insert_id, now
from core.text import content_hash, exact_hash
from core.verdict import OVERALL, CriterionVerdict, Unscored, Verdict


class JudgeKind(StrEnum):
    """Where a judge's verdicts come from."""

    RECORDED = "recorded"
    CODE = "code"
    MODEL = "model"


CODE_CHECKS = "Code checks"
"""The name under which a project's own code checks judge."""


@dataclass(frozen=True)
class Judge:
    """An evaluator known to a project, and how many outputs it has judged."""

    id: int
    name: str
    kind: JudgeKind
    outputs: int


@dataclass(frozen=True)
class NewVerdict:
    """A recorded verdict from a file. Key: (sample id, trial, criterion, judge)."""

    sample_id: str
    judge: str
    criterion: str
    verdict: CriterionVerdict
    trial: int = 1


def judges(store: Store, project_id: int) -> list[Judge]:
    """Return the judges of a project in the order they came, code checks first.

    Of what they judged, current outputs are counted: not recorded drafts, nor replaced texts.
    """
    judged = (t.output.c.id == t.judgement.c.output_id) & t.output.c.current
    query = (
        sa.select(t.judge, sa.func.count(sa.distinct(t.output.c.id)).label("outputs"))
        .outerjoin(t.judgement, t.judgement.c.judge_id == t.judge.c.id)
        .outerjoin(t.output, judged)
        .where(t.judge.c.project_id == project_id)
        .group_by(*t.judge.c)
        .order_by(t.judge.c.kind != JudgeKind.CODE, t.judge.c.id)
    )
    with store.read() as c:
        return [Judge(r.id, r.name, JudgeKind(r.kind), r.outputs) for r in c.execute(query)]


def judge_id(
    connection: sa.Connection,
    project_id: int,
    name: str,
    kind: JudgeKind,
    config: Mapping[str, Any] | None = None,
) -> int:
    """Return the identity of a judge, made on first use."""
    found = connection.scalar(
        sa.select(t.judge.c.id).where(t.judge.c.project_id == project_id, t.judge.c.name == name)
    )
    if found is not None:
        return int(found)
    settings = dict(config or {})
    return insert_id(
        connection,
        t.judge,
        project_id=project_id,
        name=name,
        kind=kind.value,
        config=settings,
        config_hash=content_hash([kind.value, name, settings]),
    )


def add_verdicts(
    store: Store,
    project_id: int,
    rows: Sequence[NewVerdict],
    version: Version | None,
    *,
    file_name: str = "",
    sha256: str = "",
    choices: Mapping[str, Any] | None = None,
) -> dict[str, int]:
    """Store recorded verdicts in one transaction; returns counts of outputs and of rows left out.

    All verdicts of one judge on one output are one judgement. `present` say what that judge's
    newest judgement says already; `changed` are stored as a further judgement, the newest counts.
    """
    counts = {"new": 0, "changed": 0, "present": 0, "no_output": 0, "no_criterion": 0}
    hashes = {} if version is None else {c.key: c.verdict_hash for c in version.contract.criteria}
    hashes[OVERALL] = ""
    grouped: dict[tuple[str, str, int], dict[str, CriterionVerdict]] = {}
    for row in rows:
        if row.criterion not in hashes:
            counts["no_criterion"] += 1
            continue
        grouped.setdefault((row.judge, row.sample_id, row.trial), {})[row.criterion] = row.verdict
    with store.write(project_id) as c:
        outputs = output_ids(c, project_id)
        criteria = criterion_ids(c, project_id, [OVERALL])
        batch = record_import(
            c,
            project_id,
            kind="verdicts",
            file_name=file_name,
            sha256=sha256,
            choices=dict(choices or {}),
            counts=counts,
        )
        known: dict[int, dict[int, dict[int, CriterionVerdict]]] = {}
        repeats: dict[int, dict[int, int]] = {}
        made: list[tuple[dict[str, Any], dict[str, CriterionVerdict]]] = []
        for (judge, sample_id, trial), verdicts in grouped.items():
            output = outputs.get((sample_id, trial))
            if output is None:
                counts["no_output"] += len(verdicts)
                continue
            judge_key = judge_id(c, project_id, judge, JudgeKind.RECORDED)
            if judge_key not in known:
                known[judge_key] = newest_verdicts(c, judge_key)
                repeats[judge_key] = _repeats(c, judge_key)
            said = known[judge_key].get(output, {})
            if all(said.get(criteria[key]) == value for key, value in verdicts.items()):
                counts["present"] += 1
                continue
            counts["changed" if output in known[judge_key] else "new"] += 1
            row_values = {
                "project_id": project_id,
                "judge_id": judge_key,
                "output_id": output,
                "contract_version_id": None if version is None else version.id,
                "repeat": repeats[judge_key].get(output, 0) + 1,
                "request_hash": exact_hash("recorded", judge, str(output)),
                "unscored": None,
                "raw": None,
                "judged_at": now(),
                "import_batch_id": batch,
            }
            made.append((row_values, verdicts))
        insert_judgements(c, made, criteria, hashes)
        c.execute(t.import_batch.update().where(t.import_batch.c.id == batch).values(counts=counts))
    return counts


def insert_judgements(
    c: sa.Connection,
    made: Sequence[tuple[dict[str, Any], Mapping[str, CriterionVerdict]]],
    criteria: Mapping[str, int],
    hashes: Mapping[str, str],
) -> None:
    """Insert judgements with their verdicts; `hashes` maps criterion key to verdict hash."""
    if not made:
        return
    ids = c.scalars(
        t.judgement.insert().returning(t.judgement.c.id, sort_by_parameter_order=True),
        [values for values, _ in made],
    ).all()
    c.execute(
        t.verdict.insert(),
        [
            {
                "judgement_id": judgement,
                "criterion_id": criteria[key],
                "verdict": None if v.verdict is None else v.verdict.value,
                "unscored": None if v.unscored is None else v.unscored.value,
                "evidence": v.evidence,
                "change": v.change,
                "verdict_hash": hashes[key],
            }
            for judgement, (_, verdicts) in zip(ids, made, strict=True)
            for key, v in verdicts.items()
        ],
    )


def newest_verdicts(
    c: sa.Connection,
    judge: int,
    outputs: Sequence[int] | None = None,
    hashes: Mapping[int, str] | None = None,
) -> dict[int, dict[int, CriterionVerdict]]:
    """Return a judge's newest verdict by output id and criterion id.

    With `hashes` (by criterion id) only verdicts given under these verdict hashes, and for the
    sample as it is now: what was said of another wording or another input is out of date.
    """
    newest = newest_ids(judge)
    if outputs is not None:
        newest = newest.where(t.judgement.c.output_id.in_(outputs))
    if hashes is not None:
        worded = [
            (t.verdict.c.criterion_id == criterion) & (t.verdict.c.verdict_hash == wording)
            for criterion, wording in hashes.items()
        ]
        newest = (
            newest.join(t.output, t.output.c.id == t.judgement.c.output_id)
            .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
            .where(sa.or_(sa.false(), *worded), fresh())
        )
    sub = newest.subquery()
    query = sa.select(
        sub.c.output_id,
        t.verdict.c.criterion_id,
        t.verdict.c.verdict,
        t.verdict.c.unscored,
        t.verdict.c.evidence,
        t.verdict.c.change,
    ).join(
        sub,
        sa.and_(
            t.verdict.c.judgement_id == sub.c.judgement_id,
            t.verdict.c.criterion_id == sub.c.criterion_id,
        ),
    )
    found: dict[int, dict[int, CriterionVerdict]] = {}
    for r in c.execute(query):
        found.setdefault(r.output_id, {})[r.criterion_id] = CriterionVerdict(
            None if r.verdict is None else Verdict(r.verdict),
            r.evidence,
            r.change,
            None if r.unscored is None else Unscored(r.unscored),
        )
    return found


def newest_ids(judge: int) -> sa.Select[Any]:
    """Select the newest judgement id of a judge for each (output, criterion)."""
    return (
        sa.select(
            t.judgement.c.output_id,
            t.verdict.c.criterion_id,
            sa.func.max(t.judgement.c.id).label("judgement_id"),
        )
        .join(t.verdict, t.verdict.c.judgement_id == t.judgement.c.id)
        .where(t.judgement.c.judge_id == judge)
        .group_by(t.judgement.c.output_id, t.verdict.c.criterion_id)
    )


def fresh() -> sa.ColumnElement[bool]:
    """Whether a judgement was given for the sample's input and reference as they are now."""
    return t.judgement.c.sample_hash.is_(None) | (
        t.judgement.c.sample_hash == t.sample.c.content_hash
    )


def _repeats(c: sa.Connection, judge: int) -> dict[int, int]:
    query = (
        sa.select(t.judgement.c.output_id, sa.func.max(t.judgement.c.repeat).label("n"))
        .where(t.judgement.c.judge_id == judge)
        .group_by(t.judgement.c.output_id)
    )
    return {r.output_id: r.n for r in c.execute(query)}


def known_code_verdicts(c: sa.Connection, project_id: int) -> set[tuple[int, str]]:
    """Return (output id, verdict hash) of every verdict the code checks have stored."""
    query = (
        sa.select(t.judgement.c.output_id, t.verdict.c.verdict_hash)
        .join(t.verdict, t.verdict.c.judgement_id == t.judgement.c.id)
        .join(t.judge, t.judge.c.id == t.judgement.c.judge_id)
        .where(t.judge.c.project_id == project_id, t.judge.c.kind == JudgeKind.CODE)
    )
    return {(r.output_id, r.verdict_hash) for r in c.execute(query)}
