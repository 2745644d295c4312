"""The walks that what-ifs look along, read without a single draft; and the traces of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sa

from core.loop.stop import Arm
from core.loop.whatif import Path, path_of
from core.store import tables as t
from core.store.store import Store
from core.store.traces import by_held_contract, held_contracts, load_traces


@dataclass(frozen=True)
class TraceFilter:
    """Which traces of a project: of one arm, of one loop run; None is all."""

    arm: Arm | None = None
    run_id: int | None = None

    def where(self, project_id: int) -> list[sa.ColumnElement[bool]]:
        """Return the conditions."""
        found: list[sa.ColumnElement[bool]] = [t.trace.c.project_id == project_id]
        if self.arm is not None:
            found.append(t.trace.c.arm == self.arm.value)
        if self.run_id is not None:
            found.append(t.trace.c.run_id == self.run_id)
        return found


ALL = TraceFilter()


def paths_of(store: Store, project_id: int, filter: TraceFilter = ALL) -> list[Path]:
    """Return the walk of every trace chosen, in the order they were stored.

    Traces stored before walks were kept are worked out now and kept.
    """
    query = sa.select(t.trace.c.id, t.trace.c.path).where(*filter.where(project_id))
    with store.read() as c:
        rows = c.execute(query.order_by(t.trace.c.id)).all()
    lacking = [row.id for row in rows if row.path is None]
    made = _work_out(store, project_id, lacking) if lacking else {}
    return [made[row.id] if row.path is None else Path.from_json(row.path) for row in rows]


def _work_out(store: Store, project_id: int, ids: list[int]) -> dict[int, Path]:
    held = held_contracts(store, project_id)
    found: dict[int, Path] = {}
    for start in range(0, len(ids), 200):
        some = load_traces(store, project_id, ids[start : start + 200])
        paths = {key: path_of(by_held_contract(trace, held)) for key, trace in some.items()}
        with store.write() as c:
            c.execute(
                t.trace.update().where(t.trace.c.id == sa.bindparam("key")),
                [{"key": key, "path": path.to_json()} for key, path in paths.items()],
            )
        found |= paths
    return found


def run_trace_names(store: Store, run_id: int) -> list[str]:
    """Return the ids of the traces a loop run has stored, in order."""
    query = sa.select(t.trace.c.trace_id).where(t.trace.c.run_id == run_id)
    with store.read() as c:
        return list(c.scalars(query.order_by(t.trace.c.id)))


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
