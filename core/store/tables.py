"""The tables, as SQLAlchemy Core sees them; migrations/ holds how they came to be.

Text from models and people goes through `ModelText`, so that NUL and lone surrogates come back
unchanged from either database. Times are UTC text with offset, which sorts as time does.
"""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from core.text import from_storage, to_storage

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class ModelText(TypeDecorator[str]):
    """Text stored byte for byte, with what a database cannot hold escaped."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """Escape on the way in."""
        return None if value is None else to_storage(value)

    def process_result_value(self, value: str | None, dialect: Any) -> str | None:
        """Unescape on the way out."""
        return None if value is None else from_storage(value)


_to_json = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode


class JsonText(TypeDecorator[Any]):
    """A JSON value as ASCII text; NaN and Infinity are refused."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        """Serialise on the way in."""
        if value is None:
            return None
        # Most rows hold an empty one, and the serialiser takes longer to make than to use.
        return "{}" if value == {} else _to_json(value)

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        """Parse on the way out."""
        return None if value is None else json.loads(value)


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _to(table: str, *, nullable: bool = False, name: str | None = None) -> Column[int]:
    return Column(
        name or f"{table}_id",
        Integer,
        ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=nullable,
    )


project = Table(
    "project",
    metadata,
    _id(),
    Column("slug", String(200), nullable=False, unique=True),
    Column("title", ModelText, nullable=False),
    Column("note", ModelText, nullable=False, default=""),
    Column("sample_slug", String(200)),
    Column("created_at", String(40), nullable=False),
    Column("removed_at", String(40)),
    # Raised by every write to the project: what caches are keyed by.
    Column("revision", Integer, nullable=False, default=0),
)

contract_version = Table(
    "contract_version",
    metadata,
    _id(),
    _to("project"),
    Column("number", Integer, nullable=False),
    Column("name", ModelText, nullable=False, default=""),
    Column("author", ModelText, nullable=False, default=""),
    Column("content", JsonText, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("created_at", String(40), nullable=False),
    # Somebody said: this is the version to work with. Only complete versions can be.
    Column("ready", Boolean, nullable=False, server_default=sa.false()),
    UniqueConstraint("project_id", "number"),
)

criterion = Table(
    "criterion",
    metadata,
    _id(),
    _to("project"),
    Column("key", ModelText, nullable=False),
    UniqueConstraint("project_id", "key"),
)

contract_criterion = Table(
    "contract_criterion",
    metadata,
    Column(
        "contract_version_id",
        Integer,
        ForeignKey("contract_version.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column(
        "criterion_id", Integer, ForeignKey("criterion.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("position", Integer, nullable=False),
    Column("question_hash", String(64), nullable=False),
    Column("verdict_hash", String(64), nullable=False),
)

same_meaning = Table(
    "same_meaning",
    metadata,
    _id(),
    _to("project"),
    Column("old_hash", String(64), nullable=False),
    Column("new_hash", String(64), nullable=False),
    Column("who", ModelText, nullable=False),
    Column("at", String(40), nullable=False),
    UniqueConstraint("project_id", "old_hash", "new_hash"),
)

import_batch = Table(
    "import_batch",
    metadata,
    _id(),
    _to("project"),
    Column("kind", String(20), nullable=False),
    Column("file_name", ModelText, nullable=False),
    Column("sha256", String(64), nullable=False),
    # The choices made on the mapping screen: columns and verdict words.
    Column("choices", JsonText, nullable=False),
    Column("counts", JsonText, nullable=False),
    Column("at", String(40), nullable=False),
)

sample = Table(
    "sample",
    metadata,
    _id(),
    _to("project"),
    Column("sample_id", ModelText, nullable=False),
    Column("input", ModelText, nullable=False),
    Column("reference", ModelText),
    # Identity of input and reference: verdicts given for another input are out of date.
    Column("content_hash", String(64), nullable=False, server_default=""),
    UniqueConstraint("project_id", "sample_id"),
)

output = Table(
    "output",
    metadata,
    _id(),
    _to("project"),
    _to("sample", name="sample_pk"),
    Column("trial", Integer, nullable=False),
    # A changed text for the same sample and trial is a new version; labels stay with the old one.
    Column("version", Integer, nullable=False, default=1),
    Column("current", Boolean, nullable=False, default=True),
    Column("text", ModelText, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("extra", JsonText, nullable=False),
    # The import that brought it (a plain number: an import can be taken back and what others have
    # labelled stays); null where a run or a command did.
    Column("import_batch_id", Integer),
    UniqueConstraint("sample_pk", "trial", "version"),
    Index(None, "project_id", "current"),
)

reviewer = Table(
    "reviewer",
    metadata,
    _id(),
    _to("project"),
    Column("key", ModelText, nullable=False),
    Column("name", ModelText, nullable=False),
    UniqueConstraint("project_id", "key"),
)

label = Table(
    "label",
    metadata,
    _id(),
    _to("project"),
    _to("output"),
    _to("criterion"),
    _to("reviewer"),
    # label, defer, undo, import or adjudication. Every row carries the whole state after it.
    Column("kind", String(20), nullable=False),
    Column("verdict", String(10)),
    Column("deferred", Boolean, nullable=False, default=False),
    Column("note", ModelText, nullable=False, default=""),
    Column("question_hash", String(64), nullable=False),
    Column("client", String(80), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("labelled_at", String(40), nullable=False),
    Column("seconds", Float),
    _to("import_batch", nullable=True),
    UniqueConstraint("client", "seq"),
    Index(None, "project_id", "reviewer_id"),
    Index(None, "output_id", "criterion_id"),
)

note_group = Table(
    "note_group",
    metadata,
    _id(),
    _to("project"),
    Column("name", ModelText, nullable=False),
    Column("position", Integer, nullable=False),
    # The key of the criterion it was made into, as it was then.
    Column("criterion", ModelText),
    Column("removed_at", String(40)),
    Index(None, "project_id"),
)

# A note is known by its output and reviewer, so that rewording it leaves it where it was put, and
# is in one group at most. Members of a removed group are in none until it is brought back.
note_group_member = Table(
    "note_group_member",
    metadata,
    Column("output_id", Integer, ForeignKey("output.id", ondelete="CASCADE"), primary_key=True),
    Column("reviewer_id", Integer, ForeignKey("reviewer.id", ondelete="CASCADE"), primary_key=True),
    _to("note_group"),
    Index(None, "note_group_id"),
)

judge = Table(
    "judge",
    metadata,
    _id(),
    _to("project"),
    Column("name", ModelText, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("config", JsonText, nullable=False),
    Column("config_hash", String(64), nullable=False),
    UniqueConstraint("project_id", "name"),
)

judgement = Table(
    "judgement",
    metadata,
    _id(),
    _to("project"),
    _to("judge"),
    _to("output"),
    _to("contract_version", nullable=True),
    Column("repeat", Integer, nullable=False, default=1),
    Column("request_hash", String(64), nullable=False),
    Column("unscored", String(20)),
    Column("raw", ModelText),
    Column("judged_at", String(40), nullable=False),
    _to("import_batch", nullable=True),
    # The run that made it (a plain number, so that the ledger's tables come after these), and what
    # the sample's content hash was then; null where a file said so and nobody knows.
    Column("run_id", Integer),
    Column("sample_hash", String(64)),
    UniqueConstraint("judge_id", "output_id", "request_hash", "repeat"),
    Index(None, "run_id"),
    Index(None, "project_id", "judge_id"),
    Index(None, "output_id"),
)

verdict = Table(
    "verdict",
    metadata,
    Column(
        "judgement_id", Integer, ForeignKey("judgement.id", ondelete="CASCADE"), primary_key=True
    ),
    Column(
        "criterion_id", Integer, ForeignKey("criterion.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("verdict", String(10)),
    Column("unscored", String(20)),
    Column("evidence", ModelText, nullable=False, default=""),
    Column("change", ModelText, nullable=False, default=""),
    # What decided this verdict when it was given; another hash today means it is out of date.
    Column("verdict_hash", String(64), nullable=False),
)

contract_draft = Table(
    "contract_draft",
    metadata,
    Column("id", String(40), primary_key=True),
    _to("project"),
    Column("based_on", Integer, nullable=False),
    Column("content", JsonText, nullable=False),
    Column("updated_at", String(40), nullable=False),
)

trace = Table(
    "trace",
    metadata,
    _id(),
    _to("project"),
    Column("trace_id", ModelText, nullable=False),
    Column("arm", String(10), nullable=False),
    Column("sample_id", ModelText, nullable=False),
    Column("trial", ModelText, nullable=False),
    # What came: another hash under the same trace_id is another trace, and is refused.
    Column("content_hash", String(64), nullable=False),
    Column("exit", String(20)),
    Column("returned_round", Integer),
    # The loop run that made it (a plain number, as in judgement), null where a file brought it.
    Column("run_id", Integer),
    # The summary: worked out from the drafts once, when the trace is stored.
    Column("summary", JsonText, nullable=False),
    # The walk that what-ifs look along; null in traces stored before there was one.
    Column("path", JsonText),
    # What is counted of each draft, for measured arms; null likewise.
    Column("drafts", JsonText),
    # What shapes of a run and its convergence are counted from; null likewise.
    Column("facts", JsonText),
    _to("import_batch", nullable=True),
    Column("stored_at", String(40), nullable=False),
    # Bulky columns last, so that reading summaries does not page through them.
    Column("stop", JsonText),
    Column("contract", JsonText),
    Column("input", ModelText, nullable=False),
    Column("extra", JsonText, nullable=False),
    UniqueConstraint("project_id", "trace_id"),
    Index(None, "project_id", "sample_id"),
    Index(None, "run_id"),
)

round_ = Table(
    "round",
    metadata,
    Column("trace_pk", Integer, ForeignKey("trace.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("fingerprint", ModelText),
    # The exact score as a fraction ("7/2"), since the shown and the decided value never disagree.
    Column("score", ModelText),
    Column("generate_calls", BigInteger, nullable=False),
    Column("judge_calls", BigInteger, nullable=False),
    Column("reused", Boolean, nullable=False),
    Column("tokens_in", BigInteger),
    Column("tokens_out", BigInteger),
    Column("tokens_cached", BigInteger),
    Column("seconds", Float),
    Column("usd", Float),
    Column("gold", String(10)),
    # Verdicts by criterion with evidence and change, null where nobody read the draft.
    Column("judgement", JsonText),
    Column("checked_by", JsonText, nullable=False),
    Column("extra", JsonText, nullable=False),
    Column("draft", ModelText),
    Column("feedback", ModelText, nullable=False),
    Column("error", ModelText, nullable=False),
    Column("raw", ModelText),
)
