"""Write changes of rows: each only where the row is still what it was when it was planned from.

Like changes go to PostgreSQL as one statement, their values in one JSON parameter.
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from sqlalchemy import Connection, text

from endmark.stores.changes import Change, KeyOf, RowChanged, statement
from endmark.stores.inserts import insert
from endmark.stores.table import Cell, Table, as_json, numbered, rows_of, without_content

__all__ = ["execute"]


@without_content()
def execute(
    connection: Connection,
    tables: dict[str, Table],
    changes: Sequence[Change],
    *,
    at_once: bool = False,
) -> list[Change]:
    """Write the changes in order; give them back with the keys and cells that came to be.

    Runs of updates of the same columns go in one round trip; new rows `at_once` too, for a caller
    that tries again without where that fails. Raises `RowChanged` for the first row that is not as
    it was planned from; the caller's transaction is then to be rolled back.
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
            for plan, made in zip(
                planned, insert(connection, table, batch, at_once=at_once), strict=True
            ):
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
    sql = text(f"UPDATE {table.ref} SET {sets} WHERE {table.where(first.key, first.before)}")
    values = [
        numbered("a", (change.after or {}).values())
        | numbered("k", change.key.values())
        | numbered("b", (change.before or {}).values())
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
    done = connection.execute(text(sql), {"rows": as_json(records)})
    if done.rowcount != len(changes):
        raise RowChanged(first)


def _delete(connection: Connection, table: Table, change: Change) -> Change:
    """Take a row out, keeping all of its columns for the way back."""
    assert change.before is not None
    names = [name for name, column in table.columns.items() if not column.generated]
    where = table.where(change.key, change.before)
    values = numbered("k", change.key.values()) | numbered("b", change.before.values())
    columns = ", ".join(table.read(name) for name in names)
    rows = rows_of(connection, f"SELECT {columns} FROM {table.ref} WHERE {where}", values)
    gone = connection.execute(text(f"DELETE FROM {table.ref} WHERE {where}"), values).rowcount
    if len(rows) != 1 or gone != 1:
        raise RowChanged(change)
    return replace(change, before=dict(zip(names, rows[0], strict=True)))
