"""What guard() can be put on, what it refuses, and that it goes without a trace."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession, async_scoped_session, async_sessionmaker
from sqlalchemy.orm import (
    Session,
    scoped_session,
    sessionmaker,
)

from endmark import FormatError, StoreError, UnreadableError, repair
from endmark.guard import AsyncChatRepository, ChatRepository, guard, tables
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


NO_FACTORIES: dict[str, Any] = {
    "a session": AsyncSession,
    "an engine": lambda engine: engine,
    "a synchronous engine": lambda engine: engine.sync_engine,
    "a synchronous session": lambda engine: Session(engine.sync_engine),
    "a synchronous sessionmaker": lambda engine: sessionmaker(engine.sync_engine),
    "a scoped_session": lambda engine: scoped_session(sessionmaker(engine.sync_engine)),
    "a class of synchronous sessions": lambda _: Session,
    "nothing": lambda _: None,
}


@pytest.mark.parametrize("what", NO_FACTORIES)
def test_what_makes_no_asynchronous_sessions_is_said_at_once(
    what: str, async_database: AsyncDatabase
) -> None:
    given = NO_FACTORIES[what](async_database.engine)
    with pytest.raises(TypeError, match=r"AsyncChatRepository\(async_sessionmaker\(engine\)"):
        AsyncChatRepository(given, "openai-chat")


FACTORIES: dict[str, Any] = {
    "async_sessionmaker": async_sessionmaker,
    "async_scoped_session": lambda e: async_scoped_session(async_sessionmaker(e), lambda: 1),
    "sessionmaker of its class": lambda e: sessionmaker(e, class_=AsyncSession),
    "function": lambda engine: lambda: AsyncSession(engine),
}


@pytest.mark.parametrize("what", FACTORIES)
def test_what_makes_asynchronous_sessions(
    what: str, async_database: AsyncDatabase, run: Run[Any]
) -> None:
    engine = sa.create_engine(async_database.sync_url)
    create(engine)
    engine.dispose()
    repository = AsyncChatRepository(FACTORIES[what](async_database.engine), "openai-chat")
    run(repository.add_message("c", CHAT.user("hi")))


NAMELESS: dict[str, Any] = {
    "add_message": lambda chat, name: chat.add_message(name, CHAT.user("hi")),
    "persist": lambda chat, name: chat.persist(name, [CHAT.user("hi")]),
    "turn": lambda chat, name: chat.turn(name).__enter__(),
    "history": lambda chat, name: chat.history(name),
    "truncate": lambda chat, name: chat.truncate(name, after=-1),
    "finalize": lambda chat, name: chat.finalize(name),
    "delete": lambda chat, name: chat.delete(name),
}


@pytest.mark.parametrize("name", [None, (None,)], ids=str)
@pytest.mark.parametrize("what", NAMELESS)
def test_a_conversation_without_a_name(database: Database, what: str, name: Any) -> None:
    create(database.engine)
    with Session(database.engine) as session:
        chat = ChatRepository(session, "openai-chat")
        with pytest.raises(StoreError, match="named by its conversation_id, not by None"):
            NAMELESS[what](chat, name)
        assert chat.conversations() == []
