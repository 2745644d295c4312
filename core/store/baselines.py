"""Baselines recorded on a contract version: loop, retries, single shot, on this project's traces.

A record keeps who recorded it, when, the numbers, and a hash of the traces they come from. When
traces have been added since, the record is out of date, and says so wherever it is shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from core.errors import InputError
from core.render import Baseline
from core.statistics.arms import LOOP, RETRY, ArmName, Arms
from core.statistics.interval import ONE_CLUSTER, Estimate, Result, Undefined, rate
from core.store import tables as t
from core.store.store import Store, insert_id, now
from core.store.tables_arithmetic import baseline as table
from core.wording import percent, plural

OLD = "no share: recorded without the number of trials; record the baseline again"


@dataclass(frozen=True)
class Numbers:
    """What was recorded, of the tasks both arms ran: counts, and how sure the cheaper arm is.

    Counts are of `trials` pairs where tasks have several (0: one a task; None: recorded before
    that was kept, so nobody knows of how many the counts are); the intervals of the accepted shares then know the tasks as clusters, and are kept as (low, high).
    `winner` is "loop", "retry" or None (cannot tell) on accepted tasks, good ones if `gold`.
    `cheaper` and `cheaper_than_single` are the shares of draws in which the loop takes fewer calls
    per good output (money depends on prices, which are not recorded); None if not worked out.
    """

    tasks: int
    loop_accepted: int
    retry_accepted: int
    first_accepted: int
    calls_per_accepted: float | None
    winner: str | None
    gold: bool = False
    cheaper: float | None = None
    cheaper_than_single: float | None = None
    trials: int | None = 0
    loop_limits: tuple[float, float] | None = None
    retry_limits: tuple[float, float] | None = None

    @classmethod
    def of(
        cls, arms: Arms, *, cheaper: float | None = None, cheaper_than_single: float | None = None
    ) -> Numbers:
        """Read them from measured arms; raises InputError where no task has both arms."""
        if not arms.tasks:
            raise InputError("baseline", "no task has both arms.", "Run both on the same tasks.")
        return cls(
            tasks=arms.tasks,
            loop_accepted=arms.loop.accepted,
            retry_accepted=arms.retry.accepted,
            first_accepted=arms.loop.by_round[0] if arms.loop.by_round else 0,
            calls_per_accepted=arms.loop.calls_per_accepted,
            winner=arms.winner,
            gold=arms.gold,
            cheaper=cheaper,
            cheaper_than_single=cheaper_than_single,
            trials=arms.loop.traces if arms.clustered else 0,
            loop_limits=_limits(arms, LOOP),
            retry_limits=_limits(arms, RETRY),
        )

    def share(self, arm: ArmName) -> Result:
        """Return the accepted share of an arm, with its interval if it has one."""
        accepted = self.loop_accepted if arm == LOOP else self.retry_accepted
        if self.trials is None:
            return Undefined(OLD, None, 0)
        if not self.trials:
            return rate(accepted, self.tasks, nothing="no tasks")
        limits = self.loop_limits if arm == LOOP else self.retry_limits
        if limits is None:
            return Undefined(ONE_CLUSTER, accepted, self.trials)
        return Estimate(accepted / self.trials, limits[0], limits[1], accepted, self.trials)


@dataclass(frozen=True)
class BaselineRecord:
    """A recorded baseline; `out_of_date` when the project's traces are not those it was made of."""

    id: int
    version: int
    author: str
    recorded_at: str
    numbers: Numbers
    out_of_date: bool

    @property
    def rendered(self) -> Baseline:
        """The record as the contract's page shows it."""
        n = self.numbers
        return Baseline(
            n.share(RETRY),
            n.share(LOOP),
            n.calls_per_accepted,
        )

    @property
    def words(self) -> str:
        """The record in one line: version, who, when, what, and whether it still holds."""
        n = self.numbers
        who = f" by {self.author}" if self.author else ""
        sure = (
            ""
            if n.cheaper is None
            else f"; loop needs fewer calls per good output in {percent(n.cheaper, 0)} of draws"
        )
        of = plural(n.tasks, "task")
        if n.trials is None:
            of = f"the trials of {of} (how many was not recorded: record the baseline again)"
        elif n.trials:
            of = f"{plural(n.trials, 'trial')} of {of}"
        old = " Out of date: the traces have changed since." if self.out_of_date else ""
        return (
            f"Recorded on version {self.version}{who}, {self.recorded_at[:10]}: loop "
            f"{n.loop_accepted:,}, retries {n.retry_accepted:,} of {of}{sure}.{old}"
        )


def trace_hash(store: Store, project_id: int) -> str:
    """Return a hash of a project's traces: it changes when one is added or replaced."""
    query = (
        sa.select(t.trace.c.content_hash)
        .where(t.trace.c.project_id == project_id)
        .order_by(t.trace.c.content_hash)
    )
    with store.read() as c:
        return _hash(c, query)


def record_baseline(
    store: Store, project_id: int, version_number: int, numbers: Numbers, *, author: str = ""
) -> BaselineRecord:
    """Store the numbers on a contract version and return the record.

    Raises InputError when the project has no such version, or no traces.
    """
    with store.write(project_id) as c:
        version = c.scalar(
            sa.select(t.contract_version.c.id).where(
                t.contract_version.c.project_id == project_id,
                t.contract_version.c.number == version_number,
            )
        )
        if version is None:
            raise InputError(
                "version", f"the contract has no version {version_number}.", "Save one first."
            )
        if not c.scalar(sa.select(sa.func.count()).where(t.trace.c.project_id == project_id)):
            raise InputError("baseline", "this project has no traces.", "Import traces first.")
        made = insert_id(
            c, table, project_id=project_id, contract_version_id=version, author=author,
            recorded_at=now(), numbers=asdict(numbers), data_hash=trace_hash(store, project_id),
        )  # fmt: skip
    return next(one for one in baselines(store, project_id) if one.id == made)


def baselines(store: Store, project_id: int) -> list[BaselineRecord]:
    """Return every recorded baseline of a project, newest first."""
    query = (
        sa.select(table, t.contract_version.c.number)
        .join(t.contract_version, t.contract_version.c.id == table.c.contract_version_id)
        .where(table.c.project_id == project_id)
        .order_by(table.c.id.desc())
    )
    with store.read() as c:
        rows = c.execute(query).all()
    if not rows:
        return []
    today = trace_hash(store, project_id)
    return [
        BaselineRecord(
            r.id, r.number, r.author, r.recorded_at, _numbers(r.numbers), r.data_hash != today
        )
        for r in rows
    ]


def newest_baseline(
    store: Store, project_id: int, version_number: int | None = None
) -> BaselineRecord | None:
    """Return the newest record, of one contract version if given, or None."""
    for one in baselines(store, project_id):
        if version_number is None or one.version == version_number:
            return one
    return None


def _hash(c: sa.Connection, query: sa.Select[Any]) -> str:
    found = hashlib.sha256()
    for one in c.scalars(query):
        found.update(str(one).encode() + b"\n")
    return found.hexdigest()


def _limits(arms: Arms, arm: ArmName) -> tuple[float, float] | None:
    found = arms.accepted_share(arm)
    return None if isinstance(found, Undefined) else (found.low, found.high)


def _numbers(data: Mapping[str, Any]) -> Numbers:
    pairs = {name: tuple(data[name]) for name in ("loop_limits", "retry_limits") if data.get(name)}
    return Numbers(**{"trials": None, **data, **pairs})
