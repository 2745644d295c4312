"""Runs and the call ledger; judgements know their run and which input they were given for."""

import sqlalchemy as sa
from alembic import op

from core.store.outputs import sample_hash
from core.text import from_storage

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("identity", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("wish", sa.String(length=20), nullable=True),
        sa.Column("claimed_by", sa.String(length=200), nullable=True),
        sa.Column("heartbeat_at", sa.String(length=40), nullable=True),
        sa.Column("claimed_at", sa.String(length=40), nullable=True),
        sa.Column("budget_usd", sa.Float(), nullable=True),
        sa.Column("budget_tokens", sa.BigInteger(), nullable=True),
        sa.Column("budget_calls", sa.BigInteger(), nullable=True),
        sa.Column("budget_seconds", sa.Float(), nullable=True),
        sa.Column("seed", sa.String(length=64), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("reused", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("created_at", sa.String(length=40), nullable=False),
        sa.Column("started_at", sa.String(length=40), nullable=True),
        sa.Column("ended_at", sa.String(length=40), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_run_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judge.id"], name=op.f("fk_run_judge_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_run_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    for column in ("identity", "project_id", "state"):
        op.create_index(op.f(f"ix_run_{column}"), "run", [column])

    op.create_table(
        "call",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("sample_pk", sa.Integer(), nullable=True),
        sa.Column("output_id", sa.Integer(), nullable=True),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("arm", sa.String(length=10), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("ask", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("config_hash", sa.String(length=64), nullable=False),
        sa.Column("intent_at", sa.String(length=40), nullable=False),
        sa.Column("reserved_usd", sa.Float(), nullable=True),
        sa.Column("reserved_tokens", sa.BigInteger(), nullable=False),
        sa.Column("replied_at", sa.String(length=40), nullable=True),
        sa.Column("outcome", sa.String(length=30), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("may_be_billed", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("tokens_in", sa.BigInteger(), nullable=True),
        sa.Column("tokens_out", sa.BigInteger(), nullable=True),
        sa.Column("cache_write", sa.BigInteger(), nullable=True),
        sa.Column("cache_read", sa.BigInteger(), nullable=True),
        sa.Column("usd", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("raw", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_call_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_call")),
    )
    op.create_index(op.f("ix_call_request_hash"), "call", ["request_hash"])

    op.add_column("judgement", sa.Column("run_id", sa.Integer(), nullable=True))
    op.add_column("judgement", sa.Column("sample_hash", sa.String(length=64), nullable=True))
    op.create_index(op.f("ix_judgement_run_id"), "judgement", ["run_id"])
    op.add_column(
        "sample",
        sa.Column("content_hash", sa.String(length=64), server_default="", nullable=False),
    )
    _date_samples()


def _date_samples() -> None:
    """Give every sample the hash of its input and reference, which are stored escaped."""
    c = op.get_bind()
    rows = c.execute(sa.text("SELECT id, input, reference FROM sample")).all()
    hashes = [
        {
            "id": row.id,
            "hash": sample_hash(
                from_storage(row.input),
                None if row.reference is None else from_storage(row.reference),
            ),
        }
        for row in rows
    ]
    if hashes:
        c.execute(sa.text("UPDATE sample SET content_hash = :hash WHERE id = :id"), hashes)


def downgrade() -> None:
    op.drop_column("sample", "content_hash")
    op.drop_index(op.f("ix_judgement_run_id"), "judgement")
    op.drop_column("judgement", "sample_hash")
    op.drop_column("judgement", "run_id")
    op.drop_table("call")
    op.drop_table("run")
