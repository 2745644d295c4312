"""Outputs know the import that brought them, so that an import can be taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("output", sa.Column("import_batch_id", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("output", "import_batch_id")
