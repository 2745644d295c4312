"""Runs in the store: rows that say what to do, who is doing it, and how it ended.

One process at a time executes a run. It claims the row and keeps a heartbeat in it; a claim that
has been silent for `SILENCE` seconds, or whose process is no longer there on this machine, may be
taken over. Every change of hands is one conditional UPDATE, so two processes can never both have it.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from core.contract.contract import Budget
from core.errors import InputError
from core.store.store import Store, insert_id, now
from core.store.tables_runs import run as table

SILENCE = 30.0
"""Seconds without a heartbeat after which a claim may be taken over."""


class RunKind(StrEnum):
    """What a run does."""

    JUDGE = "judge"
    LOOP = "loop"
    EXAMPLES = "examples"


class RunState(StrEnum):
    """Where a run stands. Waiting and running ones are unfinished; paused ones wait for a person."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    DONE = "done"
    FAILED = "failed"


class Wish(StrEnum):
    """What somebody asks of a running process; `INTERRUPTED` marks a run paused from a keyboard."""

    PAUSE = "pause"
    CANCEL = "cancel"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Run:
    """One run as stored. `error` is one line about why it stopped; `seconds` is time executing.

    `total` is the number of judgements it has to bring; `reused` counts those that were paid for
    before, under "scored" or the unscored reason.
    """

    id: int
    project_id: int
    version_id: int
    judge_id: int | None
    kind: RunKind
    config: Mapping[str, Any]
    identity: str
    state: RunState
    wish: Wish | None
    claimed_by: str | None
    heartbeat_at: str | None
    claimed_at: str | None
    budget: Budget
    seed: str
    total: int
    reused: Mapping[str, int]
    seconds: float
    created_at: str
    started_at: str | None
    ended_at: str | None
    error: str

    @property
    def unfinished(self) -> bool:
        """Whether somebody will go on with it without being asked."""
        return self.state in (RunState.WAITING, RunState.RUNNING)


def whoami() -> str:
    """Return a name for one execution in this process, unlike any other."""
    return f"{socket.gethostname()[:100]}:{os.getpid()}:{secrets.token_hex(8)}"


def create_run(
    store: Store,
    project_id: int,
    *,
    kind: RunKind,
    version_id: int,
    judge_id: int | None,
    config: Mapping[str, Any],
    identity: str,
    budget: Budget,
    total: int,
    claim_by: str | None = None,
) -> Run:
    """Store a new run: waiting, or already claimed by `claim_by` so that nobody else starts it."""
    at = now()
    with store.write(project_id) as c:
        made = insert_id(
            c,
            table,
            project_id=project_id,
            contract_version_id=version_id,
            judge_id=judge_id,
            kind=kind.value,
            config=dict(config),
            identity=identity,
            state=(RunState.RUNNING if claim_by else RunState.WAITING).value,
            claimed_by=claim_by,
            heartbeat_at=at if claim_by else None,
            claimed_at=at if claim_by else None,
            budget_usd=budget.usd,
            budget_tokens=budget.tokens,
            budget_calls=budget.calls,
            budget_seconds=budget.seconds,
            seed=secrets.token_hex(16),
            total=total,
            reused={},
            seconds=0.0,
            created_at=at,
            started_at=at if claim_by else None,
            error="",
        )
        return _run(c.execute(sa.select(table).where(table.c.id == made)).one())


def load_run(store: Store, run_id: int) -> Run:
    """Return a run; raises InputError when there is none with this number."""
    with store.read() as c:
        row = c.execute(sa.select(table).where(table.c.id == run_id)).one_or_none()
    if row is None:
        raise InputError(f"run {run_id}", "there is no such run.", "It may have been deleted.")
    return _run(row)


def runs_of(store: Store, project_id: int) -> list[Run]:
    """Return a project's runs, newest first."""
    query = sa.select(table).where(table.c.project_id == project_id).order_by(table.c.id.desc())
    with store.read() as c:
        return [_run(row) for row in c.execute(query)]


def find_run(store: Store, identity: str) -> Run | None:
    """Return the newest run with this identity, or None."""
    query = sa.select(table).where(table.c.identity == identity).order_by(table.c.id.desc())
    with store.read() as c:
        row = c.execute(query.limit(1)).one_or_none()
    return None if row is None else _run(row)


def claim(store: Store, run_id: int, who: str, silence: float = SILENCE) -> Run | None:
    """Take a waiting run, or one whose executor is gone, for `who`; None if somebody has it.

    A run that `who` has already is returned as it is.
    """
    with store.write() as c:
        query = sa.select(table).where(table.c.id == run_id)
        row = c.execute(query.with_for_update(skip_locked=True)).one_or_none()
        if row is None:
            return None
        mine = row.state == RunState.RUNNING and row.claimed_by == who
        return _run(row) if mine else _take(c, row, who, silence)


def claim_next(
    store: Store, who: str, silence: float = SILENCE, *, interrupted: bool = False
) -> Run | None:
    """Take the oldest run nobody executes, or return None.

    `interrupted` also takes runs that were paused from a keyboard.
    """
    states: sa.ColumnElement[bool] = table.c.state.in_([RunState.WAITING, RunState.RUNNING])
    if interrupted:
        states |= (table.c.state == RunState.PAUSED) & (table.c.wish == Wish.INTERRUPTED)
    with store.write() as c:
        query = sa.select(table).where(states).order_by(table.c.id)
        for row in c.execute(query.with_for_update(skip_locked=True)).all():
            taken = _take(c, row, who, silence, interrupted=interrupted)
            if taken is not None:
                return taken
    return None


def _take(
    c: sa.Connection, row: Any, who: str, silence: float, *, interrupted: bool = False
) -> Run | None:
    free = row.state == RunState.WAITING
    if row.state == RunState.RUNNING:
        silent = row.heartbeat_at is None or row.heartbeat_at < _ago(silence)
        free = silent or _gone(row.claimed_by)
    if interrupted and row.state == RunState.PAUSED and row.wish == Wish.INTERRUPTED:
        free = True
    if not free:
        return None
    at = now()
    # A wish somebody expressed while the run was in nobody's hands is still a wish.
    wish = None if row.wish == Wish.INTERRUPTED else row.wish
    c.execute(
        table.update()
        .where(table.c.id == row.id)
        .values(
            state=RunState.RUNNING.value,
            claimed_by=who,
            heartbeat_at=at,
            claimed_at=at,
            wish=wish,
            error="",
            ended_at=None,
            started_at=row.started_at or at,
        )
    )
    return _run(c.execute(sa.select(table).where(table.c.id == row.id)).one())


def _gone(claimed_by: str | None) -> bool:
    """Whether the process that claimed a run ran on this machine and is no longer there."""
    host, _, rest = (claimed_by or "").rpartition(":")[0].rpartition(":")
    if host != socket.gethostname()[:100] or not rest.isdigit():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _ago(seconds: float) -> str:
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="microseconds")


def release(
    store: Store,
    run: Run,
    who: str,
    state: RunState,
    *,
    seconds: float,
    error: str = "",
    interrupted: bool = False,
) -> bool:
    """Hand a run back in `state`; returns False when `who` no longer has it.

    `seconds` is added to the time spent executing. `interrupted` marks a pause from a keyboard:
    the app leaves such a run alone, whoever paused it goes on with it.
    """
    with store.write(run.project_id) as c:
        done = c.execute(
            table.update()
            .where(table.c.id == run.id, table.c.claimed_by == who)
            .values(
                state=state.value,
                claimed_by=None,
                heartbeat_at=None,
                wish=Wish.INTERRUPTED.value if interrupted else None,
                seconds=table.c.seconds + seconds,
                ended_at=None if state is RunState.WAITING else now(),
                error=error,
            )
        )
        return bool(done.rowcount)


def ask(store: Store, run_id: int, wish: Wish) -> Run:
    """Ask for a pause or for the end of a run; one that nobody executes gets there at once."""
    run = load_run(store, run_id)
    end = RunState.PAUSED if wish is Wish.PAUSE else RunState.CANCELLED
    with store.write(run.project_id) as c:
        here = table.update().where(table.c.id == run_id)
        open_ = table.c.state.in_([RunState.WAITING, RunState.PAUSED])
        if wish is Wish.CANCEL or run.state is RunState.WAITING:
            c.execute(here.where(open_).values(state=end.value, wish=None, ended_at=now()))
        c.execute(here.where(table.c.state == RunState.RUNNING).values(wish=wish.value))
    return load_run(store, run_id)


def resume(
    store: Store,
    run_id: int,
    budget: Budget | None = None,
    *,
    changes: Mapping[str, Any] | None = None,
) -> Run:
    """Let a run that stopped go on; done ones stay done.

    With another budget if one is given, and with `changes` to what in its configuration says how,
    not what: address, concurrency, waits.
    """
    run = load_run(store, run_id)
    values: dict[str, Any] = {"wish": None, "error": "", "ended_at": None}
    if changes:
        values["config"] = {**run.config, **changes}
    if budget is not None:
        values |= {f"budget_{name}": value for name, value in budget.model_dump().items()}
    with store.write(run.project_id) as c:
        here = table.update().where(table.c.id == run_id)
        stopped = [RunState.PAUSED, RunState.CANCELLED, RunState.FAILED]
        c.execute(
            here.where(table.c.state.in_(stopped)).values(state=RunState.WAITING.value, **values)
        )
        c.execute(here.where(table.c.state == RunState.RUNNING).values(wish=None))
    return load_run(store, run_id)


def note_reused(store: Store, run_id: int, reused: Mapping[str, int]) -> None:
    """Keep how many of a run's judgements had been paid for before, by reason or "scored"."""
    with store.write() as c:
        c.execute(table.update().where(table.c.id == run_id).values(reused=dict(reused)))


def _run(row: Any) -> Run:
    return Run(
        row.id,
        row.project_id,
        row.contract_version_id,
        row.judge_id,
        RunKind(row.kind),
        row.config,
        row.identity,
        RunState(row.state),
        None if row.wish is None else Wish(row.wish),
        row.claimed_by,
        row.heartbeat_at,
        row.claimed_at,
        Budget(
            calls=row.budget_calls,
            usd=row.budget_usd,
            tokens=row.budget_tokens,
            seconds=row.budget_seconds,
        ),
        row.seed,
        row.total,
        row.reused,
        row.seconds,
        row.created_at,
        row.started_at,
        row.ended_at,
        row.error,
    )
