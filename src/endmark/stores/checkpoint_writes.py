"""What stands beside a LangGraph checkpoint: channels in rows of their own, and what tasks wrote.

A task that finished while its sibling was cut off has left its result as a write of the checkpoint
that both started from. The step was never completed, so no later checkpoint has it; it is the real
result, and stands before any that could be made up.
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from endmark.errors import UnreadableError
from endmark.history import check
from endmark.model import Kind
from endmark.stores import json_text, message_lists
from endmark.stores.checkpoint_body import Blob
from endmark.stores.conversation import Conversation
from endmark.stores.select import among, of_conversations
from endmark.stores.source import Source
from endmark.stores.table import Cell, Table, rows_of

INTERRUPT, RESUME, TASKS = "__interrupt__", "__resume__", "__pregel_tasks"
CONTROL = {INTERRUPT, RESUME, "__error__", "__error_source_node__", "__scheduled__"}
OLD = 4  # before, what tasks sent was read from the writes of the parent
_PIECES = (
    "channel LIKE 'join:%' OR get_byte(blob, 0) BETWEEN 144 AND 159 "  # a list in MessagePack
    "OR get_byte(blob, 0) IN (220, 221, 91)"  # a longer one, or one in JSON
)


class Write(NamedTuple):
    """A write that a task has left: which checkpoint it started from, and the channel."""

    checkpoint: Cell
    channel: str


def blobs(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]]
) -> dict[tuple[Cell, ...], dict[str, Blob]]:
    """Read the channels of heads that stand in rows of their own; data of lists alone."""
    table, store = source.table, source.store
    condition, values = of_conversations(source, ids)
    names = [table.quote(name) for name in store.conversation]
    group, n = ", ".join(names), len(names)
    same = " AND ".join(f"b.{name} = c.{name}" for name in names)
    newest = table.quote(store.order[0])
    sql = (
        f"SELECT {', '.join(f'c.{name}' for name in names)}, b.channel, b.type, "
        f"CASE WHEN length(b.blob) > 0 AND ({_PIECES}) THEN encode(b.blob, 'hex') END "
        f"FROM {table.ref} AS c CROSS JOIN LATERAL jsonb_each_text(c.checkpoint->'channel_versions') "
        f"AS v(name, version) JOIN {source.beside['blobs'].ref} AS b "
        f"ON {same} AND b.channel = v.name AND b.version = v.version "
        f"WHERE ({', '.join(f'c.{name}' for name in [*names, newest])}) IN "
        f"(SELECT {group}, max({newest}) FROM {table.ref} WHERE {condition} GROUP BY {group})"
    )
    found: dict[tuple[Cell, ...], dict[str, Blob]] = {}
    for row in rows_of(connection, sql, values):
        channel, kind, data = row[n:]
        if kind != "empty":
            blob = Blob(kind, None if data is None else bytes.fromhex(data))
            found.setdefault(row[:n], {})[channel] = blob
    return found


def look_closer(source: Source, connection: Connection, conversation: Conversation) -> None:
    """See whether a head waits for a person, and fetch what finished tasks have left beside it.

    Raises `UnreadableError` where a result may be among what cannot be read.
    """
    [row] = conversation.rows
    head = row.order[0]
    writes = _writes(source, connection, conversation)
    here = {write.channel for write in writes if write.checkpoint == head}
    last = len(conversation.history) - 1
    is_open = last in source.format.skim(conversation.history)
    row.payload.half_done = is_open and bool(here - CONTROL)
    if TASKS in here and (row.payload.body.field("v") or OLD) < OLD:
        msg = "a task of an old version has sent others on their way; LangGraph is to finish them"
        raise UnreadableError(msg)
    conversation.paused = bool(here & {INTERRUPT, RESUME}) or (
        # A breakpoint leaves no write. Who has come past one before, and never by an interrupt,
        # may stand at one again.
        is_open
        and not here
        and INTERRUPT in (row.payload.body.field("versions_seen") or {})
        and all(write.channel != INTERRUPT for write in writes)
    )
    written = {write.checkpoint for write in writes}
    due = [id_ for id_ in _cut_off(source, connection, conversation) if id_ in written]
    for history in (conversation, *conversation.others):
        found = check(history.history, source.format)
        history.aside = _results(
            source,
            connection,
            conversation,
            due,
            {finding.call_id for finding in found if finding.kind is Kind.DANGLING},
        )


def _of_thread(
    source: Source, table: Table, conversation: Conversation
) -> tuple[str, dict[str, Any]]:
    return among(table, source.store.conversation, [conversation.id])


def _writes(source: Source, connection: Connection, conversation: Conversation) -> list[Write]:
    table = source.beside["writes"]
    condition, values = _of_thread(source, table, conversation)
    sql = f"SELECT checkpoint_id, channel FROM {table.ref} WHERE {condition}"
    return [Write(*row) for row in rows_of(connection, sql, values)]


def _cut_off(source: Source, connection: Connection, conversation: Conversation) -> list[Cell]:
    """Give the checkpoints of this branch whose step was never completed, the oldest first.

    They are the head, and those behind which a new message came in.
    """
    table = source.table
    condition, values = _of_thread(source, table, conversation)
    sql = (
        f"SELECT checkpoint_id, parent_checkpoint_id, {table.read('metadata')} "
        f"FROM {table.ref} WHERE {condition}"
    )
    rows = {id_: (parent, metadata) for id_, parent, metadata in rows_of(connection, sql, values)}
    at: Cell = conversation.rows[0].order[0]
    cut = [at]
    while at in rows:
        parent, metadata = rows.pop(at)
        if parent is not None and json_text.read(metadata or "{}").get("source") == "input":
            cut.append(parent)
        at = parent
    return cut[::-1]


def _results(
    source: Source,
    connection: Connection,
    conversation: Conversation,
    cut: list[Cell],
    ids: set[str | None],
) -> dict[str, Any]:
    """Read the results of these calls among the writes that came to nothing."""
    if not cut or not ids - {None}:
        return {}
    head = conversation.rows[0].payload
    found: dict[str, Any] = {}
    for kind, data in _values(source, connection, conversation, cut):
        why = message_lists.refusal(kind)
        if why:
            raise UnreadableError(f"a finished task has left a result: {why}")
        list_ = message_lists.read_some(kind, data)
        for k, message in enumerate(list_.messages):
            call_id = message_lists.answered(message)
            if call_id is not None and call_id in ids and call_id not in found:
                found[call_id] = message
                if list_.raws:
                    head.beside[id(message)] = list_.raws[k]
    return found


def _values(
    source: Source, connection: Connection, conversation: Conversation, cut: list[Cell]
) -> Iterator[tuple[str, bytes]]:
    """Read what was written to channels of messages, in the order in which it would be added."""
    table = source.beside["writes"]
    columns = (*source.store.conversation, "checkpoint_id")
    condition, values = among(table, columns, [(*conversation.id, id_) for id_ in cut])
    column = "value" if "value" in table.columns else "blob"
    cell = f"encode({column}, 'hex')" if table.dialect == "postgresql" else column
    names = list(conversation.rows[0].payload.lists)
    binds = ", ".join(f":channel{k}" for k in range(len(names)))
    values |= {f"channel{k}": name for k, name in enumerate(names)}
    path = "task_path, " if "task_path" in table.columns else ""
    sql = (
        f"SELECT type, {cell} FROM {table.ref} WHERE {condition} AND channel IN ({binds}) "
        f"ORDER BY checkpoint_id, {path}task_id, idx"
    )
    for kind, data in rows_of(connection, sql, values):
        yield kind or "", data if isinstance(data, bytes) else bytes.fromhex(data)
