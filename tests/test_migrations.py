"""Workspaces written by earlier versions open, keep their rows, and get the new tables."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.migration import MigrationContext

from core.store import tables as t
from core.store.paths import count_traces
from core.store.store import Store, alembic_config, make_engine, open_store
from core.store.traces import add_traces
from tests.test_store_traces import run


@pytest.fixture(params=["sqlite", "postgresql"])
def old_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database at the first revision, with a project, a sample and an output in it."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'old.sqlite'}"
    else:
        url = str(request.getfixturevalue("postgres_url"))
    engine = make_engine(url)
    config = alembic_config()
    with engine.execution_options(writes=True).begin() as c:
        config.attributes["connection"] = c
        if MigrationContext.configure(c).get_current_revision() is not None:
            command.downgrade(config, "base")
        command.upgrade(config, "0001")
        c.execute(
            sa.text(
                "INSERT INTO project (id, slug, title, note, created_at, revision) "
                "VALUES (7, 'old', 'Old one', 'n', '2026-01-01T00:00:00+00:00', 3)"
            )
        )
        c.execute(
            sa.text(
                "INSERT INTO sample (id, project_id, sample_id, input) VALUES (1, 7, '007', 'i')"
            )
        )
        c.execute(
            sa.text(
                "INSERT INTO output (id, project_id, sample_pk, trial, version, current, text, "
                "fingerprint, extra) VALUES (1, 7, 1, 1, 1, true, 'kept', 'f', '{}')"
            )
        )
        assert not sa.inspect(c).has_table("trace")
    engine.dispose()
    return url


def test_an_old_workspace_keeps_its_rows_and_takes_traces(old_url: str) -> None:
    store: Store = open_store(url=old_url)
    try:
        [project] = store.projects()
        assert (project.id, project.title, project.revision) == (7, "Old one", 3)
        with store.read() as c:
            assert c.execute(sa.select(t.sample.c.sample_id, t.sample.c.input)).all() == [
                ("007", "i")
            ]
            assert c.execute(sa.select(t.output.c.text)).scalars().all() == ["kept"]
            assert MigrationContext.configure(c).get_current_revision() != "0001"
        add_traces(store, project.id, [run("d2")])
        assert count_traces(store, project.id) == 1
    finally:
        store.close()


def test_going_back_to_the_first_revision_keeps_the_rest(old_url: str) -> None:
    open_store(url=old_url).close()
    engine = make_engine(old_url)
    config = alembic_config()
    with engine.execution_options(writes=True).begin() as c:
        config.attributes["connection"] = c
        command.downgrade(config, "0001")
        names = set(sa.inspect(c).get_table_names())
        later = {"trace", "round", "note_group", "note_group_member", "run", "call", "assignment"}
        later |= {"instructions", "split", "tuning", "loop_draft", "decision"}
        later |= {"calibration", "anchor_set", "disagreement"}
        assert not later & names
        assert c.execute(sa.text("SELECT text FROM output")).scalars().all() == ["kept"]
    engine.dispose()
