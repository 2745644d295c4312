"""The tables of loops beside runs and traces: drafts handed to people, and loops gone through by hand."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Table, UniqueConstraint

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

hand_loop = Table(
    "hand_loop",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("project_id", Integer, ForeignKey("project.id", ondelete="CASCADE"), nullable=False),
    Column(
        "contract_version_id",
        Integer,
        ForeignKey("contract_version.id", ondelete="CASCADE"),
        nullable=False,
    ),
    # Null where no sample of the project is the task.
    Column("sample_pk", Integer, ForeignKey("sample.id", ondelete="CASCADE")),
    Column("arm", String(10), nullable=False),
    Column("stop", JsonText, nullable=False),
    # What was typed, in order: the whole loop follows from it.
    Column("typed", JsonText, nullable=False),
    Column("stopped", Boolean, nullable=False),
    # Counts up with every save: one made from an older state is refused.
    Column("revision", Integer, nullable=False),
    # The trace it was kept as; null while it is under way.
    Column("trace_id", ModelText),
    Column("begun_at", String(40), nullable=False),
    Index(None, "project_id"),
)
