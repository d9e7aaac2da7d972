"""Tables that a user described wrongly are refused before anything is read as clean, or written.

`heal/doubts.json` has the tables with their rows, and for each the mappings: what is said of a wrong
one, and nothing of a right one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import formats
from endmark.stores import Source, Store
from endmark.stores.doubts import doubt
from fix_cli import Cli, assert_one_sentence
from fix_databases import Database
from healing import dump
from judging import load

DATA = json.loads((Path(__file__).parent / "heal" / "doubts.json").read_text("utf-8"))
TABLES: dict[str, dict[str, Any]] = DATA["tables"]
ROWS = [pytest.param(row, id=row["name"]) for row in DATA["mappings"]]


def fill(database: Database, name: str) -> None:
    table = TABLES[name]
    columns = {column.split()[0]: column for column in table["columns"]}
    if database.name == "postgresql":
        columns |= table["postgresql"]
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE TABLE messages ({', '.join(columns.values())})")
        types = {name: column.split()[1] for name, column in columns.items()}
        for row in table["rows"]:
            cells = {
                column: json.dumps(value) if isinstance(value, dict | list) else value
                for column, value in row.items()
            }
            values = ", ".join(f"CAST(:{c} AS {types[c]})" for c in cells)
            sql = f"INSERT INTO messages ({', '.join(cells)}) VALUES ({values})"
            connection.execute(sa.text(sql), cells)


def given(row: dict[str, Any]) -> list[str]:
    if "toml" not in row:
        return ["--table", "messages", *row["flags"].split()]
    Path("own.toml").write_text("\n".join(['[stores.own]\ntable = "messages"', *row["toml"]]))
    return ["--config", "own.toml"]


@pytest.mark.parametrize("row", ROWS)
def test_a_mapping_is_doubted(row: dict[str, Any], database: Database, cli: Cli) -> None:
    if database.name not in row.get("on", [database.name]):
        return
    fill(database, row["table"])
    before = dump(database)
    for command in (["scan"], ["apply", "--yes"]):
        ended = cli("heal-db", command[0], database.url, *given(row), *command[1:])
        if row["says"] is not None:
            assert_one_sentence(ended, row["says"])
            assert dump(database) == before
        else:
            assert ended.code == (row["poisoned"] if command == ["scan"] else 0), ended.err
    if row["says"] is None and row["poisoned"]:
        assert cli("heal-db", "undo", database.url, "--yes").code == 0
        assert dump(database) == before


def as_row(message: dict[str, Any], body: str, id_field: str | None) -> tuple[str, str]:
    rest = {key: value for key, value in message.items() if key not in ("role", id_field)}
    return message["role"], json.dumps(rest[body] if set(rest) == {body} else rest)


CASES = [case for case in load() if all("role" in message for message in case["history"])]
# Answers without a call tell no format where only the content is stored, and this shape of
# Open WebUI, with its tree, is of no table of messages.
UNTOLD = {("anthropic", "ai-sdk"), ("anthropic", "open-webui"), ("open-webui", "openai-chat")}


@pytest.fixture
def memory() -> Iterator[sa.Engine]:
    engine = sa.create_engine("sqlite://")
    yield engine
    engine.dispose()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_no_other_format_beside_a_role(memory: sa.Engine, case: dict[str, Any]) -> None:
    """A right format is never doubted, a wrong one is, where a call tells them apart."""
    own = formats.get(case["format"])
    with memory.connect() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE line (id INTEGER PRIMARY KEY, thread TEXT, role TEXT, body TEXT)"
        )
        insert = "INSERT INTO line (thread, role, body) VALUES ('t', ?, ?)"
        for message in case["history"]:
            connection.exec_driver_sql(insert, as_row(message, own.body, own.id_field))
        for name in formats.names():
            store = Store(
                format=name,
                table="line",
                conversation=("thread",),
                order=("id",),
                payload="body",
                role="role",
            )
            said = doubt(Source(connection, store), connection)
            if name == own.name:
                assert said is None
            elif (own.name, name) not in UNTOLD:
                assert said is not None, name


def test_keys_of_an_application_s_own_are_no_other_format(memory: sa.Engine) -> None:
    own = {"additional_kwargs": {}}
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    ask = {"role": "assistant", "content": None, "tool_calls": [call], **own}
    history = [
        {"role": "user", "content": "hi", **own},
        ask,
        {"role": "user", "content": "?", **own},
    ]
    store = Store(format="openai-chat", table="line", conversation="t", order="id", payload="body")
    with memory.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE line (id INTEGER PRIMARY KEY, t TEXT, body TEXT)")
        for message in history:
            values = (json.dumps(message),)
            connection.exec_driver_sql("INSERT INTO line (t, body) VALUES ('x', ?)", values)
        assert doubt(Source(connection, store), connection) is None
