"""Rows that name no conversation are not looked at, and a scan says so."""

from __future__ import annotations

import sqlalchemy as sa

from endmark import heal
from endmark.heal import Item, Options
from endmark.stores import custom
from fix_databases import Database


def test_rows_of_no_conversation_are_skipped_with_the_reason(database: Database) -> None:
    said = '{"role": "user", "content": "hi"}'
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE chat (id INTEGER PRIMARY KEY, thread TEXT, body TEXT)"
        )
        for key, thread in ((1, "'a'"), (2, "NULL"), (3, "NULL")):
            connection.exec_driver_sql(f"INSERT INTO chat VALUES ({key}, {thread}, '{said}')")
    store = custom.from_flags(
        table="chat", conversation="thread", order="id", payload="body", format="openai-chat"
    )
    items: list[Item] = []
    found = heal.scan(database.engine, [store], on_item=items.append)

    assert (found.conversations, found.skipped, found.poisoned) == (2, 1, 0)
    assert [(item.conversation, item.status) for item in items] == [("NULL", "skipped")]
    assert items[0].reason is not None
    assert items[0].reason.startswith("2 rows are of no conversation")
    halves = [heal.scan(database.engine, [store], options=Options(shard=(k, 2))) for k in (1, 2)]
    assert sum(half.skipped for half in halves) == 1
    assert sa.inspect(database.engine).get_table_names() == ["chat"]
