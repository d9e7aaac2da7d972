"""The CHECK that an alembic operation adds: what it refuses, and what a copied table keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import repair
from endmark.errors import HealError, StoreError
from fix_databases import Database, fresh_url
from test_alembic import CASES, OPEN, op_on

DONE = {
    **OPEN,
    "state": "output-available",
    "output": {"state": "input-available", "parts": [OPEN]},
}
V4 = {"state": "call", "toolCallId": "a", "toolName": "f", "args": {}}
PAYLOADS: dict[str, tuple[Any, bool]] = {
    "text": ([{"type": "text", "text": '"state":"input-available"', "state": "done"}], True),
    "nothing": ([], True),
    "a finished call whose output quotes an open one": ([DONE], True),
    "an error": ([{**OPEN, "state": "output-error", "errorText": "input-available"}], True),
    "an open approval": ([{**OPEN, "state": "approval-requested"}], True),
    "an answered approval": ([{**OPEN, "state": "approval-responded"}], True),
    "an unknown state": ([{**OPEN, "state": "recalled"}], True),
    "a finished call of major 4": (
        [{"type": "tool-invocation", "toolInvocation": {**V4, "state": "result", "result": 1}}],
        True,
    ),
    "another document": ({"state": "input-available"}, True),
    "an open call": ([{"type": "step-start"}, OPEN, {"type": "text", "text": "…"}], False),
    "input on its way": ([{**OPEN, "state": "input-streaming"}], False),
    "a dynamic tool": ([{**OPEN, "type": "dynamic-tool", "toolName": "f"}], False),
    "progress": ([{**DONE, "preliminary": True}], False),
    "a call of major 4": ([{"type": "tool-invocation", "toolInvocation": V4}], False),
    "half a call of major 4": (
        [{"type": "tool-invocation", "toolInvocation": {**V4, "state": "partial-call"}}],
        False,
    ),
    "a whole message": ({"role": "assistant", "parts": [OPEN]}, False),
    "a whole message of major 4": ({"role": "assistant", "toolInvocations": [V4]}, False),
    "a sound message": ({"role": "assistant", "parts": [DONE]}, True),
}
COLUMNS = [
    ("sqlite", "JSON"),
    ("sqlite", "TEXT"),
    ("postgresql", "JSON"),
    ("postgresql", "JSONB"),
    ("postgresql", "TEXT"),
]


def takes(connection: sa.Connection, payload: str | None) -> bool:
    """Say whether the guarded column takes a text."""
    type_ = connection.info["type"]
    insert = sa.text(f"INSERT INTO chat (body) VALUES (CAST(:body AS {type_}))")
    if connection.dialect.name == "sqlite":
        insert = sa.text("INSERT INTO chat (body) VALUES (:body)")
    try:
        with connection.begin_nested():
            connection.execute(insert, {"body": payload})
    except sa.exc.IntegrityError:
        return False
    return True


@pytest.fixture(params=COLUMNS, ids="-".join)
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Connection]:
    """A connection to a table whose payload column is guarded."""
    kind, type_ = request.param
    number = {"sqlite": "INTEGER", "postgresql": "SERIAL"}[kind]
    with fresh_url(kind, request, tmp_path) as url:
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE TABLE chat (id {number} PRIMARY KEY, body {type_})")
            op_on(connection).guard_payload("chat", "body", "ai-sdk")
            connection.info["type"] = type_
            yield connection
        engine.dispose()


def test_the_check_refuses_what_is_unfinished(guarded: sa.Connection) -> None:
    for name, (payload, sound) in PAYLOADS.items():
        assert takes(guarded, json.dumps(payload)) == sound, name
        spaced = json.dumps(payload, indent=1)
        assert takes(guarded, spaced) == sound, name
    assert takes(guarded, None)
    if guarded.info["type"] == "TEXT":
        assert takes(guarded, 'no JSON: "input-available"')
    if guarded.info["type"] != "JSONB":
        assert takes(guarded, '[{"type": "text", "text": "\\u0000 \\ud800"}]')


def test_the_check_takes_what_the_guard_writes(guarded: sa.Connection) -> None:
    refused = 0
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        for message in repair(case["history"], case["format"]):
            assert takes(guarded, json.dumps(message)), path.name
            assert takes(guarded, json.dumps(message.get("parts"))), path.name
        refused += not all(takes(guarded, json.dumps(message)) for message in case["history"])
    assert refused >= 5


@pytest.mark.parametrize("format", [[], ["ai-sdk"]], ids=["without its format", "as it came"])
def test_the_check_goes_again(guarded: sa.Connection, format: list[str]) -> None:
    op = op_on(guarded)
    with pytest.raises(StoreError, match=r"has a constraint ck_chat_body_endmark already.*unguard"):
        op.guard_payload("chat", "body", "ai-sdk")
    op.unguard_payload("chat", "body", *format)
    assert takes(guarded, json.dumps([OPEN]))
    with pytest.raises(
        StoreError, match="has no constraint ck_chat_body_endmark; its constraints: none"
    ):
        op.unguard_payload("chat", "body", *format)
    guarded.exec_driver_sql("DELETE FROM chat")
    long = "long_" * 15  # PostgreSQL cuts it off
    op.guard_payload("chat", "body", "ai-sdk", name=long)
    op.unguard_payload("chat", "body", *format, name=long)
    assert takes(guarded, json.dumps([OPEN]))  # the transaction goes on


def test_the_check_is_for_inline_formats(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE chat (id INTEGER PRIMARY KEY, body TEXT)")
        op = op_on(connection)
        with pytest.raises(StoreError, match=r"outside the message of its call.*ai-sdk"):
            op.guard_payload("chat", "body", "openai-chat")
        with pytest.raises(StoreError, match="no column payload"):
            op.guard_payload("chat", "payload", "ai-sdk")
        with pytest.raises(StoreError, match="no table chats"):
            op.guard_payload("chats", "body", "ai-sdk")


def test_rows_that_are_there(database: Database) -> None:
    """PostgreSQL does not look at them; SQLite copies them, so they have to be healed first."""
    copy = "CREATE TABLE _alembic_tmp_chat (id INTEGER)"  # as a try that failed leaves it
    with database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE chat (id INTEGER PRIMARY KEY, body JSON)")
        insert = sa.text("INSERT INTO chat VALUES (1, :body)")
        connection.execute(insert, {"body": json.dumps([OPEN])})
    with database.engine.connect() as connection:
        if database.name == "postgresql":
            op_on(connection).guard_payload("chat", "body", "ai-sdk", name="no_open_parts")
        else:
            connection.exec_driver_sql(copy)
            with pytest.raises(HealError, match=r"heal first: 1 rows of chat .* in body"):
                op_on(connection).guard_payload("chat", "body", "ai-sdk")
            connection.execute(sa.text("UPDATE chat SET body = :body"), {"body": "[]"})
            op_on(connection).guard_payload("chat", "body", "ai-sdk")
            assert sa.inspect(connection).get_table_names() == ["chat"]
            with pytest.raises(sa.exc.IntegrityError, match="ck_chat_body_endmark"):
                connection.execute(insert, {"body": json.dumps([OPEN])})


TRIGGER = "CREATE TRIGGER count_up AFTER INSERT ON chat BEGIN UPDATE total SET n = n + 1; END"


def test_a_copied_table_keeps_what_it_had(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'chat.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE chat (\nid INTEGER PRIMARY KEY AUTOINCREMENT, body JSON NOT NULL, "
            "n INTEGER DEFAULT 3,\nCONSTRAINT few CHECK (n < 10),\nCHECK (n > 0)\n)"
        )
        connection.exec_driver_sql("CREATE TABLE total AS SELECT 0 AS n")
        connection.exec_driver_sql("CREATE INDEX by_n ON chat (n)")
        connection.exec_driver_sql(TRIGGER)
        connection.exec_driver_sql("INSERT INTO chat (body) VALUES ('[1.10]')")
        op = op_on(connection)
        op.guard_payload("chat", "body", "ai-sdk")
        op.unguard_payload("chat", "body")
        op.guard_payload("chat", "body", "ai-sdk")
        connection.exec_driver_sql("DELETE FROM chat")
        connection.exec_driver_sql("INSERT INTO chat (body) VALUES ('[]')")
        assert connection.exec_driver_sql("SELECT id, n FROM chat").all() == [(2, 3)]
        assert connection.scalar(sa.text("SELECT n FROM total")) == 2
        for wrong in ("('[]', 10)", "('[]', 0)", f"('{json.dumps([OPEN])}', 1)"):
            with pytest.raises(sa.exc.IntegrityError), connection.begin_nested():
                connection.exec_driver_sql(f"INSERT INTO chat (body, n) VALUES {wrong}")
        assert [i["name"] for i in sa.inspect(connection).get_indexes("chat")] == ["by_n"]
    engine.dispose()


def test_no_copy_that_would_lose_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'chat.db'}")
    monkeypatch.setattr(sa.Inspector, "get_check_constraints", lambda *_, **__: [])
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE chat (id INTEGER PRIMARY KEY, n INT CHECK (n > 0))"
        )
        with pytest.raises(StoreError, match="a copy would lose them"):
            op_on(connection).guard_payload("chat", "n", "ai-sdk")
    engine.dispose()


def test_no_copy_where_it_would_delete_what_refers_to_it(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'chat.db'}")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE chat (id INTEGER PRIMARY KEY, body JSON)")
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")
        with pytest.raises(StoreError, match="switch PRAGMA foreign_keys off"):
            op_on(connection).guard_payload("chat", "body", "ai-sdk")
    engine.dispose()
