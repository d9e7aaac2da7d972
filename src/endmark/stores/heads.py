"""The row of a conversation itself: where its history begins, and what it counts.

What is counted there changes in the same transaction as the messages, and goes back with them.
"""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from endmark.formats import Rebuilt
from endmark.stores._store import ConversationTable
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells, Table, rows_of

__all__ = ["begin", "counted", "read"]


def _of(source: Source) -> tuple[Table, ConversationTable]:
    assert source.head is not None
    assert source.store.head is not None
    return source.head, source.store.head


def read(source: Source, connection: Connection, found: Iterable[Conversation]) -> None:
    """Read the rows of these conversations in the table that has one for each."""
    table, head = _of(source)
    names = [head.key, *head.counts, *([head.start] if head.start else [])]
    columns = ", ".join(table.read(name) for name in names)
    sql = f"SELECT {columns} FROM {table.ref} WHERE {table.equals(head.key, 'key')}"
    for conversation in found:
        for cells in rows_of(connection, sql, {"key": conversation.id[0]}):
            own = dict(zip(names, cells, strict=True))
            conversation.head = Row(key={head.key: own[head.key]}, order=(), cells=own)


def begin(source: Source, conversation: Conversation, rows: Sequence[Row]) -> list[Row]:
    """Give the rows that the model's history holds: those from its first one on."""
    start = _of(source)[1].start
    named: Cell = conversation.head.cells[start] if conversation.head and start else None
    keys = [next(iter(row.key.values())) for row in rows]
    return list(rows[keys.index(named) if named in keys else 0 :])


def counted(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say how what is counted changes, [] where it stays."""
    table, head = _of(source)
    if conversation.head is None:
        return []
    calls = source.format.call_ids
    more = {
        "messages": len(rebuilt.messages) - len(conversation.history),
        "calls": sum(len(calls(message)) for message in rebuilt.messages)
        - sum(len(calls(message)) for message in conversation.history),
    }
    before, after = Cells(), Cells()
    for name, what in head.counts.items():
        cell = conversation.head.cells[name]
        if more[what] and str(cell).isdecimal():
            number = int(cell or 0) + more[what]
            before[name] = cell
            after[name] = str(number) if isinstance(cell, str) else number
    return [Change(table.label, conversation.head.key, before, after)] if after else []
