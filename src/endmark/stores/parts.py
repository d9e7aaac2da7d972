"""Layout `parts`: a table of messages, and one of parts with a part's fields in columns."""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from endmark.errors import StoreError, UnreadableError, kind_of
from endmark.formats import Rebuilt
from endmark.stores import json_text
from endmark.stores._store import PartTable
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row
from endmark.stores.json_align import align
from endmark.stores.new_rows import NAMESPACE
from endmark.stores.select import label, of_conversations, read_rows
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells, Table, rows_of


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read conversations: their messages, then the parts of each."""
    found = {id_: Conversation(id_) for id_ in ids}
    condition, values = of_conversations(source, ids)
    by_key: dict[Cell, Row] = {}
    for id_, row in read_rows(source, connection, condition, values, lock=lock):
        found.setdefault(id_, Conversation(id_)).rows.append(row)
        by_key[next(iter(row.key.values()))] = row
    for message_key, part in _part_rows(source, connection, condition, values, lock=lock):
        if message_key in by_key:
            by_key[message_key].parts.append(part)
    for conversation in found.values():
        for row in conversation.rows:
            try:
                _assemble(source, row)
            except UnreadableError as error:
                conversation.leave_out(f"row {label(row.key)}: {error}")
            else:
                conversation.history.append(row.message or {})
    return list(found.values())


def open_second(source: Source, connection: Connection) -> Table:
    """Open the table of the parts, as far as its version goes. Raises `StoreError`."""
    parts = source.store.parts
    if parts is None:
        raise StoreError(f"store {source.name}: layout 'parts' needs a table of parts")
    schema = parts.schema or source.store.schema
    table = source.add_table(connection, parts.table, (parts.message, parts.order), schema)
    gone = {name for name in parts.optional if name not in table.columns}
    if gone:
        fields = {name: key for name, key in parts.fields.items() if name not in gone}
        parts = replace(parts, fields=fields, json=parts.json - gone)
        source.store = replace(source.store, parts=parts)
    table.require([*parts.fields, *parts.json, *([parts.payload] if parts.payload else [])])
    return table


def read_sample(source: Source, row: Row) -> list[Any]:
    """Read a part alone, as a message that holds nothing else. Raises `UnreadableError`."""
    part = read_part(source, row.cells)
    return [{**source.format.said, "role": "assistant", source.format.body: [part]}]


def _part_rows(
    source: Source, connection: Connection, condition: str, values: dict[str, Any], *, lock: bool
) -> list[tuple[Cell, Row]]:
    table, spec = _part_table(source)
    key = table.key(spec.key)
    columns = [spec.payload] if spec.payload else list(spec.fields)
    names = [spec.message, *key, *columns]
    messages = source.table
    sql = (
        f"SELECT {', '.join(table.read(name) for name in names)} FROM {table.ref} "
        f"WHERE {table.quote(spec.message)} IN (SELECT {messages.quote(source.key[0])} "
        f"FROM {messages.ref} WHERE {condition}) "
        f"ORDER BY {table.sort([spec.message, spec.order, *key])}"
    )
    if lock and table.dialect == "postgresql":
        sql += " FOR UPDATE"
    rows = []
    for cells in rows_of(connection, sql, values):
        own = dict(zip(key, cells[1:], strict=False))
        fields = dict(zip(columns, cells[1 + len(key) :], strict=True))
        rows.append((cells[0], Row(key=own, order=(), cells=fields)))
    return rows


def _part_table(source: Source) -> tuple[Table, PartTable]:
    assert source.second is not None
    assert source.store.parts is not None
    return source.second, source.store.parts


def _assemble(source: Source, row: Row) -> None:
    for part in row.parts:
        part.payload = read_part(source, part.cells)
    own: dict[str, Any] = {"role": "assistant"}
    if source.store.payload:
        payload = source.payload_of(row)
        if not isinstance(payload, dict):
            raise UnreadableError(f"the payload is {kind_of(payload)}, not an object")
        own |= payload
    if source.store.role:
        own["role"] = row.cells[source.store.role]
    parts = [part.payload for part in row.parts]
    row.message = own | {"id": str(next(iter(row.key.values()))), source.format.body: parts}


def read_part(source: Source, cells: Cells) -> dict[str, Any]:
    """Read one part from its columns. Raises `UnreadableError`."""
    table, spec = _part_table(source)
    if spec.payload:
        return _whole(cells[spec.payload])
    type_ = _type(spec, cells)
    return {
        spec.fields[column]: _value(table, spec, column, cell)
        for column, cell in cells.items()
        if (cell is not None or _is_null(spec, column, cells))
        and spec.of_type.get(column, type_) == type_
    }


def _whole(cell: Cell) -> dict[str, Any]:
    part = json_text.read(cell) if isinstance(cell, str | bytes) else None
    if not isinstance(part, dict):
        msg = "a part is not a JSON object"
        raise UnreadableError(msg)
    return part


def _is_null(spec: PartTable, column: str, cells: Cells) -> bool:
    other, value = spec.null_if.get(column, (column, ""))
    return cells[other] == value


def _type(spec: PartTable, cells: Cells) -> Cell:
    return next((cells[column] for column, name in spec.fields.items() if name == "type"), None)


def _value(table: Table, spec: PartTable, column: str, cell: Cell) -> Any:
    if cell is None:
        return None
    if column in spec.json:
        return json_text.read(cell)  # type: ignore[arg-type]
    if table.columns[column].type.lower().startswith("bool"):
        return cell in (True, "true", "t")
    return cell


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say which part rows change; messages themselves never do in an inline format."""
    made: list[Change] = []
    for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True):
        assert origin is not None
        row = conversation.rows[origin]
        if message is not row.message:
            made += _changed(source, row, message[source.format.body])
    for gone in set(range(len(conversation.rows))) - set(rebuilt.origins):
        made += [_delete(source, part) for part in conversation.rows[gone].parts]
    return made


def _delete(source: Source, part: Row) -> Change:
    table, _ = _part_table(source)
    return Change(table.label, part.key, part.cells, None)


def _changed(source: Source, row: Row, new: list[Any]) -> list[Change]:
    old = [part.payload for part in row.parts]
    pairs = align(old, new)
    spare = [k for k in range(len(old)) if k not in pairs]
    made: list[Change] = []
    for k, (part, pair) in enumerate(zip(new, pairs, strict=True)):
        origin = spare.pop(0) if pair is None and spare else pair
        if origin is None:
            made.append(_insert(source, row, part, k))
        elif part is not old[origin]:
            made += _update(source, row.parts[origin], part)
    return made + [_delete(source, row.parts[k]) for k in spare]


def _update(source: Source, row: Row, part: dict[str, Any]) -> list[Change]:
    table, _ = _part_table(source)
    cells = _cells(source, row, part)
    after = {name: cell for name, cell in cells.items() if cell != row.cells[name]}
    if not after:
        return []
    before = {name: row.cells[name] for name in after}
    return [Change(table.label, row.key, before, after)]


def _cells(source: Source, row: Row | None, part: dict[str, Any]) -> Cells:
    """Give a part's columns; what has no column of its own is not stored."""
    table, spec = _part_table(source)
    old = row.payload if row is not None else {}
    if spec.payload:
        was = row.cells[spec.payload] if row is not None else None
        text = was.decode() if isinstance(was, bytes) else str(was or "")
        new = json_text.splice(text, old, part) if row is not None else json_text.write(part)
        return {spec.payload: new.encode() if isinstance(was, bytes) else new}
    cells: Cells = {}
    for column, name in spec.fields.items():
        served = spec.of_type.get(column, part["type"]) == part["type"]
        if row is not None and (
            old.get("type") == part["type"]
            if not served
            else name in part and name in old and part[name] is old[name]
        ):
            cells[column] = row.cells[column]
        elif not served or name not in part:
            cells[column] = None
        elif column in spec.json:
            was = row.cells[column] if row is not None else None
            cells[column] = (
                json_text.splice(str(was), old[name], part[name])
                if was is not None
                else json_text.write(part[name])
            )
        elif table.columns[column].type.lower().startswith("bool"):
            cells[column] = str(part[name]).lower() if table.dialect == "postgresql" else part[name]
        else:
            cells[column] = part[name]
    return cells


def _insert(source: Source, row: Row, part: dict[str, Any], ordinal: int) -> Change:
    table, spec = _part_table(source)
    if not row.parts:
        msg = f"message {row.key} has no part to model a new one on"
        raise UnreadableError(msg)
    like = row.parts[-1]
    key: Cells = {
        name: str(uuid.uuid5(NAMESPACE, f"{table.label}:{like.key}:{ordinal}")) for name in like.key
    }
    cells = _cells(source, None, part)
    return Change(table.label, key, None, {**cells, spec.order: ordinal}, like=like.key)
