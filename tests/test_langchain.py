"""LangChain's four clothes: rows nested and flat, constructors and objects are one message."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel

from endmark import check, repair

Rows = list[dict[str, Any]]
NAMES = {
    "human": "HumanMessage", "ai": "AIMessage", "AIMessageChunk": "AIMessageChunk",
    "tool": "ToolMessage", "system": "System",
}  # fmt: skip
TABLES = Path(__file__).parent / "formats" / "langchain"
NESTED = [
    pytest.param(row, id=row["why"])
    for path in sorted(TABLES.glob("*.json"))
    for row in json.loads(path.read_text())
    if all(message["type"] in NAMES and "data" in message for message in row["history"])
    and "policy" not in row
]


class Message(BaseModel):
    """What langchain's own classes are to a reader: fields, and a copy with other ones."""

    content: Any
    type: str
    additional_kwargs: dict[str, Any] = {}
    response_metadata: dict[str, Any] = {}
    name: Any = None
    id: Any = None


class AIMessage(Message):
    type: str = "ai"
    tool_calls: list[Any] = []
    invalid_tool_calls: list[Any] = []
    usage_metadata: Any = None


class AIMessageChunk(AIMessage):
    type: str = "AIMessageChunk"
    tool_call_chunks: list[Any] = []
    chunk_position: Any = None


class ToolMessage(Message):
    type: str = "tool"
    tool_call_id: Any
    artifact: Any = None
    status: str = "success"


CLASSES = {"ai": AIMessage, "AIMessageChunk": AIMessageChunk, "tool": ToolMessage}


def as_objects(rows: Rows) -> list[Any]:
    return [CLASSES.get(row["type"], Message)(**row["data"]) for row in rows]


def as_flat(rows: Rows) -> Rows:
    return [{**row["data"], "type": row["type"]} for row in rows]


def as_constructors(rows: Rows) -> Rows:
    return [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", NAMES[row["type"]]],
            "kwargs": row["data"],
        }
        for row in rows
    ]


def as_mixed(rows: Rows) -> list[Any]:
    ways: list[Any] = [list, as_flat, as_constructors, as_objects]
    return [ways[k % 4]([row])[0] for k, row in enumerate(rows)]


def told(message: Any) -> dict[str, Any]:
    """Give what a message says, without its clothes and what is empty in them."""
    fields = message if isinstance(message, dict) else dict(message)
    fields = fields.get("kwargs") or fields.get("data") or fields
    return {key: value for key, value in fields.items() if value not in (None, [], {})}


@pytest.fixture
def _langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("langchain_core.messages")
    module.ToolMessage = ToolMessage  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "langchain_core", ModuleType("langchain_core"))
    monkeypatch.setitem(sys.modules, "langchain_core.messages", module)


@pytest.mark.usefixtures("_langchain")
@pytest.mark.parametrize("clothes", [as_flat, as_constructors, as_objects, as_mixed])
@pytest.mark.parametrize("row", NESTED)
def test_all_clothes_are_repaired_alike(row: dict[str, Any], clothes: Any) -> None:
    nested, history = row["history"], clothes(row["history"])
    turn = row.get("turn", "over")

    repaired = repair(history, "langchain", turn=turn)

    assert [str(found.kind) for found in check(history, "langchain", turn=turn)] == row["findings"]
    assert (repaired is history) == ("expect" not in row)
    expected = repair(nested, "langchain", turn=turn)
    assert [told(message) for message in repaired] == [told(message) for message in expected]
    assert {type(message) for message in repaired} <= {dict, Message, *CLASSES.values()}


def test_a_made_up_row_has_langchain_s_keys_without_its_help(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "langchain_core", raising=False)
    call = {"name": "w", "args": {}, "id": "call_1", "type": "tool_call"}
    asked = {"type": "ai", "data": {"content": "", "tool_calls": [call]}}

    made = repair([asked], "langchain")[1]

    assert list(made["data"]) == [
        *("content", "additional_kwargs", "response_metadata", "type", "name", "id"),
        *("tool_call_id", "artifact", "status"),
    ]
    assert "langchain_core" not in sys.modules
