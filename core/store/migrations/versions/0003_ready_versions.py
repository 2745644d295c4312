"""Versions can be marked ready.

Plain ADD and DROP COLUMN: making the table anew, as batch operations do on SQLite, would delete
its old rows and with them, by cascade, every judgement made under them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "contract_version",
        sa.Column("ready", sa.Boolean(), server_default=sa.false(), nullable=False),
    )


def downgrade() -> None:
    op.drop_column("contract_version", "ready")
