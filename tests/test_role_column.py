"""Tables with the role in a column and just the content, or all but the role, in another."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark import heal, repair
from endmark.guard import ChatRepository
from endmark.heal import Options
from endmark.stores import Store
from fix_databases import Database

STORE = Store(
    format="openai-chat",
    table="line",
    conversation="thread",
    order="id",
    payload="body",
    role="role",
)


def call(id_: str) -> dict[str, object]:
    return {"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}}


HISTORY: list[dict[str, object]] = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": None, "tool_calls": [call("1"), call("2")]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
    {"role": "user", "content": "b"},
]


def made(database: Database) -> None:
    serial = "SERIAL" if database.name == "postgresql" else "INTEGER"
    columns = f"id {serial} PRIMARY KEY, thread TEXT, role TEXT, body TEXT"
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE line ({columns})")


def test_results_have_a_place_beside_bare_contents(database: Database) -> None:
    made(database)
    with Session(database.engine) as session, session.begin():
        repository = ChatRepository(session, STORE)
        for message in HISTORY:
            repository.add_message("t", message)
        assert repository.history("t") == repair(HISTORY, "openai-chat")


def test_heal_puts_results_beside_bare_contents(database: Database) -> None:
    made(database)
    rows = [("user", '"a"'), ("assistant", '{"tool_calls": [%s]}'), ("user", '"b"')]
    one = '{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}'
    insert = sa.text("INSERT INTO line (thread, role, body) VALUES ('t', :role, :body)")
    with database.engine.begin() as connection:
        for role, body in rows:
            connection.execute(insert, {"role": role, "body": body.replace("%s", one)})

    applied = heal.apply(database.engine, [STORE], options=Options())

    assert (applied.healed, applied.skipped) == (1, 0)
    assert heal.scan(database.engine, [STORE]).poisoned == 0
    with database.engine.connect() as connection:
        roles = connection.execute(sa.text("SELECT role FROM line ORDER BY id")).scalars().all()
    assert roles == ["user", "assistant", "tool", "user"]
