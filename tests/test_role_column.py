"""Tables with the role in a column and just the content, or all but the role, in another."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session, declarative_base, sessionmaker

from endmark import Policy, heal, repair
from endmark.guard import ChatRepository, guard
from endmark.heal import Options
from endmark.stores import Store
from fix_databases import Database

STORE = Store(
    format="openai-chat",
    table="line",
    conversation="thread",
    order="id",
    payload="body",
    role="role",
)

WORDS = json.loads((Path(__file__).parent / "heal" / "words.json").read_text())


def call(id_: str) -> dict[str, object]:
    return {"id": id_, "type": "function", "function": {"name": "f", "arguments": "{}"}}


HISTORY: list[dict[str, object]] = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": None, "tool_calls": [call("1"), call("2")]},
    {"role": "tool", "tool_call_id": "1", "content": "ok"},
    {"role": "user", "content": "b"},
]


def made(database: Database) -> None:
    serial = "SERIAL" if database.name == "postgresql" else "INTEGER"
    columns = f"id {serial} PRIMARY KEY, thread TEXT, role TEXT, body TEXT"
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE line ({columns})")


def test_results_have_a_place_beside_bare_contents(database: Database) -> None:
    made(database)
    with Session(database.engine) as session, session.begin():
        repository = ChatRepository(session, STORE)
        for message in HISTORY:
            repository.add_message("t", message)
        assert repository.history("t") == repair(HISTORY, "openai-chat")


def test_heal_puts_results_beside_bare_contents(database: Database) -> None:
    made(database)
    rows = [("user", '"a"'), ("assistant", '{"tool_calls": [%s]}'), ("user", '"b"')]
    one = '{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}'
    insert = sa.text("INSERT INTO line (thread, role, body) VALUES ('t', :role, :body)")
    with database.engine.begin() as connection:
        for role, body in rows:
            connection.execute(insert, {"role": role, "body": body.replace("%s", one)})

    applied = heal.apply(database.engine, [STORE], options=Options())

    assert (applied.healed, applied.skipped) == (1, 0)
    assert heal.scan(database.engine, [STORE]).poisoned == 0
    with database.engine.connect() as connection:
        roles = connection.execute(sa.text("SELECT role FROM line ORDER BY id")).scalars().all()
    assert roles == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize("row", WORDS, ids=lambda row: row["case"])
def test_words_stand_in_a_text_column_as_they_are(database: Database, row: dict[str, Any]) -> None:
    made(database)
    store = replace(STORE, format=row["format"])
    insert = sa.text("INSERT INTO line (thread, role, body) VALUES ('t', :role, :body)")
    with database.engine.begin() as connection:
        for role, body in row["rows"]:
            connection.execute(insert, {"role": role, "body": body})

    found = heal.scan(database.engine, [store])
    heal.apply(database.engine, [store], policy=Policy(marker="MARKER"))

    assert bool(found.skipped) == (row.get("status") == "skipped")
    assert bool(found.poisoned) == (row["after"] is not None)
    assert lines(database) == (row["after"] or row["rows"])
    if row["after"]:
        heal.undo(database.engine)
        assert lines(database) == row["rows"]


# What says nothing, what looks like JSON of a message, half of it, and words.
BODIES: list[Any] = [
    "", "  ", "\n", '""', ' "" ', "[]", "[ ]", '"a"', "null", "5", '{"a":1}', '{"content":[]}',
    '{"content":""}', '{"tool_calls":[]}', '{"tool_call_id":"zz"}', '[{"type":"text","text":"x"}]',
    '{"ty', "[{", "words", "ü 😀", [], None, [{"type": "text", "text": "x"}],
]  # fmt: skip


@pytest.mark.parametrize(
    ("format", "body"),
    # A content of null is none of Anthropic's, and refused as such.
    [pair for pair in product(("openai-chat", "anthropic"), BODIES) if pair != ("anthropic", None)],
)
def test_what_is_written_beside_a_role_reads_back(
    database: Database, body: Any, format: str
) -> None:
    made(database)
    for at in range(4):
        given: list[Any] = [
            {"role": role, "content": "so"} for role in ("user", "assistant", "user", "assistant")
        ]
        given[at]["content"] = body
        expected = list(repair(given, format))
        with Session(database.engine) as session, session.begin():
            repository = ChatRepository(session, replace(STORE, format=format))
            repository.persist(f"t{at}", given)
            assert repository.history(f"t{at}") == expected
            repository.persist(f"t{at}", given)
            repository.persist(f"u{at}", expected)
            assert repository.history(f"u{at}") == expected


def lines(database: Database) -> list[list[str]]:
    with database.engine.connect() as connection:
        found = connection.execute(sa.text("SELECT role, body FROM line ORDER BY id"))
        return [list(line) for line in found]


class JsonText(sa.TypeDecorator[Any]):
    """A type of one's own, as many have it: all is JSON in the column, texts too."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str:
        return json.dumps(value)

    def process_result_value(self, value: Any, dialect: Any) -> Any:
        return json.loads(value)


@pytest.mark.parametrize("together", [False, True], ids=["a flush each", "one flush"])
@pytest.mark.parametrize("kind", [sa.JSON, sa.Text, JsonText], ids=["JSON", "TEXT", "own type"])
def test_a_guarded_class_may_hold_words_too(database: Database, kind: type, together: bool) -> None:
    """In a JSON column each text is words, whatever it looks like."""
    base = declarative_base()
    columns = {name: sa.Column(sa.String) for name in ("thread", "role")}
    id_, body = sa.Column(sa.Integer, primary_key=True), sa.Column(kind)
    line: Any = type("Line", (base,), {"__tablename__": "line", "id": id_, "body": body, **columns})
    base.metadata.create_all(database.engine)
    use = [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]
    told: list[Any] = [
        "hello",
        use if kind is not sa.Text else json.dumps(use),
        '{"a": 1,} fails',
        '{"result": 1}',
        "[]x",
        "[]",
        "a blank one?",
        '""',
    ]
    made = sessionmaker(database.engine)
    guard(made, line, conversation="thread", order="id", payload="body", role="role",
          format="anthropic")  # fmt: skip

    with made() as session:
        for role, said in zip(["user", "assistant"] * 4, told, strict=True):
            session.add(line(thread="t", role=role, body=said))
            if not together:
                session.commit()
        session.commit()

    with made() as session:
        stored = session.scalars(sa.select(line.body).order_by(line.id)).all()
    answer = stored.pop(2)
    assert "tool_result" in str(answer)
    assert isinstance(answer, list if kind is not sa.Text else str)
    assert stored == told
