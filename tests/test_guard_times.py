"""Rows ordered by a time that the database, or the model, gives them: in order, and true."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, sessionmaker

from endmark import check, is_synthesized
from endmark.guard import guard
from fix_databases import Database
from guard_messages import CHAT, Message

THREADS = [str(k) for k in range(8)]  # random keys are in order by chance
TURNS = [
    CHAT.user("go"),
    CHAT.calls("a"),
    CHAT.user("and?"),
    CHAT.text("so"),
    CHAT.calls("b"),
    CHAT.result("b"),
    CHAT.calls("c"),
    CHAT.user("again"),
]
MOMENT = timedelta(seconds=1)  # what SQLite's own times count in


class Base(DeclarativeBase):
    pass


class Columns:
    thread: Mapped[str]
    body: Mapped[Any] = mapped_column(sa.JSON)


class ByServer(Columns, Base):
    __tablename__ = "by_server"
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(
        sa.DateTime(timezone=True), server_default=sa.func.current_timestamp()
    )


class ByPlainServer(Columns, Base):
    __tablename__ = "by_plain_server"
    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(sa.DateTime(), server_default=sa.func.current_timestamp())


class ByClock(Columns, Base):
    __tablename__ = "by_clock"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    at: Mapped[datetime] = mapped_column(
        sa.DateTime(timezone=True), default=lambda: datetime.now(UTC)
    )


class ByServerAtRandom(Columns, Base):
    __tablename__ = "by_server_at_random"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    at: Mapped[datetime] = mapped_column(
        sa.DateTime(timezone=True), server_default=sa.func.current_timestamp()
    )


MODELS = [ByServer, ByPlainServer, ByClock, ByServerAtRandom]


def guarded(database: Database, model: Any) -> sessionmaker[Any]:
    if model is ByServerAtRandom and database.name == "sqlite":
        pytest.skip("rows of one second and random keys have no order")
    Base.metadata.create_all(database.engine)
    sessions = sessionmaker(database.engine)
    guard(sessions, model, conversation="thread", order="at", payload="body", format="openai-chat")
    return sessions


def read(sessions: sessionmaker[Any], model: Any, thread: str) -> list[Any]:
    with sessions() as session:
        query = sa.select(model).where(model.thread == thread).order_by(model.at, model.id)
        return list(session.scalars(query))


def assert_told(rows: list[Any], messages: list[Message], since: datetime) -> None:
    """The messages stand in order, closed where they have to be, and at the times they came at."""
    history = [row.body for row in rows]
    real = [row for row in rows if not is_synthesized(row.body, "openai-chat")]
    assert [row.body for row in real] == messages
    assert check(history, "openai-chat") == ()
    times = [row.at if row.at.tzinfo else row.at.replace(tzinfo=UTC) for row in real]
    assert all(since - MOMENT <= at <= datetime.now(UTC) + MOMENT for at in times)


@pytest.mark.parametrize("model", MODELS)
def test_each_message_in_a_transaction_of_its_own(database: Database, model: Any) -> None:
    sessions = guarded(database, model)
    since = datetime.now(UTC)
    for message in TURNS:
        for thread in THREADS:
            with sessions.begin() as session:
                session.add(model(thread=thread, body=message))
    for thread in THREADS:
        assert_told(read(sessions, model, thread), TURNS, since)


@pytest.mark.parametrize("model", [ByServer, ByPlainServer, ByClock])
@pytest.mark.parametrize("several", [1, 2, len(TURNS)])
def test_flushes_of_one_transaction(database: Database, model: Any, several: int) -> None:
    sessions = guarded(database, model)
    since = datetime.now(UTC)
    with sessions.begin() as session:
        for at in range(0, len(TURNS), several):
            session.add_all([model(thread="t", body=each) for each in TURNS[at : at + several]])
            session.flush()
    assert_told(read(sessions, model, "t"), TURNS, since)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("last", [TURNS[3], TURNS[1]], ids=["an answer", "an open call"])
def test_a_thread_of_yesterday_goes_on_today(database: Database, model: Any, last: Any) -> None:
    sessions = guarded(database, model)
    now = datetime.now(UTC)
    old = now - timedelta(days=1)
    with database.engine.begin() as connection:
        for k, body in enumerate([TURNS[0], last]):
            row = {"thread": "t", "body": body, "at": old + k * MOMENT}
            connection.execute(sa.insert(model), row)
    with sessions.begin() as session:
        session.add(model(thread="t", body=TURNS[2]))
    with sessions.begin() as session:
        session.add(model(thread="t", body=TURNS[3]))
    rows = read(sessions, model, "t")
    assert [row.body for row in rows[:2]] == [TURNS[0], last]
    assert check([row.body for row in rows], "openai-chat") == ()
    assert_told(rows[-2:], TURNS[2:4], now)
