"""The call ledger: what was asked of a provider, where in which run, and what it brought and cost.

An intent is committed before a call and its reply after it, so that a killed process loses no
answer that arrived: the next one finds it here and pays again only for calls that were in the air.
Those read "may have been billed". Calls of one instant share a commit (about 0.1 ms), which is what
keeps the ledger cheap; nobody acts on a row before its commit has returned. The same transaction
keeps the run's heartbeat and sees whether somebody asked it to stop or another process took over:
without the claim no intent is written, and without an intent nobody calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from core.judging.calls import CallFailed, ModelReply, Usage
from core.store.judged import NewJudgement, store_judgements
from core.store.runs import Run, RunState, Wish
from core.store.store import Store, now
from core.store.tables_runs import call as table
from core.text import to_storage

REPLY = "reply"
"""The outcome of a call that brought a reply; others are kinds of failure."""


@dataclass(frozen=True, slots=True)
class Place:
    """What in a run a call is about; a loop fills in arm and round, a judge run the output."""

    role: str
    output_id: int | None = None
    sample_pk: int | None = None
    trial: int = 1
    arm: str = ""
    round: int = 0
    repeat: int = 1
    part: str = ""


@dataclass(frozen=True, slots=True)
class Intent:
    """A call about to be made: `number` is its own in the run, the reserve is what it may cost."""

    number: int
    place: Place
    ask: int
    attempt: int
    request_hash: str
    config_hash: str
    reserved_tokens: int
    reserved_usd: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """How a call ended: a reply with its cost in US dollars (None: no price set), or a failure."""

    number: int
    result: ModelReply | CallFailed
    usd: float | None = None

    def row(self, at: str) -> tuple[Any, ...]:
        """Return the columns in `_FILLED` that this answer fills in."""
        got = self.result
        if isinstance(got, CallFailed):
            line = " ".join(str(got).split())
            return (
                at, got.kind.value, got.status, got.may_be_billed, None, None, None, None, None,
                None, got.seconds, to_storage(line), None, _stored(got.raw),
            )  # fmt: skip
        usage = got.usage
        return (
            at, REPLY, None, False, to_storage(got.stop_reason), tokens_in(usage), usage.output,
            usage.cache_write, usage.cache_read, self.usd, got.seconds, None, _stored(got.text),
            _stored(got.raw),
        )  # fmt: skip


def _stored(text: str | None) -> str | None:
    return None if text is None else to_storage(text)


_FILLED = (
    "replied_at", "outcome", "status", "may_be_billed", "stop_reason", "tokens_in", "tokens_out",
    "cache_write", "cache_read", "usd", "seconds", "error", "text", "raw",
)  # fmt: skip
_MEANT = (
    "run_id", "number", "sample_pk", "output_id", "trial", "arm", "round", "role", "repeat", "part",
    "ask", "attempt", "request_hash", "config_hash", "intent_at", "reserved_usd", "reserved_tokens",
    "may_be_billed",
)  # fmt: skip


def tokens_in(usage: Usage) -> int | None:
    """Return the whole input of a reply, cached or not; None when the server said nothing."""
    if usage.input is None:
        return None
    return usage.input + (usage.cache_write or 0) + (usage.cache_read or 0)


@dataclass(frozen=True, slots=True)
class Standing:
    """What a commit found of the run: `ours` while nobody took it over, and what is asked of it."""

    ours: bool
    wish: Wish | None


class Ledger:
    """One run's ledger, held open by the process that executes it.

    Rows go to the driver as they are, many at a time: the same through the expression language
    would take as long as the calls of a fast server.
    """

    def __init__(self, store: Store, run: Run, who: str) -> None:
        self.run = run
        self.who = who
        self._store = store
        self._connection: sa.Connection | None = None
        mark = "?" if store.engine.dialect.name == "sqlite" else "%s"
        self._beat = (
            f"UPDATE run SET heartbeat_at = {mark} WHERE id = {mark} AND claimed_by = {mark} "
            "RETURNING wish"
        )
        self._intent = (
            f"INSERT INTO call ({', '.join(_MEANT)}) VALUES ({', '.join([mark] * len(_MEANT))})"
        )
        self._answer = (
            f"UPDATE call SET {', '.join(f'{name} = {mark}' for name in _FILLED)} "
            f"WHERE run_id = {mark} AND number = {mark}"
        )

    def commit(
        self,
        intents: Sequence[Intent] = (),
        answers: Sequence[Answer] = (),
        judgements: Sequence[NewJudgement] = (),
    ) -> Standing:
        """Write intents, answers and judgements as one act and return how the run stands.

        Intents are written only while the run is `who`'s and nobody wishes it to stop. Answers and
        judgements are kept in any case: they are paid for. With nothing to write it is a heartbeat.
        """
        at = now()
        run = self.run.id
        with self._store.writing(self._open()) as c:
            row = c.exec_driver_sql(self._beat, (at, run, self.who)).one_or_none()
            standing = Standing(row is not None, Wish(row.wish) if row and row.wish else None)
            if intents and standing.ours and standing.wish is None:
                c.exec_driver_sql(self._intent, [_meant(run, intent, at) for intent in intents])
            if answers:
                rows = [(*answer.row(at), run, answer.number) for answer in answers]
                c.exec_driver_sql(self._answer, rows)
            if judgements:
                store_judgements(c, self.run, judgements, at)
        return standing

    def _open(self) -> sa.Connection:
        if self._connection is None:
            self._connection = self._store.writer()
        return self._connection

    def close(self) -> None:
        """Give the connection back."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _meant(run_id: int, intent: Intent, at: str) -> tuple[Any, ...]:
    p = intent.place
    return (
        run_id, intent.number, p.sample_pk, p.output_id, p.trial, p.arm, p.round, p.role, p.repeat,
        to_storage(p.part), intent.ask, intent.attempt, intent.request_hash, intent.config_hash, at,
        intent.reserved_usd, intent.reserved_tokens, False,
    )  # fmt: skip


def next_number(store: Store, run_id: int) -> int:
    """Return the number the next call of a run gets."""
    query = sa.select(sa.func.max(table.c.number)).where(table.c.run_id == run_id)
    with store.read() as c:
        return int(c.scalar(query) or 0) + 1


@dataclass(frozen=True)
class Paid:
    """A reply somebody paid for already, with the run and number of its call."""

    run_id: int
    number: int
    part: str
    reply: ModelReply


def paid_replies(
    store: Store, config_hash: str, request_hashes: Iterable[str]
) -> dict[tuple[str, int], list[Paid]]:
    """Return the replies to these requests from a judge of this configuration, whoever asked.

    Keyed by (request hash, repeat), in the order they were asked for: by run, then by call. The
    body is left out where there is a text.
    """
    wanted = list(dict.fromkeys(request_hashes))
    columns = (
        table.c.run_id, table.c.number, table.c.part, table.c.repeat, table.c.request_hash,
        table.c.text, table.c.stop_reason, table.c.tokens_in, table.c.tokens_out, table.c.seconds,
    )  # fmt: skip
    raw = sa.case((table.c.text.is_(None), table.c.raw)).label("raw")
    found: dict[tuple[str, int], list[Paid]] = {}
    with store.read() as c:
        for start in range(0, len(wanted), 500):
            query = (
                sa.select(*columns, sa.type_coerce(raw, table.c.raw.type).label("raw"))
                .where(
                    table.c.request_hash.in_(wanted[start : start + 500]),
                    table.c.config_hash == config_hash,
                    table.c.outcome == REPLY,
                )
                .order_by(table.c.run_id, table.c.number)
            )
            for r in c.execute(query):
                usage = Usage(r.tokens_in, r.tokens_out)
                reply = ModelReply(
                    r.text, r.stop_reason or "", r.raw or r.text or "", usage, r.seconds or 0.0
                )
                paid = Paid(r.run_id, r.number, r.part, reply)
                found.setdefault((r.request_hash, r.repeat), []).append(paid)
    return found


@dataclass(frozen=True)
class Spent:
    """What a run's calls add up to.

    `calls` were answered by the server, with a reply or an error. `maybe_billed` are those of which
    nobody knows: no answer came before their process ended or the connection broke. `usd` is None
    when the price of a reply is not known. `reserved_tokens` and `reserved_usd` are what the calls
    without a known cost may have cost at most; `attempts` counts every row. `unmetered` replies did
    not say what they took, so their price is unknown whatever a token costs.
    """

    calls: int
    maybe_billed: int
    replies: int
    tokens_in: int
    tokens_out: int
    cache_write: int
    cache_read: int
    usd: float | None
    reserved_tokens: int
    reserved_usd: float
    attempts: int
    cached_calls: int
    unmetered: int = 0


def spent(store: Store, run: Run) -> Spent:
    """Return what a run has spent so far, as the ledger has it."""
    t, f = table.c, sa.func
    reply = t.outcome == REPLY
    open_ = t.outcome.is_(None)
    over: sa.ColumnElement[bool] = open_
    if run.state is RunState.RUNNING and run.claimed_at is not None:
        over = open_ & (t.intent_at < run.claimed_at)
    unknown = t.may_be_billed & t.status.is_(None) & ~open_
    costless = open_ | unknown | (reply & (t.tokens_in.is_(None) | t.tokens_out.is_(None)))
    no_price = reply & t.usd.is_(None)
    query = sa.select(
        f.count().filter(reply | t.status.is_not(None)).label("calls"),
        f.count().filter(over | unknown).label("maybe_billed"),
        f.count().filter(reply).label("replies"),
        f.coalesce(f.sum(t.tokens_in), 0).label("tokens_in"),
        f.coalesce(f.sum(t.tokens_out), 0).label("tokens_out"),
        f.coalesce(f.sum(t.cache_write), 0).label("cache_write"),
        f.coalesce(f.sum(t.cache_read), 0).label("cache_read"),
        f.coalesce(f.sum(t.usd), 0.0).label("usd"),
        f.count().filter(no_price).label("no_price"),
        f.coalesce(f.sum(t.reserved_tokens).filter(costless), 0).label("reserved_tokens"),
        f.coalesce(f.sum(t.reserved_usd).filter(costless & t.usd.is_(None)), 0.0).label(
            "reserved_usd"
        ),
        f.count().label("attempts"),
        f.count().filter(t.cache_read > 0).label("cached_calls"),
        f.count()
        .filter(reply & (t.tokens_in.is_(None) | t.tokens_out.is_(None)))
        .label("unmetered"),
    ).where(t.run_id == run.id)
    with store.read() as c:
        r = c.execute(query).one()
    return Spent(
        r.calls, r.maybe_billed, r.replies, int(r.tokens_in), int(r.tokens_out),
        int(r.cache_write), int(r.cache_read), None if r.no_price else float(r.usd),
        int(r.reserved_tokens), float(r.reserved_usd), r.attempts, r.cached_calls,
        r.unmetered,
    )  # fmt: skip


def usual(store: Store, config_hash: str) -> Mapping[str, float] | None:
    """Return what calls of a judge took on average: tokens_in, tokens_out, seconds, n; or None."""
    t, f = table.c, sa.func
    query = sa.select(
        f.count().label("n"), f.avg(t.tokens_in), f.avg(t.tokens_out), f.avg(t.seconds)
    ).where(t.config_hash == config_hash, t.outcome == REPLY)
    with store.read() as c:
        n, into, out, seconds = c.execute(query).one()
    if not n or into is None or out is None:
        return None
    return {
        "n": n, "tokens_in": float(into), "tokens_out": float(out), "seconds": float(seconds or 0)
    }  # fmt: skip
