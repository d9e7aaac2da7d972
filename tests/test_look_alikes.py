"""Tables of the AI SDK under other names: told by their columns and payloads, and by nothing less."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal, repair, rules, stores
from endmark.heal import Item, Options
from endmark.stores import Store
from fix_databases import Database
from healing import dump
from judging import load

FORCED = Options(include_frontier=True)
START = datetime.fromisoformat("2026-01-01 12:00:00")
CASES = [case for case in load() if case["format"].startswith("ai-sdk-v") and case["turn_over"]]
Rows = list[tuple[str, str, Any, float]]  # chat, role, content, seconds

# A table, and what its columns for the chat, the content and the time are called.
NAMES = {
    "snake case": ("messages", "chat_id", "parts", "created_at"),
    "threads": ("Message", "threadId", "parts", "createdAt"),
    "quoted": ("Chat 1% messages", "conversationId", "parts", "timestamp"),
    "sessions": ("message", "session_id", "parts", "created"),
}


def create(database: Database, names: tuple[str, ...], type_: str, rows: Rows) -> None:
    table, chat, content, time = names
    quoted = [f'"{name}"' for name in (table, chat, content, time)]
    ref, chat, content, time = quoted
    ddl = (
        f"CREATE TABLE {ref} (id VARCHAR(36) PRIMARY KEY, {chat} VARCHAR(80) NOT NULL, "
        f"role VARCHAR(20) NOT NULL, {content} {type_} NOT NULL, {time} TIMESTAMP NOT NULL)"
    )
    insert = (
        f"INSERT INTO {ref} VALUES (:id, :chat, :role, CAST(:content AS {type_}), "
        f"CAST(:at AS {'TIMESTAMP' if database.name == 'postgresql' else 'TEXT'}))"
    )
    with database.engine.begin() as connection:
        connection.exec_driver_sql(ddl.replace("%", "%%") if database.name == "postgresql" else ddl)
        for number, (name, role, said, seconds) in enumerate(rows):
            values = {"id": f"m-{number * 7 % 1000:04}", "chat": name, "role": role}
            values |= {"content": said if isinstance(said, str) else json.dumps(said)}
            connection.execute(
                sa.text(insert), values | {"at": str(START + timedelta(seconds=seconds))}
            )


def detected(database: Database) -> list[Store]:
    with database.engine.connect() as connection:
        return stores.detect(connection)


def ui_rows() -> Rows:
    return [
        (case["id"], message["role"], message["parts"], k)
        for case in CASES
        if all("parts" in message for message in case["history"])
        for k, message in enumerate(case["history"])
    ]


@pytest.mark.parametrize("names", NAMES)
def test_ui_messages_under_other_names(database: Database, names: str) -> None:
    table, chat, content, time = NAMES[names]
    rows = ui_rows()
    create(database, NAMES[names], "TEXT" if database.name == "sqlite" else "JSONB", rows)
    before = dump(database)
    [store] = detected(database)
    assert (store.name, store.table, store.payload) == ("ai-sdk-rows", table, content)
    assert (store.conversation, store.order, store.age) == ((chat,), (time,), time)
    applied = heal.apply(database.engine, [store])
    dead = {chat for chat, *_ in rows if is_dead(rows, chat)}
    assert (applied.healed, applied.skipped) == (len(dead), 0)
    assert len(dead) > 5
    for name in dead:
        shown = heal.show(database.engine, store, name)
        assert shown.status == "clean"
    heal.undo(database.engine)
    assert dump(database) == before


def is_dead(rows: Rows, chat: str) -> bool:
    history = [
        {"id": "m", "role": role, "parts": parts} for name, role, parts, _ in rows if name == chat
    ]
    return repair(history, "ai-sdk") is not history


TOOL = [{"type": "tool_call", "data": {"id": "a", "name": "f", "input": "{}", "finished": True}}]
OTHERS: dict[str, Any] = {
    "crush": [[{"type": "text", "data": {"text": "hi"}}], TOOL],
    "Gemini": [[{"text": "hi"}], [{"functionCall": {"name": "f", "args": {}}}]],
    "Anthropic": [[{"type": "text", "text": "hi"}], [{"type": "tool_use", "id": "a", "name": "f"}]],
    "OpenAI": [[{"type": "input_text", "text": "hi"}], [{"type": "output_text", "text": "hi"}]],
    "words": ["hi", "there"],
    "a list of words": [["hi"], ["there"]],
}


@pytest.mark.parametrize("payloads", OTHERS)
def test_other_parts_are_not_taken_for_ui_messages(database: Database, payloads: str) -> None:
    roles = ("user", "assistant")
    rows = [
        ("c", role, said, k)
        for k, (role, said) in enumerate(zip(roles, OTHERS[payloads], strict=True))
    ]
    create(database, NAMES["snake case"], "TEXT", rows)
    assert detected(database) == []


def call(id_: str) -> list[Any]:
    return [{"type": "tool-call", "toolCallId": id_, "toolName": "f", "args": {"q": 1}}]


def result(id_: str) -> list[Any]:
    return [{"type": "tool-result", "toolCallId": id_, "toolName": "f", "result": "ok"}]


SAID = [{"type": "text", "text": "So."}]
# As the template stored a turn: all that the model said at one time, in no order.
OLD: Rows = [
    ("sound", "user", '"hi"', 0),
    ("sound", "assistant", SAID, 1),
    ("sound", "tool", result("a"), 1),
    ("sound", "assistant", call("a"), 1),
    ("sound", "user", '"and?"', 2),
    ("dead", "user", '"hi"', 0),
    ("dead", "assistant", SAID, 1),
    ("dead", "assistant", call("b"), 1),
    ("dead", "user", '"and?"', 2),
    ("end", "user", '"hi"', 0),
    ("end", "assistant", call("c"), 1),
]


@pytest.mark.parametrize(
    "names",
    [
        ("Message", "chatId", "content", "createdAt"),
        ("message", "chat_id", "content", "created_at"),
    ],
)
def test_the_deprecated_table_of_the_chatbot_template(
    database: Database, names: tuple[str, ...]
) -> None:
    create(database, names, "TEXT" if database.name == "sqlite" else "JSON", OLD)
    before = dump(database)
    [store] = detected(database)
    assert (store.name, store.format, store.table) == ("vercel-chatbot-1", "ai-sdk-model", names[0])
    items: list[Item] = []
    applied = heal.apply(database.engine, [store], options=FORCED, on_item=items.append)
    assert {item.conversation: item.status for item in items} == {
        "dead": "poisoned",
        "end": "poisoned",
    }
    assert (applied.rows_inserted, applied.skipped) == (2, 0)
    for name in ("sound", "dead", "end"):
        shown = heal.show(database.engine, store, name, options=FORCED)
        assert shown.status == "clean"
        assert rules.validate(shown.before, "ai-sdk-model") == ()
    roles = [message["role"] for message in heal.show(database.engine, store, "dead").before]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    heal.undo(database.engine)
    assert dump(database) == before


def test_a_table_of_words_is_not_the_deprecated_one(database: Database) -> None:
    rows: Rows = [("c", "user", "hi", 0), ("c", "assistant", '"quoted"', 1), ("c", "user", "12", 2)]
    create(database, ("Message", "chatId", "content", "createdAt"), "TEXT", rows)
    assert detected(database) == []
