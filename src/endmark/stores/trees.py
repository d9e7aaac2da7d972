"""Layout `tree`: messages by their ids in one JSON value, each naming the one before it.

A second table may hold the same messages, a row each. Where both say the same of what the format
edits, they are one message and are written together; where only one says anything, that one is
healed. Where they contradict each other about a message that is not sound, the conversation is
left alone: what one lacks may be what the other knows. Messages are only edited where they are:
none is put in or taken out, so that every pointer to one keeps its meaning.
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from sqlalchemy import Connection

from endmark.errors import StoreError, UnreadableError
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.stores import json_text
from endmark.stores._store import Tree
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row
from endmark.stores.select import among, label, of_conversations, read_rows
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells, Table, rows_of


class Entry(NamedTuple):
    """One message: its id, whether the payload holds it, and the row that does."""

    id: str
    message: Message
    held: bool
    row: Row | None


def open_second(source: Source, connection: Connection) -> Table | None:
    """Open the table that holds the messages a second time, None where there is none."""
    tree = source.store.tree
    if tree is None:
        raise StoreError(f"store {source.name}: layout 'tree' needs a tree")
    if tree.table is None:
        return None
    return source.add_table(connection, tree.table, (tree.conversation, *tree.fields))


def read_sample(source: Source, row: Row) -> list[Any]:
    """Read the messages of a row alone. Raises `UnreadableError`."""
    return [entry.message for entry in read(source, row)]


def may_hold_calls(source: Source) -> tuple[str, dict[str, Any]]:
    """Make the condition that a tree, or a row of its second table, is worth reading at all."""
    table, tree, gate = source.table, source.store.tree, source.format.gate
    find = "instr" if table.dialect == "sqlite" else "strpos"
    found = [f"{find}({table.read(source.store.payload)}, :gate) > 0"]
    if source.second is not None and tree is not None:
        nodes, [named] = source.second, source.store.conversation
        rows = f"SELECT 1 FROM {nodes.ref} AS n WHERE n.{nodes.quote(tree.conversation)}"
        rows += f" = {table.ref}.{table.quote(named)} AND ("
        cells = [f"CAST(n.{nodes.quote(name)} AS TEXT)" for name in sorted(tree.json)]
        found.append(f"EXISTS ({rows}{' OR '.join(f'{find}({c}, :gate) > 0' for c in cells)}))")
    return f"({' OR '.join(found)})", {"gate": gate}


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read conversations, each from its one row and the rows of its messages."""
    found = {id_: Conversation(id_) for id_ in ids}
    for id_, row in read_rows(source, connection, *of_conversations(source, ids), lock=lock):
        found.setdefault(id_, Conversation(id_)).rows.append(row)
    for id_, row in _node_rows(source, connection, list(found), lock=lock):
        if found[id_].rows:
            found[id_].rows[0].parts.append(row)
    for conversation in found.values():
        for row in conversation.rows:
            try:
                entries = read(source, row)
                _require_agreement(source, entries)
            except UnreadableError as error:
                conversation.leave_out(f"row {label(row.key)}: {error}")
                continue
            conversation.history = [entry.message for entry in entries]
            conversation.branches = list(_branches(entries, _tree(source).parent))
        if len(conversation.rows) > 1:
            conversation.problem = "more than one row holds this conversation's tree"
    return list(found.values())


def _tree(source: Source) -> Tree:
    assert source.store.tree is not None
    return source.store.tree


def _node_rows(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool
) -> Iterator[tuple[tuple[Cell, ...], Row]]:
    table, tree = source.second, _tree(source)
    if table is None or not ids:
        return
    key = table.key(())
    names = [tree.conversation, *key, *tree.fields]
    condition, values = among(table, (tree.conversation,), ids)
    sql = f"SELECT {', '.join(table.read(name) for name in names)} FROM {table.ref} "
    sql += f"WHERE {condition} ORDER BY {table.sort([tree.conversation, *key])}"
    if lock and table.dialect == "postgresql":
        sql += " FOR UPDATE"
    for id_, *cells in rows_of(connection, sql, values):
        own = dict(zip(key, cells, strict=False))
        fields = dict(zip(tree.fields, cells[len(key) :], strict=True))
        yield (id_,), Row(key=own, order=(id_,), cells=fields)


def read(source: Source, row: Row) -> list[Entry]:
    """Read the messages of a row and of those that go with it. Raises `UnreadableError`."""
    cell = row.cells[source.store.payload]
    if not isinstance(cell, str | bytes):
        msg = "the payload is not JSON text"
        raise UnreadableError(msg)
    row.payload = json_text.read(cell)
    held = _messages(row.payload, source.store.path)
    body, rows = source.format.body, _by_id(source, row)
    entries = []
    for id_ in {**held, **rows}:
        own, other = held.get(id_), rows.get(id_)
        said = other.payload if other else None
        if own is not None and said is not None:
            one, two = own.get(body), said.get(body)
            if one == two or not (one or two):
                entries.append(Entry(id_, {**own, **_known(said)}, held=True, row=other))
                continue
            # The place that says nothing is no message beside the one that does.
            own, said = own if one else None, said if two else None
        if own is not None:
            entries.append(Entry(id_, own, held=True, row=None))
        if said is not None:
            entries.append(Entry(id_, {"id": id_, **_known(said)}, held=False, row=other))
    return entries


def _require_agreement(source: Source, entries: Sequence[Entry]) -> None:
    """See that a message which is told twice is sound, or told in one way."""
    body, [named] = source.format.body, source.store.conversation
    for one, other in pairwise(entries):
        told = [entry.message for entry in (one, other)]
        if one.id != other.id or not all(message.get(body) for message in told):
            continue
        if any(source.format.skim([message]) for message in told):
            label_, table = source.table.label, source.second
            msg = (
                f"message {one.id} is not sound, and {label_} and "
                f"{table.label if table else ''} tell of it differently: make one of them like "
                f"the other first ({body}, by {named} and the message)"
            )
            raise UnreadableError(msg)


def _messages(payload: Any, path: Sequence[str]) -> dict[str, Message]:
    """Give the messages by their ids; a conversation that nobody wrote in yet has none."""
    for name in path:
        payload = payload.get(name) if isinstance(payload, dict) else None
    if payload is None:
        return {}
    if not isinstance(payload, dict):
        msg = f"{'.'.join(path)} holds no messages by their ids"
        raise UnreadableError(msg)
    return {id_: message for id_, message in payload.items() if isinstance(message, dict)}


def _by_id(source: Source, row: Row) -> dict[str, Row]:
    """Read the rows of the messages, by the ids that the tree has for them."""
    table, tree, found = source.second, _tree(source), {}
    for node in row.parts:
        assert table is not None
        node.payload = {
            name: _value(table, tree, column, node.cells[column])
            for column, name in tree.fields.items()
        }
        # By the conversation's name: a table that peewee made has no key but its rowid.
        prefix = f"{node.order[0]!s}-" if tree.prefixed else ""
        id_ = str(next(iter(node.key.values())))
        found[id_.removeprefix(prefix)] = node
    return found


def _value(table: Table, tree: Tree, column: str, cell: Cell) -> Any:
    if cell is not None and column in tree.json:
        return json_text.read(cell)  # type: ignore[arg-type]
    if cell is not None and table.columns[column].type.lower().startswith("bool"):
        return cell in (True, 1, "true", "t")
    return cell


def _known(said: Message) -> Message:
    return {name: value for name, value in said.items() if value is not None}


def _branches(entries: Sequence[Entry], parent: str) -> Iterator[list[int]]:
    """Give each way from a first message to a last one; a circle of messages is one way too."""
    places: dict[str, list[int]] = {}
    for k, entry in enumerate(entries):
        places.setdefault(entry.id, []).append(k)
    before = {entry.id: entry.message.get(parent) for entry in entries}
    lasts = [id_ for id_ in places if id_ not in set(before.values())]
    seen: set[str] = set()
    for last in [*lasts, *places]:
        if last in seen:
            continue
        way: list[str] = []
        at: Any = last
        while isinstance(at, str) and at in places and at not in way:
            way.append(at)
            at = before[at]
        seen.update(way)
        yield [k for id_ in reversed(way) for k in places[id_]]


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Say how the value changes, and the rows that hold the same messages."""
    [row] = conversation.rows
    made: list[Change] = []
    held: dict[str, tuple[Message, Message]] = {}
    for entry, old, new in zip(
        read(source, row), conversation.history, rebuilt.messages, strict=True
    ):
        if new is old:
            continue
        changed = {name: value for name, value in new.items() if old.get(name) is not value}
        if entry.row is not None:
            made += _row_change(source, entry.row, old, changed)
        if entry.held:
            held[entry.id] = (old, changed)
    column, cell = source.store.payload, row.cells[source.store.payload]
    payload = _with(source, row.payload, held)
    if payload is not row.payload:
        old_text = cell.decode() if isinstance(cell, bytes) else str(cell)
        text = json_text.splice(old_text, row.payload, payload)
        after: Cell = text.encode() if isinstance(cell, bytes) else text
        made.insert(0, Change(source.table.label, row.key, {column: cell}, {column: after}))
    return made


def _row_change(source: Source, row: Row, old: Message, changed: Message) -> list[Change]:
    table, tree = source.second, _tree(source)
    assert table is not None
    after: Cells = {}
    for column, name in tree.fields.items():
        if name not in changed:
            continue
        own, cell = row.payload[name], row.cells[column]
        value = _carried(changed[name], old.get(name), own)
        if column in tree.json:
            after[column] = json_text.splice(str(cell), own, value) if cell is not None else None
            after[column] = after[column] or json_text.write(value)
        elif table.columns[column].type.lower().startswith("bool"):
            after[column] = str(value).lower() if table.dialect == "postgresql" else int(value)
        else:
            after[column] = value
    after = {name: cell for name, cell in after.items() if cell != row.cells[name]}
    before = {name: row.cells[name] for name in after}
    return [Change(table.label, row.key, before, after)] if after else []


def _with(source: Source, payload: Any, held: dict[str, tuple[Message, Message]]) -> Any:
    """Put the changed messages into the payload, and into the lists that repeat some of them."""
    if not held:
        return payload
    tree, body = _tree(source), source.format.body

    def edited(own: Message, id_: Any) -> Message:
        if id_ not in held or held[id_][0].get(body) != own.get(body):
            return own
        old, changed = held[id_]
        more = {n: _carried(v, old.get(n), own.get(n)) for n, v in changed.items()}
        return {**own, **more}

    def within(value: Any, path: Sequence[str]) -> Any:
        if path:
            return {**value, path[0]: within(value[path[0]], path[1:])}
        return {id_: edited(own, id_) for id_, own in value.items()}

    made = within(payload, source.store.path)
    for name in tree.lists:
        listed = payload.get(name)
        if isinstance(listed, list):
            new = [edited(own, own.get("id")) if isinstance(own, dict) else own for own in listed]
            if any(a is not b for a, b in zip(listed, new, strict=True)):
                made[name] = new
    return made


def _carried(value: Any, old: Any, own: Any) -> Any:
    """Give what was made of `old` as made of `own`, its equal in another place, to keep its text."""
    twins: dict[int, Any] = {}

    def pair(one: Any, other: Any) -> None:
        if type(one) is not type(other) or one is other:
            return
        if isinstance(one, dict | list):
            twins[id(one)] = other
            keys = one if isinstance(one, dict) else range(min(len(one), len(other)))
            for key in keys:
                if isinstance(one, list) or key in other:
                    pair(one[key], other[key])

    def carry(made: Any) -> Any:
        if id(made) in twins:
            return twins[id(made)]
        if isinstance(made, dict):
            return {key: carry(child) for key, child in made.items()}
        return [carry(child) for child in made] if isinstance(made, list) else made

    pair(old, own)
    return carry(value) if twins else value
