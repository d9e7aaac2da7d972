"""Where no known store fits: the flags that are shown read the table, when they are used as shown."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from abstract import Step, Turn
from building import BUILDERS, builder
from endmark import heal, stores
from endmark.cli import heal_db
from endmark.cli.door import run
from endmark.guard import tables
from endmark.heal import Options
from endmark.stores import endmark_tables
from endmark.stores.custom import from_flags, from_toml
from endmark.stores.doubts import undoubted
from fix_databases import Database
from healing import dump
from test_known_stores import CASES, fill

QUOTE = '"'
FORCED = Options(include_frontier=True)
TALK = [Turn("hi", (Step((("call-1", "look", None),), "so"),), ""), Turn("and?", (), "done")]

ANSWERED = [Turn("hi", (Step((("call-2", "look", "42"),), "so"),), "done")]


def flags(command: str) -> dict[str, str]:
    words = shlex.split(command.partition(" (or ")[0])
    assert words[:3] == ["heal-db", "scan", "URL"]
    return {k.removeprefix("--"): v for k, v in zip(words[3::2], words[4::2], strict=True)}


def guessed(database: Database) -> list[dict[str, str]]:
    with database.engine.connect() as connection:
        assert stores.detect(connection) == []
        return [flags(one) for one in stores.guessed(connection)]


def create(database: Database, columns: str, rows: list[dict[str, Any]]) -> None:
    names = list(rows[0])
    insert = (
        f'INSERT INTO "my table" ({", ".join(names)}) '
        f"VALUES ({', '.join(':' + n.strip(QUOTE) for n in names)})"
    )
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f'CREATE TABLE "my table" ({columns})')
        connection.exec_driver_sql("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
        connection.exec_driver_sql("INSERT INTO notes VALUES (1, 'hi'), (2, '[1, 2]')")
        for row in rows:
            values = {name.strip(QUOTE): value for name, value in row.items()}
            connection.execute(sa.text(insert), values)


def heals(database: Database, given: dict[str, str]) -> int:
    """Use the flags as they are shown; undo gives everything back."""
    before = dump(database)
    items: list[heal.Item] = []
    applied = heal.apply(
        database.engine, [from_flags(**given)], options=FORCED, on_item=items.append
    )
    assert applied.skipped == 0, [item.reason for item in items]
    if applied.healed:
        heal.undo(database.engine)
    assert dump(database) == before
    return applied.healed


LAYOUTS: dict[str, tuple[str, dict[str, str]]] = {
    "rows": (
        "id INTEGER PRIMARY KEY, thread_id TEXT, body TEXT, created_at TIMESTAMP",
        {"conversation": "thread_id", "order": "id", "payload": "body"},
    ),
    "rows by time": (
        "uid TEXT PRIMARY KEY, chat TEXT, body TEXT, sent_at TIMESTAMP",
        {"conversation": "chat", "order": "sent_at", "payload": "body"},
    ),
    "numbered rows": (
        "uid TEXT PRIMARY KEY, session_id TEXT, position INTEGER, body TEXT, created_at TIMESTAMP",
        {"conversation": "session_id", "order": "position", "payload": "body"},
    ),
    "placed rows": (
        "thread TEXT, number INT, place INT, body TEXT, read_at DATE, sent_at DATE, UNIQUE (thread, place)",
        {"conversation": "thread", "order": "place", "payload": "body", "age": "sent_at"},
    ),
    "rows by their key": (
        "thread_id TEXT, place INTEGER, body TEXT, id INTEGER, PRIMARY KEY (thread_id, place)",
        {"conversation": "thread_id", "order": "place", "payload": "body"},
    ),
    "rows by seconds": (
        "uid TEXT PRIMARY KEY, chat TEXT, body TEXT, epoch INTEGER, time INTEGER",
        {"conversation": "chat", "order": "time", "payload": "body", "age": "time"},
    ),
    "a list": (
        "uid TEXT PRIMARY KEY, body TEXT, updated_at TIMESTAMP",
        {"conversation": "uid", "payload": "body", "layout": "list"},
    ),
    "a list below": (
        "uid TEXT PRIMARY KEY, body TEXT",
        {"conversation": "uid", "payload": "body", "path": "thread.messages"},
    ),
}


def filled(layout: str, columns: str, histories: dict[str, list[Any]]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    names = [column.split()[0] for column in columns.split(",")]
    for name, history in histories.items():
        said = {"a list": [history], "a list below": [{"thread": {"messages": history}}]}
        for k, message in enumerate(said.get(layout, history)):
            at = f"2026-01-01 12:00:{k:02}"
            every = {"id": len(rows), "uid": name if layout in said else f"{name}-{9 - k}"}
            every |= {"thread_id": name, "chat": name, "session_id": name, "position": k}
            every |= {"thread": name, "place": k, "number": 7, "time": 1767268800 + k, "epoch": k}
            every |= {
                "body": json.dumps(message),
                "created_at": at,
                "sent_at": at,
                "updated_at": at,
            }
            rows.append({key: every[key] for key in every if key in names})
    return rows


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("format", sorted(set(BUILDERS) - {"ai-sdk-v4"}))
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_flags_that_are_shown_read_the_table(
    database: Database, format: str, layout: str
) -> None:
    columns, wanted = LAYOUTS[layout]
    histories = {name: builder(format).build(TALK) for name in ("one", "two")}
    create(database, columns, filled(layout, columns, histories))
    [given] = guessed(database)
    assert given == {"table": "my table", "format": format, **wanted}
    assert heals(database, given) == 2


ODD: dict[str, Any] = {
    "a list": [1],
    "another format": {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
    },
    "an unknown role": {"role": "wizard", "content": "x"},
    "no JSON": "{half",
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_few_odd_rows_hide_no_table(database: Database, odd: str) -> None:
    columns, wanted = LAYOUTS["rows"]
    history = builder("openai-chat").build(TALK)
    rows = filled("rows", columns, {"one": history, "two": history})
    body = ODD[odd] if isinstance(ODD[odd], str) else json.dumps(ODD[odd])
    create(database, columns, [*rows, {**rows[0], "id": 99, "thread_id": "odd", "body": body}])
    assert guessed(database) == [{"table": "my table", "format": "openai-chat", **wanted}]


@pytest.mark.parametrize("place", ["tool_calls", "meta", None])
def test_flags_that_would_lose_results_are_not_shown(database: Database, place: str | None) -> None:
    rows = []
    history = builder("openai-chat").build(TALK[:1] * 3 + ANSWERED)
    for k, message in enumerate([*history, *map(dict, history)]):
        calls = message.pop("tool_calls", None)
        message["content"] = message["content"] or "so"
        row = {"id": k, "thread_id": str(k // len(history)), "body": json.dumps(message)}
        beside = {"tool_calls": calls} if place == "meta" else calls
        rows.append({**row, place: json.dumps(beside) if calls else None} if place else row)
    more = f", {place} TEXT" if place else ""
    create(database, f"id INTEGER PRIMARY KEY, thread_id TEXT, body TEXT{more}", rows)
    said = f"keeps {place} beside the messages" if place else "holds results, and not one"
    with database.engine.connect() as connection:
        [told] = stores.guessed(connection)
    assert said in told
    assert "--payload" not in told


@pytest.mark.parametrize("words", [False, True], ids=["JSON", "words beside JSON"])
def test_a_role_in_a_column(database: Database, words: bool) -> None:
    history = builder("anthropic").build(TALK)
    rows = [
        {"id": k + 100, "chat_id": "c", "author": m["role"], "body": json.dumps(m["content"])}
        for k, m in enumerate(history)
    ]
    if words:
        said = {"user": "and so? [x]", "assistant": "12"}
        rows += [
            {"id": k + 200, "chat_id": "d", "author": role, "body": said[role]}
            for k, role in enumerate(("user", "assistant") * 9)
        ]
    number = {"postgresql": "BIGINT GENERATED BY DEFAULT AS IDENTITY (START 1000)"}
    key = f"id {number.get(database.name, 'INTEGER')} PRIMARY KEY"
    create(database, f"{key}, chat_id TEXT, author TEXT, body TEXT", rows)
    [given] = guessed(database)
    assert (given["role"], given["format"], given["order"]) == ("author", "anthropic", "id")
    assert "path" not in given
    assert heals(database, given) == 1


def test_lists_of_pydantic_ai(database: Database) -> None:
    fill(database, "pydantic-ai")
    wanted = [
        {**CASES["pydantic-ai"]["mapping"]},
        {**CASES["pydantic-ai-runs"]["mapping"]},
    ]
    assert sorted(guessed(database), key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_example_app_of_pydantic_ai(database: Database) -> None:
    history = builder("pydantic-ai").build(TALK)
    rows = [{"message_list": json.dumps(history)}]
    create(database, "id INT PRIMARY KEY, message_list TEXT", rows)  # its ids are all NULL
    [given] = guessed(database)
    assert (given["conversation"], given["layout"]) == ("rowid", "list")
    assert heals(database, given) == 1


def test_words_alone_are_not_guessed(database: Database) -> None:
    """Nothing tells their format, and no call is among them that could be healed."""
    rows = [{"id": 1, "chat_id": "c", "role": "user", "body": "hello"}]
    create(database, "id INTEGER PRIMARY KEY, chat_id TEXT, role TEXT, body TEXT", rows)
    assert guessed(database) == []


def test_what_holds_no_messages_is_not_guessed(database: Database) -> None:
    create(database, "id INTEGER PRIMARY KEY, body TEXT", [{"id": 1, "body": '{"a": [{"b": 1}]}'}])
    assert guessed(database) == []


# What a table's columns for the answer, the calls and the id of the call that is answered are called.
FIELDS = {
    "as in the API": ("content", "tool_calls", "tool_call_id"),
    "camel case": ("body", '"toolCalls"', '"toolCallId"'),
}


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a known store"])
@pytest.mark.parametrize("names", FIELDS)
def test_fields_in_columns_are_shown_as_toml(
    database: Database, names: str, beside: bool, tmp_path: Path
) -> None:
    said, calls, call_id = FIELDS[names]
    rows = []
    for k, message in enumerate(builder("openai-chat").build(TALK)):
        row = {"id": k + 1, "thread_id": "t", "role": message["role"], said: message["content"]}
        if "tool_calls" in message:
            row[calls] = json.dumps(message["tool_calls"])
        rows.append({said: None, calls: None, call_id: message.get("tool_call_id"), **row})
    number = "BIGINT GENERATED BY DEFAULT AS IDENTITY (START 1000)"
    number = number if database.name == "postgresql" else "INTEGER"
    columns = f"id {number} PRIMARY KEY, thread_id TEXT, role TEXT, {said} TEXT, {calls} TEXT"
    stamp = "stamp TIMESTAMP DEFAULT '2026-01-01 12:00:00'"
    create(database, f"{columns}, {call_id} TEXT, {stamp}", rows)
    known = []
    if beside:
        tables.metadata.create_all(database.engine)
        known = [endmark_tables.store("ai-sdk")]
    with database.engine.connect() as connection:
        [told] = stores.guessed(connection, besides=known)
    command, line = told.split(", with this line in it: ")
    assert command == "heal-db scan URL --config FILE.toml"
    file = tmp_path / "FILE.toml"
    file.write_text(line)
    [store] = from_toml(file)
    assert (store.order, store.age) == (("id",), "stamp")
    with database.engine.connect() as connection:
        assert undoubted(connection, [store]) == [store]
    before = dump(database)
    assert heal.apply(database.engine, [store], options=FORCED).healed == 1
    assert heal.scan(database.engine, [store], options=FORCED).poisoned == 0
    heal.undo(database.engine)
    assert dump(database) == before


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_command_shows_them(
    database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    columns, _ = LAYOUTS["rows"]
    history = builder("langchain").build(TALK)
    create(database, columns, filled("rows", columns, {"one": history}))
    monkeypatch.setattr("sys.argv", ["heal-db", "scan", database.url])
    assert run(heal_db.app, "heal-db") == 2
    first, shown = capsys.readouterr().err.splitlines()
    assert first.startswith("heal-db: no known store is here; seen: my table (")
    assert first.endswith("but check these:")
    assert shown.strip() == (
        "heal-db scan URL --table 'my table' --conversation thread_id --order id --payload body "
        "--format langchain"
    )
