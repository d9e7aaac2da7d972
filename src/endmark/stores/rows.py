"""Layout `rows`: one message, or the parts of one, in each row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.stores import fields, heads, json_text
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row
from endmark.stores.copies import agreed
from endmark.stores.new_rows import cells_of_new, new_key
from endmark.stores.order import (
    Write,
    are_days,
    no_room,
    places,
    pushes,
    respace,
    rotate,
)
from endmark.stores.select import label, of_conversations, read_rows
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells

# How most programs write JSON, by whether they put spaces in, and write ASCII alone.
_PLAIN = {
    (spaced, ascii_): json.JSONEncoder(
        ensure_ascii=ascii_, separators=(", ", ": ") if spaced else (",", ":")
    ).encode
    for spaced in (True, False)
    for ascii_ in (True, False)
}


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read conversations row by row, in their order."""
    found = {id_: Conversation(id_) for id_ in ids}
    for id_, row in read_rows(source, connection, *of_conversations(source, ids), lock=lock):
        found.setdefault(id_, Conversation(id_)).rows.append(row)
    if source.head is not None:
        heads.read(source, connection, found.values())
    for conversation in found.values():
        if source.head is not None:
            conversation.rows = heads.begin(source, conversation, conversation.rows)
        for row in conversation.rows:
            _decode(source, conversation, row)
        if source.store.ties and conversation.problem is None:
            _break_ties(source, conversation)
    return list(found.values())


def read_sample(source: Source, row: Row) -> list[Any]:
    """Read the message of a row alone. Raises `UnreadableError`."""
    source.decode(row)
    return [row.message]


def _decode(source: Source, conversation: Conversation, row: Row) -> None:
    try:
        source.decode(row)
    except UnreadableError as error:
        conversation.leave_out(f"row {label(row.key)}: {error}")
    else:
        assert row.message is not None
        conversation.history.append(row.message)


def _break_ties(source: Source, conversation: Conversation) -> None:
    """Put rows with one order value in the order in which a turn comes to be."""
    rows = []
    for _, group in groupby(conversation.rows, key=attrgetter("order")):
        rows += sorted(group, key=lambda row: _rank(source, row.message or {}))
    conversation.rows = rows
    conversation.history = [row.message or {} for row in rows]


def _rank(source: Source, message: Message) -> int:
    if source.format.call_ids(message):
        return 0
    return 1 if message.get("role") == "tool" else 2 if source.format.is_assistant(message) else 3


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say which rows change: payloads in place, and places by the kind of the order."""
    made = (
        _edited(source, conversation, rebuilt.messages)
        if rebuilt.origins == list(range(len(conversation.rows)))
        else _placed(source, conversation, rebuilt)
    )
    made = agreed(source, conversation, made) if source.store.copies else made
    return made + heads.counted(source, conversation, rebuilt) if source.store.head else made


def _edited(source: Source, conversation: Conversation, messages: list[Message]) -> list[Change]:
    """Change contents only: every message stands where it stood."""
    made: list[Change] = []
    for k, (row, message) in enumerate(zip(conversation.rows, messages, strict=True)):
        if message is not row.message:
            made += _update(source, row, _written(source, conversation, message, k, row, None))
    return made


def _written(
    source: Source,
    conversation: Conversation,
    message: Message,
    origin: int | None,
    near: Row,
    sources: json_text.Sources | None,
) -> Cells:
    """Give the cells of a message that is new, or not as it was; `near` is the row before it."""
    if source.fields:
        old = None if origin is None else conversation.rows[origin]
        return fields.cells_of(source, message, old, near)
    return cells_of(source, conversation, message, origin, sources)


def _placed(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Put messages in, take them out or move them, by the kind of the order."""
    sources = None if source.fields else sources_of(source, conversation)
    slots = []
    near = conversation.rows[0]
    for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True):
        old = None if origin is None else conversation.rows[origin]
        if old is not None and message is old.message:
            slots.append(old.cells)
        else:
            slots.append(_written(source, conversation, message, origin, near, sources))
        near = old or near
    place = _rotated if source.kind == "shared" else respaced
    return place(source, conversation, rebuilt.origins, slots)


def sources_of(source: Source, conversation: Conversation) -> json_text.Sources:
    """Let values that move between rows keep their exact text."""
    sources = json_text.Sources()
    for row in conversation.rows:
        if row.wrap == "words":
            continue
        cell = row.cells[source.store.payload]
        sources.add(cell.decode() if isinstance(cell, bytes) else str(cell), row.payload)
    return sources


def cells_of(
    source: Source,
    conversation: Conversation,
    message: Message,
    origin: int | None,
    sources: json_text.Sources | None,
) -> Cells:
    """Give the content cells of a message that is new, or not as it was."""
    row = conversation.rows[origin if origin is not None else 0]
    cell = row.cells[source.store.payload]
    old = cell.decode() if isinstance(cell, bytes) else str(cell)
    payload = source.unwrap(message, row.wrap)
    if row.wrap == "words" and isinstance(payload, str):
        text = payload
    elif row.wrap == "words":
        text = json_text.write(payload, "", sources)
    elif origin is None:
        # What is wholly new has no text elsewhere to be exact about.
        moved = any(isinstance(value, dict | list) for value in message.values())
        text = json_text.write(payload, old, sources if moved else None)
    else:
        plain = _plainly(old, row.payload, payload) if sources is None else None
        text = plain or json_text.splice(old, row.payload, payload, sources)
    cells: Cells = {source.store.payload: text.encode() if isinstance(cell, bytes) else text}
    if source.store.role:
        cells[source.store.role] = message["role"]
    for column, name in source.copies.items():
        if isinstance(said := message.get(name), str):
            cells[column] = said
    return cells


def _plainly(old: str, payload: Any, new: Any) -> str | None:
    """Write a text anew where that loses nothing: where the old one comes out as it was."""
    write = _PLAIN['": ' in old[:200], "\\u" in old]
    try:
        return write(new) if write(payload) == old else None
    except (ValueError, RecursionError):
        return None


def _update(source: Source, row: Row, after: Cells) -> list[Change]:
    """Change just the cells that differ."""
    if after is row.cells:
        return []
    before = {**row.cells, **dict(zip(source.order, row.order, strict=True))}
    changed = {name: value for name, value in after.items() if before[name] != value}
    if not changed:
        return []
    was = {name: before[name] for name in changed}
    return [Change(source.table.label, row.key, was, changed)]


def _delete(source: Source, row: Row) -> Change:
    return Change(source.table.label, row.key, row.cells, None)


def _rotated(
    source: Source, conversation: Conversation, origins: list[int | None], slots: list[Cells]
) -> list[Change]:
    rows = conversation.rows
    targets = rotate(origins, len(rows))
    made: list[Change] = []
    added = 0
    for target, cells in zip(targets, slots, strict=True):
        if target is not None:
            made += _update(source, rows[target], cells)
        else:
            key = new_key(source, rows[-1], added)
            own = cells | cells_of_new(source, conversation, rows[-1], added)
            made.append(Change(source.table.label, key, None, own, like=rows[-1].key))
            added += 1
    held = set(targets)
    return made + [_delete(source, row) for k, row in enumerate(rows) if k not in held]


def respaced(
    source: Source, conversation: Conversation, origins: list[int | None], slots: list[Cells]
) -> list[Change]:
    """Say which rows change so that the slots are in order by a number, or a time."""
    rows = conversation.rows
    first = source.order[0]
    given = [row.order[0] for row in rows]
    stamps = places(given, source.table.columns[first].type)
    old = [value for value, _ in stamps]
    values = respace(origins, old)
    if are_days(given) and pushes(origins, old, values):  # no message gets another date
        raise UnreadableError(no_room(first))
    moves: dict[int, tuple[int, int, Change]] = {}
    edits: list[Change] = []
    inserts: list[Change] = []
    like = rows[0]
    for slot, (origin, value) in enumerate(zip(origins, values, strict=True)):
        if origin is None:
            cells = {first: stamps[0][1](value), **slots[slot]}
            cells |= cells_of_new(source, conversation, like, slot)
            key = new_key(source, like, slot)
            inserts.append(Change(source.table.label, key, None, cells, like=like.key))
            continue
        like = rows[origin]
        was, write = stamps[origin]
        if value == was:
            edits += _update(source, like, slots[slot])
            continue
        own = {} if slots[slot] is like.cells else slots[slot]
        for change in _update(source, like, {**own, first: write(value)}):
            moves[origin] = (was, value, change)
    held = set(origins)
    deletes = [_delete(source, row) for k, row in enumerate(rows) if k not in held]
    spare = max(old + values) + 1
    return deletes + edits + _in_turn(first, moves, spare, stamps[0][1]) + inserts


def _in_turn(
    column: str, moves: dict[int, tuple[int, int, Change]], spare: int, write: Write
) -> list[Change]:
    """Order moves so that each finds its place free: numbers may be unique in a conversation."""
    made: list[Change] = []
    holder = {was: row for row, (was, _, _) in moves.items()}
    while moves:
        chain = [next(iter(moves))]
        while (row := holder.get(moves[chain[-1]][1])) in moves and row != chain[0]:
            chain.append(row)
        if row == chain[0]:  # a circle: one row waits aside
            was, value, change = moves[row]
            before, aside = change.before or {}, {column: write(spare)}
            made.append(Change(change.table, change.key, {column: before[column]}, aside))
            key = {name: aside.get(name, cell) for name, cell in change.key.items()}
            moves[row] = (was, value, replace(change, key=key, before=before | aside))
        made += [moves.pop(row)[2] for row in reversed(chain)]
    return made
