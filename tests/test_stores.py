"""Known stores: told by their columns, healed in their own tables, and given back."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import formats, heal, repair, stores
from endmark.errors import StoreError
from endmark.heal import Item, Options
from endmark.policy import DEFAULT_TEXTS
from endmark.stores import custom
from fix_databases import Database
from healing import dump
from judging import load

FOLDER = Path(__file__).parent / "heal"
DDL = json.loads((FOLDER / "stores.json").read_text())
TWENTY = json.loads((FOLDER / "twenty.json").read_text())
V5 = [case for case in load() if case["format"] in {"ai-sdk-v5", "ai-sdk-v6"} and case["turn_over"]]
FLAGS = {
    "table": "chat",
    "conversation": "thread",
    "order": "id",
    "payload": "body",
    "format": "ai-sdk",
}
PART = ("type", "toolName", "toolCallId", "toolInput", "toolOutput", "state", "errorMessage")


def named(word: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, word))


def create(database: Database, name: str, **values: str) -> None:
    with database.engine.begin() as connection:
        for ddl in DDL[name][database.name]:
            connection.exec_driver_sql(ddl.format_map(values) if values else ddl)


def detected(database: Database, schema: str | None = None) -> list[stores.Store]:
    with database.engine.connect() as connection:
        return stores.detect(connection, schema)


def fill_chatbot(connection: sa.Connection) -> dict[str, list[dict[str, Any]]]:
    histories = {}
    insert = sa.text(
        'INSERT INTO "Message_v2" (id, "chatId", role, parts, attachments, "createdAt") '
        "VALUES (:id, :chat, :role, :parts, '[]', :at)"
    )
    for case in V5:
        chat = named(case["id"])
        connection.execute(
            sa.text(
                'INSERT INTO "Chat" (id, "createdAt", title, "userId") '
                "VALUES (:chat, '2026-01-01', 't', :chat)"
            ),
            {"chat": chat},
        )
        histories[chat] = [
            {"id": named(f"{chat}{k}"), "role": m["role"], "parts": m["parts"]}
            for k, m in enumerate(case["history"])
        ]
        for k, message in enumerate(histories[chat]):
            values = {"id": message["id"], "chat": chat, "role": message["role"]}
            values |= {"parts": json.dumps(message["parts"]), "at": f"2026-01-01 00:00:{k:02}"}
            connection.execute(insert, values)
    return histories


def test_the_chatbot_template(database: Database) -> None:
    create(database, "vercel-chatbot")
    with database.engine.begin() as connection:
        histories = fill_chatbot(connection)
    before = dump(database)
    [store] = detected(database)
    assert (store.name, store.table) == ("vercel-chatbot", "Message_v2")
    applied = heal.apply(database.engine, [store])
    repaired = {chat: repair(history, "ai-sdk") for chat, history in histories.items()}
    assert applied.skipped == applied.rows_inserted == applied.rows_deleted == 0
    assert applied.healed == sum(repaired[chat] is not histories[chat] for chat in histories)
    for chat, history in repaired.items():
        shown = heal.show(database.engine, store, chat)
        assert shown.before == history
        assert shown.status == "clean"
    heal.undo(database.engine)
    assert dump(database) == before
    chat = next(chat for chat in histories if repaired[chat] is not histories[chat])
    shown = heal.show(database.engine, store, chat)
    assert (shown.before, shown.after) == (histories[chat], repaired[chat])
    assert shown.status == "poisoned"


@pytest.mark.parametrize("schema", ["core", "workspace_1"])
@pytest.mark.parametrize("age", ["today", "first"])
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_twenty(database: Database, schema: str, age: str) -> None:
    today = age == "today"
    create(
        database,
        "twenty",
        schema=schema,
        status=f"status {schema}.\"agentMessage_status_enum\" DEFAULT 'sent'," if today else "",
        provider='"providerExecuted" boolean, "providerMetadata" jsonb,' if today else "",
    )
    for case in TWENTY:
        fill_twenty(database, schema, case)
    before = parts_of(database, schema)
    [store] = detected(database, schema if schema != "core" else None)
    assert (store.name, store.schema) == ("twenty", schema)
    items: list[Item] = []
    applied = heal.apply(database.engine, [store], on_item=items.append)
    found = {item.conversation: item.status for item in items}
    wanted = {named(c["case"]): "poisoned" for c in TWENTY if c["after"]}
    wanted |= {named(c["case"]): "pending" for c in TWENTY if c.get("pending")}
    assert found == wanted
    assert applied.skipped == 0
    after = parts_of(database, schema)
    for case in TWENTY:
        assert after[named(case["case"])] == (case["after"] or before[named(case["case"])])
    assert heal.apply(database.engine, [store]).healed == 0
    heal.undo(database.engine)
    assert parts_of(database, schema) == before


def fill_twenty(database: Database, schema: str, case: dict[str, Any]) -> None:
    thread = named(case["case"])
    with database.engine.begin() as connection:
        message = connection.execute(
            sa.text(
                f'INSERT INTO {schema}."agentMessage" ("threadId", role, "createdAt") '
                "VALUES (:thread, 'assistant', '2026-01-01') RETURNING id"
            ),
            {"thread": thread},
        ).scalar_one()
        for index, part in enumerate(case["before"]):
            values = dict(zip(PART, part, strict=True)) | {"message": message, "index": index}
            for name in ("toolInput", "toolOutput"):
                if values[name] not in (None, "null"):
                    values[name] = json.dumps(values[name])
            columns = ", ".join(f'"{name}"' for name in PART)
            binds = ", ".join(
                f"CAST(:{name} AS jsonb)" if name in ("toolInput", "toolOutput") else f":{name}"
                for name in PART
            )
            connection.execute(
                sa.text(
                    f'INSERT INTO {schema}."agentMessagePart" ("messageId", "orderIndex", {columns})'
                    f" VALUES (:message, :index, {binds})"
                ),
                values,
            )


def parts_of(database: Database, schema: str) -> dict[str, list[list[Any]]]:
    columns = ", ".join(f'p."{name}"' for name in PART)
    sql = (
        f'SELECT m."threadId", {columns} FROM {schema}."agentMessagePart" p '
        f'JOIN {schema}."agentMessage" m ON m.id = p."messageId" ORDER BY 1, p."orderIndex"'
    )
    found: dict[str, list[list[Any]]] = {}
    with database.engine.connect() as connection:
        for thread, *part in connection.execute(sa.text(sql)):
            part[-1] = "marker" if part[-1] in DEFAULT_TEXTS else part[-1]
            found.setdefault(str(thread), []).append(part)
    return found


def test_a_name_alone_is_no_store(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql('CREATE TABLE "Message_v2" (id INTEGER, body TEXT)')
    assert detected(database) == []
    with database.engine.connect() as connection:
        assert stores.seen(connection) == "Message_v2 (body, id)"


def test_columns_alone_are_no_store(database: Database) -> None:
    create(database, "vercel-chatbot")
    assert [store.name for store in detected(database)] == ["vercel-chatbot"]  # still empty
    insert = "INSERT INTO \"Message_v2\" VALUES ('{0}', '{0}', 'robot', '[7]', '[]', '2026-01-01')"
    with database.engine.begin() as connection:
        at = named("x")
        connection.exec_driver_sql(
            f"INSERT INTO \"Chat\" VALUES ('{at}', '2026-01-01', 't', '{at}', 'private')"
        )
        connection.exec_driver_sql(insert.format(at))
    assert detected(database) == []


WRONG = {
    "format": ({"format": "openai"}, "no format is called 'openai'"),
    "layout": ({"layout": "columns"}, "layout"),
    "payload": ({"payload": None}, "needs the column with the payload"),
    "order kind": ({"order_kind": "random"}, "order_kind"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_mapping_is_refused(name: str, tmp_path: Path) -> None:
    change, said = WRONG[name]
    given: dict[str, Any] = {k: v for k, v in {**FLAGS, **change}.items() if v is not None}
    with pytest.raises((StoreError, formats.FormatError), match=said):
        custom.from_flags(**given)
    toml = tmp_path / "stores.toml"
    toml.write_text("[stores.mine]\n" + "\n".join(f'{k} = "{v}"' for k, v in given.items()))
    with pytest.raises((StoreError, formats.FormatError), match=said):
        custom.from_toml(toml)


def test_a_toml_file() -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        custom.from_toml("/nowhere/stores.toml")
    with pytest.raises(StoreError, match="the stores are "):
        stores.get("nowhere")


@pytest.mark.parametrize(
    ("change", "said"),
    [({"table": "chats"}, "no table chats"), ({"order": "seq"}, "no column seq")],
)
def test_a_mapping_that_the_database_does_not_have(
    database: Database, change: dict[str, str], said: str
) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE chat (id INTEGER PRIMARY KEY, thread TEXT, body TEXT)"
        )
    store = custom.from_flags(**{**FLAGS, **change})
    with pytest.raises(StoreError, match=said):
        heal.scan(database.engine, [store], options=Options())


def test_the_order_of_a_key_that_is_no_number_means_nothing(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE chat (id TEXT PRIMARY KEY, thread TEXT, body TEXT)"
        )
    store = custom.from_flags(**{**FLAGS, "order": None})
    with pytest.raises(StoreError, match="--order"):
        heal.scan(database.engine, [store], options=Options())


CALLED = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
]}  # fmt: skip
USED = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}
HI = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("metadata", "format", "poisoned"),
    [
        ({"chat_history": [HI, CALLED, HI]}, "openai-chat", 1),
        ({"history": [HI, USED, HI]}, "anthropic", 1),
        ({"message_history": [], "messages": [HI, CALLED, HI]}, "openai-chat", 1),
        ({"message_history": ["hi"], "memory": [HI, CALLED, HI]}, "openai-chat", 1),
        ({"message_history": [HI], "env": [CALLED]}, "openai-chat", 0),
        ({"messages": "none", "env": {}}, "openai-chat", 0),
        (None, "openai-chat", 0),
    ],
)
def test_a_history_among_other_things(
    metadata: Any, format: str, poisoned: int, database: Database
) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            'CREATE TABLE threads (id TEXT PRIMARY KEY, "createdAt" TEXT, name TEXT, "userId" TEXT,'
            ' "userIdentifier" TEXT, metadata TEXT)'
        )
        connection.exec_driver_sql(
            'CREATE TABLE steps (id TEXT PRIMARY KEY, type TEXT, "threadId" TEXT, "parentId" TEXT,'
            ' input TEXT, output TEXT, "createdAt" TEXT)'
        )
        value = {"m": None if metadata is None else json.dumps(metadata)}
        connection.execute(sa.text("INSERT INTO threads (id, metadata) VALUES ('t', :m)"), value)
    with database.engine.connect() as connection:
        [store] = stores.detect(connection)
    assert (store.name, store.format) == ("chainlit", format)

    applied = heal.apply(database.engine, [store])

    assert (applied.healed, applied.skipped, applied.pending) == (poisoned, 0, 0)
