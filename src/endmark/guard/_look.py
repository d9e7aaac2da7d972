"""A look at the end of a conversation, straight by the driver: the one query of a healthy write.

What SQLAlchemy does around a statement costs as much as the statement itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from endmark.stores.table import Cell

__all__ = ["Look"]


class Look:
    """One query, in the words of the driver of a connection's engine."""

    def __init__(self, connection: Connection, sql: str) -> None:
        built: Any = text(sql).compile(dialect=connection.dialect)
        self._sql = built.string
        self._names = list(built.positiontup) if built.positional else None
        self._with_begin = _with_begin(connection, sql)

    def rows(self, connection: Connection, values: dict[str, Any]) -> list[Sequence[Cell]]:
        """Give what it finds with these values. Errors come as SQLAlchemy's, without values."""
        if self._with_begin is not None:
            found: list[Sequence[Cell]] | None = self._with_begin.rows(connection, values)
            if found is not None:
                return found
        names = self._names
        errors: Any = connection.dialect.loaded_dbapi.Error
        cursor = connection.connection.cursor()
        try:
            cursor.execute(self._sql, values if names is None else [values[n] for n in names])
            return list(cursor.fetchall())
        except errors as error:
            raise DBAPIError.instance(
                self._sql, None, error, errors, hide_parameters=True
            ) from error
        except BaseException as error:
            if not isinstance(error, Exception):  # as SQLAlchemy does: it is busy still, perhaps
                connection.invalidate(error)
            raise
        finally:
            cursor.close()


def _with_begin(connection: Connection, sql: str) -> Any:
    """Give a query that can go with BEGIN; None for another driver, or a libpq before 17."""
    if connection.dialect.driver != "psycopg":
        return None
    import psycopg

    if not psycopg.capabilities.has_send_close_prepared():
        return None
    from endmark.guard._with_begin import WithBegin

    return WithBegin(connection.engine, sql)
