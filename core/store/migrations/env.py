"""Runs the migrations on the connection the store hands over."""

from alembic import context

from core.store import (  # noqa: F401  (their tables join the metadata)
    tables_agreement,
    tables_arithmetic,
    tables_decisions,
    tables_judging,
    tables_labelling,
    tables_loops,
    tables_runs,
)
from core.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
