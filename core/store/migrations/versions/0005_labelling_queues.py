"""Queues of labels: settings, assignments, who stopped labelling, withdrawn labels."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "queue_settings",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("reviewers_each", sa.Integer(), nullable=False),
        sa.Column("random_size", sa.Integer(), nullable=True),
        sa.Column("repeats", sa.Boolean(), nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("release_hours", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("set_by", sa.Text(), nullable=False),
        sa.Column("set_at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_queue_settings_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_queue_settings")),
    )
    op.create_table(
        "label_withdrawal",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("reviewer_id", sa.Integer(), nullable=False),
        sa.Column("last_label_id", sa.Integer(), nullable=False),
        sa.Column("labels", sa.Integer(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.Column("restored_by", sa.Text(), nullable=True),
        sa.Column("restored_at", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_label_withdrawal_project_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["reviewer_id"],
            ["reviewer.id"],
            name=op.f("fk_label_withdrawal_reviewer_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_withdrawal")),
    )
    op.create_index(op.f("ix_label_withdrawal_project_id"), "label_withdrawal", ["project_id"])
    op.create_index(op.f("ix_label_withdrawal_reviewer_id"), "label_withdrawal", ["reviewer_id"])

    op.create_table(
        "reviewer_standing",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("reviewer_id", sa.Integer(), nullable=False),
        sa.Column("labelling", sa.Boolean(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_reviewer_standing_project_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["reviewer_id"],
            ["reviewer.id"],
            name=op.f("fk_reviewer_standing_reviewer_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviewer_standing")),
    )
    op.create_index(
        op.f("ix_reviewer_standing_project_id_reviewer_id"),
        "reviewer_standing",
        ["project_id", "reviewer_id"],
    )

    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("output_id", sa.Integer(), nullable=False),
        sa.Column("reviewer_id", sa.Integer(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=True),
        sa.Column("stratum", sa.String(length=10), nullable=False),
        sa.Column("probability", sa.Float(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["output_id"], ["output.id"], name=op.f("fk_assignment_output_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_assignment_project_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["reviewer_id"],
            ["reviewer.id"],
            name=op.f("fk_assignment_reviewer_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint(
            "output_id", "reviewer_id", name=op.f("uq_assignment_output_id_reviewer_id")
        ),
        sa.UniqueConstraint("output_id", "slot", name=op.f("uq_assignment_output_id_slot")),
    )
    op.create_index(
        op.f("ix_assignment_project_id_reviewer_id"), "assignment", ["project_id", "reviewer_id"]
    )


def downgrade() -> None:

    op.drop_table("assignment")

    op.drop_table("reviewer_standing")

    op.drop_table("label_withdrawal")
    op.drop_table("queue_settings")
