"""GuardedJSON: a column type that finalizes what is bound to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import (
    Mapped,
    Session,
    mapped_column,
)

from endmark import FormatError, Policy
from endmark.guard import GuardedJSON
from fix_databases import Database
from guard_messages import text_part, ui
from test_guard_hook import CLOSED, OPEN, Base


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
