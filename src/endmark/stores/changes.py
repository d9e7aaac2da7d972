"""Changes of rows: what was there, what is to be there, written only where that still holds.

Every layout comes down to these three (update, insert, delete); the journal keeps them and undo
turns them round, so nothing else in Endmark writes to people's tables.
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import orjson
from sqlalchemy import Connection, text

from endmark.stores.table import Cell, Cells, Table, rows_of


@dataclass(frozen=True, slots=True)
class Change:
    """One row's change. `before` None: a new row; `after` None: the row goes.

    Cells are the database's own text (PostgreSQL) or values (SQLite). `key` of a new row holds
    what is known of it before the database completes it; `like` is the key of the row whose other
    columns a new row copies, in SQL. `newest` is the column by which that row has to be the newest
    still, of those that share the rest of its key.
    """

    table: str
    key: Cells
    before: Cells | None
    after: Cells | None
    like: Cells | None = None
    newest: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class KeyOf:
    """In place of a cell: the key that the database gives to a new row, made before this change."""

    change: Change


class RowChanged(Exception):  # noqa: N818  (it says what happened; callers catch it)
    """A row is not what it was when the change was planned; carries the change."""

    def __init__(self, change: Change) -> None:
        super().__init__(change.table)
        self.change = change


def execute(
    connection: Connection, tables: dict[str, Table], changes: Sequence[Change]
) -> list[Change]:
    """Write the changes in order; give them back with the keys and cells that came to be.

    Runs of updates of the same columns go in one round trip. Raises `RowChanged` for the first
    row that is not as it was planned from; the caller's transaction is then to be rolled back.
    """
    done: list[Change] = []
    keys: dict[int, Cell] = {}
    for (label, kind, _), group in groupby(changes, statement):
        planned = list(group)
        batch = [_known(change, keys) for change in planned]
        table = tables[label]
        if kind == "update":
            _update(connection, table, batch)
            done += batch
        elif kind == "insert":
            for change, plan in zip(batch, planned, strict=True):
                made = _insert(connection, table, change)
                keys[id(plan)] = next(iter(made[0].key.values()))
                done += made
        else:
            done += [_delete(connection, table, change) for change in batch]
    return done


def _known(change: Change, keys: dict[int, Cell]) -> Change:
    """Give a change with the keys of the rows that were made before it."""
    if not any(isinstance(cell, KeyOf) for cell in (change.after or {}).values()):
        return change
    after = {
        name: keys[id(cell.change)] if isinstance(cell, KeyOf) else cell
        for name, cell in (change.after or {}).items()
    }
    return replace(change, after=after)


def revert(change: Change) -> Change:
    """Turn a change round; the row is found by the key that it has come to."""
    after = change.after or {}
    key = {name: after.get(name, cell) for name, cell in change.key.items()}
    return Change(change.table, key, change.after, change.before)


def statement(change: Change) -> tuple[str, str, tuple[str, ...]]:
    """Name the statement that makes a change: those of one name go together."""
    kind = "insert" if change.before is None else "delete" if change.after is None else "update"
    return change.table, kind, tuple(change.after or ()) if kind == "update" else ()


def _numbered(prefix: str, values: Iterable[Any]) -> dict[str, Any]:
    return {f"{prefix}{k}": value for k, value in enumerate(values)}


def _where(table: Table, key: Iterable[str], same: Iterable[str] = ()) -> str:
    parts = [table.equals(name, f"k{n}") for n, name in enumerate(key)]
    parts += [table.same(name, f"b{n}") for n, name in enumerate(same)]
    return " AND ".join(parts)


def _update(connection: Connection, table: Table, changes: list[Change]) -> None:
    first = changes[0]
    assert first.after is not None
    assert first.before is not None
    if table.dialect == "postgresql" and len(changes) > 1 and _may_be_at_once(table, changes):
        _update_at_once(connection, table, changes)
        return
    sets = ", ".join(
        f"{table.quote(name)} = {table.bind(name, f'a{n}')}" for n, name in enumerate(first.after)
    )
    sql = text(f"UPDATE {table.ref} SET {sets} WHERE {_where(table, first.key, first.before)}")
    values = [
        _numbered("a", (change.after or {}).values())
        | _numbered("k", change.key.values())
        | _numbered("b", (change.before or {}).values())
        for change in changes
    ]
    if len(values) > 1 and connection.dialect.supports_sane_multi_rowcount:
        if connection.execute(sql, values).rowcount == len(values):
            return
        raise RowChanged(first)
    for change, value in zip(changes, values, strict=True):
        if connection.execute(sql, value).rowcount != 1:
            raise RowChanged(change)


def _may_be_at_once(table: Table, changes: list[Change]) -> bool:
    """Tell whether the order of the updates is all one: no unique column, each row once."""
    unique = {*table.primary_key, *(name for names in table.unique for name in names)}
    keys = {tuple(change.key.values()) for change in changes}
    return unique.isdisjoint(changes[0].after or ()) and len(keys) == len(changes)


def _update_at_once(connection: Connection, table: Table, changes: list[Change]) -> None:
    """Update many rows by one statement, its values in one JSON parameter: a third of the time."""
    first = changes[0]
    cells = [("k", first.key), ("a", first.after or {}), ("b", first.before or {})]
    names = [f"{prefix}{n}" for prefix, given in cells for n, _ in enumerate(given)]
    records = [
        dict(zip(names, [*c.key.values(), *(c.after or {}).values(), *(c.before or {}).values()],
                 strict=True))
        for c in changes
    ]  # fmt: skip
    values = {
        f"{prefix}{n}": f"v.{prefix}{n}" for prefix, given in cells for n, _ in enumerate(given)
    }
    sets = [
        f"{table.quote(c)} = {table.cast(c, values[f'a{n}'])}" for n, c in enumerate(cells[1][1])
    ]
    where = [
        f"t.{table.quote(c)} = {table.cast(c, values[f'k{n}'])}" for n, c in enumerate(first.key)
    ]
    where += [table.same_as(c, values[f"b{n}"], "t.") for n, c in enumerate(cells[2][1])]
    sql = (
        f"UPDATE {table.ref} AS t SET {', '.join(sets)} FROM json_to_recordset(CAST(:rows AS json)) "
        f"AS v({', '.join(f'{name} text' for name in names)}) WHERE {' AND '.join(where)}"
    )
    done = connection.execute(text(sql), {"rows": orjson.dumps(records).decode()})
    if done.rowcount != len(changes):
        raise RowChanged(first)


def _insert(connection: Connection, table: Table, change: Change) -> list[Change]:
    assert change.after is not None
    given: Cells = {**change.key, **change.after}
    given = {name: value for name, value in given.items() if not table.columns[name].generated}
    copied = _copied(table, given) if change.like is not None else []
    columns = ", ".join(table.quote(name) for name in [*given, *copied])
    binds = [table.bind(name, f"a{n}") for n, name in enumerate(given)]
    values = _numbered("a", given.values())
    key = ", ".join(table.read(name) for name in change.key) or "1"
    sequence = _sequence(connection, table)
    if change.like is None:
        # Without a model it is an old row that comes back, with the number that it had.
        old = " OVERRIDING SYSTEM VALUE" if table.dialect == "postgresql" else ""
        sql = f"INSERT INTO {table.ref} ({columns}){old} VALUES ({', '.join(binds)})"
    else:
        values |= _numbered("k", change.like.values())
        select = ", ".join([*binds, *map(table.quote, copied)])
        sql = (
            f"INSERT INTO {table.ref} ({columns}) SELECT {select} FROM {table.ref} "
            f"WHERE {_where(table, change.like)}{_nothing_later(table, change)}"
        )
    key_columns = _key_of_new(table, change)
    key = ", ".join(table.read(name) for name in key_columns)
    row = connection.execute(text(f"{sql} RETURNING {key}"), values).one_or_none()
    if row is None:
        raise RowChanged(change)
    made = replace(change, key=dict(zip(key_columns, row, strict=True)))
    return [made, *_sequence_change(connection, table, sequence)]


def _nothing_later(table: Table, change: Change) -> str:
    """Make the condition that nobody has put a row behind the one that a new row is to follow."""
    if change.newest is None or change.like is None:
        return ""
    same = [
        f"later.{table.quote(name)} {'>' if name == change.newest else '='} {table.bind(name, f'k{n}')}"
        for n, name in enumerate(change.like)
    ]
    return f" AND NOT EXISTS (SELECT 1 FROM {table.ref} AS later WHERE {' AND '.join(same)})"


def _key_of_new(table: Table, change: Change) -> tuple[str, ...]:
    names = tuple(change.like or change.key)
    return names or table.primary_key


def _copied(table: Table, given: Cells) -> list[str]:
    """The other columns of the row that a new one is modelled on, save what no two may share."""
    names = [
        name
        for name, column in table.columns.items()
        if name not in given
        and not column.generated
        and not column.numbered
        and name not in table.primary_key
    ]
    for unique in table.unique:
        free = [name for name in unique if name in names and table.columns[name].free]
        if free and set(unique) <= set(names):
            names.remove(free[-1])
    return names


def _delete(connection: Connection, table: Table, change: Change) -> Change:
    """Take a row out, keeping all of its columns for the way back."""
    assert change.before is not None
    names = [name for name, column in table.columns.items() if not column.generated]
    where = _where(table, change.key, change.before)
    values = _numbered("k", change.key.values()) | _numbered("b", change.before.values())
    columns = ", ".join(table.read(name) for name in names)
    rows = rows_of(connection, f"SELECT {columns} FROM {table.ref} WHERE {where}", values)
    gone = connection.execute(text(f"DELETE FROM {table.ref} WHERE {where}"), values).rowcount
    if len(rows) != 1 or gone != 1:
        raise RowChanged(change)
    return replace(change, before=dict(zip(names, rows[0], strict=True)))


def _sequence(connection: Connection, table: Table) -> Any:
    """SQLite's AUTOINCREMENT counter of a table, which an undo gives back too."""
    if table.dialect != "sqlite" or not connection.scalar(
        text("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'")
    ):
        return None
    return connection.scalar(
        text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table.name}
    )


def _sequence_change(connection: Connection, table: Table, before: Any) -> list[Change]:
    after = _sequence(connection, table)
    if after == before:
        return []
    was = None if before is None else {"seq": before}  # none: the first number is ours
    return [Change("sqlite_sequence", {"name": table.name}, was, {"seq": after})]
