"""Guarded classes of every make: names, keys, types and inheritance of one's own."""

from __future__ import annotations

import json
import uuid
import warnings
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import (
    Mapped,
    mapped_column,
    relationship,
    sessionmaker,
)

from endmark import StoreError, repair
from endmark.guard import guard
from fix_databases import Database
from guard_messages import CHAT, Message, Talk
from test_guard_hook import CLOSED, OPEN, TALKS, Base, ByNumber, Thread


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
