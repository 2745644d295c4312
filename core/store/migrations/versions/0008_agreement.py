"""Agreement: reasons of disagreements, calibration records, anchor sets and their readings, looks."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "anchor_set",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("outputs", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_anchor_set_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_anchor_set")),
    )
    op.create_index(op.f("ix_anchor_set_project_id"), "anchor_set", ["project_id"])

    op.create_table(
        "anchor_reading",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("anchor_set_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("codes", sa.Text(), nullable=False),
        sa.Column("judgements", sa.Text(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["anchor_set_id"],
            ["anchor_set.id"],
            name=op.f("fk_anchor_reading_anchor_set_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_anchor_reading_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judge.id"], name=op.f("fk_anchor_reading_judge_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_anchor_reading")),
    )
    op.create_index(op.f("ix_anchor_reading_anchor_set_id"), "anchor_reading", ["anchor_set_id"])

    op.create_table(
        "calibration",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("rates", sa.Text(), nullable=False),
        sa.Column("data_hash", sa.String(length=64), nullable=False),
        sa.Column("judge_hash", sa.String(length=64), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_calibration_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judge.id"], name=op.f("fk_calibration_judge_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_calibration_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calibration")),
    )
    op.create_index(
        op.f("ix_calibration_project_id_contract_version_id"),
        "calibration",
        ["project_id", "contract_version_id"],
    )

    op.create_table(
        "test_look",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_test_look_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_test_look_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_test_look")),
    )
    op.create_index(op.f("ix_test_look_contract_version_id"), "test_look", ["contract_version_id"])

    op.create_table(
        "disagreement",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("output_id", sa.Integer(), nullable=False),
        sa.Column("criterion_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("question_hash", sa.String(length=64), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_disagreement_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["criterion_id"],
            ["criterion.id"],
            name=op.f("fk_disagreement_criterion_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judge.id"], name=op.f("fk_disagreement_judge_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["output_id"], ["output.id"], name=op.f("fk_disagreement_output_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_disagreement_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_disagreement")),
    )
    op.create_index(
        op.f("ix_disagreement_project_id_judge_id"), "disagreement", ["project_id", "judge_id"]
    )


def downgrade() -> None:
    op.drop_table("disagreement")
    op.drop_table("test_look")
    op.drop_table("calibration")
    op.drop_table("anchor_reading")
    op.drop_table("anchor_set")
