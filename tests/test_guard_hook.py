"""guard() and GuardedJSON on mapped classes of one's own."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    mapped_column,
    relationship,
    sessionmaker,
)

from endmark import Policy, check, repair
from endmark.guard import Repair, guard, tables
from endmark.stores import endmark_tables
from endmark.stores.vercel_chatbot import STORE as VERCEL
from fix_databases import Database
from guard_messages import ANTHROPIC, CHAT, Message, Talk, create, stored, tool_part, ui

TALKS = pytest.mark.parametrize("talk", [CHAT, ANTHROPIC], ids=lambda talk: talk.format)
START = datetime(2026, 1, 1, tzinfo=UTC)


class Base(DeclarativeBase):
    pass


class Thread(Base):
    __tablename__ = "thread"
    id: Mapped[int] = mapped_column(primary_key=True)


class ByKey(Base):
    """Ordered by an id that all threads share."""

    __tablename__ = "by_key"
    id: Mapped[int] = mapped_column(primary_key=True)
    thread_id: Mapped[int] = mapped_column(sa.ForeignKey(Thread.id))
    thread: Mapped[Thread] = relationship()
    body: Mapped[Any] = mapped_column(tables.PAYLOAD)


class ByNumber(Base):
    """Ordered by a number of each thread's own; the JSON is in a text."""

    __tablename__ = "by_number"
    id: Mapped[int] = mapped_column(primary_key=True)
    thread_id: Mapped[int] = mapped_column(sa.ForeignKey(Thread.id))
    thread: Mapped[Thread] = relationship()
    number: Mapped[int]
    body: Mapped[str]
    __table_args__ = (sa.UniqueConstraint("thread_id", "number"),)


class ByTime(Base):
    """Ordered by a time."""

    __tablename__ = "by_time"
    id: Mapped[int] = mapped_column(primary_key=True)
    thread_id: Mapped[int] = mapped_column(sa.ForeignKey(Thread.id))
    thread: Mapped[Thread] = relationship()
    at: Mapped[datetime] = mapped_column(sa.DateTime(timezone=True))
    body: Mapped[Any] = mapped_column(sa.JSON)


ORDERS: dict[Any, str] = {ByKey: "id", ByNumber: "number", ByTime: "at"}


def made(model: Any, k: int, message: Message, **more: Any) -> Any:
    """Make a row as an application would: the k-th of its thread."""
    if model is ByNumber:
        more |= {"number": k, "body": json.dumps(message)}
    else:
        more |= {"body": message}
    if model is ByTime:
        more["at"] = START + timedelta(seconds=k)
    return model(**({"thread_id": 1} | more))


def bodies(session: Session, model: Any, thread: int = 1) -> list[Message]:
    table = model.__table__
    found = session.connection().execute(
        sa.select(sa.cast(table.c.body, sa.Text))
        .where(table.c.thread_id == thread)
        .order_by(table.c[ORDERS[model]], table.c.id)
    )
    return [json.loads(text) for (text,) in found]


def guarded(database: Database, model: Any, format: str, **more: Any) -> tuple[Any, Any]:
    Base.metadata.create_all(database.engine)
    with Session(database.engine) as session, session.begin():
        session.add(Thread(id=1))
    factory = sessionmaker(database.engine)
    handle = guard(
        factory,
        model,
        conversation="thread_id",
        order=ORDERS[model],
        payload="body",
        format=format,
        **more,
    )
    return factory, handle


MODELS = pytest.mark.parametrize("model", list(ORDERS), ids=lambda model: model.__name__)


@TALKS
@MODELS
@pytest.mark.parametrize("together", [False, True], ids=["a flush each", "one flush"])
def test_calls_are_closed_before_the_next_message(
    database: Database, talk: Talk, model: Any, together: bool
) -> None:
    factory, _ = guarded(database, model, talk.format)
    messages = [
        talk.user("go"), talk.calls("a", "b"), talk.result("a"), talk.user("stop"),
        talk.calls("c"), talk.text("hm"), talk.user("again"),
    ]  # fmt: skip
    with factory() as session:
        rows = []
        number = 0
        for k, message in enumerate(messages):
            number = max(number, k) if together else len(bodies(session, model))
            rows.append(made(model, number, message))
            session.add(rows[-1])
            if not together:
                session.commit()
        session.commit()
        found = bodies(session, model)
        assert found == repair(messages, talk.format)
        if talk is CHAT:  # every object still is what it was
            kept = [row.body if model is not ByNumber else json.loads(row.body) for row in rows]
            assert kept == messages
        assert session.info == {}


@TALKS
@MODELS
def test_a_late_result_replaces_its_marker(database: Database, talk: Talk, model: Any) -> None:
    factory, _ = guarded(database, model, talk.format)
    messages = [talk.calls("a"), talk.user("still there?"), talk.result("a", "late")]
    with factory() as session:
        for message in messages:
            session.add(made(model, len(bodies(session, model)), message))
            session.commit()
        assert bodies(session, model) == repair(messages, talk.format)


@MODELS
def test_a_parent_that_is_not_written_yet(database: Database, model: Any) -> None:
    factory, _ = guarded(database, model, "openai-chat")
    with factory() as session:
        two = [Thread(id=2), Thread(id=3)]
        for thread in two:
            for k, message in enumerate([CHAT.calls("a"), CHAT.user("hi")]):
                row = made(model, k, message, thread_id=None, thread=thread)
                session.add(row)
        session.commit()
        for thread in two:
            assert bodies(session, model, thread.id) == repair(
                [CHAT.calls("a"), CHAT.user("hi")], "openai-chat"
            )


@MODELS
def test_changed_and_deleted_rows(database: Database, model: Any) -> None:
    factory, _ = guarded(database, model, "openai-chat")
    with factory() as session:
        messages = [CHAT.calls("a"), CHAT.result("a"), CHAT.user("hi")]
        rows = [made(model, k, message) for k, message in enumerate(messages)]
        session.add_all(rows)
        session.commit()
        session.delete(rows[1])
        session.commit()
        found = bodies(session, model)
        assert len(found) == 3
        assert check(found, "openai-chat") == ()


def test_the_policy_and_the_report(database: Database) -> None:
    told: list[Repair] = []
    factory, _ = guarded(
        database, ByKey, "openai-chat", policy=Policy(marker="interrupted"), on_repair=told.append
    )
    with factory() as session:
        session.add_all([made(ByKey, 0, CHAT.calls("a")), made(ByKey, 1, CHAT.user("hi"))])
        session.commit()
        assert bodies(session, ByKey)[1]["content"] == "Tool execution was interrupted."
    assert [(repair.conversation_id, repair.call_id) for repair in told] == [(1, "a")]


# -- inline formats ----------------------------------------------------------------------------

OPEN = ui("m", tool_part("a"))
CLOSED = repair([OPEN], "ai-sdk")[0]


@MODELS
def test_inline_messages_are_finalized(database: Database, model: Any) -> None:
    factory, handle = guarded(database, model, "ai-sdk")
    with factory() as session:
        row = made(model, 0, OPEN)
        with handle.open_turn(session, 1):
            session.add(row)
            session.commit()
            assert bodies(session, model) == [OPEN]
        row.body = json.dumps(OPEN) if model is ByNumber else {**OPEN}
        session.flush()
        if model is not ByNumber:  # an equal value is no change
            sa.orm.attributes.flag_modified(row, "body")
        else:
            row.body = json.dumps(OPEN, indent=1)
        session.commit()
        assert bodies(session, model) == [CLOSED]
        assert session.info == {}


def test_the_role_in_a_column(database: Database) -> None:
    class Own(DeclarativeBase):
        pass

    class Line(Own):
        __tablename__ = VERCEL.table
        id: Mapped[str] = mapped_column(primary_key=True)
        chatId: Mapped[str]  # noqa: N815
        createdAt: Mapped[datetime]  # noqa: N815
        role: Mapped[str]
        parts: Mapped[Any] = mapped_column(sa.JSON)

    Own.metadata.create_all(database.engine)
    factory = sessionmaker(database.engine)
    handle = guard(factory, VERCEL)
    with factory() as session:
        line = Line(id="m", chatId="c", role="assistant", parts=OPEN["parts"])
        line.createdAt = datetime(2026, 1, 1)  # noqa: DTZ001
        session.add(line)
        session.commit()
        assert line.parts == CLOSED["parts"]
    handle.remove()


# -- what people's classes are like ------------------------------------------------------------


def test_the_database_gives_the_time(database: Database) -> None:
    """Rows of one transaction have one time, which the closing row must not come behind."""

    class Own(DeclarativeBase):
        pass

    class Timed(Own):
        __tablename__ = "timed"
        id: Mapped[int] = mapped_column(primary_key=True)
        thread: Mapped[str]
        at: Mapped[datetime] = mapped_column(server_default=sa.func.now())
        body: Mapped[Any] = mapped_column(sa.JSON)

    Own.metadata.create_all(database.engine)
    factory = sessionmaker(database.engine)
    guard(factory, Timed, conversation="thread", order="at", payload="body", format="openai-chat")
    messages = [CHAT.calls("a"), CHAT.user("b"), CHAT.calls("c"), CHAT.calls("d"), CHAT.user("e")]
    with factory() as session:
        for message in messages:
            session.add(Timed(thread="t", body=message))
            session.flush()
        found = session.scalars(sa.select(Timed.body).order_by(Timed.at, Timed.id)).all()
        assert found == repair(messages, "openai-chat")


# -- targets, scope, leaks ---------------------------------------------------------------------


def test_the_reference_tables_by_their_store(database: Database) -> None:
    create(database.engine)
    factory = sessionmaker(database.engine)
    guard(factory, endmark_tables.store("openai-chat"))
    with factory() as session:
        session.add(tables.Conversation(id="c"))
        session.flush()
        for k, message in enumerate([CHAT.calls("a"), CHAT.user("hi")]):
            session.add(tables.Message(conversation_id="c", seq=k, payload=message))
        session.commit()
        assert stored(session) == repair([CHAT.calls("a"), CHAT.user("hi")], "openai-chat")


# -- GuardedJSON -------------------------------------------------------------------------------
