"""Writers side by side on one conversation lose nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark.guard import ChatRepository, tables
from endmark.stores import Store
from fix_databases import Database
from fix_guard import TALKS, is_sound
from guard_messages import CHAT, Talk, create, stored


def in_threads(work: Callable[[int], None], count: int) -> None:
    errors: list[BaseException] = []

    def run(k: int) -> None:
        try:
            work(k)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@TALKS
@pytest.mark.parametrize("writers", [2, 16])
def test_writers_side_by_side_lose_nothing(database: Database, talk: Talk, writers: int) -> None:
    create(database.engine)
    engine = sa.create_engine(
        database.url,
        pool_size=writers,
        connect_args={"timeout": 60} if database.name == "sqlite" else {},
    )

    def work(k: int) -> None:
        for n in range(3):
            for message in (
                talk.user(f"{k}/{n}"),
                talk.calls(f"a{k}_{n}"),
                talk.result(f"a{k}_{n}"),
            ):
                with Session(engine) as session, session.begin():
                    ChatRepository(session, talk.format).add_message("c", message)

    in_threads(work, writers)
    with Session(engine) as session:
        rows = stored(session)
        assert is_sound(rows, talk.format)
        for k in range(writers):
            for n in range(3):
                assert talk.user(f"{k}/{n}") in rows
                assert sum(f"a{k}_{n}'" in str(row) and "found" in str(row) for row in rows) == 1
        numbers = session.scalars(sa.select(tables.Message.seq)).all()
        assert len(set(numbers)) == len(numbers)
    engine.dispose()


LOOSE = sa.Table(  # nothing in the database keeps two rows of a thread from one number
    "loose",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("thread", sa.String),
    sa.Column("number", sa.Integer),
    sa.Column("body", sa.JSON),
)


def test_numbers_that_need_not_be_unique_are(database: Database) -> None:
    LOOSE.metadata.create_all(database.engine)
    more = {"timeout": 60} if database.name == "sqlite" else {}
    engine = sa.create_engine(database.url, pool_size=8, connect_args=more)
    store = Store(
        format="openai-chat", table="loose", conversation="thread", order="number", payload="body"
    )

    def work(k: int) -> None:
        for n in range(4):
            with Session(engine) as session, session.begin():
                ChatRepository(session, store).add_message("t", CHAT.user(f"{k}/{n}"))

    in_threads(work, 8)
    with engine.connect() as connection:
        numbers = connection.scalars(sa.select(LOOSE.c.number)).all()
    assert sorted(numbers) == list(range(1, 33))
    engine.dispose()
