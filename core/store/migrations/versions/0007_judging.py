"""Instructions of judges, the dev / test split, and what was judged again while tuning."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def _to(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}")
    return sa.ForeignKeyConstraint([column], [f"{target}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_table(
        "instructions",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.String(length=64), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(length=40), nullable=False),
        _to("instructions", "project_id", "project"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_instructions")),
        sa.UniqueConstraint("project_id", "number", name=op.f("uq_instructions_project_id_number")),
        sa.UniqueConstraint(
            "project_id", "text_hash", name=op.f("uq_instructions_project_id_text_hash")
        ),
    )
    op.create_table(
        "split",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("seed", sa.String(length=200), nullable=False),
        sa.Column("test_share", sa.Float(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        _to("split", "project_id", "project"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_split")),
    )
    op.create_index(op.f("ix_split_project_id"), "split", ["project_id"])
    op.create_table(
        "tuning",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("before_judge_id", sa.Integer(), nullable=False),
        sa.Column("before_version_id", sa.Integer(), nullable=False),
        sa.Column("criterion", sa.Text(), nullable=False),
        sa.Column("seed", sa.String(length=200), nullable=False),
        sa.Column("disagreements", sa.Text(), nullable=False),
        sa.Column("controls", sa.Text(), nullable=False),
        sa.Column("agreements", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        _to("tuning", "before_judge_id", "judge"),
        _to("tuning", "before_version_id", "contract_version"),
        _to("tuning", "project_id", "project"),
        _to("tuning", "run_id", "run"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tuning")),
    )
    op.create_index(op.f("ix_tuning_project_id"), "tuning", ["project_id"])


def downgrade() -> None:
    op.drop_table("tuning")
    op.drop_table("split")
    op.drop_table("instructions")
