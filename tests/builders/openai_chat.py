"""OpenAI chat messages, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from abstract import Ask, Message, Seen, Turn, claim


def build(turns: list[Turn]) -> list[Message]:
    history: list[Message] = [{"role": "system", "content": "Be brief."}]
    for turn in turns:
        history.append({"role": "user", "content": turn.says})
        for step in turn.steps:
            calls = [
                {
                    "id": id_,
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps({"of": id_})},
                }
                for id_, name, _ in step.calls
            ]
            history.append({"role": "assistant", "content": step.says or None, "tool_calls": calls})
            history += [
                {"role": "tool", "tool_call_id": id_, "content": token}
                for id_, _, token in step.calls
                if token is not None
            ]
        if turn.answer:
            history.append({"role": "assistant", "content": turn.answer})
    return history


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    open_: list[Seen] = []
    found: list[Seen] = []
    for message in history:
        if message["role"] == "tool":
            claim(open_, message.get("tool_call_id"), message.get("content"), False)
            continue
        open_ = []
        for call in message.get("tool_calls") or []:
            body = call.get("function") or call.get("custom") or {}
            open_.append(Seen(call.get("id"), body.get("name")))
        found += open_
    return iter(found)


def result_ids(history: list[Message]) -> list[Any]:
    return [m.get("tool_call_id") for m in history if m["role"] == "tool"]


CANNOT = {"provider-executed": "every call is answered from outside"}


def system(words: str) -> list[Message]:
    return [{"role": "system", "content": words}]


def user(words: str) -> list[Message]:
    return [{"role": "user", "content": words}]


def media(picture: str) -> list[Message]:
    url = {"url": f"data:image/png;base64,{picture}"}
    return [{"role": "user", "content": [{"type": "image_url", "image_url": url}]}]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    message: Message = {"role": "assistant", "content": words or None}
    if thought:
        message["reasoning_content"] = thought
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.written},
            }
            for call in calls
        ]
    return [message]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    return [
        {
            "role": "tool",
            "tool_call_id": call.id,
            "content": value if isinstance(value, str) else json.dumps(value),
        }
        for call, value in given
    ]
