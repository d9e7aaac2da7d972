"""A thread that its user deletes while it is healed: nothing of it stays, nor comes back."""

from __future__ import annotations

import json
from threading import Event, Thread
from time import sleep
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal
from endmark.heal import Options
from endmark.heal.work import Worker
from endmark.stores import custom
from fix_databases import Database
from healing import NUMBERS
from test_heal_care import HALF, USER

HISTORY = [*HALF["openai-chat"], USER]
WHOLE, TAIL = "thread = 'x'", "thread = 'x' AND seq > 0"
# When the DELETE begins, and how it goes: before the heal reads, or when it has written its rows.
CASES = {
    "it waits for the heal": ("written", WHOLE, 0.0),
    "it is slow": ("written", f"{WHOLE} AND pg_sleep(0.2) IS NOT NULL", 0.0),
    "it is committed late": ("written", WHOLE, 0.5),
    "of all but the first": ("written", TAIL, 0.0),
    "it was before the heal": ("begun", WHOLE, 0.5),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("order", ["id", "seq"])
def test_nothing_is_left(
    database: Database, order: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    when, rows, late = CASES[case]
    if database.name == "sqlite":
        rows = rows.partition(" AND pg_sleep")[0]
    with database.engine.begin() as connection:
        columns = f"id {NUMBERS[database.name]}, thread TEXT, seq INTEGER, body TEXT"
        connection.exec_driver_sql(f"CREATE TABLE chat ({columns})")
        sql = sa.text("INSERT INTO chat (thread, seq, body) VALUES (:thread, :seq, :body)")
        for thread in ("x", "y"):
            for seq, message in enumerate(HISTORY):
                row = {"thread": thread, "seq": seq, "body": json.dumps(message)}
                connection.execute(sql, row)
    begun = Event()

    def delete() -> None:
        with database.engine.begin() as connection:
            if late and database.name == "postgresql":
                connection.exec_driver_sql("LOCK TABLE chat IN ROW EXCLUSIVE MODE")
            begun.set()
            connection.exec_driver_sql(f"DELETE FROM chat WHERE {rows}")
            sleep(late)

    thread = Thread(target=delete)
    verify = Worker._verify

    def verified(self: Worker, *given: Any) -> None:
        verify(self, *given)
        if when == "written" and not begun.is_set():
            thread.start()
            begun.wait()
            sleep(0.1)

    monkeypatch.setattr(Worker, "_verify", verified)
    if when == "begun":
        thread.start()
        begun.wait()
        sleep(0.1)
    store = custom.from_flags(
        table="chat", conversation="thread", order=order, payload="body", format="openai-chat"
    )

    applied = heal.apply(database.engine, [store], options=Options(now=1e10))
    thread.join()

    seen = 1 if when == "begun" else 2
    assert (applied.healed, applied.skipped) == (seen, 0)
    left = sa.text("SELECT thread, count(*) FROM chat GROUP BY thread ORDER BY thread")
    kept = [("x", 1)] if rows == TAIL else []
    with database.engine.connect() as connection:
        assert connection.execute(left).all() == [*kept, ("y", len(HISTORY) + 1)]
    heal.undo(database.engine)
    with database.engine.connect() as connection:
        assert connection.execute(left).all() == [*kept, ("y", len(HISTORY))]
