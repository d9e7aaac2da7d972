"""How a heal reads: few times a table where no index finds a conversation; a stream that is left."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine

from endmark import heal
from endmark.errors import HealError
from endmark.heal import find, slim, work
from endmark.heal.report import USUAL
from endmark.heal.stream import chunks
from endmark.stores import Source, Store
from fix_databases import Database, Run, fresh_url
from healing import dump

STORE = Store(format="openai-chat", table="chat", conversation="thread", order="id", payload="body")
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
POISONED = [{"role": "assistant", "tool_calls": [CALL]}, {"role": "user", "content": "so?"}]
MANY = 30


def filled(database: Database, *, index: bool) -> None:
    with database.engine.begin() as connection:
        fill(connection)
        if index:
            connection.exec_driver_sql("CREATE INDEX by_thread ON chat (thread)")


def fill(connection: sa.Connection) -> None:
    serial = "SERIAL" if connection.dialect.name == "postgresql" else "INTEGER"
    rows = [
        {"thread": f"t{n}", "body": json.dumps(message)}
        for n in range(MANY)
        for message in POISONED
    ]
    connection.exec_driver_sql(
        f"CREATE TABLE chat (id {serial} PRIMARY KEY, thread TEXT, body TEXT)"
    )
    connection.execute(sa.text("INSERT INTO chat (thread, body) VALUES (:thread, :body)"), rows)


@pytest.mark.parametrize(("index", "readings"), [(True, MANY), (False, 1)])
def test_a_table_without_an_index_is_not_read_for_each_conversation(
    database: Database, monkeypatch: pytest.MonkeyPatch, index: bool, readings: int
) -> None:
    filled(database, index=index)
    monkeypatch.setattr(work, "WHOLE", 2)
    monkeypatch.setattr(sys.modules["endmark.heal.scan"], "COMING", 3)
    loaded: list[int] = []
    load = Source.load

    def counted(self: Source, connection: Any, ids: Any, **more: Any) -> Any:
        loaded.append(len(ids))
        return load(self, connection, ids, **more)

    monkeypatch.setattr(Source, "load", counted)
    applied = heal.apply(database.engine, [STORE])

    assert applied.healed == MANY
    assert len(loaded) == readings  # what reads back sound is not loaded again
    assert heal.scan(database.engine, [STORE]).poisoned == 0


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


@pytest.mark.parametrize("store", [STORE, replace(STORE, role="role")], ids=["joined", "by row"])
def test_an_error_in_the_midst_of_a_stream_lets_go_of_the_connection(
    database: Database, monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    filled(database, index=True)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE chat ADD COLUMN role TEXT DEFAULT 'user'")

    def interrupted(*_: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(slim, "_look", interrupted)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO chat (thread, body) VALUES ('mine', '{}')")
        with pytest.raises(KeyboardInterrupt) as raised:
            heal.heal_in(connection, [store])
        assert connection.scalar(sa.text("SELECT count(*) FROM chat")) == 2 * MANY + 1
    del raised  # held until here, and with it all frames


@pytest.mark.parametrize("driver", ["psycopg", "asyncpg"])
def test_a_heal_runs_inside_an_asynchronous_transaction(
    request: pytest.FixtureRequest, run: Run[Any], tmp_path: Path, driver: str
) -> None:
    with fresh_url(driver, request, tmp_path) as url:
        engine = create_async_engine(url.set(drivername=f"postgresql+{driver}"))

        async def healed() -> heal.Applied:
            async with engine.begin() as connection:
                await connection.run_sync(fill)
                return await connection.run_sync(heal.heal_in, [STORE])

        try:
            if driver == "psycopg":
                assert run(healed()).healed == MANY
            else:
                with pytest.raises(HealError, match=r"runs over psycopg.*postgresql\+psycopg://"):
                    run(healed())
        finally:
            run(engine.dispose())


def test_a_connection_that_the_server_ends_is_told_by_its_own_words(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with fresh_url("psycopg", request, tmp_path) as url:
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            fill(connection)
        with engine.connect() as connection:
            pid = connection.scalar(sa.text("SELECT pg_backend_pid()"))
            first = chunks(connection, "SELECT g FROM generate_series(1, 1000000) AS g", {})
            assert next(first)
            with sa.create_engine(url, poolclass=sa.NullPool).connect() as other:
                other.execute(sa.text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
            with pytest.raises(sa.exc.DBAPIError, match=r"terminating|closed the connection"):
                list(first)
        assert heal.apply(engine, [STORE]).healed == MANY
        engine.dispose()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"isolation_level": "AUTOCOMMIT"}, r"AUTOCOMMIT.*isolation_level='READ COMMITTED'"),
    ({"stream_results": True}, r"stream_results.*execution_options\(stream_results=False\)"),
    ({"yield_per": 10}, r"yield_per.*execution_options\(yield_per=None\)"),
]
STEPS: dict[str, Callable[[sa.Engine], Any]] = {
    "scan": lambda engine: heal.scan(engine, [STORE]),
    "apply": lambda engine: heal.apply(engine, [STORE]),
    "undo": heal.undo,
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(("options", "way"), REFUSED, ids=lambda one: next(iter(one), ""))
def test_an_engine_that_no_savepoint_works_on_is_refused(
    database: Database, options: dict[str, Any], way: str, step: str
) -> None:
    filled(database, index=True)
    if step == "undo":
        heal.apply(database.engine, [STORE])
    before = dump(database)
    engine = database.engine.execution_options(**options)

    if database.name == "sqlite":  # there a heal begins and ends its transactions itself
        STEPS[step](engine)
        return
    with pytest.raises(HealError, match=way):
        STEPS[step](engine)
    assert dump(database) == before
