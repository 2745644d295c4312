"""Tables of labelling: queue settings, who was given which output, who stopped, what was withdrawn."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
)

from core.store.tables import ModelText, metadata


def _to(table: str, *, primary_key: bool = False, nullable: bool = False) -> Column[int]:
    return Column(
        f"{table}_id",
        Integer,
        ForeignKey(f"{table}.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=nullable,
    )


queue_settings = Table(
    "queue_settings",
    metadata,
    _to("project", primary_key=True),
    # How many people label each output; 0 is everybody.
    Column("reviewers_each", Integer, nullable=False),
    # Outputs drawn at random before the most useful ones; null is all of them.
    Column("random_size", Integer),
    Column("repeats", Boolean, nullable=False),
    Column("practice", Boolean, nullable=False),
    Column("release_hours", Integer, nullable=False),
    Column("seed", ModelText, nullable=False),
    Column("set_by", ModelText, nullable=False),
    Column("set_at", String(40), nullable=False),
)

assignment = Table(
    "assignment",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _to("project"),
    _to("output"),
    _to("reviewer"),
    # 1 to k; null where the output was given back or labelled without being asked for. Unique with
    # the output, so that no two people can hold one place whatever else goes wrong.
    Column("slot", Integer),
    # How the output came into the queue, and the chance it had: what estimates reweight by.
    Column("stratum", String(10), nullable=False),
    Column("probability", Float, nullable=False),
    Column("at", String(40), nullable=False),
    UniqueConstraint("output_id", "reviewer_id"),
    UniqueConstraint("output_id", "slot"),
    Index(None, "project_id", "reviewer_id"),
)

# Append-only: the newest row says whether a person labels here or reads what the others said.
reviewer_standing = Table(
    "reviewer_standing",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _to("project"),
    _to("reviewer"),
    Column("labelling", Boolean, nullable=False),
    Column("at", String(40), nullable=False),
    Index(None, "project_id", "reviewer_id"),
)

# While a withdrawal is not restored, that reviewer's labels up to `last_label_id` do not count.
label_withdrawal = Table(
    "label_withdrawal",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _to("project"),
    _to("reviewer"),
    Column("last_label_id", Integer, nullable=False),
    Column("labels", Integer, nullable=False),
    Column("by", ModelText, nullable=False),
    Column("at", String(40), nullable=False),
    Column("restored_by", ModelText),
    Column("restored_at", String(40)),
    Index(None, "project_id"),
    Index(None, "reviewer_id"),
)
