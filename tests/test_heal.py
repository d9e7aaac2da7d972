"""The heal on real databases: every layout, column type and case; what it finds, writes, gives back."""

from __future__ import annotations

from typing import Any

import pytest

from endmark import formats, heal, repair
from endmark.heal import Item, Options
from fix_databases import Database
from healing import LAYOUTS, PAYLOADS, Chat
from judging import judge, load

CASES: dict[str, list[dict[str, Any]]] = {}
for _case in load():
    CASES.setdefault(formats.get(_case["format"]).name, []).append(_case)


def listed(database: Database, chat: Chat, **options: Any) -> dict[str, Item]:
    items: dict[str, Item] = {}

    def note(item: Item) -> None:
        name = item.conversation.rpartition("/")[2]
        assert name not in items, "one line a conversation"
        items[name] = item

    scanned = heal.scan(database.engine, [chat.store], options=Options(**options), on_item=note)
    statuses = [item.status for item in items.values()]
    for status in ("poisoned", "pending", "skipped"):
        assert getattr(scanned, status) == statuses.count(status)
    return items


@pytest.mark.parametrize("format_", sorted(CASES))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_case_heals_and_comes_back(database: Database, layout: str, format_: str) -> None:
    for payload in PAYLOADS[database.name]:
        for over in (True, False):
            heal_and_come_back(Chat(database, layout, payload, format_), format_, over=over)
            with database.engine.begin() as connection:
                connection.exec_driver_sql("DROP TABLE chat")


def heal_and_come_back(chat: Chat, format_: str, *, over: bool) -> None:
    database = chat.database
    cases = [case for case in CASES[format_] if case["turn_over"] == over]
    histories = {case["id"]: case["history"] for case in cases}
    options = Options(include_frontier=over, now=0, batch=7)
    chat.fill(histories)
    before = chat.dump()
    found = listed(database, chat, include_frontier=over, now=0)
    poisoned = {name for name, item in found.items() if item.status == "poisoned"}
    turn = "over" if over else "open"
    repaired = {name: repair(history, format_, turn=turn) for name, history in histories.items()}

    items: list[Item] = []
    applied = heal.apply(database.engine, [chat.store], options=options, on_item=items.append)

    assert poisoned == {n for n, h in histories.items() if repaired[n] is not h}
    assert applied.skipped == 0, [item.reason for item in items]
    assert applied.healed == len(poisoned)
    after = chat.histories()
    assert {name: after.get(name, []) for name in histories} == repaired
    for case in cases:
        judge(case, after[case["id"]])
    again = heal.apply(database.engine, [chat.store], options=options)
    assert (again.healed, again.run) == (0, None)

    if poisoned:
        undone = heal.undo(database.engine)
        rows = applied.rows_changed + applied.rows_inserted + applied.rows_deleted
        assert heal.runs(database.engine)[0].rows == rows
        assert (undone.run, undone.rows_restored) == (applied.run, rows)
        assert undone.rows_left == []
    assert chat.dump() == before
    second = heal.apply(database.engine, [chat.store], options=options)
    assert second.healed == len(poisoned)
    assert chat.histories() == after
