"""Layout `linked`: rows of one table order a conversation, and point at the messages of another.

Conversations may share a message: branches do. A shared message is never changed under the others;
the conversation that needs another one gets a row of its own.
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from endmark.errors import StoreError, UnreadableError
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.stores import rows as layout
from endmark.stores._store import LinkedTable
from endmark.stores.changes import Change, KeyOf
from endmark.stores.conversation import Conversation, Row
from endmark.stores.select import label, of_conversations, read_rows
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells, Table, rows_of


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read conversations: the rows that order them, and the messages that those point at."""
    found = {id_: Conversation(id_) for id_ in ids}
    condition, values = of_conversations(source, ids)
    messages = _messages(source, connection, condition, values, lock=lock)
    _, spec = _linked(source)
    for id_, row in read_rows(source, connection, condition, values, lock=lock):
        message = messages.get(row.cells[spec.by])
        if message is not None:  # one that is gone is not read by its own library either
            _add(source, found.setdefault(id_, Conversation(id_)), row, message)
    return list(found.values())


def open_second(source: Source, connection: Connection) -> Table:
    """Open the table of the messages. Raises `StoreError` for a wrong mapping."""
    linked = source.store.linked
    if linked is None:
        raise StoreError(f"store {source.name}: layout 'linked' needs the table of its messages")
    source.table.require([linked.by, *linked.told, *linked.blank, *linked.follows])
    return source.add_table(connection, linked.table, (linked.key,))


def read_sample(source: Source, row: Row) -> list[Any]:
    """Read the message of a row alone. Raises `UnreadableError`."""
    return layout.read_sample(source, row)


def _linked(source: Source) -> tuple[Table, LinkedTable]:
    assert source.store.linked is not None
    return source.payload_table, source.store.linked


def _messages(
    source: Source, connection: Connection, condition: str, values: dict[str, Any], *, lock: bool
) -> dict[Cell, Row]:
    """Read the messages of some conversations by their key, and which of them others share."""
    messages, spec = _linked(source)
    table = source.table
    by = table.quote(spec.by)
    pointed = f"SELECT {by} FROM {table.ref} WHERE {condition}"
    shared = f"(SELECT count(*) FROM {table.ref} AS l WHERE l.{by} = m.{messages.quote(spec.key)})"
    names = ", ".join(messages.read(name) for name in (spec.key, source.store.payload))
    sql = f"SELECT {names}, {shared} FROM {messages.ref} AS m "
    sql += f"WHERE {messages.quote(spec.key)} IN ({pointed})"
    if lock and table.dialect == "postgresql":
        sql += " FOR UPDATE"
    return {
        key: Row({spec.key: key}, (), {source.store.payload: cell}, shared=count > 1)
        for key, cell, count in rows_of(connection, sql, values)
    }


def _add(source: Source, conversation: Conversation, row: Row, message: Row) -> None:
    row.parts = [message]
    conversation.rows.append(row)
    try:
        source.decode(message)
    except UnreadableError as error:
        conversation.leave_out(f"row {label(message.key)}: {error}")
        return
    row.payload, row.message = message.payload, message.message
    assert row.message is not None
    conversation.history.append(row.message)


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say which messages change or are new, and how the rows that order them follow."""
    held = replace(conversation, rows=[row.parts[0] for row in conversation.rows])
    sources = layout.sources_of(source, held)
    _, spec = _linked(source)
    made: list[Change] = []
    slots: list[dict[str, Any]] = []
    before: int | None = -1  # the origin of the message before, and of the last one that had any
    near = 0
    for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True):
        near = near if origin is None else origin
        row = conversation.rows[near]
        slot: dict[str, Any] = dict(row.cells)
        if origin is None or message is not row.message:
            cells = layout.cells_of(source, held, message, origin, sources)
            change = _written(source, row.parts[0], cells, new=origin is None)
            made.append(change)
            if change.before is None:
                slot[spec.by] = KeyOf(change)
        if origin is None:
            slot |= _told(spec, message)
        if (
            slots
            and (before is None or origin != before + 1)
            and not source.format.is_user(message)
        ):
            slot |= {name: slots[-1][name] for name in spec.follows}
        slots.append(slot)
        before = origin
    return made + layout.respaced(source, conversation, rebuilt.origins, slots)


def _written(source: Source, near: Row, cells: Cells, *, new: bool) -> Change:
    """Write a message over its row, or into a new one: a shared row is left to the others."""
    messages, _ = _linked(source)
    if new or near.shared:
        return Change(messages.label, {}, None, cells, like=near.key)
    return Change(messages.label, near.key, near.cells, cells)


def _told(spec: LinkedTable, message: Message) -> Cells:
    """Give what the row of a new message says of it."""
    said: Cells = dict.fromkeys(spec.blank)
    for column, names in spec.told.items():
        said[column] = next((str(message[name]) for name in names if name in message), None)
    return said
