"""Messages as text: what a search passes over quickly is what a careful reader sees nothing in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from endmark import heal
from endmark.heal import Item, Options
from fix_databases import Database
from healing import Chat

TEXTS = json.loads((Path(__file__).parent / "heal" / "texts.json").read_text())


@pytest.mark.parametrize("case", TEXTS, ids=lambda case: case["case"])
def test_what_is_seen_in_a_text(database: Database, case: dict[str, Any]) -> None:
    chat = Chat(database, "sequence", "TEXT", case.get("format", "openai-chat"))
    deep = case.get("deep", 0)
    rows = case.get("rows") or [f'{{"role":"user","content":{"[" * deep}{"]" * deep}}}']
    chat.fill({"odd": rows})
    items: list[Item] = []

    heal.scan(database.engine, [chat.store], options=Options(now=1e10), on_item=items.append)

    assert [item.status for item in items] == [case["status"]] * (case["status"] is not None)
