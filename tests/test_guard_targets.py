"""What guard() can be put on, what it refuses, and that it goes without a trace."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from sqlalchemy.orm import (
    Session,
    scoped_session,
    sessionmaker,
)

from endmark import FormatError, StoreError, UnreadableError, repair
from endmark.guard import ChatRepository, guard, tables
from endmark.stores import endmark_tables
from fix_databases import AsyncDatabase, Database, Run
from guard_messages import CHAT, Message, create, stored
from test_guard_hook import CLOSED, OPEN, Base, ByKey, ByNumber, Thread


@pytest.mark.parametrize("kind", ["sessionmaker", "scoped_session", "class", "session"])
def test_targets_and_removal(database: Database, kind: str) -> None:
    create(database.engine)

    class Mine(Session):
        pass

    maker: Any = sessionmaker(database.engine, class_=Mine if kind == "class" else Session)
    scoped = scoped_session(maker)
    session = scoped() if kind == "scoped_session" else maker()
    target = {
        "sessionmaker": maker, "scoped_session": scoped, "class": Mine, "session": session
    }[kind]  # fmt: skip
    handle = guard(target, endmark_tables.store("ai-sdk"))
    others = sessionmaker(database.engine)
    session.add(tables.Conversation(id="c"))
    session.commit()

    def write(session: Session, number: int) -> Message:
        session.add(tables.Message(conversation_id="c", seq=number, payload=OPEN))
        session.commit()
        return stored(session)[-1]

    assert write(session, 1) == CLOSED
    with others() as other:
        assert write(other, 2) == OPEN
    handle.remove()
    handle.remove()
    assert write(session, 3) == OPEN
    session.close()


def test_an_async_sessionmaker(async_database: AsyncDatabase, run: Run[Any]) -> None:
    engine = sa.create_engine(async_database.sync_url)
    create(engine)
    engine.dispose()
    factory = async_sessionmaker(async_database.engine, expire_on_commit=False)
    handle = guard(factory, endmark_tables.store("openai-chat"))

    async def write(number: int, message: Message) -> list[Message]:
        async with factory() as session:
            session.add(tables.Message(conversation_id="c", seq=number, payload=message))
            await session.commit()
            return await session.run_sync(stored)

    async def work() -> None:
        async with factory() as session:
            session.add(tables.Conversation(id="c"))
            await session.commit()
        await write(1, CHAT.calls("a"))
        expected = repair([CHAT.calls("a"), CHAT.user("hi")], "openai-chat")
        assert await write(2, CHAT.user("hi")) == expected
        handle.remove()
        assert factory.kw.get("sync_session_class") is None
        await write(9, CHAT.calls("b"))
        assert len(await write(10, CHAT.user("hi"))) == len(expected) + 2

    run(work())


@pytest.mark.parametrize("target", [object(), AsyncSession, sa.MetaData()])
def test_what_cannot_be_guarded(target: Any) -> None:
    with pytest.raises(StoreError, match="cannot be guarded"):
        guard(target, endmark_tables.store("ai-sdk"))


def test_wrong_mappings() -> None:
    right = {"conversation": "thread_id", "order": "id", "payload": "body", "format": "ai-sdk"}
    maker = sessionmaker()
    for wrong in ("conversation", "order", "payload"):
        with pytest.raises(StoreError, match="no column nowhere"):
            guard(maker, ByKey, **{**right, wrong: "nowhere"})
    with pytest.raises(FormatError):
        guard(maker, ByKey, **{**right, "format": "nothing"})
    with pytest.raises(StoreError, match="not a mapped class"):
        guard(maker, dict, **right)
    with pytest.raises(StoreError, match="leave out"):
        guard(maker, endmark_tables.store("ai-sdk"), **right)


def test_nothing_is_kept_alive(database: Database) -> None:
    create(database.engine)
    factory = sessionmaker(database.engine)
    handle = guard(factory, endmark_tables.store("openai-chat"))
    session = factory()
    session.add(tables.Conversation(id="c"))
    session.add(tables.Message(conversation_id="c", seq=1, payload=CHAT.calls("a")))
    session.flush()
    assert session.info
    session.rollback()
    assert session.info == {}
    session.close()
    gone = [weakref.ref(session), weakref.ref(handle), weakref.ref(factory)]
    handle.remove()
    del session, handle, factory
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]


def test_what_is_given_wrongly_is_said(database: Database) -> None:
    with pytest.raises(TypeError, match="with Session"):
        ChatRepository(database.engine, "openai-chat")  # type: ignore[arg-type]
    with Session(database.engine) as session, pytest.raises(StoreError, match="create_all"):
        ChatRepository(session, "openai-chat").add_message("c", {"role": "user", "content": "a"})


def test_a_role_that_was_forgotten_is_said(database: Database) -> None:
    Base.metadata.create_all(database.engine)
    made = sessionmaker(database.engine)
    named = {"conversation": "thread_id", "order": "number", "payload": "body"}
    guard(made, ByNumber, **named, format="openai-chat")
    with made() as session:
        session.add_all([Thread(id=1), ByNumber(thread_id=1, number=1, body="Hello")])
        with pytest.raises(UnreadableError, match=r"ByNumber\.body: .* give guard\(\) role="):
            session.flush()
