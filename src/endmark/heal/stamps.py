"""SQLite's triggers that note the time of a write, put aside while rows are healed or given back.

Such a trigger would move a healed conversation to the top of its list, and no undo could give the
old time back, since the undo fires it too. It is dropped and made anew, word for word, inside the
transaction that writes: no other connection sees the database without it. Triggers that do
anything else (count, index for search) fire as ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection

from endmark.stores.changes import Change
from endmark.stores.table import Table
from endmark.stores.write import execute

__all__ = ["put_aside", "unstamped"]

_CLOCK = r"(?:strftime|datetime|unixepoch|julianday|date|time)\s*\([^()]*\)|current_timestamp"
_NOW = rf"\(?\s*(?:cast\s*\(\s*)?(?:{_CLOCK})(?:\s+as\s+\w+\s*\))?(?:\s*\*\s*\d+)?\s*\)?\s*"
_STAMP = re.compile(
    r"\bAFTER\s+(?:UPDATE|INSERT)\b.*?\bON\s+(?P<of>\S+).*?\bBEGIN\s+UPDATE\s+(?P<what>\S+)\s+"
    rf"SET\s+[^\s=,]+\s*=\s*{_NOW}WHERE\b[^;]*;\s*END\s*;?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_QUOTES = "\"'`[]"


def unstamped(
    connection: Connection,
    tables: dict[str, Table],
    changes: Sequence[Change],
    *,
    at_once: bool = False,
) -> list[Change]:
    """Execute changes, with the stamping triggers of their tables put aside."""
    named = {change.table for change in changes}
    with put_aside(connection, {t.name for label, t in tables.items() if label in named}):
        return execute(connection, tables, changes, at_once=at_once)


@contextmanager
def put_aside(connection: Connection, tables: set[str]) -> Iterator[None]:
    """Keep the stamping triggers of these tables, and of those their triggers write, from firing.

    After an exception the caller's savepoint or transaction is to be rolled back, as it is for the
    rows: that brings the triggers back too.
    """
    aside = _stamping(connection, tables) if connection.dialect.name == "sqlite" else []
    for name, _ in aside:
        connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
    yield
    for _, sql in aside:
        connection.exec_driver_sql(sql)


def _stamping(connection: Connection, tables: set[str]) -> list[tuple[str, str]]:
    sql = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
    triggers = connection.exec_driver_sql(sql).all()
    fired = " ".join(said for _, table, said in triggers if table in tables)
    return [
        (name, said)
        for name, table, said in triggers
        if '"' not in name
        and (table in tables or re.search(rf"\b{re.escape(table)}\b", fired))
        and (found := _STAMP.search(said))
        and found["of"].strip(_QUOTES).lower() == found["what"].strip(_QUOTES).lower()
    ]
