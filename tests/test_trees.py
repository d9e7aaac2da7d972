"""Trees of messages: branches share messages, a second table repeats them, pointers stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal, stores
from endmark.heal import Item, Options
from endmark.heal.branches import examine_all
from endmark.policy import DEFAULT
from endmark.stores import Conversation, Store
from fix_databases import Database
from healing import dump

DUMPS = Path(__file__).parent / "stores" / "open-webui"
FORCED = Options(include_frontier=True)
EDITED = {"output", "done"}


@pytest.fixture
def chats(database: Database) -> Database:
    sql = (DUMPS / f"{database.name}.sql").read_text()
    connection: Any = database.engine.raw_connection()
    if database.name == "sqlite":
        connection.executescript(sql)
    else:
        connection.execute(sql)
    connection.commit()
    connection.detach()
    connection.close()
    return database


def store_of(database: Database) -> Store:
    with database.engine.connect() as connection:
        [store] = stores.detect(connection)
    return store


def rows(database: Database, sql: str) -> list[Any]:
    with database.engine.connect() as connection:
        return [
            tuple(
                json.loads(c) if isinstance(c, str) and c.startswith(("{", "[", "null")) else c
                for c in row
            )
            for row in connection.exec_driver_sql(sql)
        ]


def trees(database: Database) -> dict[str, Any]:
    return {row[0]: row[1:] for row in rows(database, "SELECT id, chat, updated_at FROM chat")}


def pruned(chat: Any) -> Any:
    """Give a chat without what a heal may edit."""
    if isinstance(chat, dict):
        return {key: pruned(value) for key, value in chat.items() if key not in EDITED}
    return [pruned(one) for one in chat] if isinstance(chat, list | tuple) else chat


def test_both_copies_change_and_nothing_else(chats: Database) -> None:
    before = trees(chats)
    heal.apply(chats.engine, [store_of(chats)], options=FORCED)
    after = trees(chats)

    assert {name: pruned(chat) for name, chat in after.items()} == {
        name: pruned(chat) for name, chat in before.items()
    }
    changed = 0
    for id_, chat_id, output, done in rows(
        chats, "SELECT id, chat_id, output, done FROM chat_message WHERE role = 'assistant'"
    ):
        message = after[chat_id][0]["history"]["messages"][id_.removeprefix(f"{chat_id}-")]
        if chat_id not in ("differs", "stripped"):
            assert (message["output"], message["done"]) == (output, bool(done)), id_
            changed += message != before[chat_id][0]["history"]["messages"][message["id"]]
    assert changed == 5
    assert after["stripped"] == before["stripped"], "the tree says nothing of the call there"
    old, _ = after["old"]
    assert old["messages"] == [
        {**message, "childrenIds": listed["childrenIds"]}
        for listed in old["messages"]
        for message in [old["history"]["messages"][listed["id"]]]
    ]


def test_a_shared_message_is_healed_once(chats: Database) -> None:
    items: list[Item] = []
    applied = heal.apply(chats.engine, [store_of(chats)], options=FORCED, on_item=items.append)

    [branches] = [item for item in items if item.conversation == "branches"]
    assert [(f.kind, f.call_id) for f in branches.findings] == [("dangling", "c2")]
    assert applied.rows_changed == 12
    output = trees(chats)["branches"][0]["history"]["messages"]["a1"]["output"]
    assert [(item["type"], item.get("call_id"), item["status"]) for item in output] == [
        ("message", None, "completed"),
        ("function_call", "c1", "completed"),
        ("function_call", "c2", "failed"),
        ("function_call_output", "c1", "completed"),
        ("function_call_output", "c2", "incomplete"),
    ]


def test_without_the_second_table(chats: Database) -> None:
    with chats.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE chat_message")
    before = dump(chats)
    store = store_of(chats)
    assert store.name == "open-webui-json"

    assert heal.apply(chats.engine, [store], options=FORCED).rows_changed == 7
    assert heal.scan(chats.engine, [store], options=FORCED).poisoned == 0
    heal.undo(chats.engine)
    assert dump(chats) == before


def test_a_message_that_only_the_table_has(chats: Database) -> None:
    for name in ("end", "stopped"):
        [chat] = [chat for key, (chat, _) in trees(chats).items() if key == name]
        del chat["history"]["messages"]["a1"]
        with chats.engine.begin() as connection:
            values = {"chat": json.dumps(chat), "name": name}
            sql = "UPDATE chat SET chat = CAST(:chat AS JSON) WHERE id = :name"
            if chats.name == "sqlite":
                sql = sql.replace("CAST(:chat AS JSON)", ":chat")
            connection.execute(sa.text(sql), values)

    heal.apply(chats.engine, [store_of(chats)], options=FORCED)

    found = dict(rows(chats, "SELECT id, output FROM chat_message WHERE parent_id = 'u1'"))
    assert [item["type"] for item in found["end-a1"]][-1] == "function_call_output"
    assert "a1" not in trees(chats)["end"][0]["history"]["messages"]


@pytest.mark.parametrize("place", ["chat", "chat_message"])
def test_a_turn_that_only_one_place_tells_of_is_still_open(chats: Database, place: str) -> None:
    with chats.engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE chat SET chat = replace(CAST(chat AS TEXT), '\"output\":', '\"was\":')"
            + ("" if chats.name == "sqlite" else "::json")
            if place == "chat_message"
            else "UPDATE chat_message SET output = 'null'"
        )
    items: list[Item] = []
    heal.scan(chats.engine, [store_of(chats)], options=Options(now=0), on_item=items.append)
    assert {item.status for item in items if item.conversation == "end"} == {"pending"}


def call(id_: str, status: str) -> dict[str, Any]:
    return {
        "type": "function_call",
        "call_id": id_,
        "name": "f",
        "arguments": "{}",
        "status": status,
    }


U = {"role": "user", "content": "hi"}


def tree(history: list[dict[str, Any]], *branches: list[int]) -> Conversation:
    return Conversation((), history=history, branches=list(branches))


@pytest.mark.parametrize(
    ("branches", "kinds", "pending"),
    [
        ([[0, 1], [0, 2]], [], ["a", "b"]),  # side by side: both wait
        ([[0, 1], [0, 2, 3]], ["b"], ["a"]),  # the person went on behind the second
        ([[0, 1, 3], [0, 1], [0, 2]], ["a"], ["b"]),  # gone on with on one branch of two
    ],
)
def test_a_pause_is_one_of_its_branch(
    branches: list[list[int]], kinds: list[str], pending: list[str]
) -> None:
    from endmark import formats

    history = [U, {"role": "assistant", "output": [call("a", "pending")]}]
    history += [{"role": "assistant", "output": [call("b", "pending")]}, U]

    found = examine_all(tree(history, *branches), formats.get("open-webui"), DEFAULT, "over")

    assert [finding.call_id for finding in found.findings] == kinds
    assert [one.id for one in found.pending] == pending
    made = found.rebuild()
    assert made.origins == list(range(4))
    same = [new is old for new, old in zip(made.messages, history, strict=True)]
    assert same == [True, "a" not in kinds, "b" not in kinds, True]
