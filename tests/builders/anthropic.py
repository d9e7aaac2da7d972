"""Anthropic messages, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from abstract import OPEN, Ask, Message, Seen, Turn, claim


def build(turns: list[Turn]) -> list[Message]:
    history: list[Message] = []
    for turn in turns:
        history.append({"role": "user", "content": turn.says})
        for step in turn.steps:
            blocks: list[Message] = [{"type": "text", "text": step.says}] if step.says else []
            blocks += [
                {"type": "tool_use", "id": id_, "name": name, "input": {"of": id_}}
                for id_, name, _ in step.calls
            ]
            history.append({"role": "assistant", "content": blocks})
            results = [
                {"type": "tool_result", "tool_use_id": id_, "content": token}
                for id_, _, token in step.calls
                if token is not None
            ]
            if results:
                history.append({"role": "user", "content": results})
        if turn.answer:
            history.append(
                {"role": "assistant", "content": [{"type": "text", "text": turn.answer}]}
            )
    return history


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    found: list[Seen] = []
    open_: list[Seen] = []
    before = ""
    leading = True
    for message in history:
        if message["role"] == "assistant" and before != "assistant":
            open_ = []
        if message["role"] == "user" and before != "user":
            leading = True
        before = message["role"]
        for block in _blocks(message):
            kind = block["type"]
            if kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
                open_.append(Seen(block.get("id"), block["name"]))
                found.append(open_[-1])
            elif kind == "tool_result":
                if leading and message["role"] == "user":
                    error = block.get("is_error", False)
                    claim(open_, block.get("tool_use_id"), block.get("content"), error)
            elif kind.endswith("_tool_result"):
                claim(found, block.get("tool_use_id"), block.get("content"), False)
            else:
                leading = False
    return iter(found)


def result_ids(history: list[Message]) -> list[Any]:
    return [b.get("tool_use_id") for m in history for b in _blocks(m) if b["type"] == "tool_result"]


CANNOT = {"nothing but system": "the system prompt is a field of the request"}


def user(words: str) -> list[Message]:
    return [{"role": "user", "content": words}]


def media(picture: str) -> list[Message]:
    source = {"type": "base64", "media_type": "image/png", "data": picture}
    return [{"role": "user", "content": [{"type": "image", "source": source}]}]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    blocks: list[Message] = []
    if thought:
        blocks.append({"type": "thinking", "thinking": thought, "signature": "c2ln"})
    if words:
        blocks.append({"type": "text", "text": words})
    for call in calls:
        kind = "server_tool_use" if call.hosted else "tool_use"
        given = call.written if call.cut else call.args
        blocks.append({"type": kind, "id": call.id, "name": call.name, "input": given})
        if call.value is not OPEN:
            result = {"type": "web_search_result", "title": call.value}
            kind = f"{call.name}_tool_result"
            blocks.append({"type": kind, "tool_use_id": call.id, "content": [result]})
    return [{"role": "assistant", "content": blocks}]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    blocks = [
        {
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": value if isinstance(value, str) else json.dumps(value),
        }
        for call, value in given
    ]
    return [{"role": "user", "content": blocks}]
