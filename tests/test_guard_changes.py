"""One flush of a guarded session that is more than a new message: edits, deletes, moves, orphans."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
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

from endmark import StoreError, UnreadableError, check
from endmark.guard import guard
from endmark.guard._rows import Rows
from fix_databases import Database
from guard_messages import ANTHROPIC, CHAT, Message, Talk

TALKS = pytest.mark.parametrize("talk", [CHAT, ANTHROPIC], ids=lambda talk: talk.format)


class Base(DeclarativeBase):
    pass


class Thread(Base):
    __tablename__ = "thread"
    id: Mapped[str] = mapped_column(primary_key=True)
    lines: Mapped[list[Line]] = relationship(cascade="all, delete-orphan", order_by="Line.id")


class Line(Base):
    """Ordered by a key that all threads share; a class for each who speaks."""

    __tablename__ = "line"
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    thread: Mapped[str] = mapped_column(sa.ForeignKey(Thread.id))
    body: Mapped[Any] = mapped_column(sa.JSON)
    __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "line"}  # noqa: RUF012


class Said(Line):
    __mapper_args__ = {"polymorphic_identity": "said"}  # noqa: RUF012


class Timed(Base):
    """Ordered by a time that the database gives."""

    __tablename__ = "timed"
    id: Mapped[int] = mapped_column(primary_key=True)
    thread: Mapped[str]
    at: Mapped[Any] = mapped_column(sa.DateTime(timezone=True), server_default=sa.func.now())
    body: Mapped[Any] = mapped_column(sa.JSON)


def guarded(database: Database, model: Any = Line, talk: Talk = CHAT) -> sessionmaker[Session]:
    Base.metadata.create_all(database.engine)
    factory = sessionmaker(database.engine)
    with factory.begin() as session:
        session.add_all([Thread(id="t"), Thread(id="v")])
    order = "at" if model is Timed else "id"
    names = {"conversation": "thread", "order": order, "payload": "body"}
    guard(factory, model, **names, format=talk.format)
    return factory


def line(message: Message, thread: str = "t") -> Line:
    said = message["role"] == "user"
    return Said(thread=thread, body=message) if said else Line(thread=thread, body=message)


def read(database: Database, thread: str = "t", model: Any = Line) -> list[Message]:
    order = model.at if model is Timed else model.id
    with Session(database.engine) as session:
        query = sa.select(model.body).where(model.thread == thread)
        return list(session.scalars(query.order_by(order, model.id)))


def says(messages: list[Message], text: str) -> bool:
    return any(text in repr(message) for message in messages)


def edit(session: Session, rows: list[Line], talk: Talk) -> None:
    rows[0].body = talk.user("edited")


def delete_a_result(session: Session, rows: list[Line], talk: Talk) -> None:
    session.delete(rows[2])


def take_out_of_its_thread(session: Session, rows: list[Line], talk: Talk) -> None:
    thread = session.get_one(Thread, "t")
    thread.lines.remove(rows[2])


def move_a_result(session: Session, rows: list[Line], talk: Talk) -> None:
    rows[2].thread = "v"


def move_a_result_by_its_parent(session: Session, rows: list[Line], talk: Talk) -> None:
    thread = session.get_one(Thread, "v")
    thread.lines.append(rows[2])


def move_a_call(session: Session, rows: list[Line], talk: Talk) -> None:
    rows[1].thread = "v"


@dataclass(frozen=True)
class Change:
    """What a flush does beside adding a message, and which real results are to be there still."""

    do: Callable[[Session, list[Line], Talk], None]
    kept: str


CHANGES = [
    Change(edit, "edited found-c found-a"),
    Change(delete_a_result, "found-a"),
    Change(take_out_of_its_thread, "found-a"),
    Change(move_a_result, "found-a"),
    Change(move_a_result_by_its_parent, "found-a"),
    Change(move_a_call, ""),
]


@TALKS
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.do.__name__)
@pytest.mark.parametrize("more", [True, False], ids=["with a message", "alone"])
def test_a_change_beside_an_open_call(
    database: Database, talk: Talk, change: Change, more: bool
) -> None:
    """Calls a, b, c; c and a are answered, in this order."""
    factory = guarded(database, talk=talk)
    with factory.begin() as session:
        session.add_all(
            line(message)
            for message in [
                talk.user("go"),
                talk.calls("a", "b", "c"),
                talk.result("c", "found-c"),
                talk.result("a", "found-a"),
            ]
        )
    with factory.begin() as session:
        rows = list(session.scalars(sa.select(Line).order_by(Line.id)))
        change.do(session, rows, talk)
        if more:
            session.add(line(talk.user("next")))
    with factory.begin() as session:
        session.add(line(talk.user("and on")))
    found = read(database)
    assert check(found, talk.format) == ()
    assert [text for text in change.kept.split() if not says(found, text)] == []
    assert not more or says(found, "next")


@TALKS
def test_several_classes_on_one_table(database: Database, talk: Talk) -> None:
    factory = guarded(database, talk=talk)
    messages = [
        talk.user("go"), talk.calls("a"), talk.result("a"), talk.text("so"),
        talk.calls("b"), talk.user("stop"), talk.calls("c"), talk.result("c"),
    ]  # fmt: skip
    with factory.begin() as session:
        session.add_all(map(line, messages))
    found = read(database)
    assert check(found, talk.format) == ()
    assert [each for each in found if each in messages] == messages or talk is ANTHROPIC
    assert sum("No result" in repr(each) for each in found) == 1


@TALKS
def test_an_object_that_was_taken_back_leaves_room(database: Database, talk: Talk) -> None:
    """The unit of work gives its number to another one too."""
    factory = guarded(database, talk=talk)
    with factory.begin() as session:
        first = line(talk.user("not meant"))
        session.add(first)
        session.add(line(talk.calls("a")))
        session.expunge(first)
        session.add(line(talk.user("go")))
    assert check(read(database), talk.format) == ()


@TALKS
def test_times_of_the_database_stand_behind_rows_that_were_moved_on(
    database: Database, talk: Talk
) -> None:
    factory = guarded(database, Timed, talk)
    with factory() as session:
        session.add(Timed(thread="t", body=talk.calls("a")))
        session.commit()
        for messages in ([talk.user("stop")], [talk.text("done"), talk.user("next")]):
            session.add_all([Timed(thread="t", body=message) for message in messages])
            session.flush()
        session.commit()
    found = read(database, model=Timed)
    assert check(found, talk.format) == ()
    said = [text for message in found for text in ("stop", "done", "next") if text in repr(message)]
    assert said == ["stop", "done", "next"]


@pytest.mark.parametrize("empty", ["", []], ids=repr)
@pytest.mark.parametrize("together", [True, False])
def test_an_empty_answer_may_stand_last_alone(
    database: Database, empty: Any, together: bool
) -> None:
    factory = guarded(database, talk=ANTHROPIC)
    answer = {"role": "assistant", "content": empty}
    with factory.begin() as session:
        for message in [ANTHROPIC.user("go"), answer, ANTHROPIC.user("well?")]:
            session.add(line(message))
            if not together:
                session.flush()
    assert check(read(database), "anthropic") == ()


def test_a_refused_flush_leaves_no_closing_row(database: Database) -> None:
    factory = guarded(database)
    with factory() as session:
        added = [line(CHAT.calls("a")), line(CHAT.user("go"))]
        added.append(line({"role": "assistant", "tool_calls": 5}, "v"))
        session.add_all(added)
        with pytest.raises(UnreadableError, match=r"(?i)nothing was"):
            session.flush()
        for each in added:
            session.expunge(each)
        session.commit()
    assert read(database) == []


ODD: list[Any] = [{}, {"role": "assistant", "tool_calls": 5}, {"role": ["user"]}, {"role": "assistant", "content": [5]}]  # fmt: skip


@TALKS
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_objects_of_no_format(database: Database, talk: Talk, odd: Message) -> None:
    """Stored by others they keep nobody from writing; written they are refused, in words."""
    factory = guarded(database, talk=talk)
    with Session(database.engine) as session, session.begin():
        session.add(Line(thread="t", body=odd))
    with factory.begin() as session:
        session.add(line(talk.user("go")))
    assert talk.user("go") in read(database)
    with factory() as session:
        session.add(Line(thread="v", body=odd))
        with suppress(UnreadableError):  # in words, or it is no worse than what others stored
            session.flush()


def test_sessions_with_a_bind_for_each_class(database: Database) -> None:
    Base.metadata.create_all(database.engine)
    elsewhere = sa.create_engine("sqlite://")
    Base.metadata.create_all(elsewhere)
    factory = sessionmaker(elsewhere, binds={Line: database.engine, Thread: database.engine})
    guard(factory, Line, conversation="thread", order="id", payload="body", format="openai-chat")
    with factory.begin() as session:
        session.add(Thread(id="t"))
    for message in [CHAT.calls("a"), CHAT.user("go")]:
        with factory.begin() as session:
            session.add(line(message))
    assert check(read(database), "openai-chat") == ()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)  # SQLite has no schemas
def test_a_schema_that_is_translated(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.execute(sa.text("CREATE SCHEMA mine"))
    translated = database.engine.execution_options(schema_translate_map={None: "mine"})
    Base.metadata.create_all(translated)
    factory = sessionmaker(translated)
    guard(factory, Line, conversation="thread", order="id", payload="body", format="openai-chat")
    with factory.begin() as session:
        session.add(Thread(id="t"))
    for message in [CHAT.calls("a"), CHAT.user("go")]:
        with factory.begin() as session:
            session.add(line(message))
    with factory() as session:
        found = list(session.scalars(sa.select(Line.body).order_by(Line.id)))
    assert check(found, "openai-chat") == ()


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Callable[[], None]], None]:
    """Do something once, after the first call of a method of Rows."""

    def after(name: str, do: Callable[[], None]) -> None:
        plain = getattr(Rows, name)
        todo = [do]

        def method(self: Rows, *args: Any, **more: Any) -> Any:
            found = plain(self, *args, **more)
            if todo:
                todo.pop()()
            return found

        monkeypatch.setattr(Rows, name, method)

    return after


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)  # SQLite has one writer
def test_another_writer_between_reading_and_writing(
    database: Database, between: Callable[[str, Callable[[], None]], None]
) -> None:
    factory = guarded(database)
    with factory.begin() as session:
        session.add_all([line(CHAT.calls("a")), line(CHAT.user("x"))])

    def meddle() -> None:
        with Session(database.engine) as other, other.begin():
            last = other.scalars(sa.select(Line).order_by(Line.id.desc())).first()
            assert last is not None
            last.body = CHAT.user("edited")

    between("segment", meddle)
    with factory() as session:
        rows = list(session.scalars(sa.select(Line).order_by(Line.id)))
        session.delete(rows[1])
        session.add(line(CHAT.user("late")))
        with pytest.raises(StoreError, match="try the transaction again"):
            session.flush()


def test_a_conversation_that_goes_while_its_end_is_read(
    database: Database, between: Callable[[str, Callable[[], None]], None]
) -> None:
    factory = guarded(database)
    with factory.begin() as session:
        session.add_all(map(line, [CHAT.calls("a", "b"), CHAT.result("a"), CHAT.result("b")]))
        session.add(line(CHAT.text("so")))

    def remove(session: Session) -> None:
        session.execute(sa.text("DELETE FROM line"))

    with factory() as session:
        session.add(line(CHAT.result("b")))
        between("tail", lambda: remove(session))
        session.flush()


def test_conversations_are_locked_in_one_order(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    factory = guarded(database)
    locked: list[Any] = []
    monkeypatch.setattr(Rows, "fence", lambda _, __, id_: locked.append(id_))
    for threads in ("tv", "vt"):
        with factory.begin() as session:
            session.add_all(line(CHAT.user("x"), thread) for thread in threads)
    assert locked == [("t",), ("v",)] * 2
