"""Decisions recorded on a contract version; traces know the facts that run shapes are counted from."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("choice", sa.String(length=20), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.String(length=40), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("stands_on", sa.Text(), nullable=False),
        sa.Column("taken_back_at", sa.String(length=40), nullable=True),
        sa.Column("taken_back_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_decision_project_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_decision_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
    )
    op.create_index(op.f("ix_decision_contract_version_id"), "decision", ["contract_version_id"])
    op.add_column("trace", sa.Column("facts", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("trace", "facts")
    op.drop_index(op.f("ix_decision_contract_version_id"), "decision")
    op.drop_table("decision")
