"""Results that are found by the id of their call: rows of two tables, threads, and pauses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from endmark import heal, stores
from endmark.heal import Item, Options
from endmark.stores import Store
from fix_databases import Database
from healing import dump

DUMP = Path(__file__).parent / "stores" / "lobechat" / "postgresql.sql"
LATER, FORCED = Options(now=1e10), Options(include_frontier=True)
pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


def filled(database: Database, *more: str) -> Store:
    connection: Any = database.engine.raw_connection()
    for sql in (DUMP.read_text(), *more):
        connection.execute(sql)
    connection.commit()
    connection.detach()
    connection.close()
    with database.engine.connect() as opened:
        [store] = stores.detect(opened)
    return store


def rows(database: Database, sql: str) -> list[Any]:
    with database.engine.connect() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


def said(database: Database, store: Store, options: Options) -> dict[str, str]:
    items: list[Item] = []
    heal.scan(database.engine, [store], options=options, on_item=items.append)
    return {item.conversation: item.status for item in items}


def test_a_result_is_a_row_of_both_tables(database: Database) -> None:
    store = filled(database)
    before = len(rows(database, "SELECT id FROM messages"))

    applied = heal.apply(database.engine, [store], options=FORCED)

    assert (applied.rows_inserted, applied.rows_changed) == (6, 2)
    assert len(rows(database, "SELECT id FROM messages")) == before + 3
    made = rows(
        database,
        "SELECT m.role, m.parent_id, m.topic_id, m.thread_id, m.model, m.metadata, m.tools,"
        " p.tool_call_id, p.identifier, p.api_name, p.type, p.user_id, p.state"
        " FROM messages m JOIN message_plugins p ON p.id = m.id"
        " WHERE m.content LIKE 'No result was recorded%%' ORDER BY m.topic_id",
    )
    told = ("sky", "weather", "default", "u", None)
    none = (None, None, None)
    assert made == [
        ("tool", "end-1", "end", None, *none, "c4", *told),
        ("tool", "middle-1", "middle", None, *none, "c2", *told),
        ("tool", "thread-5", "thread", "thread-thread", *none, "c8", *told),
    ]


def test_an_id_that_comes_again_changes_in_both_tables(database: Database) -> None:
    store = filled(database)
    heal.apply(database.engine, [store], options=FORCED)

    [(tools,)] = rows(database, "SELECT tools FROM messages WHERE id = 'again-4'")
    [(answers,)] = rows(database, "SELECT tool_call_id FROM message_plugins WHERE id = 'again-5'")
    assert answers == tools[0]["id"] != "w_0"


PENDING = (
    "ALTER TABLE message_plugins ADD COLUMN intervention jsonb",
    "UPDATE message_plugins SET intervention = '{\"status\": \"%s\"}' WHERE id = 'sound-2'",
    "UPDATE messages SET content = '' WHERE id = 'sound-2'",
    "DELETE FROM messages WHERE id IN ('sound-3', 'sound-4')",
)


def test_who_waits_for_a_person_is_left_alone(database: Database) -> None:
    store = filled(database, *(sql.replace("%s", "pending") for sql in PENDING))
    before = dump(database)
    assert said(database, store, LATER)["sound"] == "pending"

    heal.apply(database.engine, [store], options=FORCED)
    where = "FROM messages m JOIN message_plugins p ON p.id = m.id WHERE m.id = 'sound-2'"
    [(content, waits)] = rows(database, f"SELECT m.content, p.intervention {where}")
    assert content.startswith("No result was recorded")
    assert waits == {"status": "aborted"}
    assert "sound" not in said(database, store, FORCED)

    heal.undo(database.engine)
    assert dump(database) == before


def test_what_a_person_decided_is_a_result(database: Database) -> None:
    store = filled(database, *(sql.replace("%s", "rejected") for sql in PENDING))
    assert "sound" not in said(database, store, LATER)


def test_an_undo_leaves_a_result_that_was_built_on(database: Database) -> None:
    store = filled(database)
    heal.apply(database.engine, [store], options=FORCED)
    [(made,)] = rows(database, "SELECT id FROM messages WHERE topic_id = 'end' AND role = 'tool'")
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO messages (id, role, parent_id, user_id, topic_id, accessed_at, created_at,"
            f" updated_at) VALUES ('x', 'user', '{made}', 'u', 'end', now(), now(), now())"
        )

    undone = heal.undo(database.engine)

    assert undone.rows_left
    assert all("end" in json.dumps(left) or made in left for left in undone.rows_left)
    assert rows(database, f"SELECT id FROM message_plugins WHERE id = '{made}'")
