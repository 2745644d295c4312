"""Groups of notes, from which criteria are made."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "note_group",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("criterion", sa.Text(), nullable=True),
        sa.Column("removed_at", sa.String(length=40), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_note_group_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note_group")),
    )
    op.create_index(op.f("ix_note_group_project_id"), "note_group", ["project_id"])

    op.create_table(
        "note_group_member",
        sa.Column("output_id", sa.Integer(), nullable=False),
        sa.Column("reviewer_id", sa.Integer(), nullable=False),
        sa.Column("note_group_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["note_group_id"],
            ["note_group.id"],
            name=op.f("fk_note_group_member_note_group_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["output_id"],
            ["output.id"],
            name=op.f("fk_note_group_member_output_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["reviewer_id"],
            ["reviewer.id"],
            name=op.f("fk_note_group_member_reviewer_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("output_id", "reviewer_id", name=op.f("pk_note_group_member")),
    )
    op.create_index(
        op.f("ix_note_group_member_note_group_id"), "note_group_member", ["note_group_id"]
    )


def downgrade() -> None:
    op.drop_table("note_group_member")
    op.drop_table("note_group")
