"""Layout `checkpoints`: every state of a conversation is a row, and the newest one, the head, counts.

Nothing that is there is changed: a healed conversation gets a new head behind the old one, as
LangGraph's `update_state` makes it. Where the calls at the end were answered, the step that was to
run them is given up, as a new message gives it up too; else what was to run next stays.

https://github.com/langchain-ai/langgraph/tree/main/libs/checkpoint
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.stores import checkpoint_ids, checkpoint_writes, json_text, message_lists
from endmark.stores.changes import Change
from endmark.stores.checkpoint_body import Blob, Body, Told, body_of
from endmark.stores.conversation import Conversation, Row
from endmark.stores.message_lists import MessageList
from endmark.stores.msgpack import Raw
from endmark.stores.select import of_conversations, only
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells, rows_of

BESIDE = ("writes",)
OPAQUE = True  # the payload is no JSON text that a database could look into
USUAL = "messages"
DELTA = ("counters_since_delta_snapshot", "delta_writes_versioned")
DELTA_REASON = (
    f"it keeps messages as a chain of writes (DeltaChannel), which is beta; {message_lists.WAY_OUT}"
)
HALF_DONE = (
    "its last step is half done and still open, and a new state would forget what was done; let it "
    "be finished, or give it up with --include-frontier"
)
_ODD = (AttributeError, IndexError, KeyError, TypeError, ValueError)
TASKS, START = "__pregel_tasks", "__start__"


@dataclass(slots=True)
class Head:
    """The newest checkpoint of a conversation, read."""

    body: Body
    metadata: dict[str, Any]
    lists: dict[str, MessageList] = field(default_factory=dict)
    beside: dict[int, Raw] = field(default_factory=dict)  # bytes of results that wait beside it
    half_done: bool = False  # calls at the end are open, and tasks of its step have finished


def load(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
) -> list[Conversation]:
    """Read the heads of conversations, and closer those that may be poisoned."""
    found = {id_: Conversation(id_) for id_ in ids}
    rows = _heads(source, connection, ids, lock=lock)
    blobs = checkpoint_writes.blobs(source, connection, ids) if "blobs" in source.beside else {}
    for id_, row in rows:
        conversation = found.setdefault(id_, Conversation(id_))
        conversation.rows.append(row)
        try:
            _read(source, conversation, row, blobs.get(id_, {}))
            if any(source.format.skim(c.history) for c in (conversation, *conversation.others)):
                checkpoint_writes.look_closer(source, connection, conversation)
        except UnreadableError as error:
            conversation.leave_out(str(error))
        except _ODD as error:
            conversation.leave_out(f"it is no checkpoint ({type(error).__name__} while reading it)")
    return list(found.values())


def _heads(
    source: Source, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool
) -> list[tuple[tuple[Cell, ...], Row]]:
    table, store = source.table, source.store
    condition, values = of_conversations(source, ids)
    more, more_values = only(source)
    names = [*store.conversation, *store.order, *source.content, "parent_checkpoint_id", "metadata"]
    kind = [table.read("type")] if source.table.columns[store.payload].type != "jsonb" else []
    named = ", ".join(table.quote(name) for name in (*store.conversation, *store.order))
    group = ", ".join(table.quote(name) for name in store.conversation)
    newest = f"max({table.quote(store.order[0])})"
    sql = (
        f"SELECT {', '.join([*map(table.read, names), *kind])} FROM {table.ref} WHERE ({named}) IN "
        f"(SELECT {group}, {newest} FROM {table.ref} WHERE {condition}{more} GROUP BY {group})"
    )
    if lock and table.dialect == "postgresql":
        sql += " FOR UPDATE"
    n = len(store.conversation)
    rows = []
    for cells in rows_of(connection, sql, values | more_values):
        own = dict(zip(names, cells, strict=False))
        row = Row(
            key={name: own[name] for name in source.key},
            order=cells[n : n + 1],
            cells=own | {"type": cells[-1] if kind else "json"},
            written=checkpoint_ids.moment(cells[n]),
        )
        rows.append((cells[:n], row))
    return rows


def _read(
    source: Source,
    conversation: Conversation,
    row: Row,
    blobs: dict[str, Blob],
) -> None:
    """Read a head: each channel that holds messages is a history."""
    metadata = row.cells["metadata"]
    read = json_text.read(metadata) if isinstance(metadata, str | bytes) else {}
    told = read if isinstance(read, dict) else {}
    if any(sign in told for sign in DELTA):
        raise UnreadableError(DELTA_REASON)
    body = body_of(str(row.cells["type"] or ""), row.cells[source.store.payload])
    if isinstance(body, Told):
        body.blobs = blobs
    lists = {name: one for name, one in body.lists().items() if not name.startswith("__")}
    row.payload = Head(body, told, dict(sorted(lists.items(), key=_first)))
    if not lists:
        sealed = [why for blob in blobs.values() if (why := message_lists.refusal(blob.kind))]
        if sealed:
            raise UnreadableError(sealed[0])
    histories = [one.messages for one in row.payload.lists.values()]
    if histories:
        conversation.history = histories[0]
        conversation.others = [
            Conversation(conversation.id, conversation.rows, history) for history in histories[1:]
        ]


def _first(item: tuple[str, MessageList]) -> tuple[bool, int]:
    """Take for a conversation's own history what is called so, else the longest list."""
    name, list_ = item
    return name != USUAL, -len(list_.messages)


def changes(source: Source, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
    """Give the rows of a new head."""
    [row] = conversation.rows
    head: Head = row.payload
    body = head.body
    new_id = checkpoint_ids.after(row.order[0])
    given = [rebuilt, *(other.rebuilt or Rebuilt() for other in conversation.others)]
    histories = [conversation.history, *(other.history for other in conversation.others)]
    changed: dict[str, list[Any]] = {}
    for name, made, history in zip(head.lists, given, histories, strict=True):
        if made.messages and list(map(id, made.messages)) != list(map(id, history)):
            changed[name] = head.lists[name].written(made, head.beside, f"{new_id}:{name}")
    gone = []
    if list(map(id, rebuilt.messages[-1:])) != list(map(id, conversation.history[-1:])):
        gone = _given_up(body)
    elif head.half_done:
        raise UnreadableError(HALF_DONE)
    versions: dict[str, Any] = body.field("channel_versions") or {}
    version = checkpoint_ids.next_version(versions, new_id)
    fields: dict[str, Any] = {
        "id": new_id,
        "channel_versions": versions | dict.fromkeys([*changed, *gone], version),
    }
    fields |= _seen(body, gone, versions)
    if body.field("updated_channels") is not None:
        fields["updated_channels"] = None  # let LangGraph look at all of them
    cells: Cells = {source.store.payload: body.written(fields, changed, gone)}
    cells["parent_checkpoint_id"] = row.order[0]
    cells["metadata"] = _metadata(row.cells["metadata"], head.metadata)
    key = row.key | {source.store.order[0]: new_id}
    made_blobs = _blobs(source, row, changed, version)
    newest = source.store.order[0]
    head_row = Change(source.table.label, key, None, cells, like=row.key, newest=newest)
    return [*made_blobs, head_row]


def _given_up(body: Body) -> list[str]:
    """Name the channels that would start the step which was cut off.

    A new message that is not yet among the others stands in one of them: then all stay.
    """
    held = body.held()
    if START in held:
        return []
    nodes = body.field("versions_seen") or {}
    return [
        name
        for name in held
        if name.startswith(("branch:", "start:"))
        or name == TASKS
        or name in nodes
        or (name.startswith("join:") and _is_full(name, body.items(name)))
    ]


def _is_full(name: str, waiting: list[Any] | None) -> bool:
    """Tell whether all nodes that a node waits for have run."""
    names = name.split(":")[1].split("+")
    return waiting is not None and sorted(map(str, waiting)) == sorted(names)


def _seen(body: Body, gone: list[str], versions: dict[str, Any]) -> dict[str, Any]:
    """Note the steps that are given up as seen by their nodes, as LangGraph does."""
    seen = {node: dict(given) for node, given in (body.field("versions_seen") or {}).items()}
    for name in gone:
        node = name.removeprefix("branch:to:")
        if node != name and name in versions:
            seen.setdefault(node, {})[name] = versions[name]
    return {"versions_seen": seen} if gone else {}


def _metadata(cell: Cell, metadata: dict[str, Any]) -> Cell:
    left = {name: value for name, value in metadata.items() if name not in ("writes", "run_id")}
    made = {**left, "source": "update", "step": metadata.get("step", -1) + 1}
    text = cell.decode() if isinstance(cell, bytes) else str(cell)
    written = json_text.splice(text, metadata, made)
    return written.encode() if isinstance(cell, bytes) else written


def _blobs(source: Source, row: Row, changed: dict[str, list[Any]], version: Any) -> list[Change]:
    """Give the rows of channels that stand beside the checkpoint."""
    body = row.payload.body
    if "blobs" not in source.beside:
        return []
    versions, label = body.field("channel_versions"), source.beside["blobs"].label
    made = []
    for channel, items in changed.items():
        if channel in body.beside:
            own = {name: row.key[name] for name in source.store.conversation}
            like = own | {"channel": channel, "version": str(versions[channel])}
            data = body.beside[channel].packed(items)
            cells: Cells = {"blob": "\\x" + data.hex()}
            made.append(Change(label, like | {"version": str(version)}, None, cells, like=like))
    return made


def read_sample(source: Source, row: Row) -> list[Any]:
    """See that a payload may be a checkpoint. Raises `UnreadableError` for what is none.

    Its messages may stand elsewhere. What begins like neither is pickled or encrypted.
    """
    cell = row.cells[source.store.payload]
    data = cell.encode() if isinstance(cell, str) else cell
    if isinstance(data, bytes) and data[:1] == b"{":
        body_of("json", data)
    elif isinstance(data, bytes) and data and (0x80 <= data[0] <= 0x8F or data[0] == 0xDE):
        body_of("msgpack", data)
    return [dict(source.format.said)]
