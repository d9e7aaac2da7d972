"""Whether new rows that were put at the end of a conversation do stand there.

An order that all conversations share is the database's to give: a sequence may stand below the
rows it has numbered, and an id that is made may sort before them.
"""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from sqlalchemy import Connection

from endmark.stores.changes import Change
from endmark.stores.select import of_conversations, only
from endmark.stores.source import Source
from endmark.stores.table import Cell, rows_of

Key = tuple[Cell, ...]


def stand_behind(
    connection: Connection, source: Source, made: Mapping[Key, Sequence[Change]]
) -> bool:
    """Tell whether the new rows among the changes of each conversation are its last, in order."""
    if source.kind != "shared" or source.store.layout != "rows":
        return True
    new = {id_: list(_new(source, changes)) for id_, changes in made.items()}
    due = {id_: rows for id_, rows in new.items() if rows}
    name = source.order[0]
    if source.table.columns[name].numbered and name in source.key:  # no need to ask
        return all(
            int(row.key[name] or 0) > int((row.like or {})[name] or 0)
            for rows in due.values()
            for row in rows
        )
    stand = dict(_keys(connection, source, list(due))) if due else {}
    return all(
        stand.get(id_, [])[-len(rows) :] == [tuple(row.key.values()) for row in rows]
        for id_, rows in due.items()
    )


def _new(source: Source, changes: Sequence[Change]) -> Iterator[Change]:
    for change in changes:
        if change.table == source.table.label and change.like is not None:
            yield change


def _keys(
    connection: Connection, source: Source, ids: Sequence[Key]
) -> Iterator[tuple[Key, list[Key]]]:
    """Give the keys of the rows of these conversations, in order."""
    table, names = source.table, source.store.conversation
    columns = ", ".join(table.read(name) for name in (*names, *source.key))
    (condition, values), (more, others) = of_conversations(source, ids), only(source)
    sorting = table.sort([*names, *source.order, *source.key])
    sql = f"SELECT {columns} FROM {table.ref} WHERE {condition}{more} ORDER BY {sorting}"
    for id_, group in groupby(rows_of(connection, sql, values | others), lambda r: r[: len(names)]):
        yield id_, [row[len(names) :] for row in group]
