"""Messages of another format in a described table: skipped with the reason, and refused at the write."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from abstract import Step, Turn
from building import builder
from endmark import UnreadableError, formats, heal
from endmark.guard import ChatRepository, tables
from endmark.heal import Options
from endmark.stores import Store, endmark_tables
from fix_databases import Database

SOUND = [Turn("hi", (Step((("call-1", "look", "42"),), "so"),), "ok"), Turn("and?", (), "done")]
DEAD = [Turn("hi", (Step((("call-1", "look", None),), "so"),), ""), Turn("and?", (), "")]
FORCED = Options(include_frontier=True)
PAIRS = [
    ("openai-chat", "anthropic"),
    ("openai-chat", "ai-sdk-model"),
    ("openai-chat", "bedrock"),
    ("openai-responses", "anthropic"),
    ("openai-responses", "openai-chat"),
    ("anthropic", "openai-chat"),
    ("anthropic", "bedrock"),
    ("ai-sdk-model", "openai-chat"),
    ("agno", "anthropic"),
]


@pytest.mark.parametrize("json_type", ["TEXT", "JSONB"])
@pytest.mark.parametrize("layout", ["rows", "list"])
@pytest.mark.parametrize(("own", "other"), PAIRS, ids=str)
def test_a_thread_of_another_format_is_never_clean(
    database: Database, own: str, other: str, layout: str, json_type: str
) -> None:
    threads = {name: builder(own).build(SOUND) for name in ("a", "b")}
    threads["dead"] = builder(other).build(DEAD)
    fill(database, threads, layout, json_type if database.name == "postgresql" else "TEXT")
    store = store_of(own, layout)
    items: list[heal.Item] = []
    scan = heal.scan(database.engine, [store], options=FORCED, on_item=items.append)
    [item] = items
    assert (item.conversation, item.status, scan.poisoned) == ("dead", "skipped", 0)
    assert item.reason is not None
    assert f"a call or result of {other}" in item.reason
    assert heal.apply(database.engine, [store], options=FORCED).healed == 0
    assert heal.apply(database.engine, [store_of(other, layout)], options=FORCED).healed == 1


def fill(database: Database, threads: dict[str, list[Any]], layout: str, json_type: str) -> None:
    key = "SERIAL" if database.name == "postgresql" else "INTEGER"
    insert = sa.text(f"INSERT INTO line (t, body) VALUES (:t, CAST(:body AS {json_type}))")
    with database.engine.begin() as connection:
        ddl = f"CREATE TABLE line (id {key} PRIMARY KEY, t TEXT, body {json_type})"
        connection.exec_driver_sql(ddl)
        for name, history in threads.items():
            for payload in [history] if layout == "list" else history:
                connection.execute(insert, {"t": name, "body": json.dumps(payload)})


def store_of(format: str, layout: str) -> Store:
    order: dict[str, Any] = {} if layout == "list" else {"order": "id"}
    named: dict[str, Any] = {"table": "line", "conversation": "t", "payload": "body"}
    return Store(format=format, layout=layout, **named, **order)  # type: ignore[arg-type]


def test_own_tables_may_hold_several_formats(database: Database) -> None:
    tables.metadata.create_all(database.engine)
    with Session(database.engine) as session, session.begin():
        ChatRepository(session, "openai-chat").add_messages(
            "a", builder("openai-chat").build(SOUND)
        )
        for seq, message in enumerate(builder("anthropic").build(DEAD)):
            if not seq:
                session.add(tables.Conversation(id="dead"))
            session.add(tables.Message(conversation_id="dead", seq=seq, payload=message))
            session.flush()
    store = endmark_tables.store("openai-chat")
    assert heal.scan(database.engine, [store], options=FORCED).skipped == 1


def calls_of(format: str) -> Any:
    return next(m for m in builder(format).build(DEAD) if formats.get(format).call_ids(m))


@pytest.mark.parametrize(("own", "other"), PAIRS[:-1], ids=str)
def test_a_message_of_another_format_is_not_written(
    database: Database, own: str, other: str
) -> None:
    tables.metadata.create_all(database.engine)
    with Session(database.engine) as session, session.begin():
        chat = ChatRepository(session, own)
        with pytest.raises(UnreadableError, match=f"message 0 is of .*{other}.*not of {own}"):
            chat.add_message("t", calls_of(other))
        with pytest.raises(UnreadableError, match=f"not of {own}"):
            chat.persist("t", [calls_of(other)])
        assert chat.history("t") == []
