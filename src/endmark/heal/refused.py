"""Why a row could not be added, where the database's own words do not tell what is the matter."""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from endmark.stores.order import no_room
from endmark.stores.source import Source
from endmark.stores.table import Table, rows_of

_UNIQUE = """
SELECT a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
WHERE i.indrelid = CAST(:name AS regclass) AND c.relname = :index
"""
_BEHIND = """
SELECT 1 FROM pg_sequences AS s
WHERE format('%I.%I', s.schemaname, s.sequencename) = pg_get_serial_sequence(:name, :column)
AND s.increment_by > 0 AND s.last_value < (SELECT max({column}) FROM {table})
"""


def why_refused(connection: Connection, source: Source, error: DBAPIError) -> str:
    """Say why the database refused a change; in its own words where those are clear."""
    table = source.table
    columns = _taken(connection, table, error)
    for name in columns:
        if table.dialect == "postgresql" and table.columns[name].numbered:
            return _behind(table, name)
    if set(source.order[:1]) & columns:
        return no_room(source.order[0])
    return f"the database refused the change: {said(error)}"


def why_unsound(connection: Connection, source: Source) -> str | None:
    """Say why new rows do not stand behind the others: their numbers are too low; else None."""
    table, name = source.table, next(iter(source.order), "")
    if table.dialect != "postgresql" or not name or not table.columns[name].numbered:
        return None
    sql = _BEHIND.format(column=table.quote(name), table=table.ref)
    is_behind = rows_of(connection, sql, {"name": table.regclass, "column": name})
    return _behind(table, name) if is_behind else None


def said(error: DBAPIError) -> str:
    """Give the database's own words, without its details: those hold values of the row."""
    primary = getattr(getattr(error.orig, "diag", None), "message_primary", None)
    return str(primary or error.orig).partition("\n")[0]


def _taken(connection: Connection, table: Table, error: DBAPIError) -> set[str]:
    """Give the columns whose values were taken already, if that is why; else none."""
    if table.dialect == "sqlite":
        _, is_unique, names = str(error.orig).partition("UNIQUE constraint failed: ")
        named = [name.removeprefix(f"{table.name}.") for name in names.split(", ")]
        return set(named) & table.columns.keys() if is_unique else set()
    diag = getattr(error.orig, "diag", None)
    if getattr(error.orig, "sqlstate", None) != "23505" or diag is None:
        return set()
    values = {"name": table.regclass, "index": diag.constraint_name}
    return {name for (name,) in rows_of(connection, _UNIQUE, values)}


def _behind(table: Table, column: str) -> str:
    return (
        f"the sequence that numbers {column} of {table.label} is behind its rows and gives numbers "
        f"that are taken, or too low; set it, then heal again: SELECT setval(pg_get_serial_sequence("
        f"'{table.regclass}', '{column}'), max({table.quote(column)})) FROM {table.regclass}"
    )
