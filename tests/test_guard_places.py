"""Rows that a guard does not meet at the end: added in another order, in between, taken out."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker

from endmark import StoreError, check
from endmark.guard import guard
from fix_databases import Database
from guard_messages import CHAT, Message

START = datetime(2026, 1, 1, tzinfo=UTC)
U, U2, A = CHAT.user("go"), CHAT.user("and?"), CHAT.text("so")
CALL, RESULT = CHAT.calls("a"), CHAT.result("a")
CALL2, RESULT2 = CHAT.calls("b"), CHAT.result("b")
LONG = [message for _ in range(40) for message in (U, A)]  # more than a guard reads at first


class Base(DeclarativeBase):
    pass


class ByNumber(Base):
    __tablename__ = "by_number"
    __table_args__ = (sa.UniqueConstraint("thread", "place"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    thread: Mapped[str]
    place: Mapped[int]
    body: Mapped[Any] = mapped_column(sa.JSON(none_as_null=True), nullable=True)

    @staticmethod
    def at(k: int) -> Any:
        return k


class ByTime(Base):
    __tablename__ = "by_time"
    id: Mapped[int] = mapped_column(primary_key=True)
    thread: Mapped[str]
    place: Mapped[datetime] = mapped_column(sa.DateTime(timezone=True))
    body: Mapped[Any] = mapped_column(sa.JSON(none_as_null=True), nullable=True)

    @staticmethod
    def at(k: int) -> Any:
        return START + timedelta(seconds=k)


Placed = list[tuple[int, Message]]
Add = Callable[[Session, Any, Placed], None]


def as_objects(session: Session, model: Any, rows: Placed) -> None:
    session.add_all([model(thread="t", place=model.at(k), body=body) for k, body in rows])


def as_statement(session: Session, model: Any, rows: Placed) -> None:
    values = [{"thread": "t", "place": model.at(k), "body": body} for k, body in rows]
    session.execute(sa.insert(model), values)


def as_rows_of_a_table(session: Session, model: Any, rows: Placed) -> None:
    values = [{"thread": "t", "place": model.at(k), "body": body} for k, body in rows]
    session.execute(sa.insert(model.__table__), values)


def shut(*call_ids: str) -> list[str]:
    return [f"marker {call_id}" for call_id in call_ids]


# Flushes of rows by their place, and what is read afterwards: messages, or markers.
CASES: dict[str, tuple[list[Placed], list[Any]]] = {
    "the newest first": (
        [[(6, U2), (5, RESULT2), (4, CALL2), (3, U2), (2, RESULT), (1, CALL), (0, U)]],
        [U, CALL, RESULT, U2, CALL2, RESULT2, U2],
    ),
    "users first": ([[(0, U), (6, U2), (1, CALL), (2, RESULT)]], [U, CALL, RESULT, U2]),
    "a call between users": ([[(0, U), (6, U2), (1, CALL)]], [U, CALL, *shut("a"), U2]),
    "a call between users, later": (
        [[(0, U)], [(6, U2)], [(1, CALL)]],
        [U, CALL, *shut("a"), U2],
    ),
    "a call and its result between users, later": (
        [[(0, U)], [(6, U2)], [(1, CALL), (2, RESULT)]],
        [U, CALL, RESULT, U2],
    ),
    "a call far back": (
        [list(enumerate(LONG, 10)), [(0, U), (1, CALL)]],
        [U, CALL, *shut("a"), *LONG],
    ),
}
DOORS: list[Add] = [as_objects, as_statement, as_rows_of_a_table]
MODELS = pytest.mark.parametrize("model", [ByNumber, ByTime], ids=lambda model: model.__name__)


def guarded(database: Database, model: Any, engine: bool = False) -> sessionmaker[Session]:
    Base.metadata.create_all(database.engine)
    factory = sessionmaker(database.engine)
    mapping = {"conversation": "thread", "order": "place", "payload": "body"}
    guard(database.engine if engine else factory, model, **mapping, format="openai-chat")
    return factory


def read(database: Database, model: Any) -> list[Any]:
    with Session(database.engine) as session:
        query = sa.select(model.body).order_by(model.place, model.id)
        return [body for body in session.scalars(query) if body is not None]


def named(messages: list[Any]) -> list[Any]:
    """Call each marker by its name."""
    return [
        f"marker {message['tool_call_id']}"
        if message.get("role") == "tool" and message not in (RESULT, RESULT2)
        else message
        for message in messages
    ]


@MODELS
@pytest.mark.parametrize("engine", [False, True], ids=["sessions", "engine"])
@pytest.mark.parametrize("add", DOORS, ids=lambda add: add.__name__)
@pytest.mark.parametrize("case", CASES)
def test_rows_are_read_in_their_order_however_added(
    database: Database, model: Any, engine: bool, add: Add, case: str
) -> None:
    flushes, expected = CASES[case]
    factory = guarded(database, model, engine)
    for rows in flushes:
        with factory.begin() as session:
            add(session, model, rows)
    found = read(database, model)
    assert named(found) == expected
    assert check(found, "openai-chat") == ()


@MODELS
@pytest.mark.parametrize("engine", [False, True], ids=["sessions", "engine"])
@pytest.mark.parametrize("add", DOORS, ids=lambda add: add.__name__)
def test_a_result_whose_call_is_kept_elsewhere_is_no_door_s_to_take_out(
    database: Database, model: Any, engine: bool, add: Add
) -> None:
    factory = guarded(database, model, engine)
    with factory.begin() as session:
        add(session, model, [(0, U), (1, A), (2, RESULT)])
    with pytest.raises(StoreError, match="where are the calls kept"), factory.begin() as session:
        add(session, model, [(3, U2)])
    assert read(database, model) == [U, A, RESULT]


@MODELS
@pytest.mark.parametrize("how", ["objects", "statement", "table", "update"])
def test_what_is_cut_far_back_is_closed(database: Database, model: Any, how: str) -> None:
    """History is pruned, or edited, further back than a guard reads at first."""
    factory = guarded(database, model)
    with factory.begin() as session:
        as_objects(session, model, list(enumerate([U, CALL, RESULT, *LONG])))
    first = model.place <= model.at(1)
    with factory.begin() as session:
        if how == "objects":
            for row in session.scalars(sa.select(model).where(first)):
                session.delete(row)
        elif how == "statement":
            session.execute(sa.delete(model).where(first))
        elif how == "table":
            session.execute(sa.delete(model.__table__).where(first))
        else:
            session.execute(sa.update(model).where(model.place == model.at(1)).values(body=A))
    found = read(database, model)
    assert found == ([U, A, *LONG] if how == "update" else LONG)


def uuid_7(k: int) -> str:
    return f"01a231c3-4e8f-7{k:03x}-aacb-f2286088d67d"


class ById(Base):
    """Ordered by an id that begins with its time."""

    __tablename__ = "by_id"
    id: Mapped[str] = mapped_column(primary_key=True)
    thread: Mapped[str]
    body: Mapped[Any] = mapped_column(sa.JSON)


@pytest.mark.parametrize(
    "id_of", [uuid_7, lambda k: f"01K{k:07d}0123456789ABCDEF"], ids=["uuid 7", "ulid"]
)
@pytest.mark.parametrize("engine", [False, True], ids=["sessions", "engine"])
def test_a_row_that_is_made_stands_before_those_to_come(
    database: Database, id_of: Callable[[int], str], engine: bool
) -> None:
    Base.metadata.create_all(database.engine)
    factory = sessionmaker(database.engine)
    mapping = {"conversation": "thread", "order": "id", "payload": "body"}
    guard(database.engine if engine else factory, ById, **mapping, format="openai-chat")
    for k, message in enumerate([U, CALL, U2, A, U]):
        with factory.begin() as session:
            session.add(ById(id=id_of(k), thread="t", body=message))
    with factory() as session:
        found = list(session.scalars(sa.select(ById.body).order_by(ById.id)))
    assert named(found) == [U, CALL, *shut("a"), U2, A, U]


@pytest.mark.parametrize("default", [{"default": uuid.uuid4}, {"server_default": sa.func.gen_random_uuid()}], ids=str)  # fmt: skip
def test_random_ids_order_nothing(default: dict[str, Any]) -> None:
    class Model(DeclarativeBase):
        pass

    class Random(Model):
        __tablename__ = "random"
        id: Mapped[uuid.UUID] = mapped_column(primary_key=True, **default)
        thread: Mapped[str]
        body: Mapped[Any] = mapped_column(sa.JSON)

    mapping = {"conversation": "thread", "payload": "body", "format": "openai-chat"}
    for order in [{}, {"order": "id"}]:
        with pytest.raises(StoreError, match="which order nothing"):
            guard(sessionmaker(), Random, **mapping, **order)


@MODELS
@pytest.mark.parametrize("body", [None, "no message", ["none"]], ids=str)
@pytest.mark.parametrize("engine", [False, True], ids=["sessions", "engine"])
def test_a_row_that_cannot_be_read_keeps_nobody_from_writing(
    database: Database,
    model: Any,
    body: Any,
    engine: bool,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A placeholder of an answer that never came, say."""
    Base.metadata.create_all(database.engine)
    with Session(database.engine) as session, session.begin():
        as_objects(session, model, [(0, U), (1, CALL), (2, body)])
    factory = guarded(database, model, engine)
    with caplog.at_level(logging.WARNING, "endmark"), factory.begin() as session:
        as_objects(session, model, [(3, U2)])
    assert U2 in read(database, model)
    (line,) = [record.getMessage() for record in caplog.records]
    assert model.__tablename__ in line
    assert "place is" in line
    assert "no message" not in line
