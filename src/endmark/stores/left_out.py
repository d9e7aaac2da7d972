"""Which columns of a table hold pieces of its messages that a described mapping does not read."""
# ruff: noqa: S608  (names are quoted by the dialect)

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from endmark.stores import sample
from endmark.stores.conversation import Row
from endmark.stores.guess import PIECES, TEXTS, plain
from endmark.stores.source import Source
from endmark.stores.table import rows_of

__all__ = ["left_out"]

CALLS = PIECES - {"tools"} | {"toolcallid", "callid", "functioncalls"}  # tools: what is on offer
NONE = "('', '[]', '{}', 'null', '\"\"')"  # what a column holds that holds nothing


def left_out(source: Source, connection: Connection) -> str | None:
    """Say which pieces of messages a mapping leaves out, or reads as what they are not."""
    store = source.store
    if store.layout != "rows" or not (store.fields or store.role):
        return None
    placing = {*store.conversation, *source.order, *source.key}
    known = {*placing, *source.content, *store.only, *store.without, *store.signs}
    names = [name for name in source.table.columns if name not in known]
    left = [name for name in names if plain(name) in CALLS and _holds(source, connection, name)]
    columns = [*names, *(name for name in source.fields if name not in placing)]
    found = {
        name: key
        for name in columns
        if name not in left and (key := _unread(source, connection, name))
    }
    left += [name for name in found if name not in store.fields]
    if left:
        return _sentence(source, left)
    for name, key in found.items():
        return _misread(source, name, key)
    return None


def _sentence(source: Source, left: list[str]) -> str:
    named = ", ".join(left)
    if source.store.fields:
        columns = "a column" if len(left) == 1 else "columns"
        return (
            f"table {source.table.label} has {columns} {named} that fields leaves out: add to fields "
            "which key of a message it holds, and to json where it holds JSON (docs/stores.md)"
        )
    return (
        f"table {source.table.label} keeps {named} in columns of their own, which these "
        "flags leave out; describe them as `fields` in a --config (docs/stores.md)"
    )


def _misread(source: Source, name: str, key: str) -> str:
    where = f"{source.table.label}.{name}"
    if source.store.fields[name] != key:
        return f'{where} holds calls, which fields calls otherwise: {name} = "{key}"'
    return f"{where} holds calls as JSON, which are read as words: name it in json"


def _holds(source: Source, connection: Connection, name: str) -> bool:
    table = source.table
    cell = f"CAST({table.quote(name)} AS TEXT)"
    sql = f"SELECT 1 FROM {table.ref} WHERE {cell} NOT IN {NONE} LIMIT 1"
    return bool(rows_of(connection, sql, {}))


def _unread(source: Source, connection: Connection, name: str) -> str | None:
    """Give the key of the calls that a column holds, where no message as it is read has any."""
    type_ = source.table.columns[name].type.lower()
    if type_ and not any(word in type_ for word in TEXTS):
        return None
    asked: dict[str, bool] = {}
    for cell, row in _beside(source, connection, name):
        if key := sample.calls_key(source.format, sample.value(cell)):
            read = any(sample.calls(source.format, one) for one in sample.read(source, row))
            asked[key] = asked.get(key, False) or read
    return next((key for key, is_read in asked.items() if not is_read), None)


def _beside(source: Source, connection: Connection, name: str) -> Iterator[tuple[Any, Row]]:
    """Give what a column holds where it holds something, each with its row as it is mapped."""
    table, names = source.table, list(source.content)
    cell = f"CAST({table.quote(name)} AS TEXT)"
    columns = ", ".join(table.read(column) for column in (name, *names))
    likely = f"{cell} LIKE '[%' OR {cell} LIKE '{{%'"
    sql = f"SELECT {columns} FROM {table.ref} WHERE {likely} LIMIT {sample.SIZE}"
    for held, *cells in rows_of(connection, sql, {}):
        yield held, Row(key={}, order=(), cells=dict(zip(names, cells, strict=True)))
