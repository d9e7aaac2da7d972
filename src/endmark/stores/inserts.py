"""Insert rows, most of them modelled on others, and give the keys that they came to have."""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from sqlalchemy import Connection, text

from endmark.stores.changes import COUNTER, Change, RowChanged
from endmark.stores.table import Cell, Cells, Table, as_json, numbered, rows_of

__all__ = ["counts", "insert"]


def insert(
    connection: Connection, table: Table, changes: Sequence[Change], *, at_once: bool
) -> list[tuple[Change, ...]]:
    """Insert rows of the same columns; give each change as made, and SQLite's counter behind it.

    Raises `RowChanged` where the row to be modelled on is gone, or no longer the newest.
    """
    if at_once and len(changes) > 1 and _may_be_at_once(table, changes):
        return [(made,) for made in _insert_at_once(connection, table, changes)]
    counted = counts(connection)
    made = []
    for change in changes:
        before = _counter(connection, table) if counted else None
        one = _insert(connection, table, change)
        after = _counter(connection, table) if counted else None
        made.append((one, *_count(table, before, after)))
    return made


def counts(connection: Connection) -> bool:
    """Tell whether a SQLite database keeps the last number that a table gave out."""
    sql = text(f"SELECT 1 FROM sqlite_master WHERE name = '{COUNTER}'")
    return connection.dialect.name == "sqlite" and bool(connection.scalar(sql))


def _insert(connection: Connection, table: Table, change: Change) -> Change:
    given = _given(table, change)
    columns, copied = _columns(table, change, given)
    binds = [table.bind(name, f"a{n}") for n, name in enumerate(given)]
    values = numbered("a", given.values())
    if change.like is None:
        # Without a model it is an old row that comes back, with the number that it had.
        old = " OVERRIDING SYSTEM VALUE" if table.dialect == "postgresql" else ""
        sql = f"INSERT INTO {table.ref} ({columns}){old} VALUES ({', '.join(binds)})"
    else:
        values |= numbered("k", change.like.values())
        select = ", ".join([*binds, *map(table.quote, copied)])
        sql = (
            f"INSERT INTO {table.ref} ({columns}) SELECT {select} FROM {table.ref} "
            f"WHERE {table.where(change.like)}{_nothing_later(table, change)}"
        )
    names = _key_of_new(table, change)
    rows = rows_of(connection, f"{sql} RETURNING {_read(table, names)}", values)
    if len(rows) != 1:
        raise RowChanged(change)
    return replace(change, key=dict(zip(names, rows[0], strict=True)))


def _may_be_at_once(table: Table, changes: Sequence[Change]) -> bool:
    """Tell whether the key of each new row is sure though many come by one statement."""
    first = changes[0]
    names = _key_of_new(table, first)
    given = _given(table, first)
    numbers = [name for name in names if table.columns[name].numbered and name not in given]
    return (
        table.dialect == "postgresql"
        and all(change.like is not None and change.newest is None for change in changes)
        and len(numbers) <= 1
        and all(name in given or name in numbers for name in names)
    )


def _insert_at_once(
    connection: Connection, table: Table, changes: Sequence[Change]
) -> list[Change]:
    """Insert many rows by one statement, their values in one JSON parameter: a third of the time.

    PostgreSQL numbers rows in the order that a SELECT sorts them in, and gives them back so: what
    is not numbered so, or has not the key it was given, counts as changed.
    """
    first = changes[0]
    given, like = _given(table, first), first.like or {}
    columns, copied = _columns(table, first, given)
    fields = [f"a{n}" for n, _ in enumerate(given)] + [f"k{n}" for n, _ in enumerate(like)]
    records = [
        {"n": n} | dict(zip(fields, [*_given(table, c).values(), *(c.like or {}).values()],
                            strict=True))
        for n, c in enumerate(changes)
    ]  # fmt: skip
    select = [table.cast(name, f"v.a{n}") for n, name in enumerate(given)]
    select += [f"t.{table.quote(name)}" for name in copied]
    where = [
        f"t.{table.quote(name)} = {table.cast(name, f'v.k{n}')}" for n, name in enumerate(like)
    ]
    names = _key_of_new(table, first)
    sql = (
        f"INSERT INTO {table.ref} ({columns}) SELECT {', '.join(select)} "
        f"FROM json_to_recordset(CAST(:rows AS json)) "
        f"AS v(n int, {', '.join(f'{field} text' for field in fields)}) "
        f"JOIN {table.ref} AS t ON {' AND '.join(where)} ORDER BY v.n "
        f"RETURNING {_read(table, names)}"
    )
    rows = rows_of(connection, sql, {"rows": as_json(records)})
    keys = [dict(zip(names, row, strict=True)) for row in rows]
    if len(keys) != len(changes) or not _are_theirs(table, changes, keys):
        raise RowChanged(first)
    return [replace(change, key=key) for change, key in zip(changes, keys, strict=True)]


def _are_theirs(table: Table, changes: Sequence[Change], keys: Sequence[Cells]) -> bool:
    """Tell whether keys came back in the order of the changes: those given, and rising numbers."""
    given = [_given(table, change) for change in changes]
    for name in keys[0]:
        if name in given[0]:
            if any(str(key[name]) != str(own[name]) for key, own in zip(keys, given, strict=True)):
                return False
        elif any(int(a[name] or 0) >= int(b[name] or 0) for a, b in pairwise(keys)):
            return False
    return True


def _given(table: Table, change: Change) -> Cells:
    given: Cells = {**change.key, **(change.after or {})}
    return {name: value for name, value in given.items() if not table.columns[name].generated}


def _columns(table: Table, change: Change, given: Cells) -> tuple[str, list[str]]:
    """Give the columns of a new row, as a list in SQL, and which of them are copied."""
    copied = _copied(table, given) if change.like is not None else []
    return ", ".join(table.quote(name) for name in [*given, *copied]), copied


def _read(table: Table, names: Sequence[str]) -> str:
    return ", ".join(table.read(name) for name in names)


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
    """Give the other columns of the row that a new one is modelled on, save what no two may share."""
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


def _counter(connection: Connection, table: Table) -> Cell:
    """SQLite's AUTOINCREMENT counter of a table, which an undo gives back too."""
    sql = text(f"SELECT seq FROM {COUNTER} WHERE name = :name")
    counter: Cell = connection.scalar(sql, {"name": table.name})
    return counter


def _count(table: Table, before: Cell, after: Cell) -> tuple[Change, ...]:
    if after == before:
        return ()
    was: Cells | None = (
        None if before is None else {"seq": before}
    )  # none: the first number is ours
    return (Change(COUNTER, {"name": table.name}, was, {"seq": after}),)
