"""The walks that what-ifs look along, read without a single draft; and the traces of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sa

from core.loop.measured import Counted, Recorded, Run, recorded_of
from core.loop.stop import Arm, Exit
from core.loop.whatif import Path
from core.store import tables as t
from core.store.store import Store
from core.store.traces import work_out


@dataclass(frozen=True)
class TraceFilter:
    """Which traces of a project: of one arm, one loop run, one imported file; None is all."""

    arm: Arm | None = None
    run_id: int | None = None
    import_id: int | None = None

    def where(self, project_id: int) -> list[sa.ColumnElement[bool]]:
        """Return the conditions."""
        found: list[sa.ColumnElement[bool]] = [t.trace.c.project_id == project_id]
        if self.arm is not None:
            found.append(t.trace.c.arm == self.arm.value)
        if self.run_id is not None:
            found.append(t.trace.c.run_id == self.run_id)
        if self.import_id is not None:
            found.append(t.trace.c.import_batch_id == self.import_id)
        return found


ALL = TraceFilter()


def paths_of(store: Store, project_id: int, filter: TraceFilter = ALL) -> list[Path]:
    """Return the walk of every trace chosen, in the order they were stored.

    Those that lack theirs are worked out now and kept.
    """
    work_out(store, project_id)
    query = sa.select(t.trace.c.id, t.trace.c.path).where(*filter.where(project_id))
    with store.read() as c:
        rows = c.execute(query.order_by(t.trace.c.id)).all()
    return [Path.from_json(row.path) for row in rows]


def recorded_drafts(store: Store, project_id: int) -> Recorded:
    """Return the drafts of a project's traces as measured arms count them; no text is read.

    Those that lack theirs are worked out now and kept.
    """
    work_out(store, project_id)
    c_ = t.trace.c
    query = sa.select(c_.id, c_.sample_id, c_.trial, c_.arm, c_.drafts).where(
        *ALL.where(project_id)
    )
    with store.read() as c:
        rows = c.execute(query.order_by(c_.id)).all()
    return recorded_of(
        Run(row.sample_id, row.trial, Arm(row.arm), [Counted(*one) for one in row.drafts])
        for row in rows
    )


def run_trace_names(store: Store, run_id: int) -> list[str]:
    """Return the ids of the traces a loop run has stored, in order."""
    query = sa.select(t.trace.c.trace_id).where(t.trace.c.run_id == run_id)
    with store.read() as c:
        return list(c.scalars(query.order_by(t.trace.c.id)))


def run_tasks(store: Store, run_id: int) -> dict[tuple[int, int], int]:
    """Return how many traces a run has stored of each task: (sample key, draw) -> arms."""
    table, sample = t.trace.c, t.sample.c
    same = (sample.project_id == table.project_id) & (sample.sample_id == table.sample_id)
    query = (
        sa.select(sample.id, table.trial, sa.func.count())
        .join(t.sample, same)
        .where(table.run_id == run_id)
        .group_by(sample.id, table.trial)
    )
    with store.read() as c:
        return {(key, int(trial)): n for key, trial, n in c.execute(query)}


def run_exits(store: Store, run_id: int) -> dict[str, int]:
    """Return how many of a run's traces ended by each exit."""
    query = sa.select(t.trace.c.exit).where(t.trace.c.run_id == run_id)
    with store.read() as c:
        return dict(Counter(name for name in c.scalars(query) if name is not None))


def remove_run_traces(store: Store, project_id: int, run_id: int, exit: str) -> int:
    """Delete a run's traces with this exit, so that the run can take them up again."""
    with store.write(project_id) as c:
        gone = c.execute(
            t.trace.delete().where(
                t.trace.c.project_id == project_id, t.trace.c.run_id == run_id,
                t.trace.c.exit == exit,
            )
        )  # fmt: skip
        return int(gone.rowcount)


@dataclass(frozen=True, slots=True)
class Handed:
    """The draft a loop handed back, where it stands, and by which exit."""

    trace_id: str
    sample_pk: int
    trial: int
    arm: Arm
    exit: Exit
    round: int
    draft: str


def handed_back(store: Store, run_id: int) -> list[Handed]:
    """Return the drafts that the traces of a run handed back, in the order they were stored."""
    table, rounds = t.trace.c, t.round_.c
    query = (
        sa.select(
            table.trace_id, t.sample.c.id, table.trial, table.arm, table.exit, rounds.number,
            rounds.draft,
        )
        .join(t.round_, (rounds.trace_pk == table.id) & (rounds.number == table.returned_round))
        .join(
            t.sample,
            (t.sample.c.project_id == table.project_id) & (t.sample.c.sample_id == table.sample_id),
        )
        .where(table.run_id == run_id, table.exit.is_not(None), rounds.draft.is_not(None))
        .order_by(table.id)
    )  # fmt: skip
    with store.read() as c:
        return [
            Handed(name, sample, int(trial), Arm(arm), Exit(exit), number, draft)
            for name, sample, trial, arm, exit, number, draft in c.execute(query)
        ]


@dataclass(frozen=True, slots=True)
class RoundFact:
    """What is counted of one round: its number, and what its judgement came to."""

    number: int
    reused: bool
    scored: bool
    unscored: str | None


def run_rounds(store: Store, run_id: int) -> list[tuple[Arm, RoundFact]]:
    """Return the rounds of a run's traces with the arm of each; no draft is read."""
    r = t.round_.c
    query = (
        sa.select(t.trace.c.arm, r.number, r.reused, r.score, r.judgement)
        .join(t.trace, t.trace.c.id == r.trace_pk)
        .where(t.trace.c.run_id == run_id)
    )
    with store.read() as c:
        return [
            (
                Arm(row.arm),
                RoundFact(
                    row.number,
                    row.reused,
                    row.score is not None,
                    None if row.judgement is None else row.judgement["unscored"],
                ),
            )
            for row in c.execute(query)
        ]


def run_trace_keys(store: Store, run_id: int) -> list[int]:
    """Return the store's keys of a run's traces: by sample as it came, draw and arm."""
    table = t.trace.c
    query = (
        sa.select(table.id, table.trial, table.arm, t.sample.c.id.label("sample"))
        .join(
            t.sample,
            (t.sample.c.project_id == table.project_id) & (t.sample.c.sample_id == table.sample_id),
        )
        .where(table.run_id == run_id)
    )
    with store.read() as c:
        rows = c.execute(query).all()
    rows = sorted(rows, key=lambda r: (r.sample, int(r.trial), r.arm))
    return [r.id for r in rows]


def trace_keys(store: Store, project_id: int, filter: TraceFilter = ALL) -> list[int]:
    """Return the store's keys of the traces chosen, in the order they were stored."""
    query = sa.select(t.trace.c.id).where(*filter.where(project_id)).order_by(t.trace.c.id)
    with store.read() as c:
        return list(c.scalars(query))


def newest_run_keys(store: Store, run_id: int, most: int) -> list[int]:
    """Return the store's keys of the traces a run stored last, newest first."""
    query = sa.select(t.trace.c.id).where(t.trace.c.run_id == run_id)
    with store.read() as c:
        return list(c.scalars(query.order_by(t.trace.c.id.desc()).limit(most)))


def count_traces(store: Store, project_id: int) -> int:
    """Return the number of traces in a project."""
    query = sa.select(sa.func.count()).where(t.trace.c.project_id == project_id)
    with store.read() as c:
        return int(c.scalar(query) or 0)


def arms_of_sample(
    store: Store, project_id: int, sample_id: str, trial: str
) -> list[tuple[Arm, str]]:
    """Return (arm, trace id) of every trace of one sample and trial, loop first."""
    query = (
        sa.select(t.trace.c.arm, t.trace.c.trace_id)
        .where(
            t.trace.c.project_id == project_id,
            t.trace.c.sample_id == sample_id,
            t.trace.c.trial == trial,
        )
        .order_by(t.trace.c.arm, t.trace.c.id)
    )
    with store.read() as c:
        return [(Arm(r.arm), r.trace_id) for r in c.execute(query)]
