"""Undo: what it leaves alone and tries again, what SQLite numbers, and two of them at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal
from endmark.errors import HealError
from fix_databases import Database
from healing import Chat
from test_heal_care import HALF, USER, apply


def test_undo_leaves_what_others_changed(database: Database) -> None:
    chat = Chat(database, "sequence", "TEXT", "ai-sdk")
    half = HALF["ai-sdk"]
    chat.fill({"x": [*half, half[0]], "y": [*half, half[0]]})
    applied, _ = apply(database, chat.store, include_frontier=True)
    assert applied.rows_changed == 2
    with database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE chat SET body = '{}' WHERE id = 'x-001'"))
    undone = heal.undo(database.engine)
    assert (undone.rows_restored, undone.rows_left) == (1, ["chat id=x-001: changed since"])
    assert chat.histories()["x"][1] == {}
    assert chat.histories()["y"] == [*half, half[0]]


NEW = "id NOT IN ('x-000', 'x-001', 'x-002')"


def changed(connection: sa.Connection) -> None:
    connection.exec_driver_sql(f"UPDATE chat SET body = '{{}}' WHERE {NEW}")


def referred_to(connection: sa.Connection) -> None:
    connection.exec_driver_sql("CREATE TABLE vote (message VARCHAR(90) REFERENCES chat (id))")
    connection.exec_driver_sql(f"INSERT INTO vote SELECT id FROM chat WHERE {NEW}")


LEFT = {changed: "changed since", referred_to: "vote refers to it"}


@pytest.mark.parametrize("meanwhile", LEFT)
def test_what_undo_leaves_is_named_once_with_its_reason(
    meanwhile: Callable[[sa.Connection], None], database: Database
) -> None:
    chat = Chat(database, "sequence", "TEXT", "openai-chat")
    chat.fill({"x": [*HALF["openai-chat"], USER]})
    before = chat.histories()["x"]
    apply(database, chat.store, include_frontier=True)
    with database.engine.begin() as connection:
        meanwhile(connection)
    left = heal.undo(database.engine).rows_left
    names = [row.partition(": ")[0] for row in left]
    assert len(names) == len(set(names)) == 2
    assert sum(LEFT[meanwhile] in row for row in left) == 1, left
    assert sum("which is left alone" in row for row in left) == 1, left
    assert len(chat.histories()["x"]) == len(before) + 1


@pytest.mark.parametrize("batch", [1, 1_000])
@pytest.mark.parametrize("format_", HALF)
def test_what_an_undo_left_alone_is_tried_again(
    format_: str, batch: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["endmark.heal.undo"], "BATCH", batch)
    chat = Chat(database, "sequence", "TEXT", format_)
    chat.fill({name: [*HALF[format_], HALF[format_][0]] for name in "xyz"})
    before = chat.dump()
    applied, _ = apply(database, chat.store)
    with database.engine.begin() as connection:
        of_y = sa.text("SELECT * FROM chat WHERE thread = 'y'")
        healed = [dict(row) for row in connection.execute(of_y).mappings()]
        connection.execute(sa.text("UPDATE chat SET body = '{}' WHERE thread = 'y'"))
    left = heal.undo(database.engine).rows_left
    assert {run.rows_left: run.undone for run in heal.runs(database.engine)} == {len(left): None}
    halves = chat.dump()
    again = heal.undo(database.engine)  # x and z are not tried again, nor anything of theirs named
    assert (again.run, again.rows_restored, sorted(again.rows_left)) == (
        applied.run,
        0,
        sorted(left),
    )
    assert chat.dump() == halves
    later, _ = apply(database, chat.store)
    assert later.run != applied.run  # a run that is undone in part is not gone on with
    heal.undo(database.engine)
    assert chat.dump() == halves

    with database.engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM chat WHERE thread = 'y'"))
    chat.insert(healed)
    last = heal.undo(database.engine)

    assert (last.run, last.rows_restored, last.rows_left) == (applied.run, len(left), [])
    assert chat.dump() == before
    assert all(run.undone and not run.rows_left for run in heal.runs(database.engine))
    with pytest.raises(HealError, match="no run to undo"):
        heal.undo(database.engine)
    with pytest.raises(HealError, match="undone already"):
        heal.undo(database.engine, applied.run)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("since", [0, 1])
def test_the_counter_of_sqlite_is_as_it_was(since: int, database: Database) -> None:
    """Also where the heal's row was the first to take a number: there was no counter before."""
    chat = Chat(database, "shared", "TEXT", "openai-chat")
    chat.fill({"x": HALF["openai-chat"], "y": HALF["openai-chat"]})
    with database.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM sqlite_sequence")
    before = [line for line in chat.dump() if "sqlite_sequence" not in line]
    apply(database, chat.store, include_frontier=True)
    if since:
        chat.fill({"z": [USER]})
        with database.engine.begin() as connection:
            connection.exec_driver_sql("DELETE FROM chat WHERE thread = 'z'")

    assert heal.undo(database.engine).rows_left == []

    numbers = [line for line in chat.dump() if "sqlite_sequence" in line]
    assert [line for line in chat.dump() if line not in numbers] == before
    assert any(line.startswith("INSERT") for line in numbers) == bool(since)
    assert heal.runs(database.engine)[0].undone


@pytest.mark.parametrize("changed_since", [0, 3])
@pytest.mark.parametrize("inside", [True, False], ids=["one within another", "threads"])
def test_undos_at_once_are_one_undo(
    inside: bool, changed_since: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["endmark.heal.undo"], "BATCH", 5)
    chat = Chat(database, "sequence", "TEXT", "ai-sdk")
    half = HALF["ai-sdk"]
    chat.fill({f"t{k:02}": [*half, half[0]] for k in range(30)})
    before = chat.dump()
    run = apply(database, chat.store)[0].run
    with database.engine.begin() as connection:
        changes = [{"id": f"t{k:02}-001"} for k in range(changed_since)]
        if changes:
            connection.execute(sa.text("UPDATE chat SET body = '{}' WHERE id = :id"), changes)

    def undo() -> None:
        try:
            heal.undo(database.engine, run)
        except HealError as error:
            assert "undone already" in str(error)  # noqa: PT017

    if inside:
        once: list[Any] = []
        heal.undo(
            database.engine, run, on_progress=lambda *_: None if once else (once.append(1), undo())
        )
    else:
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: undo(), range(3)))

    [known] = heal.runs(database.engine)
    assert (bool(known.undone), known.rows_left) == (not changed_since, changed_since)
    differing = set(chat.dump()) - set(before)
    assert len(differing) == changed_since
