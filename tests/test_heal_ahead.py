"""A heal that searches ahead on PostgreSQL: left early, cut off by a timeout, overtaken by a writer."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection, Engine
from sqlalchemy.ext.asyncio import create_async_engine

from endmark import heal
from endmark.heal import find
from endmark.heal.report import USUAL
from endmark.heal.stream import chunks
from endmark.stores import Source
from fix_databases import Database, Run
from test_heal_reading import MANY, STORE, filled

pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)
SLOW = "SELECT pg_sleep(60)"


@pytest.fixture
def engine(database: Database, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setattr(sys.modules["endmark.heal.scan"], "COMING", 3)
    filled(database, index=True)
    return database.engine


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the first search of a test wait behind the ninth candidate: to be ended, not waited for."""
    streamed, slept = find.streamed, []

    def once(source: Source, connection: Connection, *more: Any) -> Iterator[find.Candidate]:
        monkeypatch.setattr(find, "streamed", streamed)
        found = list(streamed(source, connection, *more))
        yield from found[:9]
        list(chunks(connection, SLOW, {}))
        slept.append(SLOW)

    monkeypatch.setattr(find, "streamed", once)
    yield
    assert not slept


def others_at_work(engine: Engine) -> list[str]:
    sql = (
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND state <> 'idle'"
    )
    with engine.connect() as connection:
        return list(connection.scalars(sa.text(sql)))


def searches() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name == "endmark-search"]


@pytest.mark.usefixtures("slow")
def test_a_search_that_nobody_waits_for_is_ended(engine: Engine) -> None:
    batches: list[int] = []
    applied = heal.apply(
        engine,
        [STORE],
        stop=lambda: len(batches) == 2,
        on_progress=lambda done, _: batches.append(done),
    )

    assert (applied.stopped, applied.healed, batches) == (True, 6, [3, 6])
    assert searches() == others_at_work(engine) == []


@pytest.mark.usefixtures("slow")
def test_an_error_of_the_caller_ends_the_search(engine: Engine) -> None:
    def fails(_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        heal.apply(engine, [STORE], on_item=fails)
    del raised  # held until here, and with it all frames

    assert searches() == others_at_work(engine) == []
    assert heal.apply(engine, [STORE]).healed == MANY - 3


@pytest.mark.usefixtures("slow")
def test_a_search_that_the_server_cuts_off_is_taken_up_again(engine: Engine) -> None:
    url = engine.url.update_query_dict({"options": "-c statement_timeout=5000"})
    timed = sa.create_engine(url)
    applied = heal.apply(timed, [STORE])
    timed.dispose()

    assert (applied.healed, applied.skipped) == (MANY, 0)
    assert searches() == []


def test_what_a_search_raises_reaches_the_caller(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(source: Source, connection: Connection, *_: Any) -> Iterator[find.Candidate]:
        yield from ()
        list(chunks(connection, "SELECT 1 / 0", {}))

    monkeypatch.setattr(find, "streamed", broken)
    with pytest.raises(sa.exc.DBAPIError, match="division by zero"):
        heal.apply(engine, [STORE])
    assert searches() == others_at_work(engine) == []


def test_a_row_that_another_writer_adds_behind_the_search_is_kept(engine: Engine) -> None:
    """The last conversation was found, and gets its real result before it is healed."""
    with engine.connect() as connection:
        found, _ = find.find(Source(connection, STORE), connection, USUAL, None)
    last = found[-1].id[0]
    real = json.dumps({"role": "tool", "tool_call_id": "a", "content": "really done"})

    def answers(item: heal.Item) -> None:
        if item.conversation == found[0].id[0]:
            with engine.begin() as connection:
                sql = "INSERT INTO chat (thread, body) VALUES (:thread, :body)"
                connection.execute(sa.text(sql), {"thread": last, "body": real})

    assert heal.apply(engine, [STORE], on_item=answers).healed == MANY
    with engine.connect() as connection:
        sql = sa.text("SELECT body FROM chat WHERE thread = :thread ORDER BY id")
        bodies = [json.loads(body) for body in connection.scalars(sql, {"thread": last})]
    assert [body["role"] for body in bodies] == ["assistant", "tool", "user"]
    assert bodies[1]["content"] == "really done"


def test_a_search_that_is_through_holds_nothing(engine: Engine) -> None:
    """The writer may need long for the rest; others wait for a transaction that does nothing."""
    waiting: list[list[str]] = []

    def seen(_: heal.Item) -> None:
        for _ in range(200):
            waiting.append(others_at_work(engine))
            if not waiting[-1]:
                return
            time.sleep(0.05)

    assert heal.apply(engine, [STORE], on_item=seen).healed == MANY
    assert waiting[-1] == []


@pytest.mark.parametrize(("size", "held"), [(1, 0), (2, 0), (2, 1), (3, 1)])
def test_a_pool_that_is_small_is_enough(engine: Engine, size: int, held: int) -> None:
    small = sa.create_engine(engine.url, pool_size=size, max_overflow=0, pool_timeout=1)
    mine = [small.connect() for _ in range(held)]
    try:
        assert heal.apply(small, [STORE]).healed == MANY
    finally:
        for connection in mine:
            connection.close()
        small.dispose()


def test_an_engine_of_an_asynchronous_one(engine: Engine, run: Run[None]) -> None:
    asynchronous = create_async_engine(engine.url.set(drivername="postgresql+psycopg"))

    async def healed() -> None:
        async with asynchronous.connect() as connection:
            applied = await connection.run_sync(lambda c: heal.apply(c.engine, [STORE]))
            assert applied.healed == MANY
        await asynchronous.dispose()

    run(healed())
