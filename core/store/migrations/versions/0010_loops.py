"""Loop runs: drafts handed to people; traces know their run and the walk that what-ifs look along."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "loop_draft",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("sample_pk", sa.Integer(), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("arm", sa.String(length=10), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("output_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("verdicts", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_loop_draft_run_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["sample_pk"], ["sample.id"], name=op.f("fk_loop_draft_sample_pk"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["output_id"], ["output.id"], name=op.f("fk_loop_draft_output_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_loop_draft")),
        sa.UniqueConstraint(
            "run_id",
            "sample_pk",
            "trial",
            "arm",
            "round",
            name=op.f("uq_loop_draft_run_id_sample_pk_trial_arm_round"),
        ),
    )
    op.create_index(op.f("ix_loop_draft_output_id"), "loop_draft", ["output_id"])
    op.add_column("trace", sa.Column("run_id", sa.Integer(), nullable=True))
    op.add_column("trace", sa.Column("path", sa.Text(), nullable=True))
    op.create_index(op.f("ix_trace_run_id"), "trace", ["run_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_trace_run_id"), "trace")
    op.drop_column("trace", "path")
    op.drop_column("trace", "run_id")
    op.drop_index(op.f("ix_loop_draft_output_id"), "loop_draft")
    op.drop_table("loop_draft")
