"""The heal in tables as people have them: names, keys, numbers and times of every kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal
from endmark.errors import StoreError
from endmark.heal import Item, Options
from endmark.stores import Store, custom
from fix_databases import Database
from healing import dump

FOLDER = Path(__file__).parent / "heal"
SCHEMAS = json.loads((FOLDER / "schemas.json").read_text("utf-8"))
ALL = Options(include_frontier=True)

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASK = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USER = {"role": "user", "content": "go on"}
ORPHAN = {"role": "tool", "tool_call_id": "gone", "content": "late"}
# A row to put in, one to take out, one to add at the end.
HISTORY = [USER, ASK, USER, ORPHAN, USER, USER, ASK]


def fill(database: Database, insert: str) -> None:
    sql = sa.text(insert)
    with database.engine.begin() as connection:
        for n, thread in enumerate("xy"):
            for k, message in enumerate(HISTORY):
                known = {
                    "id": f"{thread}-{k:03}", "number": 100 * n + k, "thread": thread, "seq": k,
                    "second": f"2026-01-01T00:00:{k:02}",
                    "ext": f"{thread}{k}", "body": json.dumps(message),
                }  # fmt: skip
                named = re.findall(r"(?<!\\):([a-z]+)", insert)
                connection.execute(sql, {name: known[name] for name in named})


def scanned(database: Database, store: Store) -> list[Item]:
    items: list[Item] = []
    heal.scan(database.engine, [store], options=ALL, on_item=items.append)
    return items


@pytest.mark.parametrize(
    ("database", "row"),
    [pytest.param(name, row, id=f"{name}: {row['name']}") for row in SCHEMAS for name in row["on"]],
    indirect=["database"],
)
def test_a_table_is_healed_and_given_back(database: Database, row: dict[str, Any]) -> None:
    with database.engine.begin() as connection:
        for ddl in row["ddl"]:
            connection.execute(sa.text(re.sub(r"(?=:)", r"\\", ddl)))
    fill(database, row["insert"])
    store = custom.from_flags(format="openai-chat", **row["store"])
    before = dump(database)
    if "error" in row:
        with pytest.raises(StoreError, match=row["error"]):
            heal.scan(database.engine, [store])
        return
    skipped: list[Item] = []
    applied = heal.apply(database.engine, [store], options=ALL, on_item=skipped.append)
    if "skipped" in row:
        assert [item.status for item in skipped] == ["skipped", "skipped"]
        assert all(row["skipped"] in (item.reason or "") for item in skipped)
    else:
        counts = (applied.healed, applied.rows_inserted, applied.rows_deleted)
        assert counts == (2, row.get("added", 4), row.get("gone", 2)), [i.reason for i in skipped]
        assert scanned(database, store) == []
        assert heal.undo(database.engine).rows_left == []
    assert dump(database) == before
