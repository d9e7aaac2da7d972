"""Stream the rows of a query, many at a time, in the way that costs least with each driver."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from endmark.heal.connect import savepoint

FETCH = 2_000
# What is on its way from PostgreSQL at a time may be whole conversations. Of more rows less would
# be in the processor's cache still when they are looked at.
CHUNK = 50

__all__ = ["chunks"]


def chunks(connection: Connection, sql: str, values: dict[str, Any]) -> Generator[Sequence[Any]]:
    """Stream rows; nothing else may be asked of the connection before the end, or `close`.

    Raises `DBAPIError`, as SQLAlchemy would.
    """
    if connection.dialect.name == "sqlite":
        return _of_sqlite(connection, sql, values)
    if connection.dialect.driver == "psycopg" and not connection.dialect.is_async:
        return _of_psycopg(connection, sql, values)
    return _of_cursor(connection, sql, values)


def _of_sqlite(
    connection: Connection, sql: str, values: dict[str, Any]
) -> Generator[Sequence[Any]]:
    """Stream straight from the driver, at a third of the cost."""
    with closing(connection.connection.cursor()) as cursor:
        try:
            cursor.execute(sql.replace("\\:", ":"), values)
            while found := cursor.fetchmany(CHUNK):
                yield found
        except sqlite3.Error as error:
            raise DBAPIError.instance(sql, None, error, sqlite3.Error) from error


def _of_psycopg(
    connection: Connection, sql: str, values: dict[str, Any]
) -> Generator[Sequence[Any]]:
    """Take rows as they come: at a server's cursor it and we would work in turn, not at once.

    A stream that is left before its end is cancelled, which costs what was begun since the
    savepoint: nothing.
    """
    import psycopg

    size = CHUNK if psycopg.capabilities.has_stream_chunked() else 1
    compiled = text(sql).compile(dialect=connection.dialect)
    given = compiled.construct_params(values)
    cursor: Any = connection.connection.cursor()
    with (
        savepoint(connection),
        closing(cursor),
        closing(cursor.stream(str(compiled), given, size=size)) as coming,
    ):
        try:
            while found := list(islice(coming, CHUNK)):
                yield found
        except psycopg.Error as error:
            raise DBAPIError.instance(
                sql, None, error, psycopg.Error, hide_parameters=True
            ) from error


def _of_cursor(
    connection: Connection, sql: str, values: dict[str, Any]
) -> Generator[Sequence[Any]]:
    options = {"yield_per": FETCH}
    with connection.execute(text(sql), values, execution_options=options) as result:
        yield from result.partitions(FETCH)
