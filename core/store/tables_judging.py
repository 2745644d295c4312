"""The tables of tuning a judge: its instructions, the dev / test split, what was judged again."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
)

from core.store.tables import JsonText, ModelText, metadata


def _project() -> Column[int]:
    return Column(
        "project_id", Integer, ForeignKey("project.id", ondelete="CASCADE"), nullable=False
    )


# Numbered, never overwritten: a judge's name says under which it judges.
instructions = Table(
    "instructions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _project(),
    Column("number", Integer, nullable=False),
    Column("text", ModelText, nullable=False),
    Column("text_hash", String(64), nullable=False),
    Column("author", ModelText, nullable=False, default=""),
    Column("created_at", String(40), nullable=False),
    UniqueConstraint("project_id", "number"),
    UniqueConstraint("project_id", "text_hash"),
)

# The newest row counts; earlier ones say what was dev and test before.
split = Table(
    "split",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _project(),
    Column("seed", String(200), nullable=False),
    Column("test_share", Float, nullable=False),
    Column("at", String(40), nullable=False),
    Index(None, "project_id"),
)

# One change of instructions or of a question, and the run that judged dev outputs again.
tuning = Table(
    "tuning",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _project(),
    Column("run_id", Integer, ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
    # The judge before the change, under the contract version it was measured with.
    Column("before_judge_id", Integer, ForeignKey("judge.id", ondelete="CASCADE"), nullable=False),
    Column(
        "before_version_id",
        Integer,
        ForeignKey("contract_version.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("criterion", ModelText, nullable=False),
    Column("seed", String(200), nullable=False),
    # Store ids of outputs.
    Column("disagreements", JsonText, nullable=False),
    Column("controls", JsonText, nullable=False),
    Column("agreements", Integer, nullable=False),
    Column("at", String(40), nullable=False),
    Index(None, "project_id"),
)
