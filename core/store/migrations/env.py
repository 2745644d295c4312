"""Runs the migrations on the connection the store hands over."""

from alembic import context

from core.store import tables_arithmetic  # noqa: F401  (its tables join the metadata)
from core.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
