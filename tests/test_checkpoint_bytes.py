"""What a healed checkpoint is made of: bytes that stay, ids and versions that grow."""

from __future__ import annotations

import uuid

import pytest

from endmark import heal, stores
from endmark.errors import UnreadableError
from endmark.heal import Item
from endmark.stores import Source, checkpoint_ids, msgpack
from endmark.stores.checkpoint_body import Packed
from fix_databases import Database
from test_checkpoints import FIRST, apply
from test_known_stores import detected, fill


def test_untouched_messages_keep_their_bytes(database: Database) -> None:
    name = "langgraph" if database.name == "sqlite" else "langgraph-postgres"
    fill(database, name)
    [store] = detected(database)
    old = raws(database, store)
    apply(database)
    new = raws(database, store)
    assert {thread: len(items) for thread, items in new.items()} == {
        "batch": 4,
        "next": 5,
        "paused": 2,
    }
    for thread, items in old.items():
        assert set(items) <= set(new[thread])
    for thread in ("batch", "next"):
        assert [b"21 degrees" in item for item in new[thread]][2:4] == [True, False]
        assert [b"langchain_core.messages.tool" in item for item in new[thread]][2:4] == [True] * 2


def raws(database: Database, store: stores.Store) -> dict[str, list[bytes]]:
    with database.engine.connect() as connection:
        source = Source(connection, store)
        ids = [(name, "") for name in ("batch", "next", "paused")]
        return {
            str(found.id[0]): [bytes(raw) for raw in found.rows[0].payload.lists["messages"].raws]
            for found in source.load(connection, ids)
        }


def test_a_shallow_saver_is_refused(database: Database) -> None:
    if database.name == "sqlite":
        pytest.skip("there is none for SQLite")
    columns = "thread_id TEXT, checkpoint_ns TEXT, type TEXT"
    key = "PRIMARY KEY (thread_id, checkpoint_ns"
    with database.engine.begin() as connection:
        for sql in (
            f"CREATE TABLE checkpoints ({columns}, checkpoint JSONB, metadata JSONB, {key}))",
            f"CREATE TABLE checkpoint_blobs ({columns}, channel TEXT, blob BYTEA, {key}, channel))",
            "INSERT INTO checkpoints VALUES ('t', '', NULL, '{}', '{}')",
        ):
            connection.exec_driver_sql(sql)
    [store] = detected(database)
    assert store.name == "langgraph-shallow"
    items: list[Item] = []
    heal.scan(database.engine, [store], on_item=items.append)
    [item] = items
    assert item.status == "skipped"
    assert "update_state" in (item.reason or "")


def test_ids_and_versions_grow() -> None:
    edge = "1f1ece10-3908-6fff-bfff-0123456789ab"
    assert checkpoint_ids.after(FIRST) == "1f1ece10-3908-6501-bfff-0123456789ab"
    assert checkpoint_ids.after(edge) == "1f1ece10-3909-6000-bfff-0123456789ab"
    assert checkpoint_ids.moment("1f1ece37-4fd5-6afc-8001-315fa7faf32c") == pytest.approx(
        1796059708.968, abs=0.01
    )
    for other in (None, "2026-01-01", str(uuid.uuid4())):
        assert checkpoint_ids.moment(other) is None
        with pytest.raises(UnreadableError):
            checkpoint_ids.after(other)
    theirs = {"a": f"{3:032}.0.6940418170600116", "b": f"{12:032}.0.1"}
    made = checkpoint_ids.next_version(theirs, "x")
    assert made > max(theirs.values())
    assert made.startswith(f"{13:032}.0.")
    assert checkpoint_ids.next_version({"a": 3, "b": 12}, "x") == 13


def test_a_checkpoint_in_messagepack_is_written_around_what_is_new() -> None:
    given = {"v": 4, "channel_values": {"a": [1], "b": {"x": 2.5}, "c": None}, "id": "old"}
    body = Packed.of(msgpack.write(given))
    assert bytes(body.written({}, {}, [])) == bytes(msgpack.write(given))
    made = msgpack.read(body.written({"id": "new"}, {"a": [1, 2]}, ["c"]))
    assert made == {"v": 4, "channel_values": {"a": [1, 2], "b": {"x": 2.5}}, "id": "new"}
