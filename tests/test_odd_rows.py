"""One odd row ends no scan: what cannot be read is left alone, and what points at a place stays."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import formats, heal, stores
from endmark.errors import UnreadableError
from endmark.formats.opencode import FORMAT as OPENCODE
from endmark.heal import Item, Options
from endmark.history import examine
from endmark.stores import custom
from fix_databases import Database
from healing import NUMBERS, dump

FORCED = Options(include_frontier=True)
ODD: list[Any] = [
    {"role": [], "content": "x"},
    {"role": {}, "content": [{"type": []}]},
    {"role": "user", "content": [{"type": {}, "text": "x"}]},
    {"role": "user", "parts": [{"type": []}]},
    {"role": [], "parts": [], "blocks": []},
    {"type": [], "data": {}},
    {"type": {}, "content": []},
    {"kind": [], "parts": {}},
    {"role": [], "format": 2, "parts": []},
    {"author": [], "content": {"parts": [[]]}, "actions": -1},
    {"role": "user", "output": [{"type": []}]},
    {"role": "assistant", "tool_calls": {"a": []}, "tools": 7},
    12,
    None,
    [],
]


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
@pytest.mark.parametrize("format", formats.names())
def test_how_an_odd_message_looks_can_be_told(format: str, odd: Any) -> None:
    assert formats.get(format).told(odd) in (-1, 0, 1)


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
@pytest.mark.parametrize("format", formats.names())
def test_an_odd_message_is_read_or_unreadable(format: str, odd: Any) -> None:
    with suppress(UnreadableError):
        examine([odd], formats.get(format)).rebuild()


@pytest.mark.parametrize("more", [{"metadata": "str"}, {"metadata": [1]}, {"time": "str"}])
def test_what_stands_beside_an_open_call_may_be_odd(more: dict[str, Any]) -> None:
    state = {"status": "running", "input": {}, **more}
    part = {"type": "tool", "callID": "a", "tool": "f", "state": state}
    history = [{"role": "assistant", "parts": [part]}, {"role": "user", "parts": []}]
    [message, _] = examine(history, OPENCODE).rebuild().messages
    assert message["parts"][0]["state"]["status"] == "error"


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SAID = [
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "Hello?"},
    {"role": "assistant", "content": "The best answer."},
]


PLACED = [
    "CREATE TABLE msg (id {number}, thread TEXT, seq INTEGER, body TEXT, UNIQUE (thread, seq))",
    """CREATE TABLE feedback (thread TEXT, seq INTEGER, said TEXT,
       FOREIGN KEY (thread, seq) REFERENCES msg (thread, seq))""",
]


def test_a_row_that_is_named_by_its_place_keeps_it(database: Database) -> None:
    with database.engine.begin() as connection:
        for sql in PLACED:
            connection.exec_driver_sql(sql.format(number=NUMBERS[database.name]))
        insert = sa.text("INSERT INTO msg (thread, seq, body) VALUES ('t', :seq, :body)")
        for seq, message in enumerate(SAID):
            connection.execute(insert, {"seq": seq, "body": json.dumps(message)})
        connection.exec_driver_sql("INSERT INTO feedback VALUES ('t', 3, 'good')")
    store = custom.from_flags(
        table="msg", conversation="thread", order="seq", payload="body", format="openai-chat"
    )
    before = dump(database)
    items: list[Item] = []
    done = heal.apply(database.engine, [store], options=FORCED, on_item=items.append)

    assert (done.healed, done.skipped) == (0, 1)
    assert items[0].reason is not None
    assert "feedback" in items[0].reason
    assert dump(database) == before


def test_a_store_with_an_odd_row_is_still_told(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE message_store (id INTEGER PRIMARY KEY, session_id TEXT, message TEXT)"
        )
        rows = ['{"type": [], "data": {}}', '{"type": "human", "data": {"content": "hi"}}']
        for key, message in enumerate(rows):
            row = {"id": key, "message": message}
            connection.execute(
                sa.text("INSERT INTO message_store VALUES (:id, 's', :message)"), row
            )
    with database.engine.connect() as connection:
        assert [store.name for store in stores.detect(connection)] == ["langchain"]


def test_an_undo_that_gives_nothing_back_can_be_made_again(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql(PLACED[0].format(number=NUMBERS[database.name]))
        insert = sa.text("INSERT INTO msg (thread, seq, body) VALUES ('t', :seq, :body)")
        for seq, message in enumerate(SAID[:2]):
            connection.execute(insert, {"seq": seq, "body": json.dumps(message)})
    store = custom.from_flags(
        table="msg", conversation="thread", order="seq", payload="body", format="openai-chat"
    )
    before = dump(database)
    heal.apply(database.engine, [store], options=FORCED)
    change = "UPDATE msg SET seq = seq + :by WHERE seq > 1"
    with database.engine.begin() as connection:
        connection.execute(sa.text(change), {"by": 5})
    undone = heal.undo(database.engine)
    assert (undone.rows_restored, len(undone.rows_left)) == (0, 1)
    with database.engine.begin() as connection:
        connection.execute(sa.text(change), {"by": -5})
    assert heal.undo(database.engine, undone.run).rows_left == []
    assert dump(database) == before
