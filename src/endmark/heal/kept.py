"""What the database kept of the rows that were written: a trigger may have changed them behind us.

The journal is to hold that, or an undo would find each such row `changed since` and leave it.
"""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, text

from endmark.stores.changes import Change, statement
from endmark.stores.select import among
from endmark.stores.table import Cell, Cells, Table, numbered, rows_of

_FIRES = {
    "sqlite": "SELECT 1 FROM {master} WHERE type = 'trigger' AND tbl_name = :name COLLATE NOCASE",
    "postgresql": (
        "SELECT 1 FROM pg_trigger WHERE tgrelid = CAST(:name AS regclass) AND NOT tgisinternal"
    ),
}
Key = tuple[Cell, ...]


class UnverifiedError(Exception):
    """What was written does not read back as planned; says why, where that is known."""


class Kept:
    """What is read back of a store's tables, as far as triggers stand on them."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.tables = tables
        self._known: dict[str, bool] = {}

    def of(self, connection: Connection, made: Sequence[Change]) -> list[Change]:
        """Give these changes with what their rows hold now, where a trigger may have a say in it.

        Raises `UnverifiedError` for a row that is not found by the key it was written with.
        """
        given = list(made)
        named = {change.table for change in made} & self.tables.keys()
        if not any(self._fires(connection, self.tables[name]) for name in named):
            return given
        groups: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
        for n in _last(made):
            if made[n].table in named:
                groups.setdefault(statement(made[n]), []).append(n)
        for (label, _, _), indexes in groups.items():
            held = _read(connection, self.tables[label], [made[n] for n in indexes])
            for n, after in zip(indexes, held, strict=True):
                given[n] = replace(made[n], after=after)
        return given

    def _fires(self, connection: Connection, table: Table) -> bool:
        if table.label not in self._known:
            of_pg = table.dialect == "postgresql"
            sql = _FIRES[table.dialect].format(master=_master(table))
            values = {"name": table.regclass if of_pg else table.name}
            self._known[table.label] = bool(rows_of(connection, f"{sql} LIMIT 1", values))
        return self._known[table.label]


def _last(made: Sequence[Change]) -> list[int]:
    """Give the last change of each row that is there now: some rows wait aside in between."""
    last: dict[tuple[str, Key], int] = {}
    for n, change in enumerate(made):
        last.pop((change.table, tuple(change.key.values())), None)
        if change.after is not None:
            last[change.table, tuple(_key(change).values())] = n
    return list(last.values())


def _master(table: Table) -> str:
    return "sqlite_master" if table.schema is None else f"{table.quote(table.schema)}.sqlite_master"


def _key(change: Change) -> Cells:
    """Give the key by which a row is found now: that of a new row is the database's own word."""
    after = change.after if change.before is not None else None
    return {name: (after or {}).get(name, cell) for name, cell in change.key.items()}


def _read(connection: Connection, table: Table, changes: Sequence[Change]) -> Iterable[Cells]:
    """Read what the rows of like changes hold, in the order of the changes."""
    key, names = tuple(changes[0].key), tuple(changes[0].after or ())
    columns = ", ".join(table.read(name) for name in (*key, *names))
    select = f"SELECT {columns} FROM {table.ref} WHERE "
    found: dict[Key, Key] = {}
    keys = [tuple(_key(change).values()) for change in changes]
    for start in range(0, len(keys), 1000):
        condition, values = among(table, key, keys[start : start + 1000])
        rows = rows_of(connection, select + condition, values)
        found |= {row[: len(key)]: row[len(key) :] for row in rows}
    for own in keys:
        cells = found.get(own)
        if cells is None:  # a time reads back otherwise than it is given
            one = connection.execute(text(select + table.where(key)), numbered("k", own)).first()
            if one is None:
                raise UnverifiedError(
                    f"a trigger of {table.label} moves rows to another key, or takes them away, as "
                    "they are written, which no undo could give back; disable it for the heal"
                )
            cells = tuple(one)[len(key) :]
        yield dict(zip(names, cells, strict=True))
