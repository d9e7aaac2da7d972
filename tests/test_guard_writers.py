"""Writers side by side on one conversation lose nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark.guard import ChatRepository, tables
from fix_databases import Database
from fix_guard import TALKS, is_sound
from guard_messages import (
    Talk,
    create,
    stored,
)


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
