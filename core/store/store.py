"""The workspace: one database file (or a PostgreSQL server), opened, migrated and written safely.

Every write is one transaction that starts with BEGIN IMMEDIATE on SQLite: deferred transactions
let two writers read first and then fail or claim the same thing twice.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from core.errors import BenchError, InputError, StoreError, show
from core.store import tables as t
from core.text import exact_hash
from core.verdict import OVERALL

DATABASE_URL = "EVALUATOR_BENCH_DATABASE_URL"
FILE_NAME = "bench.sqlite"
_MIGRATE = threading.Lock()


@dataclass(frozen=True)
class Project:
    """One project; `revision` rises with every write to it, so caches can be keyed by it."""

    id: int
    slug: str
    title: str
    note: str
    sample_slug: str | None
    removed: bool
    revision: int


def now() -> str:
    """Return the time as UTC text with offset and microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Store:
    """An open workspace. `open_store` makes one."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._open = threading.local()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection that sees one consistent state, the open write's own if there is one."""
        inside = getattr(self._open, "connection", None)
        if inside is not None:
            yield inside
            return
        with _plain_errors(self.engine), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self, project_id: int | None = None) -> Iterator[Connection]:
        """Yield a connection whose changes are stored together or not at all.

        With `project_id`, raises the project's revision in the same transaction. A write inside a
        write of the same thread joins it: several calls become one act.
        """
        inside = getattr(self._open, "connection", None)
        if inside is not None:
            raise_revision(inside, project_id)
            yield inside
            return
        with (
            _plain_errors(self.engine),
            self.engine.execution_options(writes=True).begin() as connection,
        ):
            self._open.connection = connection
            try:
                raise_revision(connection, project_id)
                yield connection
            finally:
                self._open.connection = None

    @property
    def inside_write(self) -> bool:
        """Whether this thread is inside a write."""
        return getattr(self._open, "connection", None) is not None

    def writer(self) -> Connection:
        """Return a connection for one thread that writes again and again, with `writing`."""
        with _plain_errors(self.engine):
            return self.engine.connect().execution_options(writes=True)

    @contextmanager
    def writing(self, connection: Connection) -> Iterator[Connection]:
        """Yield a `writer` whose changes are stored together or not at all."""
        with _plain_errors(self.engine), connection.begin():
            yield connection

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    # --- projects ---------------------------------------------------------------------------

    def projects(self, *, removed: bool = False) -> list[Project]:
        """Return the projects in the order they were made, or the removed ones."""
        where = t.project.c.removed_at.isnot(None) if removed else t.project.c.removed_at.is_(None)
        with self.read() as c:
            rows = c.execute(sa.select(t.project).where(where).order_by(t.project.c.id)).all()
        return [_project(row) for row in rows]

    def project(self, slug: str) -> Project | None:
        """Return the project with this slug, removed or not, or None."""
        with self.read() as c:
            row = c.execute(sa.select(t.project).where(t.project.c.slug == slug)).one_or_none()
        return None if row is None else _project(row)

    def create_project(
        self, title: str, *, slug: str | None = None, note: str = "", sample_slug: str | None = None
    ) -> Project:
        """Store a new project; raises InputError for a blank title or a slug in use."""
        title = " ".join(title.split())
        if not title:
            raise InputError("project title", "it is blank.", "Give the project a name.")
        slug = slug or _slug(title)
        with self.write() as c:
            taken = set(c.scalars(sa.select(t.project.c.slug)).all())
            if slug in taken:
                raise InputError(
                    "project title", f"{show(title)} exists already.", "Choose another name."
                )
            row_id = insert_id(
                c,
                t.project,
                slug=slug,
                title=title,
                note=note,
                sample_slug=sample_slug,
                created_at=now(),
                revision=0,
            )
            c.execute(t.criterion.insert().values(project_id=row_id, key=OVERALL))
        return Project(row_id, slug, title, note, sample_slug, False, 0)

    def remove_project(self, project_id: int) -> None:
        """Take a project off the screen; nothing is deleted and `restore_project` undoes it."""
        self._set_removed(project_id, now())

    def restore_project(self, project_id: int) -> None:
        """Bring a removed project back as it was."""
        self._set_removed(project_id, None)

    def _set_removed(self, project_id: int, when: str | None) -> None:
        with self.write(project_id) as c:
            c.execute(
                t.project.update().where(t.project.c.id == project_id).values(removed_at=when)
            )

    def retire_project(self, project_id: int) -> None:
        """Take a project off the screen and free its address for a fresh one."""
        with self.write(project_id) as c:
            c.execute(
                t.project.update()
                .where(t.project.c.id == project_id)
                .values(
                    removed_at=now(), sample_slug=None, slug=t.project.c.slug + f"-{project_id}"
                )
            )

    def delete_project(self, project_id: int) -> None:
        """Delete a project and everything in it for good."""
        with self.write() as c:
            c.execute(t.project.delete().where(t.project.c.id == project_id))

    def identity(self, project_id: int) -> str:
        """Return a text that tells this project from every other, in other workspaces too.

        Browsers keep unsent labels under it: ids and slugs repeat from workspace to workspace.
        """
        query = sa.select(t.project.c.slug, t.project.c.created_at)
        with self.read() as c:
            row = c.execute(query.where(t.project.c.id == project_id)).one()
        return exact_hash(row.slug, row.created_at)[:16]

    def revision(self, project_id: int) -> int:
        """Return the project's revision, the key under which its numbers may be cached."""
        with self.read() as c:
            value = c.scalar(sa.select(t.project.c.revision).where(t.project.c.id == project_id))
        return int(value or 0)


def raise_revision(connection: Connection, project_id: int | None) -> None:
    """Raise a project's revision inside a write, so that caches of its numbers are renewed."""
    if project_id is not None:
        table = t.project
        connection.execute(
            table.update().where(table.c.id == project_id).values(revision=table.c.revision + 1)
        )


def lock_project(connection: Connection, project_id: int) -> None:
    """Let other writers of this project wait until the write ends, without a new revision."""
    query = sa.select(t.project.c.id).where(t.project.c.id == project_id)
    connection.execute(query.with_for_update())


def insert_id(connection: Connection, table: sa.Table, **values: Any) -> int:
    """Insert one row and return its id."""
    return int(connection.scalar(table.insert().values(**values).returning(table.c.id)) or 0)


def criterion_ids(connection: Connection, project_id: int, keys: list[str]) -> dict[str, int]:
    """Return the identity of each criterion key in a project, made on first use."""
    table = t.criterion
    known = {
        str(row.key): int(row.id)
        for row in connection.execute(sa.select(table).where(table.c.project_id == project_id))
    }
    for key in keys:
        if key not in known:
            known[key] = insert_id(connection, table, project_id=project_id, key=key)
    return known


# --- opening ---------------------------------------------------------------------------------


def open_store(workspace: Path | None = None, url: str | None = None) -> Store:
    """Open the workspace and bring its tables up to date.

    `url` (or the environment variable EVALUATOR_BENCH_DATABASE_URL) names a PostgreSQL server;
    without either, `workspace` (default ./workspace) holds one SQLite file. Raises StoreError
    when it cannot be opened, or was written by a newer version of this program.
    """
    url = url or os.environ.get(DATABASE_URL)
    if url is None:
        folder = workspace or Path("workspace")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: this folder cannot be made ({error.strerror}).") from error
        url = f"sqlite:///{(folder / FILE_NAME).resolve()}"
    engine = make_engine(url)
    try:
        _migrate(engine)
    except BaseException:
        engine.dispose()
        raise
    return Store(engine)


def make_engine(url: str) -> Engine:
    """Return an engine with this project's settings for SQLite or PostgreSQL."""
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise sa.exc.ArgumentError(parsed.get_backend_name())
        if parsed.get_backend_name() == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        engine = sa.create_engine(parsed, pool_pre_ping=parsed.get_backend_name() != "sqlite")
    except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError) as error:
        raise StoreError(
            f"{DATABASE_URL}: not a database address. Use postgresql://user@host/name, or unset it."
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _sqlite_settings)
        event.listen(engine, "begin", _sqlite_begin)
    return engine


def _sqlite_settings(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    settings = ("journal_mode=WAL", "busy_timeout=10000", "foreign_keys=ON", "synchronous=NORMAL")
    for pragma in settings:
        connection.execute(f"PRAGMA {pragma}")


def _sqlite_begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def alembic_config() -> Any:
    """Return the Alembic configuration of this program's migrations."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


def _migrate(engine: Engine) -> None:
    """Upgrade the tables to this version; the lock keeps two threads from doing it twice."""
    from alembic import command
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = alembic_config()
    script = ScriptDirectory.from_config(config)
    with (
        _MIGRATE,
        _plain_errors(engine),
        engine.execution_options(writes=True).begin() as connection,
    ):
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(740121)"))
        current = MigrationContext.configure(connection).get_current_revision()
        known = {revision.revision for revision in script.walk_revisions()}
        if current is not None and current not in known:
            raise StoreError(
                f"This workspace was written by a newer version of Evaluator Bench (its tables are "
                f"at {current}, this version knows up to {script.get_current_head()}). Update "
                f"Evaluator Bench, or choose another workspace. Nothing was changed."
            )
        if current != script.get_current_head():
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


@contextmanager
def _plain_errors(engine: Engine) -> Iterator[None]:
    """Turn the database's errors into one line people can act on; our own pass through."""
    try:
        yield
    except BenchError:
        raise
    except sa.exc.IntegrityError:
        raise
    except (sa.exc.OperationalError, sa.exc.DatabaseError) as error:
        cause = str(error.orig).splitlines()[0] if error.orig else "no detail"
        where = engine.url.render_as_string(hide_password=True)
        if engine.dialect.name == "sqlite":
            where = str(engine.url.database)
        remedy = (
            "Somebody else is writing for long: try again."
            if "locked" in cause
            else "Check that it is there and can be written, or choose another workspace."
        )
        raise StoreError(f"{where}: the workspace cannot be used ({cause}). {remedy}") from error


def _project(row: Any) -> Project:
    return Project(
        row.id,
        row.slug,
        row.title,
        row.note,
        row.sample_slug,
        row.removed_at is not None,
        row.revision,
    )


def _slug(title: str) -> str:
    kept = "".join(c if c.isalnum() else "-" for c in title.casefold())
    return "-".join(part for part in kept.split("-") if part) or "project"
