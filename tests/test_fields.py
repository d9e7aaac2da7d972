"""Tables with a message's fields in columns of their own, and a row for each conversation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark import heal, repair
from endmark.errors import StoreError
from endmark.guard import ChatRepository
from endmark.heal import Options
from endmark.heal.stamps import put_aside
from endmark.stores import ConversationTable, Store, custom
from fix_databases import Database
from healing import dump

OLD = Options(now=1e10, include_frontier=True)
CALLS: list[dict[str, Any]] = [
    {"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}}
    for id_ in ("a", "b")
]
SAID: list[tuple[str, str | None, Any, str | None]] = [
    ("user", "Weather?", None, None),
    ("assistant", None, CALLS, None),
    ("tool", "real", None, "b"),
    ("user", "Hello?", None, None),
    ("assistant", "Hm.", None, None),
    ("tool", "late", None, "a"),
]
ORDERS = {"shared": "id", "sequence": "seq"}
TOML = """
[stores.app]
format = "openai-chat"
table = "line"
conversation = "thread"
order = "{order}"
role = "role"
age = "at"
fields = {{ content = "content", calls = "tool_calls", call_id = "tool_call_id", model = "model" }}
json = ["calls"]
without = {{ note = "hidden" }}

[stores.app.head]
table = "thread"
key = "id"
start = "begins"
counts = {{ lines = "messages", asked = "calls" }}
"""


def store_of(order: str, tmp_path: Any) -> Store:
    file = tmp_path / "stores.toml"
    file.write_text(TOML.format(order=ORDERS[order]))
    return custom.from_toml(file)[0]


def made(database: Database, json_type: str) -> None:
    serial = "SERIAL" if database.name == "postgresql" else "INTEGER"
    line = (
        f"id {serial} PRIMARY KEY, thread TEXT, seq INTEGER, role TEXT NOT NULL, content TEXT, "
        f"calls {json_type}, call_id TEXT, model TEXT, note TEXT, at BIGINT NOT NULL"
    )
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE line ({line})")
        connection.exec_driver_sql(
            "CREATE TABLE thread (id TEXT PRIMARY KEY, begins INTEGER, lines INTEGER, asked INTEGER)"
        )
        for n, (role, content, calls, call_id) in enumerate(SAID):
            for name in ("t", "other"):
                written = None if calls is None else json.dumps(calls, indent=1)
                values = {"t": name, "n": n, "r": role, "c": content, "i": call_id, "w": written}
                model = "m" if role == "assistant" else None
                connection.execute(INSERT[database.name], values | {"m": model, "o": None})
        hidden = values | {"r": "tool", "c": "x", "i": "gone", "w": None, "n": 9, "m": None}
        connection.execute(INSERT[database.name], hidden | {"t": "t", "o": "hidden: x"})
        connection.exec_driver_sql(
            "INSERT INTO thread VALUES ('t', NULL, 6, 2), "
            "('other', (SELECT max(id) FROM line WHERE seq = 3), NULL, 2)"
        )


_SQL = (
    "INSERT INTO line (thread, seq, role, content, calls, call_id, model, note, at) "
    "VALUES (:t, :n, :r, :c, {}, :i, :m, :o, 1772445600)"
)
INSERT = {
    "sqlite": sa.text(_SQL.format(":w")),
    "postgresql": sa.text(_SQL.format("CAST(:w AS JSON)")),
}


def told(database: Database, order: str, thread: str) -> list[dict[str, Any]]:
    """Read a conversation by the test's own eyes."""
    sql = (
        "SELECT role, content, calls, call_id, model FROM line "
        f"WHERE thread = '{thread}' AND note IS NULL ORDER BY {ORDERS[order]}"
    )
    messages = []
    with database.engine.connect() as connection:
        for role, content, calls, call_id, model in connection.exec_driver_sql(sql):
            message: dict[str, Any] = {"role": role, "content": content or ""}
            if calls is not None:
                message["tool_calls"] = json.loads(calls) if isinstance(calls, str) else calls
            message |= {} if call_id is None else {"tool_call_id": call_id}
            message |= {} if model is None else {"model": model}
            messages.append(message)
    return messages


@pytest.mark.parametrize("order", ORDERS)
def test_fields_in_columns(database: Database, order: str, tmp_path: Any) -> None:
    made(database, "TEXT" if database.name == "sqlite" else "JSON")
    store = store_of(order, tmp_path)
    before, history = dump(database), told(database, order, "t")
    found: list[heal.Item] = []
    heal.scan(database.engine, [store], options=OLD, on_item=found.append)
    kinds = {item.conversation: [f.kind.value for f in item.findings] for item in found}
    # What stands before the beginning is not seen: there the late result has no call.
    assert kinds == {"t": ["misplaced"], "other": ["orphan"]}

    assert heal.apply(database.engine, [store], options=OLD).healed == 2

    assert told(database, order, "t") == repair(history, "openai-chat")
    assert heal.scan(database.engine, [store], options=OLD).poisoned == 0
    with database.engine.connect() as connection:
        counts = "SELECT id, lines, asked FROM thread ORDER BY id"
        rows = [tuple(row) for row in connection.exec_driver_sql(counts)]
        assert rows == [("other", None, 2), ("t", 6, 2)]
    heal.undo(database.engine)
    assert dump(database) == before


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_counted_counts_the_new_rows(database: Database, order: str, tmp_path: Any) -> None:
    made(database, "TEXT" if database.name == "sqlite" else "JSON")
    with database.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM line WHERE role = 'tool' AND note IS NULL")
        connection.exec_driver_sql("UPDATE thread SET lines = 4 WHERE id = 't'")
    store = store_of(order, tmp_path)
    before, history = dump(database), told(database, order, "t")

    assert heal.apply(database.engine, [store], options=OLD).healed == 1

    assert told(database, order, "t") == repair(history, "openai-chat")
    with database.engine.connect() as connection:
        sql = "SELECT lines, asked FROM thread WHERE id = 't'"
        assert tuple(connection.exec_driver_sql(sql).one()) == (6, 2)
        new = "SELECT count(*) FROM line WHERE role = 'tool' AND model IS NULL AND at = 1772445600"
        assert connection.exec_driver_sql(new).scalar_one() == 3  # and the one that is hidden
    heal.undo(database.engine)
    assert dump(database) == before


STAMPED = """
CREATE TABLE chat (id INTEGER PRIMARY KEY, thread TEXT, body TEXT, changed TEXT DEFAULT 'long ago');
CREATE TABLE log (n INTEGER);
INSERT INTO chat (thread, body) VALUES ('t', '{"role": "user", "content": "a"}');
INSERT INTO chat (thread, body) VALUES ('t', '%s');
INSERT INTO chat (thread, body) VALUES ('t', '{"role": "user", "content": "b"}');
CREATE TRIGGER touch AFTER UPDATE OF body ON "chat" FOR EACH ROW
BEGIN
  UPDATE chat SET changed = (datetime('now')) WHERE id = NEW.id;
END;
CREATE TRIGGER counts AFTER UPDATE ON chat BEGIN UPDATE log SET n = n + 1 WHERE 1; END;
CREATE TRIGGER both AFTER UPDATE ON chat BEGIN
  UPDATE chat SET changed = datetime('now') WHERE id = -1; DELETE FROM log WHERE n < 0;
END;
INSERT INTO log VALUES (0);
"""


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_what_stamps_the_time_of_a_write_is_put_aside(database: Database) -> None:
    asked = json.dumps({"role": "assistant", "content": None, "tool_calls": CALLS[:1]})
    driver: Any = database.engine.raw_connection()
    driver.executescript(STAMPED.replace("%s", asked))
    driver.close()
    triggers = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    store = Store(
        format="openai-chat", table="chat", conversation=("thread",), order=("id",), payload="body"
    )
    with database.engine.connect() as connection:
        before = connection.exec_driver_sql("SELECT * FROM chat").all()
        known = connection.exec_driver_sql(triggers).all()

    assert heal.apply(database.engine, [store], options=OLD).healed == 1

    with database.engine.connect() as connection:
        stamps = connection.exec_driver_sql("SELECT DISTINCT changed FROM chat").scalars().all()
        assert stamps == ["long ago"]
        assert connection.exec_driver_sql("SELECT n FROM log").scalar_one() > 0
        assert connection.exec_driver_sql(triggers).all() == known
    heal.undo(database.engine)
    with database.engine.begin() as connection:
        assert connection.exec_driver_sql("SELECT * FROM chat").all() == before
        assert connection.exec_driver_sql(triggers).all() == known
        connection.exec_driver_sql("UPDATE chat SET body = body")
        stamps = connection.exec_driver_sql("SELECT changed FROM chat").scalars().all()
        assert "long ago" not in stamps


DOES = {
    "SET changed = datetime('now') WHERE id = 1": True,
    "SET [changed] = CURRENT_TIMESTAMP WHERE rowid = NEW.rowid": True,
    "SET changed = (unixepoch() * 1000) WHERE id = 1": True,
    "SET changed = CAST(strftime('%s', 'now') AS INTEGER) WHERE id = 1": True,
    "SET changed = datetime('now'), n = n + 1 WHERE id = 1": False,
    "SET n = n + 1, changed = datetime('now') WHERE id = 1": False,
    "SET changed = NEW.body WHERE id = 1": False,
    "SET changed = datetime('now') WHERE id = 1; DELETE FROM other": False,
}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("does", "stamps"), DOES.items(), ids=str)
def test_what_does_more_than_stamp_fires(database: Database, does: str, stamps: bool) -> None:
    with database.engine.begin() as connection:
        for name in ("chat", "other"):
            columns = "id INTEGER PRIMARY KEY, body TEXT, changed TEXT, n INTEGER"
            connection.exec_driver_sql(f"CREATE TABLE {name} ({columns})")
        sql = "CREATE TRIGGER t AFTER UPDATE ON chat BEGIN UPDATE {} {}; END"
        connection.exec_driver_sql(sql.format("chat", does))
        names = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
        with put_aside(connection, {"chat"}):
            assert connection.exec_driver_sql(names).scalar_one() == int(not stamps)
        assert connection.exec_driver_sql(names).scalar_one() == 1
        connection.exec_driver_sql("DROP TRIGGER t")
        connection.exec_driver_sql(sql.format("other", does))
        with put_aside(connection, {"chat"}):  # what it writes is another table's
            assert connection.exec_driver_sql(names).scalar_one() == 1


def test_a_table_of_conversations_is_looked_for(database: Database, tmp_path: Any) -> None:
    made(database, "TEXT")
    store = store_of("shared", tmp_path)
    head = ConversationTable(table="thread", key="id", counts={"gone": "messages"})
    with pytest.raises(StoreError, match="has no column gone"):
        heal.scan(database.engine, [replace(store, head=head)], options=OLD)


def test_what_has_no_one_column_is_not_guarded(database: Database, tmp_path: Any) -> None:
    made(database, "TEXT")
    with Session(database.engine) as session, pytest.raises(StoreError, match="one column"):
        ChatRepository(session, store_of("shared", tmp_path)).history("t")
