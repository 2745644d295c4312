"""The table of drafts that a loop run has handed to people, beside the runs and the outputs."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, UniqueConstraint

from core.store.tables import JsonText, ModelText, metadata

loop_draft = Table(
    "loop_draft",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", Integer, ForeignKey("run.id", ondelete="CASCADE"), nullable=False),
    # The place of the draft in its run; the arm is empty for a first draft that both arms share.
    Column("sample_pk", Integer, ForeignKey("sample.id", ondelete="CASCADE"), nullable=False),
    Column("trial", Integer, nullable=False),
    Column("arm", String(10), nullable=False),
    Column("round", Integer, nullable=False),
    Column("output_id", Integer, ForeignKey("output.id", ondelete="CASCADE"), nullable=False),
    # Why people see it: a person decides a criterion, a spot check, or a flagged exit (`why`).
    Column("reason", String(20), nullable=False),
    Column("why", ModelText, nullable=False, default=""),
    # What people had said when the loop went on with it; a label changed later changes no past.
    Column("verdicts", JsonText),
    UniqueConstraint("run_id", "sample_pk", "trial", "arm", "round"),
    Index(None, "output_id"),
)
