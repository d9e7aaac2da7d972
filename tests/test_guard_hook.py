"""guard() and GuardedJSON on mapped classes of one's own."""

from __future__ import annotations

import gc
import json
import uuid
import warnings
import weakref
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    mapped_column,
    relationship,
    scoped_session,
    sessionmaker,
)

from endmark import FormatError, Policy, StoreError, check, repair
from endmark.guard import GuardedJSON, Repair, guard, tables
from endmark.stores import endmark_tables
from endmark.stores.vercel_chatbot import STORE as VERCEL
from fix_databases import AsyncDatabase, Database, Run
from guard_messages import ANTHROPIC, CHAT, Message, Talk, create, stored, text_part, tool_part, ui

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


class Said:
    """What an application has in place of a dict."""

    def __init__(self, message: Message) -> None:
        self.message = message


class SaidType(sa.TypeDecorator[Said]):
    impl = sa.JSON
    cache_ok = True

    def process_bind_param(self, value: Said | None, dialect: Any) -> Any:
        return None if value is None else value.message

    def process_result_value(self, value: Any, dialect: Any) -> Said | None:
        return None if value is None else Said(value)


class Talk2(Base):
    __tablename__ = "talk"
    id: Mapped[uuid.UUID] = mapped_column("talk_id", primary_key=True, default=uuid.uuid4)
    lines: Mapped[list[Line]] = relationship(cascade="all, delete-orphan", order_by="Line.number")


class Line(Base):
    """Attributes under other names than columns, keys of the client, values of a type of its own."""

    __tablename__ = "line"
    id: Mapped[uuid.UUID] = mapped_column("line_id", primary_key=True, default=uuid.uuid4)
    talk_id: Mapped[uuid.UUID] = mapped_column("talk", sa.ForeignKey("talk.talk_id"))
    number: Mapped[int] = mapped_column("no")
    said: Mapped[Said] = mapped_column("blob", SaidType)


@TALKS
@pytest.mark.parametrize("together", [False, True], ids=["a flush each", "one flush"])
def test_names_keys_and_types_of_ones_own(database: Database, talk: Talk, together: bool) -> None:
    Base.metadata.create_all(database.engine)
    factory = sessionmaker(database.engine)
    names = {"conversation": "talk_id", "order": "number", "payload": "said"}
    guard(factory, Line, format=talk.format, **names)
    history = [talk.user("go"), talk.calls("a"), talk.user("stop"), talk.calls("b"), talk.user("x")]
    with factory() as session:
        mine = Talk2()
        session.add(mine)
        for message in history:
            number = len(mine.lines) if together else 10 * len(mine.lines)
            mine.lines.append(Line(number=number, said=Said(message)))
            if not together:
                session.commit()
        session.commit()
        assert [line.said.message for line in mine.lines] == repair(history, talk.format)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a key that is spelt in another way is not found
            session.delete(mine)
            session.commit()
        assert session.scalars(sa.select(sa.func.count()).select_from(Line)).one() == 0


@pytest.mark.parametrize("value", [Said(OPEN), json.dumps(OPEN)], ids=["own type", "text"])
def test_bulk_statements_close_values_of_any_form(database: Database, value: Any) -> None:
    model: Any = ByNumber if isinstance(value, str) else Line
    payload, factory = ("body" if model is ByNumber else "said"), sessionmaker(database.engine)
    Base.metadata.create_all(database.engine)
    name = "thread_id" if model is ByNumber else "talk_id"
    guard(factory, model, conversation=name, order="number", payload=payload, format="ai-sdk")
    with factory() as session:
        parent: Any = Thread() if model is ByNumber else Talk2()
        session.add(parent)
        session.flush()
        session.execute(sa.insert(model), [{name: parent.id, "number": 1, payload: value}])
        kept = session.scalars(sa.select(getattr(model, payload))).one()
        assert (json.loads(kept) if isinstance(kept, str) else kept.message) == CLOSED


class Whole(Base):
    __tablename__ = "whole"
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    thread: Mapped[str]
    body: Mapped[Any] = mapped_column(sa.JSON)
    __mapper_args__ = {"polymorphic_on": "kind", "polymorphic_identity": "whole"}  # noqa: RUF012


class Single(Whole):
    __mapper_args__ = {"polymorphic_identity": "single"}  # noqa: RUF012


class Joined(Whole):
    __tablename__ = "joined"
    id: Mapped[int] = mapped_column(sa.ForeignKey(Whole.id), primary_key=True)
    __mapper_args__ = {"polymorphic_identity": "joined"}  # noqa: RUF012


@pytest.mark.parametrize("cls", [Single, Joined])
@pytest.mark.parametrize("inline", [True, False], ids=["inline", "own message"])
def test_subclasses(database: Database, cls: Any, inline: bool) -> None:
    Base.metadata.create_all(database.engine)
    factory = sessionmaker(database.engine)
    format_ = "ai-sdk" if inline else "openai-chat"
    guard(factory, Whole, conversation="thread", order="id", payload="body", format=format_)
    messages = [OPEN] if inline else [CHAT.calls("a"), CHAT.user("hi")]
    with factory() as session:
        session.add_all([cls(thread="t", body=message) for message in messages])
        if cls is Joined and not inline:
            with pytest.raises(StoreError, match="several tables"):
                session.commit()
            return
        session.commit()
        found = session.scalars(sa.select(Whole).order_by(Whole.id)).all()
        assert {type(row) for row in found} == {cls}
        assert [row.body for row in found] == repair(messages, format_)


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


# -- GuardedJSON -------------------------------------------------------------------------------


class Typed(Base):
    __tablename__ = "typed"
    id: Mapped[int] = mapped_column(primary_key=True)
    body: Mapped[Any] = mapped_column(GuardedJSON("ai-sdk", none_as_null=True), nullable=True)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (OPEN, CLOSED),
        (OPEN["parts"], CLOSED["parts"]),
        (ui("m", text_part("hi")), ui("m", text_part("hi"))),
        ([], []),
        (None, None),
        ("not a message", "not a message"),
    ],
    ids=["message", "parts", "sound", "no parts", "null", "text"],
)
def test_guarded_json(database: Database, given: Any, kept: Any) -> None:
    Base.metadata.create_all(database.engine)
    before = json.dumps(given)
    with Session(database.engine) as session:
        session.add(Typed(body=given))
        session.commit()
        assert session.scalars(sa.select(Typed.body)).one() == kept
        if kept is None:
            assert session.scalar(sa.select(sa.func.count()).where(Typed.body.is_(None))) == 1
    assert json.dumps(given) == before


def test_guarded_json_in_a_condition(database: Database) -> None:
    kind = "JSONB" if database.name == "postgresql" else "JSON"
    query = sa.select(Typed.id).where(Typed.body == OPEN)
    Base.metadata.create_all(database.engine)
    assert str(Typed.__table__.c.body.type.compile(database.engine.dialect)) == kind
    with Session(database.engine) as session:
        session.add(Typed(body=OPEN))
        session.flush()
        assert session.scalars(query).all() == [1]
        assert session.scalars(sa.select(Typed.body["id"].as_string())).all() == ["m"]


def test_guarded_json_refuses_what_it_cannot_see() -> None:
    with pytest.raises(FormatError, match="outside the message"):
        GuardedJSON("openai-chat")
    assert GuardedJSON("ai-sdk").cache_ok


def test_guarded_json_says_itself_and_keeps_policies_apart(database: Database) -> None:
    assert repr(GuardedJSON("ai-sdk")) == "GuardedJSON('ai-sdk')"
    assert repr(GuardedJSON("ai-sdk", none_as_null=True)) == (
        "GuardedJSON('ai-sdk', none_as_null=True)"
    )
    with database.engine.connect() as connection:  # which remembers statements by their types
        for marker in ("one", "two"):
            type_ = GuardedJSON("ai-sdk", policy=Policy(marker=marker))
            query = sa.select(sa.cast(sa.literal(OPEN, type_), sa.Text))
            assert f'"{marker}"' in connection.scalar(query)
