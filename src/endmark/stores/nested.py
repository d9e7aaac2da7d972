"""Layout `nested`: several lists of messages in a JSON value, each a history of its own.

Such as the runs of a session: each was sent, and is gone on with, alone. A value that holds its
JSON as a text once more is read and written as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.stores import json_text
from endmark.stores._store import Path, Recorded, Store
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row, Section
from endmark.stores.lists import read_payload
from endmark.stores.select import label, of_conversations, read_rows
from endmark.stores.source import Source
from endmark.stores.table import Cell

Place = tuple[str | int, ...]
EACH = "*"


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read conversations, with a section for each list in their rows."""
    found = {id_: Conversation(id_) for id_ in ids}
    for id_, row in read_rows(source, connection, *of_conversations(source, ids), lock=lock):
        conversation = found.setdefault(id_, Conversation(id_))
        conversation.rows.append(row)
        try:
            _read(source.store, row)
            for place, messages in _found(source.store, row.payload):
                _add(source.store, conversation, row, place, messages)
        except UnreadableError as error:
            conversation.leave_out(f"row {label(row.key)}: {error}")
    return list(found.values())


def _read(store: Store, row: Row) -> None:
    cell = row.cells[store.payload]
    row.payload = None if cell is None else _plain(cell)[0]


def _plain(cell: Cell) -> tuple[Any, str | None]:
    """Read a payload, and the text that it is in where that is a JSON string itself."""
    payload = read_payload(cell)
    return (json_text.read(payload), payload) if isinstance(payload, str) else (payload, None)


def read_sample(source: Source, row: Row) -> list[Any]:
    """Read all messages of a row. Raises `UnreadableError`."""
    return [message for one in lists(source, row.cells[source.store.payload]) for message in one]


def lists(source: Source, cell: Cell) -> list[list[Any]]:
    """Give the lists in a payload. Raises `UnreadableError`."""
    payload = None if cell is None else _plain(cell)[0]
    return [messages for _, messages in _found(source.store, payload)]


def _found(store: Store, payload: Any) -> Iterator[tuple[Place, list[Any]]]:
    if store.path:
        yield from _at(payload, store.path, (), strict=True)
    for path in store.lists:
        yield from _at(payload, path, (), strict=False)


def _at(
    value: Any, path: Sequence[str], place: Place, *, strict: bool
) -> Iterator[tuple[Place, list[Any]]]:
    """Walk a path. Up to its first `*` a strict one must be there; null holds no list."""
    if value is None and not strict:
        return
    if not path or path[0] == EACH:
        if not isinstance(value, list):
            where = ".".join(map(str, place)) or "the payload"
            raise UnreadableError(f"{where} is not a list")
        if not path:
            yield place, value
        for k, item in enumerate(value if path else ()):
            yield from _at(item, path[1:], (*place, k), strict=False)
        return
    if not isinstance(value, dict) or (strict and path[0] not in value):
        raise UnreadableError(f"there is no {'.'.join(map(str, (*place, path[0])))}")
    yield from _at(value.get(path[0]), path[1:], (*place, path[0]), strict=strict)


def _add(
    store: Store, conversation: Conversation, row: Row, place: Place, messages: list[Any]
) -> None:
    holder = _value(row.payload, place[:-1])
    start = len(conversation.history)
    conversation.history += messages
    conversation.sections.append(
        Section(
            start,
            start + len(messages),
            row,
            place,
            waits=_says(holder, store.pauses),
            ended=_says(holder, store.ended),
            recorded=_recorded(holder, store.recorded),
        )
    )


def _says(holder: Any, signs: Mapping[str, tuple[str, ...]]) -> bool:
    return isinstance(holder, dict) and any(holder.get(key) in said for key, said in signs.items())


def _recorded(holder: Any, known: Sequence[Recorded]) -> dict[str, tuple[Any, bool]]:
    """Find results beside the list; of two with one id neither is sure."""
    found: dict[str, list[tuple[Any, bool]]] = {}
    for one in known:
        entries = holder.get(one.list) if isinstance(holder, dict) else None
        for entry in entries if isinstance(entries, list) else ():
            id_, value = _value(entry, one.id), _value(entry, one.value)
            if isinstance(id_, str) and value is not None:
                said = (value, bool(one.error and _value(entry, one.error)))
                found.setdefault(id_, []).append(said)
    return {id_: said[0] for id_, said in found.items() if all(s == said[0] for s in said)}


def _value(value: Any, place: Place | Path) -> Any:
    for step in place:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            return None
    return value


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say how the values change."""
    new = {id(row): row.payload for row in conversation.rows}
    for section, messages in zip(
        conversation.sections, _shared_out(conversation, rebuilt), strict=True
    ):
        if list(map(id, messages)) != list(map(id, _value(section.row.payload, section.place))):
            new[id(section.row)] = _with(new[id(section.row)], section.place, messages)
    return [
        _change(source, row, new[id(row)])
        for row in conversation.rows
        if new[id(row)] is not row.payload
    ]


def _shared_out(conversation: Conversation, rebuilt: Rebuilt) -> list[list[Any]]:
    """Give each section its messages: a new one is of the section of the one before it."""
    sections = [k for k, s in enumerate(conversation.sections) for _ in range(s.start, s.stop)]
    made: list[list[Any]] = [[] for _ in conversation.sections]
    section = 0
    for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True):
        section = section if origin is None else sections[origin]
        made[section].append(message)
    return made


def _with(value: Any, place: Place, messages: list[Any]) -> Any:
    if not place:
        return messages
    step = place[0]
    if isinstance(value, list):
        return [_with(v, place[1:], messages) if k == step else v for k, v in enumerate(value)]
    return {**value, step: _with(value[step], place[1:], messages)}


def _change(source: Source, row: Row, new: Any) -> Change:
    column = source.store.payload
    cell = row.cells[column]
    text = cell.decode() if isinstance(cell, bytes) else str(cell)
    outer = json_text.read(text)
    if isinstance(outer, str):
        text = json_text.splice(text, outer, json_text.splice(outer, row.payload, new))
    else:
        text = json_text.splice(text, row.payload, new)
    after: Cell = text.encode() if isinstance(cell, bytes) else text
    return Change(source.table.label, row.key, {column: cell}, {column: after})
