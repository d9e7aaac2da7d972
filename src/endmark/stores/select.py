"""Read the rows of a store: those of some conversations, with those keys, of the model's history."""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy import Connection

from endmark.stores.conversation import Row
from endmark.stores.order import moment
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells, Table, rows_of

FEW = 8


def of_conversations(source: Source, ids: Sequence[tuple[Cell, ...]]) -> tuple[str, dict[str, Any]]:
    """Make the condition for rows of these conversations, in a form that an index serves."""
    return among(source.table, source.store.conversation, ids)


def among(
    table: Table, columns: Sequence[str], ids: Sequence[tuple[Cell, ...]]
) -> tuple[str, dict[str, Any]]:
    """Make the condition that these columns hold one of these values."""
    if table.dialect == "postgresql" and len(ids) > FEW:
        return _among_many(table, columns, ids)
    values: dict[str, Any] = {}
    alternatives = []
    for n, id_ in enumerate(ids):
        binds = []
        for k, (name, cell) in enumerate(zip(columns, id_, strict=True)):
            values[f"c{n}_{k}"] = cell
            binds.append(table.bind(name, f"c{n}_{k}"))
        alternatives.append(f"({', '.join(binds)})" if len(columns) > 1 else binds[0])
    named = ", ".join(table.quote(name) for name in columns)
    left = f"({named})" if len(columns) > 1 else named
    if len(columns) > 1 and table.dialect == "sqlite":
        return f"{left} IN (VALUES {', '.join(alternatives)})", values
    return f"{left} IN ({', '.join(alternatives)})", values


def _among_many(
    table: Table, columns: Sequence[str], ids: Sequence[tuple[Cell, ...]]
) -> tuple[str, dict[str, Any]]:
    """Give the values in one JSON parameter: a statement of hundreds is dear to make."""
    names = [f"c{k}" for k in range(len(columns))]
    cells = ", ".join(table.cast(c, f"v.{name}") for c, name in zip(columns, names, strict=True))
    typed = ", ".join(f"{name} text" for name in names)
    rows = orjson.dumps([dict(zip(names, id_, strict=True)) for id_ in ids]).decode()
    left = ", ".join(table.quote(name) for name in columns)
    given = f"SELECT {cells} FROM json_to_recordset(CAST(:among AS json)) AS v({typed})"
    return f"({left}) IN ({given})", {"among": rows}


def only(source: Source) -> tuple[str, dict[str, Any]]:
    """Make the condition for rows that are of the model's history; it begins with AND."""
    condition = ""
    values: dict[str, Any] = {}
    for n, (column, allowed) in enumerate(source.only.items()):
        binds = ", ".join(f":o{n}_{k}" for k in range(len(allowed)))
        condition += f" AND {source.table.read(column)} IN ({binds})"
        values |= {f"o{n}_{k}": value for k, value in enumerate(allowed)}
    find = "instr" if source.table.dialect == "sqlite" else "strpos"

    def holds(column: str, text: str) -> str:
        values[name := f"h{len(values)}"] = text
        return f"coalesce({find}({source.table.read(column)}, :{name}), 0) > 0"

    for column, text in source.without.items():
        signs = [f" OR {holds(*sign)}" for sign in source.store.signs.items()]
        condition += f" AND (NOT {holds(column, text)}{''.join(signs)})"
    return condition, values


def read_rows(
    source: Source,
    connection: Connection,
    condition: str,
    values: dict[str, Any],
    *,
    lock: bool = False,
) -> list[tuple[tuple[Cell, ...], Row]]:
    """Read rows under a condition, with the conversation of each, in the order of the store."""
    table, store = source.table, source.store
    names = [*store.conversation, *source.key, *source.order, *source.content]
    if source.age:
        names.append(source.age)
    sorting = table.sort([*store.conversation, *source.order, *source.key])
    more, more_values = only(source)
    sql = f"SELECT {', '.join(table.read(name) for name in names)} FROM {table.ref}"
    sql += f" WHERE {condition}{more} ORDER BY {sorting}"
    if lock and table.dialect == "postgresql":
        sql += " FOR UPDATE"
    n, key, content, aged = len(store.conversation), source.key, source.content, source.age
    k = n + len(key)
    o = k + len(source.order)
    return [
        (
            cells[:n],
            Row(
                key=dict(zip(key, cells[n:k], strict=True)),
                order=cells[k:o],
                cells=dict(zip(content, cells[o:], strict=False)),
                written=moment(cells[-1]) if aged else None,
            ),
        )
        for cells in rows_of(connection, sql, values | more_values)
    ]


def label(key: Cells) -> str:
    """Name a row by its key, for reports."""
    return ", ".join(f"{name}={value!s}" for name, value in key.items())
