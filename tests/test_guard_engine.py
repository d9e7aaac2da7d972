"""guard() on an engine: statements on a table that no class is mapped to, as libraries write them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import async_sessionmaker
from sqlalchemy.orm import Session

from endmark import Policy, StoreError, UnreadableError, check, stores
from endmark.guard import Repair, guard
from endmark.stores import Store
from fix_databases import AsyncDatabase, Database, Run
from guard_messages import CHAT, Message, text_part, tool_part, ui

METADATA = sa.MetaData()


def table_of(name: str, *more: Any) -> sa.Table:
    return sa.Table(
        name,
        METADATA,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("thread", sa.String),
        sa.Column("body", sa.JSON),
        *more,
    )


SHARED = table_of("shared", sa.Column("note", sa.String))
NUMBERED = table_of(
    "numbered", sa.Column("number", sa.Integer), sa.UniqueConstraint("thread", "number")
)
TIMED = table_of("timed", sa.Column("at", sa.DateTime, server_default=sa.func.now()))
ORDERS = {"shared": "id", "numbered": "number", "timed": "at"}
START = datetime.fromisoformat("2026-01-01 12:00:00")
TABLES = pytest.mark.parametrize("table", [SHARED, NUMBERED, TIMED], ids=lambda t: t.name)


def store(table: sa.Table, format: str = "openai-chat") -> Store:
    return Store(
        format=format,
        table=table.name,
        conversation="thread",
        order=(ORDERS[table.name], "id") if table.name == "timed" else ORDERS[table.name],
        payload="body",
    )


def row(table: sa.Table, k: int, message: Message, thread: str = "t") -> dict[str, Any]:
    """Make the k-th row of a thread as an application would."""
    number = {"numbered": {"number": k}, "timed": {"at": START + timedelta(microseconds=k)}}
    return {"thread": thread, "body": message} | number.get(table.name, {})


def write(connection: sa.Connection, table: sa.Table, *messages: Message, at: int = 0) -> None:
    for k, message in enumerate(messages, at):
        connection.execute(sa.insert(table).values(**row(table, k, message)))


def stored(connection: sa.Connection, table: sa.Table, thread: str = "t") -> list[Message]:
    order = table.c[ORDERS[table.name]]
    query = sa.select(sa.cast(table.c.body, sa.Text)).where(table.c.thread == thread)
    return [json.loads(text) for text in connection.scalars(query.order_by(order, table.c.id))]


def roles(messages: list[Message]) -> str:
    return " ".join(message["role"] for message in messages)


@TABLES
def test_one_row_a_statement(database: Database, table: sa.Table) -> None:
    METADATA.create_all(database.engine)
    told: list[Repair] = []
    guard(database.engine, store(table), on_repair=told.append)
    with database.engine.begin() as connection:
        write(connection, table, CHAT.user("go"), CHAT.calls("a", "b"), CHAT.result("b"))
        assert told == []
        write(connection, table, CHAT.user("again"), at=3)
        found = stored(connection, table)
        assert roles(found) == "user assistant tool tool user"
        assert found[-1] == CHAT.user("again")
        assert check(found, "openai-chat") == ()
        assert [(one.conversation_id, one.call_id) for one in told] == [("t", "a")]
        late = CHAT.result("a")
        write(connection, table, late, at=9)
        found = stored(connection, table)
        assert late in found
        assert check(found, "openai-chat") == ()
        assert roles(found) == "user assistant tool tool user"


@TABLES
@pytest.mark.parametrize("how", ["values", "parameters"])
def test_many_rows_a_statement(database: Database, table: sa.Table, how: str) -> None:
    METADATA.create_all(database.engine)
    guard(database.engine, store(table))
    said = [CHAT.calls("a"), CHAT.user("b"), CHAT.calls("c"), CHAT.result("c"), CHAT.user("d")]
    rows = [row(table, k, message) for k, message in enumerate(said)]
    rows.insert(2, row(table, 0, CHAT.calls("x"), thread="other"))
    insert = sa.insert(table)
    with database.engine.begin() as connection:
        connection.execute(insert.values(rows)) if how == "values" else connection.execute(
            insert, rows
        )
        assert roles(stored(connection, table)) == "assistant tool user assistant tool user"
        assert check(stored(connection, table), "openai-chat") == ()
        assert stored(connection, table, "other") == [CHAT.calls("x")]


@pytest.mark.parametrize("sessions", [False, True], ids=["engine", "session"])
def test_changed_and_deleted_rows(database: Database, sessions: bool) -> None:
    METADATA.create_all(database.engine)
    handle = guard(Session if sessions else database.engine, store(SHARED))
    try:
        with Session(database.engine) as session:
            work: Any = session if sessions else session.connection()
            write(work, SHARED, CHAT.calls("a"), CHAT.result("a"), CHAT.user("b"))
            second = sa.select(sa.func.min(SHARED.c.id) + 1).scalar_subquery()
            work.execute(sa.delete(SHARED).where(SHARED.c.id == second))
            found = stored(session.connection(), SHARED)
            assert roles(found) == "assistant tool user"
            assert check(found, "openai-chat") == ()
            assert found[1] != CHAT.result("a")
            first = sa.select(sa.func.min(SHARED.c.id)).scalar_subquery()
            work.execute(
                sa.update(SHARED).where(SHARED.c.id == first).values(body=CHAT.calls("a", "z"))
            )
            found = stored(session.connection(), SHARED)
            assert roles(found) == "assistant tool tool user"
            assert check(found, "openai-chat") == ()
    finally:
        handle.remove()


def test_an_update_of_what_is_no_message_reads_nothing(database: Database) -> None:
    METADATA.create_all(database.engine)
    guard(database.engine, store(SHARED))
    with database.engine.begin() as connection:
        write(connection, SHARED, CHAT.user("a"))
        seen: list[str] = []
        sa.event.listen(
            database.engine, "before_cursor_execute", lambda *given: seen.append(given[2])
        )
        connection.execute(sa.update(SHARED).values(note="n"))
        assert len(seen) == 1


@pytest.mark.parametrize("format", ["openai-chat", "ai-sdk"])
def test_columns_that_the_application_calls_otherwise(database: Database, format: str) -> None:
    METADATA.create_all(database.engine)
    theirs = sa.Table(
        "shared",
        sa.MetaData(),
        sa.Column("id", sa.Integer, primary_key=True, key="number"),
        sa.Column("thread", sa.String, key="chat"),
        sa.Column("body", sa.JSON, key="said"),
    )
    guard(database.engine, store(SHARED, format))
    chat = [CHAT.calls("a"), CHAT.user("b")]
    inline = [ui("m", text_part("hi"), tool_part("a"))]
    with database.engine.begin() as connection:
        for message in chat if format == "openai-chat" else inline:
            connection.execute(sa.insert(theirs), {"chat": "t", "said": message})
        connection.execute(sa.update(theirs).values(said=theirs.c.said))
        assert check(stored(connection, SHARED), format) == ()


def test_a_key_that_the_application_gives_is_not_taken(database: Database) -> None:
    METADATA.create_all(database.engine)
    guard(database.engine, store(SHARED))
    with database.engine.begin() as connection:
        if database.name == "postgresql":  # whoever gives keys keeps them apart from the sequence's
            connection.exec_driver_sql("ALTER SEQUENCE shared_id_seq RESTART WITH 3")
        for key, message in enumerate([CHAT.calls("a", "b"), CHAT.user("c")], 1):
            connection.execute(sa.insert(SHARED), row(SHARED, key, message) | {"id": key})
        assert roles(stored(connection, SHARED)) == "assistant tool tool user"


def test_a_time_that_the_database_gives_is_behind_the_closing_rows(database: Database) -> None:
    METADATA.create_all(database.engine)
    guard(database.engine, store(TIMED))
    with database.engine.begin() as connection:
        for message in [CHAT.user("go"), CHAT.calls("a", "b"), CHAT.user("c")]:
            connection.execute(sa.insert(TIMED).values(thread="t", body=message))
        assert roles(stored(connection, TIMED)) == "user assistant tool tool user"


def test_inline_values_are_finalized(database: Database) -> None:
    METADATA.create_all(database.engine)
    told: list[Repair] = []
    guard(database.engine, store(SHARED, "ai-sdk"), on_repair=told.append)
    with database.engine.begin() as connection:
        write(connection, SHARED, ui("m", text_part("hi"), tool_part("a")))
        assert check(stored(connection, SHARED), "ai-sdk") == ()
    assert [one.call_id for one in told] == ["a"]


def test_what_is_pending_by_policy_stays_open(database: Database) -> None:
    METADATA.create_all(database.engine)
    guard(database.engine, store(SHARED), policy=Policy(pending_ids=frozenset({"a"})))
    with database.engine.begin() as connection:
        write(connection, SHARED, CHAT.calls("a"))
        assert stored(connection, SHARED) == [CHAT.calls("a")]


def test_a_refused_statement_leaves_nothing_behind(database: Database) -> None:
    METADATA.create_all(database.engine)
    guard(database.engine, store(NUMBERED))
    with database.engine.connect() as connection:
        with connection.begin():
            write(connection, NUMBERED, CHAT.user("a"))
        with pytest.raises(IntegrityError), connection.begin():
            write(connection, NUMBERED, CHAT.calls("x"))
        with connection.begin():
            write(connection, NUMBERED, CHAT.calls("b"), CHAT.user("c"), at=1)
            assert roles(stored(connection, NUMBERED)) == "user assistant tool user"


def test_a_guard_is_taken_away(database: Database) -> None:
    METADATA.create_all(database.engine)
    handle = guard(database.engine, store(SHARED))
    handle.remove()
    handle.remove()
    with database.engine.begin() as connection:
        write(connection, SHARED, CHAT.calls("a"), CHAT.user("b"))
        assert roles(stored(connection, SHARED)) == "assistant user"


def test_asynchronous_engines(async_database: AsyncDatabase, run: Run[Any]) -> None:
    guard(async_database.engine, store(TIMED))

    async def work() -> list[Message]:
        async with async_database.engine.begin() as connection:
            await connection.run_sync(METADATA.create_all)
        factory = async_sessionmaker(async_database.engine)
        for k, message in enumerate([CHAT.calls("a", "b"), CHAT.result("a"), CHAT.user("c")]):
            async with factory() as session, session.begin():
                await session.execute(sa.insert(TIMED).values(row(TIMED, k, message)))
        async with async_database.engine.connect() as connection:
            return await connection.run_sync(stored, TIMED)

    found = run(work())
    assert roles(found) == "assistant tool tool user"
    assert check(found, "openai-chat") == ()


def test_a_store_that_is_left_alone_is_refused_with_the_reason(database: Database) -> None:
    refused = stores.get("adk-v0")
    with pytest.raises(StoreError, match="adk migrate session") as error:
        guard(database.engine, refused)
    assert refused.refusal in str(error.value)
    with pytest.raises(StoreError, match="one message a row"):
        guard(database.engine, "llama-index-postgres")
    with pytest.raises(StoreError, match="no store is called"):
        guard(database.engine, "nothing")


def test_a_known_store_under_another_name(database: Database) -> None:
    METADATA.create_all(database.engine)
    named = replace(
        stores.get("langchain"), table="shared", conversation=("thread",), payload="body"
    )
    handle = guard(database.engine, named)
    assert handle.store.table == "shared"
    with database.engine.begin() as connection:
        calls = {"type": "ai", "data": {"content": "", "tool_calls": [
            {"name": "w", "args": {}, "id": "a", "type": "tool_call"}
        ]}}  # fmt: skip
        write(connection, SHARED, calls, {"type": "human", "data": {"content": "hi"}})
        assert [m["type"] for m in stored(connection, SHARED)] == ["ai", "tool", "human"]


def test_what_its_store_refuses_is_not_written(database: Database) -> None:
    METADATA.create_all(database.engine)
    sealed = replace(store(SHARED), refuses={"__enc__": "only its own key reads it"})
    guard(database.engine, sealed)
    with pytest.raises(UnreadableError, match="own key"), database.engine.begin() as connection:
        write(connection, SHARED, {"__enc__": 1, "payload": "secret"})
    with database.engine.connect() as connection:
        assert stored(connection, SHARED) == []


def test_an_engine_has_no_open_turn(database: Database) -> None:
    handle = guard(database.engine, store(SHARED, "ai-sdk"))
    with Session(database.engine) as session, pytest.raises(StoreError, match="sessionmaker"):
        handle.open_turn(session, "t").__enter__()
