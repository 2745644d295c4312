"""The table of decisions: what was decided of a contract version, by whom, on which records."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, String, Table

from core.store.tables import JsonText, ModelText, metadata

# Append-only: the newest row that was not taken back holds.
decision = Table(
    "decision",
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
    Column("choice", String(20), nullable=False),
    Column("why", ModelText, nullable=False),
    Column("author", ModelText, nullable=False),
    Column("decided_at", String(40), nullable=False),
    # The five answers with their numbers as they stood then.
    Column("answers", JsonText, nullable=False),
    # The records and data it stands on, each by a hash: another one today means it has changed.
    Column("stands_on", JsonText, nullable=False),
    Column("taken_back_at", String(40)),
    Column("taken_back_by", ModelText, nullable=False),
)
