"""Loops gone through by hand: what was typed, so that a reload loses nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "hand_loop",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("sample_pk", sa.Integer(), nullable=True),
        sa.Column("arm", sa.String(length=10), nullable=False),
        sa.Column("stop", sa.Text(), nullable=False),
        sa.Column("typed", sa.Text(), nullable=False),
        sa.Column("stopped", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("trace_id", sa.Text(), nullable=True),
        sa.Column("begun_at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["contract_version_id"], ["contract_version.id"],
            name=op.f("fk_hand_loop_contract_version_id"), ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_hand_loop_project_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["sample_pk"], ["sample.id"], name=op.f("fk_hand_loop_sample_pk"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hand_loop")),
    )  # fmt: skip
    op.create_index(op.f("ix_hand_loop_project_id"), "hand_loop", ["project_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_hand_loop_project_id"), "hand_loop")
    op.drop_table("hand_loop")
