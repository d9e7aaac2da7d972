"""psycopg's BEGIN, and a query right behind it, in one round trip.

psycopg sends BEGIN before the first statement of a transaction and waits for its answer. libpq
sends both at once in pipeline mode (psycopg's `Connection.pgconn`, "Pipeline Mode" in libpq's
manual), so that a look which begins a transaction costs none of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError

from endmark.stores.table import Cell

__all__ = ["WithBegin"]

_PREPARED = "endmark.prepared"  # in `Connection.info`: what this connection has, by its text
# Of libpq: PGRES_TUPLES_OK, PGRES_PIPELINE_SYNC; what psycopg's `wait` is to wait for.
_ROWS, _SYNC = 2, 10
_READ, _BOTH = 1, 3


class WithBegin:
    """One query, whose cells are all read as text."""

    def __init__(self, sql: str) -> None:
        dialect = postgresql.dialect(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]
        built: Any = text(sql).compile(dialect=dialect)
        self._sql = built.string.encode()
        self._names = list(built.positiontup)

    def rows(self, connection: Connection, values: dict[str, Any]) -> list[Sequence[Cell]] | None:
        """Begin, and give what the query finds; None where it is to go as any other does.

        That is inside of a transaction, and wherever psycopg was told to begin, or to prepare, in
        another way than its own.
        """
        raw: Any = connection.connection.driver_connection
        if raw.pgconn.transaction_status or not _is_plain(raw):
            return None
        bound = [str(values[name]).encode() for name in self._names if _is_text(values[name])]
        prepared = connection.info.setdefault(_PREPARED, {})
        if prepared is None or len(bound) < len(self._names) or len(prepared) >= raw.prepared_max:
            return None
        name = prepared.get(self._sql)
        commands = [partial(raw.pgconn.send_query_params, b"BEGIN", None)]
        if name is None:
            name = b"endmark_%d" % len(prepared)
            commands.append(partial(raw.pgconn.send_prepare, name, self._sql))
        commands.append(partial(raw.pgconn.send_query_prepared, name, bound))
        found = _answered(connection, raw, commands)
        if found is None or found.status != _ROWS:
            # Taken away (DISCARD ALL), or refused: this transaction did nothing else so far.
            connection.info[_PREPARED] = None
            connection.connection.rollback()
            return None
        prepared[self._sql] = name
        columns = range(found.nfields)
        return [
            [None if (cell := found.get_value(row, n)) is None else cell.decode() for n in columns]
            for row in range(found.ntuples)
        ]


def _is_plain(raw: Any) -> bool:
    """Tell whether a connection begins by BEGIN alone, prepares, and speaks UTF-8."""
    return (
        not raw.autocommit
        and raw.isolation_level is raw.read_only is raw.deferrable is None
        and raw.prepare_threshold is not None
        and not raw.pgconn.pipeline_status
        and raw.pgconn.parameter_status(b"client_encoding") == b"UTF8"
    )


def _is_text(value: object) -> bool:
    """Tell whether PostgreSQL reads a value from the text that Python makes of it."""
    return value.__class__ is int or value.__class__ is str


def _answered(connection: Connection, raw: Any, commands: Sequence[Callable[[], None]]) -> Any:
    """Give the last command's answer. Raises what the driver raises as SQLAlchemy's error."""
    errors: Any = connection.dialect.loaded_dbapi.Error
    try:
        raw.pgconn.enter_pipeline_mode()
        found = raw.wait(_asked(raw.pgconn, commands))
        if connection.dialect.is_async:
            from sqlalchemy.util import await_only

            found = await_only(found)
        raw.pgconn.exit_pipeline_mode()
    except BaseException as error:
        connection.invalidate(error)  # an answer may be on its way still
        if not isinstance(error, errors):
            raise
        raise DBAPIError.instance(
            None, None, error, errors, hide_parameters=True, connection_invalidated=True
        ) from error
    return found


def _asked(pgconn: Any, commands: Sequence[Callable[[], None]]) -> Generator[int, int, Any]:
    """Send everything and read every answer, as psycopg's `wait` takes it; give the last one."""
    for command in commands:
        command()
    pgconn.pipeline_sync()
    while pgconn.flush():
        if (yield _BOTH) & _READ:
            pgconn.consume_input()
    last = None
    while True:
        while pgconn.is_busy():
            if (yield _READ):
                pgconn.consume_input()
        answer = pgconn.get_result()
        if answer is None:
            if pgconn.status:
                return None
        elif answer.status == _SYNC:
            return last
        else:
            last = answer
