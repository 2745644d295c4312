"""The tables of runs and of the call ledger.

A run is rows, not memory: its configuration says everything that is needed to execute it again.
The ledger has one row for every attempt at a provider: written as an intent before the call, with
what it may cost at most, and completed with the reply. Neither ever holds a key.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
)

from core.store.tables import JsonText, ModelText, metadata

run = Table(
    "run",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("project_id", Integer, ForeignKey("project.id", ondelete="CASCADE"), nullable=False),
    Column(
        "contract_version_id",
        Integer,
        ForeignKey("contract_version.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("judge_id", Integer, ForeignKey("judge.id", ondelete="CASCADE")),
    Column("kind", String(20), nullable=False),
    Column("config", JsonText, nullable=False),
    # Same identity, same work: the same command again continues the run it finds under it.
    Column("identity", String(64), nullable=False),
    Column("state", String(20), nullable=False),
    # What somebody asked a running process to do: pause or cancel.
    Column("wish", String(20)),
    Column("claimed_by", String(200)),
    Column("heartbeat_at", String(40)),
    # Intents older than this whose reply never came belong to an execution that is over.
    Column("claimed_at", String(40)),
    Column("budget_usd", Float),
    Column("budget_tokens", BigInteger),
    Column("budget_calls", BigInteger),
    Column("budget_seconds", Float),
    Column("seed", String(64), nullable=False),
    # Judgements the run has to bring, and what it found paid for: {"scored": n, unscored reason: n}.
    Column("total", Integer, nullable=False, default=0),
    Column("reused", JsonText, nullable=False),
    # Time spent executing, over all processes that had it.
    Column("seconds", Float, nullable=False, default=0.0),
    Column("created_at", String(40), nullable=False),
    Column("started_at", String(40)),
    Column("ended_at", String(40)),
    Column("error", ModelText, nullable=False, default=""),
    Index(None, "project_id"),
    Index(None, "identity"),
    Index(None, "state"),
)

call = Table(
    "call",
    metadata,
    # The executing process numbers the calls of its run, so that a second process that believes
    # it has the run cannot write a call unseen.
    Column("run_id", Integer, ForeignKey("run.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    # The place: what in the run the call is about. Rows go with their run, so these two need no key
    # of their own, which every call would pay for.
    Column("sample_pk", Integer),
    Column("output_id", Integer),
    Column("trial", Integer, nullable=False, default=1),
    Column("arm", String(10), nullable=False, default=""),
    Column("round", Integer, nullable=False, default=0),
    Column("role", String(20), nullable=False),
    Column("repeat", Integer, nullable=False, default=1),
    # The criterion, where each criterion is asked in a call of its own.
    Column("part", ModelText, nullable=False, default=""),
    # Asked anew because the reply was unreadable (1 is the first question), and the attempt at it.
    Column("ask", Integer, nullable=False, default=1),
    Column("attempt", Integer, nullable=False, default=1),
    # What was asked (the markers around the output apart, which each run draws anew) and of whom.
    Column("request_hash", String(64), nullable=False),
    Column("config_hash", String(64), nullable=False),
    Column("intent_at", String(40), nullable=False),
    Column("reserved_usd", Float),
    Column("reserved_tokens", BigInteger, nullable=False),
    Column("replied_at", String(40)),
    # "reply", or what kind of failure it was; null while nobody knows.
    Column("outcome", String(30)),
    Column("status", Integer),
    Column("may_be_billed", Boolean, nullable=False, default=False, server_default=sa.false()),
    Column("stop_reason", ModelText),
    Column("tokens_in", BigInteger),
    Column("tokens_out", BigInteger),
    Column("cache_write", BigInteger),
    Column("cache_read", BigInteger),
    Column("usd", Float),
    Column("seconds", Float),
    Column("error", ModelText),
    # Bulky columns last: the text of the reply, and the body it came in.
    Column("text", ModelText),
    Column("raw", ModelText),
    Index(None, "request_hash"),
)
