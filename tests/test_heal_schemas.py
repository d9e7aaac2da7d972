"""The heal in tables as people have them: names, keys, numbers and times of every kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal
from endmark.errors import StoreError
from endmark.heal import Item, Options, connect
from endmark.stores import Store, custom
from endmark.stores.database import explain
from fix_databases import Database
from healing import dump

FOLDER = Path(__file__).parent / "heal"
SCHEMAS = json.loads((FOLDER / "schemas.json").read_text("utf-8"))
ALL = Options(include_frontier=True)

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASK = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USER = {"role": "user", "content": "go on"}
ORPHAN = {"role": "tool", "tool_call_id": "gone", "content": "late"}
# A row to put in, one to take out, one to add at the end.
HISTORY = [USER, ASK, USER, ORPHAN, USER, USER, ASK]


def fill(database: Database, insert: str) -> None:
    sql = sa.text(insert)
    with database.engine.begin() as connection:
        for n, thread in enumerate("xy"):
            for k, message in enumerate(HISTORY):
                known = {
                    "id": f"{thread}-{k:03}", "number": 100 * n + k, "thread": thread, "seq": k,
                    "second": f"2026-01-01T00:00:{k:02}",
                    "ext": f"{thread}{k}", "body": json.dumps(message),
                }  # fmt: skip
                named = re.findall(r"(?<!\\):([a-z]+)", insert)
                connection.execute(sql, {name: known[name] for name in named})


def scanned(database: Database, store: Store) -> list[Item]:
    items: list[Item] = []
    heal.scan(database.engine, [store], options=ALL, on_item=items.append)
    return items


@pytest.mark.parametrize(
    ("database", "row"),
    [pytest.param(name, row, id=f"{name}: {row['name']}") for row in SCHEMAS for name in row["on"]],
    indirect=["database"],
)
def test_a_table_is_healed_and_given_back(database: Database, row: dict[str, Any]) -> None:
    with database.engine.begin() as connection:
        for ddl in row["ddl"]:
            connection.execute(sa.text(re.sub(r"(?=:)", r"\\", ddl)))
    fill(database, row["insert"])
    before = dump(database)
    if "error" in row:
        with pytest.raises(StoreError, match=row["error"]):  # by the description, or by the scan
            heal.scan(database.engine, [custom.from_flags(format="openai-chat", **row["store"])])
        return
    store = custom.from_flags(format="openai-chat", **row["store"])
    skipped: list[Item] = []
    applied = heal.apply(database.engine, [store], options=ALL, on_item=skipped.append)
    if "skipped" in row:
        assert [item.status for item in skipped] == ["skipped", "skipped"]
        assert all(row["skipped"] in (item.reason or "") for item in skipped)
    else:
        counts = (applied.healed, applied.rows_inserted, applied.rows_deleted)
        assert counts == (2, row.get("added", 4), row.get("gone", 2)), [i.reason for i in skipped]
        assert scanned(database, store) == []
        assert heal.undo(database.engine).rows_left == []
    assert dump(database) == before


TABLE = "CREATE TABLE chat (id VARCHAR(50) PRIMARY KEY, thread TEXT, seq INTEGER, body TEXT)"
STORE = custom.from_flags(
    table="chat", conversation="thread", order="seq", payload="body", format="openai-chat"
)


@pytest.fixture
def chat(database: Database) -> Database:
    with database.engine.begin() as connection:
        connection.exec_driver_sql(TABLE)
    fill(database, "INSERT INTO chat VALUES (:id, :thread, :seq, :body)")
    return database


def test_an_undo_takes_no_row_that_others_refer_to_by_now(chat: Database) -> None:
    with chat.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE vote (message VARCHAR(50) REFERENCES chat (id) ON DELETE CASCADE)"
        )
    heal.apply(chat.engine, [STORE], options=ALL)
    made = "INSERT INTO vote SELECT min(id) FROM chat WHERE thread = 'x' AND length(id) > 9"
    with chat.engine.begin() as connection:
        connection.exec_driver_sql(made)
    undone = heal.undo(chat.engine)
    assert undone.rows_restored == len(undone.rows_left) > 0  # y came back, x stayed
    with chat.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM vote").scalar() == 1


def test_rows_that_another_holds_are_not_waited_for_forever(
    chat: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "_WAIT", connect._WAIT.replace("5s", "1ms"))
    engine = sa.create_engine(chat.url, hide_parameters=True)
    if chat.name == "sqlite":
        engine = sa.create_engine(chat.url, connect_args={"timeout": 0.01})
    with chat.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE chat SET seq = seq")
        with pytest.raises(sa.exc.OperationalError) as raised:
            heal.apply(engine, [STORE], options=ALL)
    assert "locked by another" in str(explain(raised.value, chat.url))
    engine.dispose()


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("room", [0, 40])  # full at a new row, and at the journal
def test_a_full_disk_ends_the_run_with_its_reason(chat: Database, room: int) -> None:
    more = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) "
    more += "INSERT INTO chat SELECT id || i, thread || i, seq, body FROM chat, n"
    with chat.engine.begin() as connection:
        connection.execute(sa.text(more))
        size = connection.scalar(sa.text("PRAGMA page_count"))
    before = dump(chat)
    engine = sa.create_engine(chat.url)

    @sa.event.listens_for(engine, "connect")
    def limit(driver: Any, _: Any) -> None:
        driver.execute(f"PRAGMA max_page_count = {size + room}")

    engine.dispose()
    with pytest.raises(sa.exc.OperationalError) as raised:
        heal.apply(engine, [STORE], options=ALL)
    assert "no room left on its disk" in str(explain(raised.value, chat.url))
    engine.dispose()
    assert dump(chat) == before
