"""Judgements that a run's judge gave: stored once, read repeat by repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from core.store import tables as t
from core.store.contracts import Version
from core.store.judgements import JudgeKind
from core.store.runs import Run
from core.store.store import Store, insert_id, raise_revision
from core.text import to_storage
from core.verdict import CriterionVerdict, Unscored, Verdict

REPLACEABLE = (Unscored.ERROR, Unscored.SKIPPED)
"""Reasons that no reply stands behind: a later judgement of the same request takes their place."""


@dataclass(frozen=True)
class NewJudgement:
    """One judgement to store; `hashes` maps criterion key to (identity, verdict hash).

    `run_id` is None when another run had paid for the replies it is read from. `replaces` is the
    judgement whose place it takes, one that no reply stands behind.
    """

    output_id: int
    request_hash: str
    repeat: int
    verdicts: Mapping[str, CriterionVerdict]
    unscored: Unscored | None
    raw: str | None
    sample_hash: str
    hashes: Mapping[str, tuple[int, str]]
    run_id: int | None
    replaces: int | None = None


def model_judge(
    c: sa.Connection, project_id: int, name: str, config_hash: str, config: Mapping[str, Any]
) -> int:
    """Return the identity of the model judge with this configuration, made on first use.

    A judge is its configuration: under a name that another one has, it gets the first digits of its
    hash beside it.
    """
    table = t.judge
    query = sa.select(table).where(table.c.project_id == project_id)
    rows = c.execute(query).all()
    for row in rows:
        if row.kind == JudgeKind.MODEL and row.config_hash == config_hash:
            return int(row.id)
    if name in {row.name for row in rows}:
        name = f"{name} · {config_hash[:6]}"
    return insert_id(
        c,
        table,
        project_id=project_id,
        name=name,
        kind=JudgeKind.MODEL.value,
        config=dict(config),
        config_hash=config_hash,
    )


def store_judgements(
    c: sa.Connection, run: Run, judgements: Sequence[NewJudgement], at: str
) -> None:
    """Insert judgements of a run; one that another run stored meanwhile stays as it is."""
    made = {(j.output_id, j.request_hash, j.repeat): j for j in judgements}
    gone = [j.replaces for j in judgements if j.replaces is not None]
    if gone:
        c.execute(t.judgement.delete().where(t.judgement.c.id.in_(gone)))
    mark = "?" if c.dialect.name == "sqlite" else "%s"
    rows = [
        (
            run.project_id, run.judge_id, j.output_id, run.version_id, j.repeat, j.request_hash,
            None if j.unscored is None else j.unscored.value,
            None if j.raw is None else to_storage(j.raw), at, j.run_id, j.sample_hash,
        )
        for j in made.values()
    ]  # fmt: skip
    c.exec_driver_sql(_insert("judgement", _JUDGEMENT, mark), rows)
    ids = _ids(c, run, judgements, mark)
    said = [
        (
            ids[key], j.hashes[name][0], None if v.verdict is None else v.verdict.value,
            None if v.unscored is None else v.unscored.value, to_storage(v.evidence),
            to_storage(v.change), j.hashes[name][1],
        )
        for key, j in made.items()
        for name, v in j.verdicts.items()
    ]  # fmt: skip
    c.exec_driver_sql(_insert("verdict", _VERDICT, mark), said)
    raise_revision(c, run.project_id)


_JUDGEMENT = (
    "project_id", "judge_id", "output_id", "contract_version_id", "repeat", "request_hash",
    "unscored", "raw", "judged_at", "run_id", "sample_hash",
)  # fmt: skip
_VERDICT = (
    "judgement_id", "criterion_id", "verdict", "unscored", "evidence", "change", "verdict_hash",
)  # fmt: skip


def _insert(table: str, columns: Sequence[str], mark: str) -> str:
    marks = ", ".join([mark] * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT DO NOTHING"


def _ids(
    c: sa.Connection, run: Run, judgements: Sequence[NewJudgement], mark: str
) -> dict[tuple[int, str, int], int]:
    outputs = list({j.output_id for j in judgements})
    query = (
        "SELECT id, output_id, request_hash, repeat FROM judgement "
        f"WHERE judge_id = {mark} AND output_id IN ({', '.join([mark] * len(outputs))})"
    )
    found = c.exec_driver_sql(query, (run.judge_id, *outputs))
    return {(output, asked, repeat): row for row, output, asked, repeat in found}


@dataclass(frozen=True)
class Stored:
    """That a judgement exists: whose run made it, and the unscored reason if it has one."""

    id: int
    run_id: int | None
    unscored: str | None

    @property
    def stands(self) -> bool:
        """Whether there is nothing left to ask."""
        return self.unscored not in REPLACEABLE


def judged_already(
    store: Store, judge: int, outputs: Sequence[int]
) -> dict[tuple[int, str, int], Stored]:
    """Return a judge's judgements of these outputs, by (output id, request hash, repeat)."""
    table = t.judgement.c
    query = sa.select(
        table.id, table.output_id, table.request_hash, table.repeat, table.run_id, table.unscored
    ).where(table.judge_id == judge, table.output_id.in_(outputs))
    with store.read() as c:
        return {
            (r.output_id, r.request_hash, r.repeat): Stored(r.id, r.run_id, r.unscored)
            for r in c.execute(query)
        }


def unscored_of(store: Store, run_id: int) -> tuple[int, dict[str, int]]:
    """Return how many judgements a run has made, and how many of them are unscored, by reason.

    A skipped output is counted under `skipped`: the judge was not asked.
    """
    table = t.judgement.c
    query = (
        sa.select(table.unscored, sa.func.count().label("n"))
        .where(table.run_id == run_id)
        .group_by(table.unscored)
    )
    counts: Counter[str] = Counter()
    made = 0
    with store.read() as c:
        for r in c.execute(query):
            made += r.n
            if r.unscored is not None:
                counts[r.unscored] = r.n
    return made, dict(counts)


def repeats_of(
    store: Store, project_id: int, judge: int, version: Version
) -> dict[int, dict[str, dict[int, CriterionVerdict]]]:
    """Return what a judge said each time: output id → criterion key → repeat → verdict.

    Of current outputs, for the criteria as `version` words them and the samples as they are now.
    What could be read of an unscored judgement is left out; its criteria carry the reason.
    """
    names = {
        identity: (key, version.contract.criterion(key).verdict_hash)
        for key, identity in version.criteria.items()
    }
    query = (
        sa.select(
            t.judgement.c.output_id,
            t.judgement.c.repeat,
            t.judgement.c.unscored.label("reason"),
            t.verdict.c.criterion_id,
            t.verdict.c.verdict,
            t.verdict.c.unscored,
            t.verdict.c.evidence,
            t.verdict.c.change,
            t.verdict.c.verdict_hash,
        )
        .join(t.verdict, t.verdict.c.judgement_id == t.judgement.c.id)
        .join(t.output, t.output.c.id == t.judgement.c.output_id)
        .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .where(
            t.judgement.c.project_id == project_id,
            t.judgement.c.judge_id == judge,
            t.output.c.current,
            t.verdict.c.criterion_id.in_(list(names)),
            t.judgement.c.sample_hash.is_(None)
            | (t.judgement.c.sample_hash == t.sample.c.content_hash),
        )
        .order_by(t.judgement.c.output_id, t.judgement.c.id)
    )
    found: dict[int, dict[str, dict[int, CriterionVerdict]]] = {}
    with store.read() as c:
        for r in c.execute(query):
            key, wanted = names[r.criterion_id]
            if r.verdict_hash != wanted:
                continue
            reason = r.unscored or r.reason
            said = CriterionVerdict(
                None if reason else Verdict(r.verdict),
                r.evidence,
                r.change,
                Unscored(reason) if reason else None,
            )
            found.setdefault(r.output_id, {}).setdefault(key, {})[r.repeat] = said
    return found
