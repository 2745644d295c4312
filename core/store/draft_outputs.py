"""Recorded drafts as outputs, so that a judge can be asked about them like about any other.

They are never current: no label queue holds them, and no rate counts them. A draft whose very text
is an output of its sample already is that output, and its verdicts are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from core.store import tables as t
from core.store.contracts import Version
from core.store.outputs import sample_hash
from core.store.paths import ALL, TraceFilter
from core.store.store import Store, insert_id
from core.verdict import CriterionVerdict, Unscored, Verdict


@dataclass(frozen=True)
class Drafts:
    """The distinct drafts of some traces.

    `outputs` maps (trace id, round) to the output that is its text, where there is one. `ids` are
    those outputs. `lacking` counts distinct drafts without; `other_input` those whose sample has
    another input now than the trace was written for, which nobody can be asked about.
    """

    outputs: Mapping[tuple[str, int], int]
    ids: tuple[int, ...]
    lacking: int
    other_input: int


def drafts_of(store: Store, project_id: int, filter: TraceFilter = ALL) -> Drafts:
    """Return which recorded drafts are outputs already."""
    with store.read() as c:
        return _find(c, project_id, filter)[0]


def add_drafts(store: Store, project_id: int, filter: TraceFilter = ALL) -> Drafts:
    """Make every recorded draft an output of its sample, once; samples not there are made too."""
    with store.write(project_id) as c:
        _, lacking = _find(c, project_id, filter)
        samples = _samples(c, project_id)
        trials = {
            row[0]: int(row[1])
            for row in c.execute(
                sa.select(t.output.c.sample_pk, sa.func.min(t.output.c.trial))
                .where(t.output.c.project_id == project_id)
                .group_by(t.output.c.sample_pk)
            )
        }
        rows = []
        for (sample, print_), (pk, number, input) in lacking.items():
            if sample not in samples:
                key = insert_id(
                    c, t.sample, project_id=project_id, sample_id=sample, input=input,
                    reference=None, content_hash=sample_hash(input, None),
                )  # fmt: skip
                samples[sample] = (key, input)
            key = samples[sample][0]
            trials[key] = min(trials.get(key, 0), 0) - 1
            rows.append((pk, number, key, trials[key], print_))
        for start in range(0, len(rows), 500):
            some = rows[start : start + 500]
            texts = _texts(c, {pk for pk, *_ in some})
            c.execute(
                t.output.insert(),
                [
                    {
                        "project_id": project_id, "sample_pk": key, "trial": trial, "version": 1,
                        "current": False, "text": texts[pk, number], "fingerprint": print_,
                        "extra": {},
                    }
                    for pk, number, key, trial, print_ in some
                ],
            )  # fmt: skip
        return _find(c, project_id, filter)[0]


def _samples(c: sa.Connection, project_id: int) -> dict[str, tuple[int, str]]:
    query = sa.select(t.sample.c.sample_id, t.sample.c.id, t.sample.c.input).where(
        t.sample.c.project_id == project_id
    )
    return {name: (key, input) for name, key, input in c.execute(query)}


def _texts(c: sa.Connection, traces: set[int]) -> dict[tuple[int, int], str]:
    r = t.round_.c
    query = sa.select(r.trace_pk, r.number, r.draft).where(r.trace_pk.in_(traces))
    return {(pk, number): draft for pk, number, draft in c.execute(query)}


_Lacking = dict[tuple[str, str], tuple[int, int, str]]


def _find(c: sa.Connection, project_id: int, filter: TraceFilter) -> tuple[Drafts, _Lacking]:
    """Return the drafts, and by (sample id, fingerprint) where a text without output stands."""
    samples = _samples(c, project_id)
    query = sa.select(t.output.c.sample_pk, t.output.c.fingerprint, t.output.c.id).where(
        t.output.c.project_id == project_id
    )
    there: dict[tuple[int, str], int] = {}
    for sample, print_, output in c.execute(query.order_by(t.output.c.id.desc())):
        there[sample, print_] = output
    inputs = {
        row[0]: (row[1], row[2], row[3])
        for row in c.execute(
            sa.select(t.trace.c.id, t.trace.c.trace_id, t.trace.c.sample_id, t.trace.c.input)
            .where(*filter.where(project_id))
        )
    }  # fmt: skip
    r = t.round_.c
    rounds = (
        sa.select(r.trace_pk, r.number, r.fingerprint)
        .join(t.trace, t.trace.c.id == r.trace_pk)
        .where(*filter.where(project_id), r.draft.is_not(None), r.fingerprint.is_not(None))
        .order_by(r.trace_pk, r.number)
    )
    found: dict[tuple[str, int], int] = {}
    lacking: _Lacking = {}
    other: set[tuple[str, str]] = set()
    for pk, number, print_ in c.execute(rounds):
        trace, sample, input = inputs[pk]
        key, stored = samples.get(sample, (0, input))
        if input and stored != input:
            other.add((sample, print_))
            continue
        output = there.get((key, print_))
        if output is None:
            lacking.setdefault((sample, print_), (pk, number, input))
        else:
            found[trace, number] = output
    ids = tuple(dict.fromkeys(found.values()))
    return Drafts(found, ids, len(lacking), len(other)), lacking


def references_of(store: Store, project_id: int) -> Mapping[str, str | None]:
    """Return the reference answer of every sample by its id."""
    query = sa.select(t.sample.c.sample_id, t.sample.c.reference).where(
        t.sample.c.project_id == project_id
    )
    with store.read() as c:
        return {r.sample_id: r.reference for r in c.execute(query)}


def said_of_drafts(
    store: Store, project_id: int, judge: int, version: Version
) -> dict[int, dict[str, CriterionVerdict]]:
    """Return what a judge said of outputs, current or not, by output id and criterion key.

    For criteria as `version` words them and samples as they are; the newest time it was asked.
    """
    names = {
        identity: (key, version.contract.criterion(key).verdict_hash)
        for key, identity in version.criteria.items()
    }
    j, v = t.judgement.c, t.verdict.c
    query = (
        sa.select(
            j.output_id, j.unscored.label("reason"), v.criterion_id, v.verdict, v.unscored,
            v.evidence, v.change, v.verdict_hash,
        )
        .join(t.verdict, v.judgement_id == j.id)
        .join(t.output, t.output.c.id == j.output_id)
        .join(t.sample, t.sample.c.id == t.output.c.sample_pk)
        .where(
            j.project_id == project_id,
            j.judge_id == judge,
            v.criterion_id.in_(list(names)),
            j.sample_hash.is_(None) | (j.sample_hash == t.sample.c.content_hash),
        )
        .order_by(j.id)
    )  # fmt: skip
    found: dict[int, dict[str, CriterionVerdict]] = {}
    with store.read() as c:
        for r in c.execute(query):
            key, wanted = names[r.criterion_id]
            if r.verdict_hash != wanted:
                continue
            reason = r.unscored or r.reason
            found.setdefault(r.output_id, {})[key] = CriterionVerdict(
                None if reason else Verdict(r.verdict), r.evidence, r.change,
                Unscored(reason) if reason else None,
            )  # fmt: skip
    return found
