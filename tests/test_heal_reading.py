"""How a heal reads: few times a table where no index finds a conversation; a stream that is left."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from endmark import heal
from endmark.heal import find, work
from endmark.heal.report import USUAL
from endmark.stores import Source, Store
from fix_databases import Database

STORE = Store(format="openai-chat", table="chat", conversation="thread", order="id", payload="body")
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
POISONED = [{"role": "assistant", "tool_calls": [CALL]}, {"role": "user", "content": "so?"}]
MANY = 30


def filled(database: Database, *, index: bool) -> None:
    serial = "SERIAL" if database.name == "postgresql" else "INTEGER"
    rows = [
        {"thread": f"t{n}", "body": json.dumps(message)}
        for n in range(MANY)
        for message in POISONED
    ]
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            f"CREATE TABLE chat (id {serial} PRIMARY KEY, thread TEXT, body TEXT)"
        )
        if index:
            connection.exec_driver_sql("CREATE INDEX by_thread ON chat (thread)")
        connection.execute(sa.text("INSERT INTO chat (thread, body) VALUES (:thread, :body)"), rows)


@pytest.mark.parametrize(("index", "readings"), [(True, 2 * MANY), (False, 2)])
def test_a_table_without_an_index_is_not_read_for_each_conversation(
    database: Database, monkeypatch: pytest.MonkeyPatch, index: bool, readings: int
) -> None:
    filled(database, index=index)
    monkeypatch.setattr(work, "WHOLE", 2)
    loaded: list[int] = []
    load = Source.load

    def counted(self: Source, connection: Any, ids: Any, **more: Any) -> Any:
        loaded.append(len(ids))
        return load(self, connection, ids, **more)

    monkeypatch.setattr(Source, "load", counted)
    applied = heal.apply(database.engine, [STORE])

    assert applied.healed == MANY
    assert len(loaded) == readings  # half of them to verify
    assert heal.scan(database.engine, [STORE]).poisoned == 0


def test_a_search_goes_on_where_it_was_cancelled(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another connection writes it takes longer, maybe too long for a timeout."""
    filled(database, index=True)
    streamed, given = find.streamed, []
    if database.name == "sqlite":
        pytest.skip("SQLite is read to the end before it is written")

    def cut_off(*args: Any) -> Iterator[find.Candidate]:
        monkeypatch.setattr(find, "streamed", streamed)
        for candidate in islice(streamed(*args), 7):
            given.append(candidate.id)
            yield candidate
        orig: Any = RuntimeError()
        orig.sqlstate = "57014"
        raise DBAPIError("SELECT", None, orig)

    monkeypatch.setattr(sys.modules["endmark.heal.scan"], "COMING", 3)
    monkeypatch.setattr(find, "streamed", cut_off)
    applied = heal.apply(database.engine, [STORE])

    assert (applied.healed, applied.skipped) == (MANY, 0)
    assert len(given) == 7


def test_a_search_that_stops_half_way_leaves_its_transaction_whole(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(database, index=True)
    monkeypatch.setattr(find, "ROUND", 7)
    found: list[Any] = []
    with database.engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO chat (thread, body) VALUES ('mine', '{}')")
        source, after = Source(connection, STORE), None
        while True:
            candidates, after = find.find(source, connection, USUAL, after)
            found += candidates
            assert connection.scalar(sa.text("SELECT count(*) FROM chat")) == 2 * MANY + 1
            if after is None:
                break

    names = [candidate.id for candidate in found]
    assert len(names) == len(set(names)) == MANY + 1
    with database.engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT count(*) FROM chat")) == 2 * MANY + 1
