"""The ledger's rows about one trace of a loop run: every attempt, in the order it was made."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from core.loop.plan import SHARED
from core.store import tables as t
from core.store.store import Store
from core.store.tables_runs import call


@dataclass(frozen=True)
class Attempted:
    """One attempt at a call, at its place in the trace (arm "" is what both arms share).

    `outcome` is "reply", a kind of failure, or None where nobody knows; `raw` is the body as it
    came and `text` the text in it. Tokens, seconds and usd are None where they are not known.
    """

    number: int
    arm: str
    round: int
    role: str
    part: str
    ask: int
    attempt: int
    request_hash: str
    outcome: str | None
    status: int | None
    error: str | None
    stop_reason: str | None
    text: str | None
    raw: str | None
    tokens_in: int | None
    tokens_out: int | None
    cache_read: int | None
    usd: float | None
    seconds: float | None
    at: str


@dataclass(frozen=True)
class TraceCalls:
    """Which run, sample (the store's key) and draw a trace is of, and its attempts."""

    run_id: int
    sample_pk: int
    trial: int
    attempts: tuple[Attempted, ...]


def calls_of(store: Store, project_id: int, trace_id: str) -> TraceCalls | None:
    """Return the ledger's rows about a trace, or None where no run of this workspace made it."""
    head = (
        sa.select(t.trace.c.run_id, t.trace.c.trial, t.trace.c.arm, t.sample.c.id)
        .join(
            t.sample,
            (t.sample.c.project_id == t.trace.c.project_id)
            & (t.sample.c.sample_id == t.trace.c.sample_id),
        )
        .where(
            t.trace.c.project_id == project_id,
            t.trace.c.trace_id == trace_id,
            t.trace.c.run_id.is_not(None),
        )
    )
    c = call.c
    with store.read() as connection:
        found = connection.execute(head).one_or_none()
        if found is None:
            return None
        run_id, trial, arm, sample = found
        query = (
            sa.select(
                c.number, c.arm, c.round, c.role, c.part, c.ask, c.attempt, c.request_hash,
                c.outcome, c.status, c.error, c.stop_reason, c.text, c.raw, c.tokens_in,
                c.tokens_out, c.cache_read, c.usd, c.seconds, c.intent_at,
            )
            .where(
                c.run_id == run_id, c.sample_pk == sample, c.trial == int(trial),
                c.arm.in_((arm, SHARED)),
            )
            .order_by(c.number)
        )  # fmt: skip
        rows = tuple(Attempted(*tuple(row)) for row in connection.execute(query))
    return TraceCalls(run_id, sample, int(trial), rows)
