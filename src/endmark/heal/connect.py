"""Transactions and savepoints that mean the same on SQLite and PostgreSQL.

SQLite's driver begins a transaction late and without the write lock; a heal needs the lock before
it reads, so it says BEGIN IMMEDIATE itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine

from endmark.errors import HealError
from endmark.stores.database import BUSY_TIMEOUT

# As long as SQLite waits for its lock, unless the server or the URL says how long.
_WAIT = (
    f"SELECT set_config('lock_timeout', '{BUSY_TIMEOUT:g}s', true) "
    "WHERE current_setting('lock_timeout') = '0'"
)
# What asks for the server's cursors, and what takes it back.
_CURSORS = {"yield_per": None, "stream_results": False}


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that may write, and commit it unless an exception leaves it."""
    if engine.dialect.name != "sqlite":
        with engine.begin() as connection:
            _require_usual(connection)
            connection.exec_driver_sql(_WAIT)
            yield connection
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        take_write_lock(connection)
        try:
            yield connection
        except BaseException:
            if _is_open(connection):
                connection.exec_driver_sql("ROLLBACK")
            raise
        connection.exec_driver_sql("COMMIT")


def take_write_lock(connection: Connection) -> None:
    """Begin SQLite's transaction at once, unless one is open; a savepoint alone would commit.

    Raises `HealError` for asyncpg, which takes no value as the text that was read of it, and as
    `savepoint` does.
    """
    _require_usual(connection)
    if connection.dialect.driver == "asyncpg":
        raise HealError(
            "a heal runs over psycopg, synchronous or not, and this connection is asyncpg's; give "
            "the migration a URL that begins with postgresql+psycopg://, or run heal-db"
        )
    if not _is_open(connection):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _require_usual(connection: Connection) -> None:
    """Refuse PostgreSQL's connections whose options leave no room for a savepoint."""
    if connection.dialect.name != "postgresql":
        return
    if getattr(connection.connection.driver_connection, "autocommit", False) is True:
        raise HealError(
            "this engine is in AUTOCOMMIT, where nothing could be taken back; give heal one that "
            "is not: create_engine(url, isolation_level='READ COMMITTED')"
        )
    options = connection.get_execution_options()
    for name, usual in _CURSORS.items():
        if options.get(name):
            raise HealError(
                f"this engine has {name} set, so that the server takes each statement for a query; "
                f"give heal one that has not: engine.execution_options({name}={usual})"
            )


def _is_open(connection: Connection) -> bool:
    """Tell whether a transaction is open: SQLite itself ends one when its disk is full."""
    driver = connection.connection.driver_connection
    return connection.dialect.name != "sqlite" or bool(getattr(driver, "in_transaction", False))


def _is_lost(connection: Connection) -> bool:
    """Tell whether the server has ended the connection: why is what is to be said of it."""
    if connection.invalidated:
        return True
    return bool(getattr(connection.connection.driver_connection, "closed", False))


@contextmanager
def savepoint(connection: Connection) -> Iterator[None]:
    """Keep what is done inside only if no exception leaves it.

    Raises `HealError` on PostgreSQL where none can be kept back.
    """
    _require_usual(connection)
    connection.exec_driver_sql("SAVEPOINT endmark_heal")
    try:
        yield
    except BaseException:
        if _is_lost(connection):
            connection.invalidate()  # else the end of the transaction raises, in place of why
        elif _is_open(connection):
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT endmark_heal")
            connection.exec_driver_sql("RELEASE SAVEPOINT endmark_heal")
        raise
    connection.exec_driver_sql("RELEASE SAVEPOINT endmark_heal")
