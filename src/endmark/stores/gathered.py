"""Layout `gathered`: a message a row, its calls in a column, results found by the id of the call.

What a row answers stands in a second table. The reader puts each result behind its call, wherever
its row stands, and leaves out those of no call: so does this. A new result is a row behind its
call and one in the second table; none is moved or taken out.
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection

from endmark.errors import StoreError, UnreadableError
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.stores import json_text
from endmark.stores._store import Answers
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row
from endmark.stores.new_rows import new_key
from endmark.stores.order import places
from endmark.stores.select import label, of_conversations, read_rows
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells, Table, rows_of


def open_second(source: Source, connection: Connection) -> Table:
    """Open the table with a row for each result. Raises `StoreError` for a wrong mapping."""
    answers = source.store.answers
    if answers is None:
        raise StoreError(f"store {source.name}: layout 'gathered' needs its answers")
    return source.add_table(connection, answers.table, (answers.call_id, *answers.fields))


def read_sample(source: Source, row: Row) -> list[Any]:
    """Read the message of a row alone. Raises `UnreadableError`."""
    return [message_of(source, row)]


def may_hold_calls(source: Source) -> tuple[str, dict[str, Any]]:
    """Make the condition that a row is worth reading at all."""
    find = "instr" if source.table.dialect == "sqlite" else "strpos"
    column, gate = source.table.read(source.store.payload), source.format.gate
    return f"{find}({column}, :gate) > 0", {"gate": gate}


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read conversations row by row, each result behind its call."""
    found = {id_: Conversation(id_) for id_ in ids}
    condition, values = of_conversations(source, ids)
    stored: dict[tuple[Cell, ...], list[Row]] = {}
    by_key: dict[Cell, Row] = {}
    for id_, row in read_rows(source, connection, condition, values, lock=lock):
        stored.setdefault(id_, []).append(row)
        by_key[_key(row)] = row
    for key, side in _side_rows(source, connection, condition, values, lock=lock):
        if key in by_key:
            by_key[key].parts.append(side)
    for id_, rows in stored.items():
        conversation = found.setdefault(id_, Conversation(id_))
        for row in rows:
            try:
                row.message = message_of(source, row)
                source.format.call_ids(row.message)  # they say where the results go
            except UnreadableError as error:
                conversation.leave_out(f"row {label(row.key)}: {error}")
            else:
                conversation.history.append(row.message)
        if conversation.problem is None:
            conversation.rows = list(_gathered(source, rows))
            conversation.history = [row.message or {} for row in conversation.rows]
            conversation.branches = _branches(source, conversation.rows)
    return list(found.values())


def _key(row: Row) -> Cell:
    return next(iter(row.key.values()))


def _spec(source: Source) -> tuple[Table, Answers]:
    assert source.second is not None
    assert source.store.answers is not None
    return source.second, source.store.answers


def _side_rows(
    source: Source, connection: Connection, condition: str, values: dict[str, Any], *, lock: bool
) -> Iterator[tuple[Cell, Row]]:
    (table, spec), messages = _spec(source), source.table
    [key] = table.key(())
    names = [c for c in (spec.call_id, spec.waits) if c in table.columns]
    sql = f"SELECT {', '.join(table.read(name) for name in (key, *names))} FROM {table.ref} "
    sql += f"WHERE {table.quote(key)} IN (SELECT {messages.quote(source.key[0])} "
    sql += f"FROM {messages.ref} WHERE {condition})"
    if lock and table.dialect == "postgresql":
        sql += " FOR UPDATE"
    for id_, *cells in rows_of(connection, sql, values):
        yield id_, Row(key={key: id_}, order=(), cells=dict(zip(names, cells, strict=True)))


def message_of(source: Source, row: Row) -> Message:
    """Read the message of a row, and of the one that says what it answers."""
    store, cell = source.store, row.cells[source.store.payload]
    assert store.answers is not None
    row.payload = None if cell is None else json_text.read(cell)  # type: ignore[arg-type]
    message: Message = {"role": row.cells[store.role or ""]}
    message["content"] = row.cells[store.answers.content]
    if row.payload is not None:
        message[store.answers.calls] = row.payload
    for side in row.parts:
        message[store.answers.answers] = side.cells[store.answers.call_id]
        waits = side.cells.get(store.answers.waits)
        if waits is not None:
            message[store.answers.waiting] = side.payload = json_text.read(waits)  # type: ignore[arg-type]
    return message


def _gathered(source: Source, rows: Sequence[Row]) -> Iterator[Row]:
    """Give the rows as they are read: of several for one call, that of its parent, else the last."""
    spec = _spec(source)[1]
    results: dict[Any, list[Row]] = {}
    for row in rows:
        if row.parts:
            results.setdefault((row.message or {}).get(spec.answers), []).append(row)
    for row in rows:
        if row.message is not None and source.format.call_ids(row.message):
            yield row
            for id_ in source.format.call_ids(row.message):
                mine = results.get(id_) if id_ else None
                if mine:
                    own = [one for one in mine if one.cells.get(spec.parent) == _key(row)]
                    taken = (own or mine)[-1]
                    yield taken
                    # The others for this call are not read; those of another call of its id are.
                    results[id_] = [one for one in mine if one is not taken and one not in own]
        elif not row.parts:
            yield row


def _branches(source: Source, rows: Sequence[Row]) -> list[list[int]]:
    """Give the main line, and with each thread the thread behind it."""
    name = _spec(source)[1].thread
    of = [row.cells.get(name) for row in rows]
    threads = dict.fromkeys(thread for thread in of if thread is not None)
    lines = [[k for k, thread in enumerate(of) if thread is None]] if threads else []
    lines += [[k for k, its in enumerate(of) if its in (None, thread)] for thread in threads]
    return [line for line in lines if line]


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say which rows change, and which are new, in both tables."""
    made: list[Change] = []
    asked: Row | None = None
    for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True):
        if origin is None:
            assert asked is not None
            made += _inserted(source, asked, message)
            continue
        row, old = conversation.rows[origin], conversation.history[origin]
        if message is not old:
            made += _edited(source, row, old, message)
        if source.format.call_ids(message):
            asked = row
            row.message = message
    return made


def _edited(source: Source, row: Row, old: Message, new: Message) -> list[Change]:
    (table, spec), store = _spec(source), source.store
    own, side = Cells(), Cells()
    for name, value in new.items():
        if name in old and old[name] is value:
            continue
        if name == spec.content:
            own[spec.content] = value
        elif name == spec.calls:
            own[store.payload] = json_text.splice(str(row.cells[store.payload]), row.payload, value)
        elif name == spec.answers:
            side[spec.call_id] = value
        elif name == spec.waiting:
            [of] = row.parts
            side[spec.waits] = json_text.splice(str(of.cells[spec.waits]), of.payload, value)
        else:
            raise UnreadableError(f"{source.table.label} has no place for {name} of a message")
    made = []
    for label_, one, after in (
        (source.table.label, row, own),
        *((table.label, part, side) for part in row.parts),
    ):
        if after:
            before = {name: one.cells[name] for name in after}
            made.append(Change(label_, one.key, before, after))
    return made


def _inserted(source: Source, asked: Row, message: Message) -> list[Change]:
    """Make the row of a result, like that of its call, and the one that says what it answers."""
    (table, spec), store = _spec(source), source.store
    call_id, order = message[spec.answers], source.order[0]
    at = list(source.format.call_ids(asked.message or {})).index(call_id)
    key = new_key(source, asked, at)
    [(stamp, write)] = places([asked.order[0]], source.table.columns[order].type)
    none = [store.payload, *(name for name in spec.blank if name in source.table.columns)]
    cells: Cells = dict.fromkeys(none)
    cells |= {store.role or "": message["role"], spec.content: message["content"]}
    cells |= {spec.parent: _key(asked), order: write(stamp + 1 + at)}
    told = {column: message[spec.told].get(name) for column, name in spec.fields.items()}
    shared = {name: asked.cells[name] for name in spec.shared if name in table.columns}
    [named] = table.key(())
    side: Cells = {spec.call_id: call_id, **told, **shared}
    return [
        Change(source.table.label, key, None, cells, like=asked.key),
        Change(table.label, {named: next(iter(key.values()))}, None, side),
    ]
