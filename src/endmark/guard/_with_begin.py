"""psycopg's BEGIN, and a query right behind it, in one round trip.

psycopg sends BEGIN before the first statement of a transaction and waits for its answer. libpq
sends both at once in pipeline mode (psycopg's `Connection.pgconn`, "Pipeline Mode" in libpq's
manual), so that a look which begins a transaction costs none of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import psycopg
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError

from endmark.stores.table import Cell

__all__ = ["WithBegin"]

_PREPARED = "endmark.prepared"  # in `Connection.info`
_READ, _BOTH = 1, 3  # what psycopg's `wait` is to wait for
_CURSORS = (psycopg.Cursor, psycopg.AsyncCursor)  # others bind values by themselves
# There is no such prepared statement any more, or its plan is out of date.
_STALE = frozenset({"26000", "0A000"})


@dataclass(slots=True)
class _Prepared:
    """What is prepared on one connection, by its text: how often it was asked, and its name."""

    uses: dict[bytes, int] = field(default_factory=dict)
    names: dict[bytes, bytes] = field(default_factory=dict)
    there: set[bytes] = field(default_factory=set)  # for sure


class WithBegin:
    """One query, whose cells are all read as text."""

    def __init__(self, engine: Engine, sql: str) -> None:
        dialect = postgresql.dialect(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]
        built: Any = text(sql).compile(dialect=dialect)
        self._sql = built.string.encode()
        self._names = list(built.positiontup)
        for name in ("rollback", "rollback_savepoint"):
            if not event.contains(engine, name, _forget):
                event.listen(engine, name, _forget)

    def rows(self, connection: Connection, values: dict[str, Any]) -> list[Sequence[Cell]] | None:
        """Begin, and give what the query finds; None where it is to go as any other does.

        That is inside of a transaction, and wherever psycopg was told to begin, or to prepare, in
        another way than its own, or would not have prepared it yet.
        """
        raw: Any = connection.connection.driver_connection
        if raw.pgconn.transaction_status or not _is_plain(raw):
            return None
        prepared = connection.info.get(_PREPARED)
        if prepared is None:
            prepared = connection.info[_PREPARED] = _Prepared()
        bound = [str(values[name]).encode() for name in self._names if _is_text(values[name])]
        if len(bound) < len(self._names) or not self._is_due(raw, prepared):
            return None
        commands = [partial(raw.pgconn.send_query_params, b"BEGIN", None)]
        name = prepared.names.setdefault(self._sql, b"endmark_%d" % len(prepared.names))
        if self._sql not in prepared.there:  # to close what is not there is no error
            commands.append(partial(raw.pgconn.send_close_prepared, name))
            commands.append(partial(raw.pgconn.send_prepare, name, self._sql))
        commands.append(partial(raw.pgconn.send_query_prepared, name, bound))
        found = _answered(connection, raw, commands)
        if found.status != ExecStatus.TUPLES_OK:
            prepared.there.clear()
            _raise_unless_stale(connection, found)
            _answered(connection, raw, [partial(raw.pgconn.send_query_params, b"ROLLBACK", None)])
            return None
        prepared.there.add(self._sql)
        columns = range(found.nfields)
        return [
            [None if (cell := found.get_value(row, n)) is None else cell.decode() for n in columns]
            for row in range(found.ntuples)
        ]

    def _is_due(self, raw: Any, prepared: _Prepared) -> bool:
        """Tell whether psycopg would have prepared the query by now; count this use."""
        uses = prepared.uses[self._sql] = prepared.uses.get(self._sql, 0) + 1
        most = raw.prepared_max
        has_room = self._sql in prepared.names or most is None or len(prepared.names) < most
        return has_room and uses > int(raw.prepare_threshold)


def _forget(connection: Connection, *_: Any) -> None:
    """Behind a ROLLBACK psycopg takes away all that is prepared, by DEALLOCATE ALL."""
    prepared = None if connection.invalidated else connection.info.get(_PREPARED)
    if prepared is not None:
        prepared.there.clear()


def _is_plain(raw: Any) -> bool:
    """Tell whether a connection begins by BEGIN alone, prepares, and speaks UTF-8."""
    return (
        not raw.autocommit
        and raw.isolation_level is raw.read_only is raw.deferrable is None
        and raw.prepare_threshold is not None
        and raw.cursor_factory in _CURSORS
        and not raw.pgconn.pipeline_status
        and raw.pgconn.parameter_status(b"client_encoding") == b"UTF8"
    )


def _is_text(value: object) -> bool:
    """Tell whether PostgreSQL reads a value from the text that Python makes of it."""
    return value.__class__ is int or value.__class__ is str


def _answered(connection: Connection, raw: Any, commands: Sequence[Callable[[], None]]) -> Any:
    """Give the last command's answer. Raises what the driver raises as SQLAlchemy's error."""
    try:
        raw.pgconn.enter_pipeline_mode()
        found = raw.wait(_asked(raw.pgconn, commands))
        if connection.dialect.is_async:
            from sqlalchemy.util import await_only

            found = await_only(found)
        raw.pgconn.exit_pipeline_mode()
    except BaseException as error:
        connection.invalidate(error)  # an answer may be on its way still
        if not isinstance(error, psycopg.Error):
            raise
        raise _as_said(connection, error, invalidated=True) from error
    return found


def _as_said(
    connection: Connection, error: psycopg.Error, *, invalidated: bool = False
) -> BaseException:
    """Give a driver's error as SQLAlchemy's, without values."""
    errors: Any = connection.dialect.loaded_dbapi.Error
    return DBAPIError.instance(
        None, None, error, errors, hide_parameters=True, connection_invalidated=invalidated
    )


def _raise_unless_stale(connection: Connection, found: Any) -> None:
    """Raise what the server said, unless it was of a prepared statement out of date."""
    state, said = (
        (found.error_field(what) or b"").decode(errors="replace")
        for what in (DiagnosticField.SQLSTATE, DiagnosticField.MESSAGE_PRIMARY)
    )
    if state in _STALE:
        return
    try:
        kind = psycopg.errors.lookup(state)
    except KeyError:
        kind = psycopg.OperationalError
    raise _as_said(connection, kind(said))


def _asked(pgconn: Any, commands: Sequence[Callable[[], None]]) -> Generator[int, int, Any]:
    """Send everything and read every answer, as psycopg's `wait` takes it.

    Gives the last answer, or the error that ended them. Raises `psycopg.OperationalError` where
    the connection is lost.
    """
    for command in commands:
        command()
    pgconn.pipeline_sync()
    while pgconn.flush():
        if (yield _BOTH) & _READ:
            pgconn.consume_input()
    told = None
    while True:
        while pgconn.is_busy():
            if (yield _READ):
                pgconn.consume_input()
        answer = pgconn.get_result()
        if answer is None:
            if pgconn.status == ConnStatus.BAD:
                raise psycopg.OperationalError("the connection is lost")
        elif answer.status == ExecStatus.PIPELINE_SYNC:
            return told
        elif told is None or told.status != ExecStatus.FATAL_ERROR:
            told = answer
