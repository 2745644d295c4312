"""The tables of the arithmetic page: saved scenarios, recorded baselines."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, String, Table, UniqueConstraint

from core.store.tables import JsonText, ModelText, metadata

scenario = Table(
    "scenario",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("project_id", Integer, ForeignKey("project.id", ondelete="CASCADE"), nullable=False),
    Column("name", ModelText, nullable=False),
    # Counts up with every save under one name, so that nothing saved is ever lost.
    Column("version", Integer, nullable=False),
    Column("author", ModelText, nullable=False),
    Column("inputs", JsonText, nullable=False),
    Column("saved_at", String(40), nullable=False),
    Column("removed_at", String(40)),
    UniqueConstraint("project_id", "name", "version"),
)

baseline = Table(
    "baseline",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("project_id", Integer, ForeignKey("project.id", ondelete="CASCADE"), nullable=False),
    Column(
        "contract_version_id",
        Integer,
        ForeignKey("contract_version.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("author", ModelText, nullable=False),
    Column("recorded_at", String(40), nullable=False),
    Column("numbers", JsonText, nullable=False),
    # Of the traces the numbers are about: another hash today means they are out of date.
    Column("data_hash", String(64), nullable=False),
)
