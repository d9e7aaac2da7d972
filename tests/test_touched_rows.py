"""Rows that the database completes itself: columns it computes, defaults, times of the last write."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal, stores
from endmark.stores import Store, custom
from fix_databases import Database
from healing import dump
from test_heal_care import HALF, USER

KEYS = {
    "sqlite": "INTEGER PRIMARY KEY",
    "postgresql": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
}
ROLE = {"sqlite": "json_extract(body, '$.role')", "postgresql": "body ->> 'role'"}
MADE = (
    "n INTEGER DEFAULT (1 + 1), created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, "
    "updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP"
)
CHAT = (
    "CREATE TABLE chat (id {key}, thread TEXT, seq INTEGER, body {json}, "
    "role TEXT GENERATED ALWAYS AS ({role}) STORED, {made})"
)
VERCEL = (
    'CREATE TABLE "Message_v2" (id TEXT PRIMARY KEY, "chatId" TEXT, role TEXT, parts {json}, '
    'attachments {json}, "createdAt" TIMESTAMP, {made})'
)
# On SQLite it fires behind the write, on PostgreSQL before it.
TOUCH = {
    "sqlite": """CREATE TRIGGER touch_{on} AFTER {on} ON "{table}" BEGIN
        UPDATE "{table}" SET {column} = CURRENT_TIMESTAMP WHERE id = NEW.id; END""",
    "postgresql": """CREATE FUNCTION touch_{on}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.{column} = now(); RETURN NEW; END $$;
        CREATE TRIGGER touch_{on} BEFORE {on} ON "{table}"
        FOR EACH ROW EXECUTE FUNCTION touch_{on}()""",
}
LONG_AGO = "2020-01-01 00:00:00"
ORPHAN = {"role": "tool", "tool_call_id": "gone", "content": "late"}
NAMED = {"table": "chat", "conversation": "thread", "payload": "body"}
LAYOUTS: dict[str, dict[str, str]] = {
    "rows by number": {**NAMED, "order": "seq"},
    "rows by id": {**NAMED, "order": "id"},
    "rows with their role": {**NAMED, "order": "id", "role": "role"},
    "list": {**NAMED, "layout": "list"},
}


def filled(database: Database, layout: str, format_: str) -> Store:
    """Make three half histories in a table whose rows are touched by triggers."""
    ask_again = HALF[format_][0]
    history = [*HALF[format_], ask_again]
    if format_ == "openai-chat":
        history += [ORPHAN, USER]
    named = {"key": KEYS[database.name], "role": ROLE[database.name], "made": MADE}
    named["json"] = "TEXT" if database.name == "sqlite" else "JSONB"
    vercel = layout == "Message_v2"
    with database.engine.begin() as connection:
        connection.exec_driver_sql((VERCEL if vercel else CHAT).format_map(named))
        for thread in "xyz":
            for k, message in enumerate([history] if layout == "list" else history):
                row: dict[str, Any] = {"thread": thread, "seq": k, "body": json.dumps(message)}
                if vercel:
                    parts = json.dumps(message["parts"])
                    row = {"id": f"{thread}-{k}", "chatId": thread, "role": message["role"]}
                    row |= {"parts": parts, "attachments": "[]"}
                    row["createdAt"] = LONG_AGO.replace(":00", f":0{k}")
                row |= {"created_at": LONG_AGO, "updated_at": LONG_AGO}
                columns = ", ".join(f'"{name}"' for name in row)
                binds = ", ".join(f":{name}" for name in row)
                table = "Message_v2" if vercel else "chat"
                sql = f'INSERT INTO "{table}" ({columns}) VALUES ({binds})'
                connection.execute(sa.text(sql), row)
        for on, column in (("UPDATE", "updated_at"), ("INSERT", "created_at")):
            touch = TOUCH[database.name].format(
                on=on, column=column, table="Message_v2" if vercel else "chat"
            )
            connection.exec_driver_sql(touch)
    return (
        stores.get("vercel-chatbot")
        if vercel
        else custom.from_flags(format=format_, **LAYOUTS[layout])
    )


def without_times(database: Database) -> list[str]:
    """Dump all but what PostgreSQL's triggers say of the last write: no undo can give it back."""
    if database.name == "sqlite":
        return dump(database)
    with database.engine.begin() as connection:
        for table in sa.inspect(connection).get_table_names():
            for act in ("DISABLE", "ENABLE"):
                connection.exec_driver_sql(f'ALTER TABLE "{table}" {act} TRIGGER USER')
                if act == "DISABLE":
                    stamps = f"created_at = '{LONG_AGO}', updated_at = '{LONG_AGO}'"
                    connection.exec_driver_sql(f'UPDATE "{table}" SET {stamps}')
    return dump(database)


CASES = [
    *((layout, format_) for layout in LAYOUTS for format_ in ("openai-chat", "ai-sdk")),
    ("Message_v2", "ai-sdk"),
]


@pytest.mark.parametrize(("layout", "format_"), CASES)
def test_rows_that_are_touched_when_written(database: Database, layout: str, format_: str) -> None:
    store = filled(database, layout, format_)
    before = without_times(database)

    applied = heal.apply(database.engine, [store])

    assert (applied.healed, applied.skipped) == (3, 0)
    if format_ == "ai-sdk" and layout != "list":  # a time of this write makes no row young
        journal = "endmark.change" if database.name == "postgresql" else "endmark_heal_change"
        with database.engine.connect() as connection:
            assert connection.exec_driver_sql(f"SELECT min(alone) FROM {journal}").scalar() == 1
    assert heal.scan(database.engine, [store]).poisoned == 0
    assert heal.undo(database.engine).rows_left == []
    assert without_times(database) == before
