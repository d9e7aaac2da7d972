"""A look that begins a transaction goes with psycopg's BEGIN; what is found is always the same."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, sessionmaker

from endmark import check
from endmark.guard import _with_begin, guard
from fix_databases import Database, Run
from guard_messages import CHAT, Message

pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)
NAMES = sa.text("SELECT name FROM pg_prepared_statements WHERE name LIKE 'endmark%'")
PREPARED = sa.text("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'endmark%'")


class Base(DeclarativeBase):
    """The one table of these tests."""


class Line(Base):
    __tablename__ = "line"
    __table_args__ = (sa.UniqueConstraint("thread", "seq"),)

    id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True)
    thread: Mapped[str]
    seq: Mapped[int]
    body: Mapped[Any] = mapped_column(sa.JSON)


class Numbered(Base):
    __tablename__ = "numbered"

    id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True)
    thread: Mapped[int] = mapped_column(sa.BigInteger)
    body: Mapped[Any] = mapped_column(sa.JSON)


MAPPING = {"conversation": "thread", "order": "seq", "payload": "body", "format": "openai-chat"}
TURN = [CHAT.user("go"), CHAT.calls("a"), CHAT.result("a"), CHAT.calls("b"), CHAT.user("again")]


def opened(database: Database, told: dict[str, Any] | None = None, **options: Any) -> sa.Engine:
    """Open an engine on whose connections everything is prepared at once."""
    told = {"prepare_threshold": 0} | (told or {})
    return sa.create_engine(database.url, connect_args=told, **options)


def guarded(engine: sa.Engine) -> sessionmaker[Any]:
    Base.metadata.create_all(engine)
    sessions = sessionmaker(engine)
    guard(sessions, Line, **MAPPING)
    return sessions


def write(sessions: sessionmaker[Any], messages: list[Message], thread: str = "c") -> None:
    """Write each in a transaction of its own."""
    for message in messages:
        with sessions.begin() as session:
            last = sa.select(sa.func.coalesce(sa.func.max(Line.seq), 0)).where(
                Line.thread == thread
            )
            seq = 0
            with session.get_bind().connect() as beside:
                seq = beside.scalar(last) + 1
            session.add(Line(thread=thread, seq=seq, body=message))


def history(engine: sa.Engine, thread: str = "c") -> list[Message]:
    with engine.connect() as connection:
        query = sa.select(Line.body).where(Line.thread == thread).order_by(Line.seq)
        return list(connection.scalars(query))


def assert_sound(engine: sa.Engine, thread: str = "c") -> None:
    found = history(engine, thread)
    assert check(found, "openai-chat") == ()
    assert [each for each in found if each in TURN] == TURN
    assert len(found) == len(TURN) + 1  # what closes the second call


def nothing(_connection: sa.Connection) -> None: ...


def deallocate(connection: sa.Connection) -> None:
    for name in list(connection.scalars(NAMES)):
        connection.execute(sa.text(f"DEALLOCATE {name}"))


def widen(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE line ALTER seq TYPE bigint, ALTER body TYPE jsonb"))


# What an engine and its connections are told, and how many statements are prepared then.
WAYS: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "as it comes": ({}, {}, 1),
    "serializable": ({"isolation_level": "SERIALIZABLE"}, {}, 0),
    "another encoding": ({}, {"client_encoding": "LATIN1"}, 0),
    "nothing is prepared": ({}, {"prepare_threshold": None}, 0),
    "not used often enough": ({}, {"prepare_threshold": 100}, 0),
    "used often enough": ({}, {"prepare_threshold": len(TURN) - 2}, 1),
    "values in the text": ({}, {"cursor_factory": psycopg.ClientCursor}, 0),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_connection_begins_as_it_was_told(database: Database, way: str) -> None:
    options, told, prepared = WAYS[way]
    engine = opened(database, told, **options)
    sessions = guarded(engine)
    levels = []

    @sa.event.listens_for(sessions, "after_flush")
    def level(session: Any, _context: Any) -> None:
        levels.append(session.scalar(sa.text("SHOW transaction_isolation")))

    write(sessions, TURN)
    assert_sound(engine)
    assert set(levels) == {options.get("isolation_level", "READ COMMITTED").lower()}
    with sessions() as session:
        session.add(Line(thread="d", seq=1, body=CHAT.user("go")))
        session.flush()
        assert session.scalar(PREPARED) == prepared
        session.rollback()
    assert history(engine, "d") == []
    engine.dispose()


@pytest.mark.parametrize("between", [nothing, deallocate, widen])
def test_what_was_prepared_may_be_gone_or_out_of_date(
    database: Database, between: Callable[[sa.Connection], None]
) -> None:
    engine = opened(database)
    sessions = guarded(engine)
    for number, message in enumerate(TURN):
        with sessions.begin() as session:
            session.add(Line(thread="c", seq=10 * number, body=message))
        with engine.connect() as connection, connection.begin():
            between(connection)
    assert_sound(engine)
    engine.dispose()


@pytest.mark.parametrize("most", [None, 1])
def test_it_goes_on_beside_sessions_that_read(
    database: Database, most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them ends by a ROLLBACK, behind which psycopg takes all prepared statements away."""
    engine = opened(database, {"prepare_threshold": 2}, pool_size=1, max_overflow=0)
    sa.event.listen(engine, "connect", lambda raw, _: setattr(raw, "prepared_max", most))
    sessions, looks = guarded(engine), []
    rows = _with_begin.WithBegin.rows

    def look(self: Any, *given: Any) -> Any:
        looks.append(rows(self, *given))
        return looks[-1]

    monkeypatch.setattr(_with_begin.WithBegin, "rows", look)
    for number in range(20):
        add(sessions, number, CHAT.user(str(number)))
        for _ in range(3):
            with sessions() as session:
                session.get(Line, 1)
        with sessions.begin() as session, session.begin_nested() as inside:
            session.get(Line, 1)
            inside.rollback()
    assert [found is None for found in looks] == [True] * 3 + [False] * 17
    assert history(engine) == [CHAT.user(str(number)) for number in range(20)]
    engine.dispose()


@pytest.mark.parametrize("thread", ["", "it's", 'a "b" \\ %s :x $1', "NULL", "żółć 🜁", "1"])
def test_any_name_of_a_conversation_finds_its_own(database: Database, thread: str) -> None:
    engine = opened(database)
    sessions = guarded(engine)
    write(sessions, [CHAT.calls("other")], "another")
    write(sessions, TURN, thread)
    assert_sound(engine, thread)
    engine.dispose()


@pytest.mark.parametrize("thread", [1, -(2**63), 2**63 - 1])
def test_any_number_of_a_conversation_finds_its_own(database: Database, thread: int) -> None:
    engine = opened(database)
    Base.metadata.create_all(engine)
    sessions = sessionmaker(engine)
    guard(sessions, Numbered, **{**MAPPING, "order": "id"})
    for message in (CHAT.user("go"), CHAT.calls("a"), CHAT.user("again")):
        with sessions.begin() as session:
            session.add(Numbered(thread=thread, body=message))
    with sessions() as session:
        found = list(session.scalars(sa.select(Numbered.body).order_by(Numbered.id)))
    assert len(found) == 4
    assert check(found, "openai-chat") == ()
    engine.dispose()


def test_a_lost_connection_is_said_once_and_left(database: Database) -> None:
    engine = opened(database, pool_size=1, max_overflow=0)
    sessions = guarded(engine)
    with sessions.begin() as session:
        session.add(Line(thread="c", seq=1, body=CHAT.calls("a")))
        pid = session.scalar(sa.text("SELECT pg_backend_pid()"))
    with database.engine.connect() as other:
        other.execute(sa.text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
    with pytest.raises(sa.exc.OperationalError) as caught, sessions.begin() as session:
        session.add(Line(thread="c", seq=2, body=CHAT.user("again")))
    assert caught.value.connection_invalidated
    with sessions.begin() as session:
        session.add(Line(thread="c", seq=2, body=CHAT.user("again")))
    assert check(history(engine), "openai-chat") == ()
    engine.dispose()


@contextmanager
def locked(database: Database, then: Callable[[], object] | None = None) -> Iterator[None]:
    """Keep everybody off the table until somebody waits for it, or until the end if `then`."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with database.engine.begin() as connection, database.engine.connect() as beside:
            connection.execute(sa.text("LOCK TABLE line IN ACCESS EXCLUSIVE MODE"))
            held.set()
            waiting = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not (beside.scalar(waiting) or done.is_set()):
                beside.rollback()
            if then is not None:
                then()
                done.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        yield
    finally:
        done.set()
        holder.join()


def add(sessions: sessionmaker[Any], seq: int, message: Message) -> None:
    with sessions.begin() as session:
        session.add(Line(thread="c", seq=seq, body=message))


def test_a_look_that_waits_lets_other_threads_go_on(database: Database) -> None:
    engine = opened(database)
    sessions = guarded(engine)
    with locked(database):
        add(sessions, 1, CHAT.user("go"))
    assert history(engine) == [CHAT.user("go")]
    engine.dispose()


def test_a_look_that_waits_can_be_interrupted(
    database: Database, request: pytest.FixtureRequest
) -> None:
    engine = opened(database)
    sessions = guarded(engine)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it
    request.addfinalizer(partial(signal.signal, signal.SIGINT, before))
    interrupt = partial(signal.pthread_kill, threading.get_ident(), signal.SIGINT)
    with locked(database, interrupt), pytest.raises(KeyboardInterrupt):
        add(sessions, 1, CHAT.user("go"))
    write(sessions, TURN)
    assert_sound(engine)
    engine.dispose()


def test_a_look_that_waits_can_be_cancelled(database: Database, run: Run[None]) -> None:
    Base.metadata.create_all(database.engine)
    engine = create_async_engine(database.url, connect_args={"prepare_threshold": 0})
    sessions = async_sessionmaker(engine)
    guard(sessions, Line, **MAPPING)

    async def add_one(seq: int, message: Message) -> None:
        async with sessions.begin() as session:
            session.add(Line(thread="c", seq=seq, body=message))
            await session.flush()  # SQLAlchemy lets nobody cancel the end of the block

    async def scenario() -> None:
        await add_one(0, TURN[0])
        loop = asyncio.get_running_loop()
        lock = locked(database, lambda: loop.call_soon_threadsafe(task.cancel))
        await asyncio.to_thread(lock.__enter__)
        task = asyncio.create_task(add_one(1, TURN[1]))
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(lock.__exit__, None, None, None)
        for number, message in enumerate(TURN[1:], 1):
            await add_one(10 * number, message)
        await engine.dispose()

    run(scenario())
    assert_sound(database.engine)


def test_a_look_that_is_refused_is_refused_in_the_servers_words(database: Database) -> None:
    engine = opened(database, {"options": "-c lock_timeout=300"})
    sessions = guarded(engine)
    write(sessions, [CHAT.user("warm")], "another")
    with database.engine.begin() as connection:
        connection.execute(sa.text("LOCK TABLE line IN ACCESS EXCLUSIVE MODE"))
        start = time.monotonic()
        with pytest.raises(sa.exc.OperationalError, match="lock timeout") as caught:
            add(sessions, 1, CHAT.user("go"))
        assert time.monotonic() - start < 0.6  # it did not wait twice
        assert caught.value.orig.sqlstate == "55P03"
    write(sessions, TURN)
    assert_sound(engine)
    engine.dispose()
