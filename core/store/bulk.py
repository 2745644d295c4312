"""Many rows into one table at once, several times as fast as a statement that is told each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa


def insert_many(c: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all name the same columns; other columns get the database's default.

    Values are converted as in any other insert. PostgreSQL is sent them as one stream (COPY), in
    the open transaction like everything else.
    """
    if not rows:
        return
    names = list(rows[0])
    columns = ", ".join(f'"{name}"' for name in names)
    into = f'"{table.name}" ({columns})'
    if c.dialect.name == "postgresql":
        cursor = c.connection.cursor()
        sql = f"COPY {into} FROM STDIN"
        base = c.dialect.loaded_dbapi.Error
        try:
            with cursor.copy(sql) as copy:
                for values in _values(c, table, names, rows):
                    copy.write_row(values)
        except base as error:
            # The same kind of error as any other statement's.
            raise sa.exc.DBAPIError.instance(sql, None, error, base) from error
        return
    marks = ", ".join("?" for _ in names)
    sql = f"INSERT INTO {into} VALUES ({marks})"
    c.exec_driver_sql(sql, list(_values(c, table, names, rows)))


def _values(
    c: sa.Connection, table: sa.Table, names: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[Any, ...]]:
    """Yield each row as the driver takes it, in the order of the names."""
    made = {name: table.c[name].type.bind_processor(c.dialect) for name in names}
    for row in rows:
        if len(row) != len(names):
            raise ValueError(f"a row of {table.name} does not name the same columns as the first")
        yield tuple(
            row[name] if convert is None else convert(row[name]) for name, convert in made.items()
        )
