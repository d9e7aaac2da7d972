"""Anthropic messages, built and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abstract import Message, Seen, Turn, claim


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
