"""Layout `list`: the whole history of a conversation in one JSON value, or in a few in a row.

Where the store has an order, its rows (one a run, say) are read as one history; a new message
stands in the row of the message before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.stores import json_text
from endmark.stores._store import Path, Store
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row
from endmark.stores.select import label, of_conversations, read_rows
from endmark.stores.source import Source
from endmark.stores.table import Cell


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read conversations, each from its one row, or from its rows in their order."""
    found = {id_: Conversation(id_) for id_ in ids}
    for id_, row in read_rows(source, connection, *of_conversations(source, ids), lock=lock):
        conversation = found.setdefault(id_, Conversation(id_))
        conversation.rows.append(row)
        try:
            conversation.history = conversation.history + read_sample(source, row)
        except UnreadableError as error:
            conversation.leave_out(f"row {label(row.key)}: {error}")
        if len(conversation.rows) > 1 and not source.order:
            conversation.problem = "more than one row holds this conversation's list"
    return list(found.values())


def read_sample(source: Source, row: Row) -> list[Any]:
    """Read a row's list of messages. Raises `UnreadableError`."""
    cell = row.cells[source.store.payload]
    if cell is None and source.store.aside:
        return []
    row.payload = read_payload(cell)
    return list_in(source.store, row.payload)


def lists(source: Source, cell: Cell) -> list[list[Any]]:
    """Give the one list in a payload. Raises `UnreadableError`."""
    if cell is None and source.store.aside:
        return []
    return [list_in(source.store, read_payload(cell))]


def read_payload(cell: Cell) -> Any:
    """Read the JSON of a cell. Raises `UnreadableError`."""
    if not isinstance(cell, str | bytes):
        msg = "the payload is not JSON text"
        raise UnreadableError(msg)
    return json_text.read(cell)


def list_in(store: Store, payload: Any) -> list[Any]:
    """Give the list of messages in a payload. Raises `UnreadableError` where there has to be one."""
    path = path_in(store, payload)
    if path is None:
        return []
    for name in path:
        payload = payload.get(name) if isinstance(payload, dict) else None
    if not isinstance(payload, list):
        where = ".".join(path) or "the payload"
        msg = f"{where} is not a list of messages"
        raise UnreadableError(msg)
    return payload


def path_in(store: Store, payload: Any) -> Path | None:
    """Say where in a payload the list lies; None for one that holds none, and need not."""
    if not store.aside:
        return store.path
    lists = (name for name in store.aside if _is_history(payload, name))
    name = next(lists, None) if isinstance(payload, dict) else None
    return None if name is None else (*store.path, name)


def _is_history(payload: dict[str, Any], name: str) -> bool:
    listed = payload.get(name)
    named = isinstance(listed, list) and all(isinstance(message, dict) for message in listed)
    return bool(named and listed)


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say how the values change."""
    column, store = source.store.payload, source.store
    texts = [_text(row.cells[column]) for row in conversation.rows]
    sources = None
    if len(texts) > 1:
        sources = json_text.Sources()
        for row, text in zip(conversation.rows, texts, strict=True):
            sources.add(text, row.payload)
    made = []
    lists = _shared_out([len(list_in(store, row.payload)) for row in conversation.rows], rebuilt)
    for row, old, messages in zip(conversation.rows, texts, lists, strict=True):
        path = path_in(store, row.payload)
        if path is None or list(map(id, messages)) == list(map(id, list_in(store, row.payload))):
            continue
        text = json_text.splice(old, row.payload, _with(row.payload, path, messages), sources)
        cell = row.cells[column]
        after: Cell = text.encode() if isinstance(cell, bytes) else text
        made.append(Change(source.table.label, row.key, {column: cell}, {column: after}))
    return made


def _text(cell: Cell) -> str:
    return cell.decode() if isinstance(cell, bytes) else str(cell)


def _shared_out(sizes: Sequence[int], rebuilt: Rebuilt) -> list[list[Any]]:
    """Give each row its messages, so that all rows together are the rebuilt history."""
    rows = [row for row, size in enumerate(sizes) for _ in range(size)]
    lists: list[list[Any]] = [[] for _ in sizes]
    row = 0
    for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True):
        row = row if origin is None else max(row, rows[origin])
        lists[row].append(message)
    return lists


def _with(payload: Any, path: Sequence[str], messages: list[Any]) -> Any:
    if not path:
        return messages
    return {**payload, path[0]: _with(payload[path[0]], path[1:], messages)}
