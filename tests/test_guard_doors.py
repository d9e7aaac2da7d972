"""docs/doors.md is true: every door against every way to write, on both databases."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker

from endmark import check
from endmark.guard import GuardedJSON, guard
from endmark.guard.tables import PAYLOAD
from endmark.stores.payload_check import expression
from endmark.stores.table import Table
from fix_databases import Database
from guard_messages import CHAT, text_part, tool_part, ui

DOC = Path(__file__).parents[1] / "docs" / "doors.md"
DOORS = [
    "`guard()`, inline",
    "`guard()`, other formats",
    "`guard(engine)`, inline",
    "`guard(engine)`, other formats",
    "`GuardedJSON`",
    "CHECK",
]
GUARDS = DOORS[:4]


def load(name: str) -> ModuleType:
    path = Path(__file__).parent / "guard" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"guard_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PATHS = load("paths")


class Base(DeclarativeBase):
    pass


class Plain(Base):
    __tablename__ = "plain"
    id: Mapped[int] = mapped_column(primary_key=True)
    thread: Mapped[str]
    payload: Mapped[Any] = mapped_column(PAYLOAD)


class Typed(Base):
    __tablename__ = "typed"
    id: Mapped[int] = mapped_column(primary_key=True)
    thread: Mapped[str]
    payload: Mapped[Any] = mapped_column(GuardedJSON("ai-sdk"))


POISONED = ui("m", text_part("hi"), tool_part("a"))
SOUND = ui("m", text_part("hi"))


def expected() -> dict[tuple[str, str], str]:
    lines = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in DOC.read_text().splitlines()
        if line.startswith("|")
    ]
    table = next(k for k, line in enumerate(lines) if line[1:] == DOORS)
    found = {}
    for line in lines[table + 2 :]:
        if len(line) != len(DOORS) + 1:
            break
        for door, cell in zip(DOORS, line[1:], strict=True):
            found[line[0], door] = cell
    return found


EXPECTED = expected()


def test_the_table_is_whole() -> None:
    assert {path for path, _ in EXPECTED} == set(PATHS.PATHS)


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    Base.metadata.create_all(database.engine)
    factory = sessionmaker(database.engine)
    with factory() as session:
        session.info["factory"] = factory
        yield session


@pytest.mark.parametrize("door", DOORS)
def test_what_each_door_sees(session: Session, door: str) -> None:
    seen = {path: outcome(session, door, path) for path in PATHS.PATHS}
    assert seen == {path: EXPECTED[path, door] for path in seen}


def outcome(session: Session, door: str, path: str) -> str:
    """Write a poisoned row by this path behind this door, and look at what is stored."""
    inline = "other formats" not in door
    model: Any = Typed if door == "`GuardedJSON`" else Plain
    write = PATHS.PATHS[path]
    poison = POISONED if inline else CHAT.user("again")
    handle = None
    before = rows_before(session, model, inline, write in PATHS.UPDATES, door)
    if door in GUARDS:
        named = {"conversation": "thread", "order": "id", "payload": "payload"}
        format_ = "ai-sdk" if inline else "openai-chat"
        target = session.get_bind() if "engine" in door else session.info["factory"]
        handle = guard(target, Plain, format=format_, **named)
    try:
        write(session, model, before, poison)
        session.flush()
        return judged(session, model, inline)
    except IntegrityError as error:
        return "refuses" if "unfinished" in str(error) else str(error)
    finally:
        if handle is not None:
            handle.remove()
        session.rollback()
        session.connection().execute(sa.text("DROP TABLE IF EXISTS poisoned"))
        for table in Base.metadata.sorted_tables:
            session.connection().execute(table.delete())
        session.connection().execute(sa.text("DROP TABLE IF EXISTS checked"))
        session.commit()


def rows_before(session: Session, model: Any, inline: bool, update: bool, door: str) -> int:
    """Store what is sound; give the key of the row that the path is to write."""
    connection = session.connection()
    table = model.__table__
    if inline:
        rows = [SOUND] if update else []
    else:
        rows = [CHAT.calls("a"), CHAT.result("a")] if update else [CHAT.calls("a")]
    keys = [
        connection.execute(
            table.insert().returning(table.c.id), {"thread": "t", "payload": payload}
        )
        for payload in rows
    ]
    last = [key.scalar_one() for key in keys][-1:]
    poison = POISONED if inline else CHAT.user("again")
    kind = "jsonb" if connection.dialect.name == "postgresql" else "json"
    connection.execute(sa.text(f"CREATE TABLE poisoned (payload {kind})"))
    connection.execute(
        sa.text(f"INSERT INTO poisoned VALUES (CAST(:p AS {kind if kind == 'jsonb' else 'text'}))"),
        {"p": json.dumps(poison)},
    )
    if door == "CHECK":
        checked(session, table)
    session.commit()
    return last[0] if update else 0


def checked(session: Session, table: Any) -> None:
    """Put the CHECK on the column, as `op.guard_payload` does."""
    connection = session.connection()
    said = expression(connection, Table(connection, table.name), "payload", "ai-sdk")
    name = "unfinished"
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"ALTER TABLE {table.name} DROP CONSTRAINT IF EXISTS {name}"))
        sql = f"ALTER TABLE {table.name} ADD CONSTRAINT {name} CHECK ({said})"
        connection.exec_driver_sql(sql.replace("%", "%%"))
        return
    rows = connection.execute(table.select()).all()
    connection.execute(sa.text(f"DROP TABLE {table.name}"))
    connection.exec_driver_sql(
        f"CREATE TABLE {table.name} (id INTEGER PRIMARY KEY, thread TEXT, payload JSON, "
        f"CONSTRAINT {name} CHECK ({said}))"
    )
    for row in rows:
        connection.execute(table.insert(), dict(row._mapping))


def judged(session: Session, model: Any, inline: bool) -> str:
    table = model.__table__
    kept = sa.select(sa.cast(table.c.payload, sa.Text)).order_by(table.c.id)
    payloads = [json.loads(text) for (text,) in session.connection().execute(kept)]
    if inline and payloads == [SOUND]:
        return "not written"
    if not inline and payloads == [CHAT.calls("a"), CHAT.result("a")]:
        return "not written"
    return "misses" if check(payloads, "ai-sdk" if inline else "openai-chat") else "closes"
