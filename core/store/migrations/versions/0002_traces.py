"""traces"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "trace",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("arm", sa.String(length=10), nullable=False),
        sa.Column("sample_id", sa.Text(), nullable=False),
        sa.Column("trial", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("exit", sa.String(length=20), nullable=True),
        sa.Column("returned_round", sa.Integer(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("import_batch_id", sa.Integer(), nullable=True),
        sa.Column("stored_at", sa.String(length=40), nullable=False),
        sa.Column("stop", sa.Text(), nullable=True),
        sa.Column("contract", sa.Text(), nullable=True),
        sa.Column("input", sa.Text(), nullable=False),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_batch_id"],
            ["import_batch.id"],
            name=op.f("fk_trace_import_batch_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_trace_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trace")),
        sa.UniqueConstraint("project_id", "trace_id", name=op.f("uq_trace_project_id_trace_id")),
    )
    with op.batch_alter_table("trace", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_trace_project_id_sample_id"), ["project_id", "sample_id"], unique=False
        )

    op.create_table(
        "round",
        sa.Column("trace_pk", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=True),
        sa.Column("score", sa.Text(), nullable=True),
        sa.Column("generate_calls", sa.BigInteger(), nullable=False),
        sa.Column("judge_calls", sa.BigInteger(), nullable=False),
        sa.Column("reused", sa.Boolean(), nullable=False),
        sa.Column("tokens_in", sa.BigInteger(), nullable=True),
        sa.Column("tokens_out", sa.BigInteger(), nullable=True),
        sa.Column("tokens_cached", sa.BigInteger(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("usd", sa.Float(), nullable=True),
        sa.Column("gold", sa.String(length=10), nullable=True),
        sa.Column("judgement", sa.Text(), nullable=True),
        sa.Column("checked_by", sa.Text(), nullable=False),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.Column("draft", sa.Text(), nullable=True),
        sa.Column("feedback", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["trace_pk"], ["trace.id"], name=op.f("fk_round_trace_pk"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("trace_pk", "number", name=op.f("pk_round")),
    )


def downgrade() -> None:
    op.drop_table("round")
    with op.batch_alter_table("trace", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_trace_project_id_sample_id"))

    op.drop_table("trace")
