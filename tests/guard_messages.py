"""Short messages of the three shapes, and the reference tables in a fresh database."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from endmark import FormatError, formats
from endmark.guard import tables

Message = dict[str, Any]


def is_known(format: str) -> bool:
    try:
        return bool(formats.get(format))
    except FormatError:
        return False


FOLDER = Path(__file__).parent / "cases"
CASES = [
    case
    for case in (json.loads(path.read_text()) for path in sorted(FOLDER.glob("*/*.json")))
    if is_known(case["format"])
]


@dataclass(frozen=True)
class Talk:
    """One format's way to say things."""

    format: str
    user: Callable[[str], Message]
    calls: Callable[..., Message]
    result: Callable[..., Message]
    text: Callable[[str], Message]


def chat_calls(*ids: str) -> Message:
    function = {"name": "look", "arguments": "{}"}
    calls = [{"id": id_, "type": "function", "function": function} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def anthropic_calls(*ids: str) -> Message:
    blocks = [{"type": "tool_use", "id": id_, "name": "look", "input": {}} for id_ in ids]
    return {"role": "assistant", "content": blocks}


def anthropic_result(id_: str, content: str = "found") -> Message:
    block = {"type": "tool_result", "tool_use_id": id_, "content": content}
    return {"role": "user", "content": [block]}


CHAT = Talk(
    "openai-chat",
    lambda text: {"role": "user", "content": text},
    chat_calls,
    lambda id_, content="found": {"role": "tool", "tool_call_id": id_, "content": content},
    lambda text: {"role": "assistant", "content": text},
)
ANTHROPIC = Talk(
    "anthropic",
    lambda text: {"role": "user", "content": text},
    anthropic_calls,
    anthropic_result,
    lambda text: {"role": "assistant", "content": text},
)


def ui(id_: str, *parts: Message, role: str = "assistant") -> Message:
    return {"id": id_, "role": role, "parts": list(parts)}


def tool_part(call_id: str, state: str = "input-available", **more: Any) -> Message:
    return {"type": "tool-look", "toolCallId": call_id, "state": state, "input": {}, **more}


def text_part(text: str) -> Message:
    return {"type": "text", "text": text}


def create(engine: sa.Engine) -> None:
    tables.metadata.create_all(engine)


def stored(connection: Any, conversation: str = "c") -> list[Message]:
    """Read the payloads of a conversation without Endmark."""
    found = connection.execute(
        sa.select(sa.cast(tables.Message.payload, sa.Text))
        .where(tables.Message.conversation_id == conversation)
        .order_by(tables.Message.seq)
    )
    return [json.loads(text) for (text,) in found]
