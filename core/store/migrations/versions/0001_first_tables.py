"""first tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("slug", sa.String(length=200), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("sample_slug", sa.String(length=200), nullable=True),
        sa.Column("created_at", sa.String(length=40), nullable=False),
        sa.Column("removed_at", sa.String(length=40), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("slug", name=op.f("uq_project_slug")),
    )
    op.create_table(
        "contract_draft",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("based_on", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_contract_draft_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contract_draft")),
    )
    op.create_table(
        "contract_version",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_contract_version_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contract_version")),
        sa.UniqueConstraint(
            "project_id", "number", name=op.f("uq_contract_version_project_id_number")
        ),
    )
    op.create_table(
        "criterion",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_criterion_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_criterion")),
        sa.UniqueConstraint("project_id", "key", name=op.f("uq_criterion_project_id_key")),
    )
    op.create_table(
        "import_batch",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("choices", sa.Text(), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_import_batch_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_batch")),
    )
    op.create_table(
        "judge",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("config_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_judge_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judge")),
        sa.UniqueConstraint("project_id", "name", name=op.f("uq_judge_project_id_name")),
    )
    op.create_table(
        "reviewer",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_reviewer_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reviewer")),
        sa.UniqueConstraint("project_id", "key", name=op.f("uq_reviewer_project_id_key")),
    )
    op.create_table(
        "same_meaning",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("old_hash", sa.String(length=64), nullable=False),
        sa.Column("new_hash", sa.String(length=64), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name=op.f("fk_same_meaning_project_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_same_meaning")),
        sa.UniqueConstraint(
            "project_id",
            "old_hash",
            "new_hash",
            name=op.f("uq_same_meaning_project_id_old_hash_new_hash"),
        ),
    )
    op.create_table(
        "sample",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("sample_id", sa.Text(), nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_sample_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sample")),
        sa.UniqueConstraint("project_id", "sample_id", name=op.f("uq_sample_project_id_sample_id")),
    )
    op.create_table(
        "contract_criterion",
        sa.Column("contract_version_id", sa.Integer(), nullable=False),
        sa.Column("criterion_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("question_hash", sa.String(length=64), nullable=False),
        sa.Column("verdict_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_contract_criterion_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["criterion_id"],
            ["criterion.id"],
            name=op.f("fk_contract_criterion_criterion_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "contract_version_id", "criterion_id", name=op.f("pk_contract_criterion")
        ),
    )
    op.create_table(
        "output",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("sample_pk", sa.Integer(), nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("extra", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_output_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["sample_pk"], ["sample.id"], name=op.f("fk_output_sample_pk"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_output")),
        sa.UniqueConstraint(
            "sample_pk", "trial", "version", name=op.f("uq_output_sample_pk_trial_version")
        ),
    )
    with op.batch_alter_table("output", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_output_project_id_current"), ["project_id", "current"], unique=False
        )

    op.create_table(
        "judgement",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("judge_id", sa.Integer(), nullable=False),
        sa.Column("output_id", sa.Integer(), nullable=False),
        sa.Column("contract_version_id", sa.Integer(), nullable=True),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("request_hash", sa.String(length=64), nullable=False),
        sa.Column("unscored", sa.String(length=20), nullable=True),
        sa.Column("raw", sa.Text(), nullable=True),
        sa.Column("judged_at", sa.String(length=40), nullable=False),
        sa.Column("import_batch_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["contract_version_id"],
            ["contract_version.id"],
            name=op.f("fk_judgement_contract_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["import_batch_id"],
            ["import_batch.id"],
            name=op.f("fk_judgement_import_batch_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["judge_id"], ["judge.id"], name=op.f("fk_judgement_judge_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["output_id"], ["output.id"], name=op.f("fk_judgement_output_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_judgement_project_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_judgement")),
        sa.UniqueConstraint(
            "judge_id",
            "output_id",
            "request_hash",
            "repeat",
            name=op.f("uq_judgement_judge_id_output_id_request_hash_repeat"),
        ),
    )
    with op.batch_alter_table("judgement", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_judgement_output_id"), ["output_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_judgement_project_id_judge_id"), ["project_id", "judge_id"], unique=False
        )

    op.create_table(
        "label",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("output_id", sa.Integer(), nullable=False),
        sa.Column("criterion_id", sa.Integer(), nullable=False),
        sa.Column("reviewer_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("verdict", sa.String(length=10), nullable=True),
        sa.Column("deferred", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("question_hash", sa.String(length=64), nullable=False),
        sa.Column("client", sa.String(length=80), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("labelled_at", sa.String(length=40), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("import_batch_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["criterion_id"],
            ["criterion.id"],
            name=op.f("fk_label_criterion_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["import_batch_id"],
            ["import_batch.id"],
            name=op.f("fk_label_import_batch_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["output_id"], ["output.id"], name=op.f("fk_label_output_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_label_project_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["reviewer_id"], ["reviewer.id"], name=op.f("fk_label_reviewer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label")),
        sa.UniqueConstraint("client", "seq", name=op.f("uq_label_client_seq")),
    )
    with op.batch_alter_table("label", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_label_output_id_criterion_id"),
            ["output_id", "criterion_id"],
            unique=False,
        )
        batch_op.create_index(
            batch_op.f("ix_label_project_id_reviewer_id"),
            ["project_id", "reviewer_id"],
            unique=False,
        )

    op.create_table(
        "verdict",
        sa.Column("judgement_id", sa.Integer(), nullable=False),
        sa.Column("criterion_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=10), nullable=True),
        sa.Column("unscored", sa.String(length=20), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("change", sa.Text(), nullable=False),
        sa.Column("verdict_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["criterion_id"],
            ["criterion.id"],
            name=op.f("fk_verdict_criterion_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["judgement_id"],
            ["judgement.id"],
            name=op.f("fk_verdict_judgement_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("judgement_id", "criterion_id", name=op.f("pk_verdict")),
    )


def downgrade() -> None:

    op.drop_table("verdict")
    with op.batch_alter_table("label", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_label_project_id_reviewer_id"))
        batch_op.drop_index(batch_op.f("ix_label_output_id_criterion_id"))

    op.drop_table("label")
    with op.batch_alter_table("judgement", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_judgement_project_id_judge_id"))
        batch_op.drop_index(batch_op.f("ix_judgement_output_id"))

    op.drop_table("judgement")
    with op.batch_alter_table("output", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_output_project_id_current"))

    op.drop_table("output")
    op.drop_table("contract_criterion")
    op.drop_table("sample")
    op.drop_table("same_meaning")
    op.drop_table("reviewer")
    op.drop_table("judge")
    op.drop_table("import_batch")
    op.drop_table("criterion")
    op.drop_table("contract_version")
    op.drop_table("contract_draft")
    op.drop_table("project")
