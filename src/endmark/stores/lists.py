"""Layout `list`: the whole history of a conversation in one JSON value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.stores import json_text
from endmark.stores.changes import Change
from endmark.stores.rows import label, of_conversations, read_rows
from endmark.stores.source import Conversation, Row, Source
from endmark.stores.table import Cell


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read conversations, each from its one row."""
    found = {id_: Conversation(id_) for id_ in ids}
    for id_, row in read_rows(source, connection, *of_conversations(source, ids), lock=lock):
        conversation = found.setdefault(id_, Conversation(id_))
        conversation.rows.append(row)
        try:
            conversation.history = read_list(source, row)
        except UnreadableError as error:
            conversation.problem = f"row {label(row.key)}: {error}"
        if len(conversation.rows) > 1:
            conversation.problem = "more than one row holds this conversation's list"
    return list(found.values())


def read_list(source: Source, row: Row) -> list[Any]:
    """Read a row's list of messages. Raises `UnreadableError`."""
    cell = row.cells[source.store.payload]
    if not isinstance(cell, str | bytes):
        msg = "the payload is not JSON text"
        raise UnreadableError(msg)
    row.payload = json_text.read(cell)
    return _at(row.payload, source.store.path)


def _at(payload: Any, path: Sequence[str]) -> list[Any]:
    for name in path:
        payload = payload.get(name) if isinstance(payload, dict) else None
    if not isinstance(payload, list):
        where = ".".join(path) or "the payload"
        msg = f"{where} is not a list of messages"
        raise UnreadableError(msg)
    return payload


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say how the one value changes."""
    row = conversation.rows[0]
    cell = row.cells[source.store.payload]
    old = cell.decode() if isinstance(cell, bytes) else str(cell)
    new = _with(row.payload, source.store.path, rebuilt.messages)
    text = json_text.splice(old, row.payload, new)
    if text == old:
        return []
    column = source.store.payload
    after: Cell = text.encode() if isinstance(cell, bytes) else text
    return [Change(source.table.label, row.key, {column: cell}, {column: after})]


def _with(payload: Any, path: Sequence[str], messages: list[Any]) -> Any:
    if not path:
        return messages
    return {**payload, path[0]: _with(payload[path[0]], path[1:], messages)}
