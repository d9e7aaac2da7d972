"""Columns that no two rows may share: a closing row gets an id of its own, or none."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, sessionmaker

from endmark import check, heal
from endmark.guard import guard
from endmark.stores import Store
from fix_databases import Database
from guard_messages import CHAT

TURNS = [CHAT.user("go"), CHAT.calls("a"), CHAT.user("and?"), CHAT.text("so")]


class Base(DeclarativeBase):
    pass


class Columns:
    id: Mapped[int] = mapped_column(primary_key=True)
    thread: Mapped[str]
    seq: Mapped[int]
    body: Mapped[Any] = mapped_column(sa.JSON)


class ByDefault(Columns, Base):
    __tablename__ = "by_default"
    ext: Mapped[str] = mapped_column(unique=True, default=lambda: uuid.uuid4().hex)


class Given(Columns, Base):
    __tablename__ = "given"
    ext: Mapped[str] = mapped_column(sa.String(40), unique=True, index=True)


class GivenUuid(Columns, Base):
    __tablename__ = "given_uuid"
    ext: Mapped[uuid.UUID] = mapped_column(unique=True)


class Nullable(Columns, Base):
    __tablename__ = "nullable"
    ext: Mapped[str | None] = mapped_column(unique=True)


MODELS = pytest.mark.parametrize("model", [ByDefault, Given, GivenUuid, Nullable])


def row(model: Any, seq: int, body: Any) -> Any:
    made = model(thread="t", seq=seq, body=body)
    if model is not ByDefault:
        made.ext = uuid.uuid4() if model is GivenUuid else f"ext {seq}"
    return made


def assert_sound(sessions: sessionmaker[Any], model: Any) -> None:
    with sessions() as session:
        rows = list(session.scalars(sa.select(model).order_by(model.seq)))
    assert check([each.body for each in rows], "openai-chat") == ()
    assert [each.body for each in rows if each.body in TURNS] == TURNS
    assert len({each.ext for each in rows}) == len(rows) == len(TURNS) + 1


@MODELS
@pytest.mark.parametrize("several", [1, len(TURNS)])
def test_a_guard_closes_a_call(database: Database, model: Any, several: int) -> None:
    Base.metadata.create_all(database.engine)
    sessions = sessionmaker(database.engine)
    guard(sessions, model, conversation="thread", order="seq", payload="body", format="openai-chat")
    for at in range(0, len(TURNS), several):
        with sessions.begin() as session:
            placed = enumerate(TURNS[at : at + several], 10 * at)
            session.add_all([row(model, seq, body) for seq, body in placed])
    assert_sound(sessions, model)


@MODELS
def test_a_heal_closes_a_call(database: Database, model: Any) -> None:
    Base.metadata.create_all(database.engine)
    sessions = sessionmaker(database.engine)
    with sessions.begin() as session:
        session.add_all([row(model, seq, body) for seq, body in enumerate(TURNS)])
    store = Store(
        format="openai-chat",
        table=model.__tablename__,
        conversation="thread",
        order="seq",
        payload="body",
    )
    applied = heal.apply(database.engine, [store])
    assert (applied.healed, applied.skipped) == (1, 0)
    assert_sound(sessions, model)
