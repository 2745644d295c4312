"""Scenarios of the arithmetic page, and baselines recorded on a contract version."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "scenario",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("inputs", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.String(length=40), nullable=False),
        sa.Column("removed_at", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_scenario_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scenario")),
        sa.UniqueConstraint(
            "project_id", "name", "version", name=op.f("uq_scenario_project_id_name_version")
        ),
    )
    op.create_table(
        "baseline",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.String(length=40), nullable=False),
        sa.Column("numbers", sa.Text(), nullable=False),
        sa.Column("data_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_baseline_project_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_baseline_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_baseline")),
    )
    op.create_index(op.f("ix_baseline_contract_version_id"), "baseline", ["contract_version_id"])


def downgrade() -> None:
    op.drop_table("baseline")
    op.drop_table("scenario")
