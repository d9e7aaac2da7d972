"""A heal that searches ahead on PostgreSQL: left early, cut off by a timeout, overtaken by a writer."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from endmark import heal
from endmark.heal import find
from endmark.heal.report import USUAL
from endmark.heal.stream import rows
from endmark.stores import Source
from fix_databases import Database
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
        list(rows(connection, SLOW, {}))
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
        list(rows(connection, "SELECT 1 / 0", {}))

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
