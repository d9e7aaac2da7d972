"""The test databases are what they say: real, fresh, empty and of the kind asked for."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.orm import Session

from fix_databases import AsyncDatabase, Database, Run
from fix_leaks import assert_all_returned, our_listeners


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_database_is_fresh(database: Database, time: str) -> None:
    assert sa.inspect(database.engine).get_table_names() == [], time
    with database.engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE leftover (id INTEGER)"))
    other = sa.create_engine(database.url)
    assert sa.inspect(other).get_table_names() == ["leftover"]
    assert other.dialect.name == database.name
    other.dispose()


@pytest.mark.parametrize("time", ["first", "second"])
def test_an_async_database_is_fresh(
    async_database: AsyncDatabase, run: Run[None], time: str
) -> None:
    async def write() -> None:
        async with async_database.engine.begin() as connection:
            await connection.execute(sa.text("CREATE TABLE leftover (id INTEGER)"))

    engine = sa.create_engine(async_database.sync_url)
    assert sa.inspect(engine).get_table_names() == [], time
    run(write())
    assert sa.inspect(engine).get_table_names() == ["leftover"]
    assert async_database.engine.dialect.driver.startswith(async_database.name)
    engine.dispose()


def test_a_connection_kept_is_found(database: Database) -> None:
    connection = database.engine.connect()
    with pytest.raises(AssertionError, match="1 connections"):
        assert_all_returned(database.engine)
    connection.close()


def test_a_listener_left_is_found() -> None:
    def listener(*_: Any) -> None: ...

    listener.__module__ = "endmark.guard"
    event.listen(Session, "before_flush", listener)
    assert len(our_listeners(Session)) == 1
    event.remove(Session, "before_flush", listener)
    assert our_listeners(Session) == []
