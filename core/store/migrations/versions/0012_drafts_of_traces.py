"""What measured arms count of each draft, kept with its trace.

Null in traces stored before: worked out when first asked for.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Upgrade the schema."""
    op.add_column("trace", sa.Column("drafts", sa.Text(), nullable=True))


def downgrade() -> None:
    """Downgrade the schema."""
    op.drop_column("trace", "drafts")
