"""Messages of Crush, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from abstract import Ask, Message, Seen, Turn, claim


def _part(type_: str, **data: Any) -> Message:
    return {"type": type_, "data": data}


def _call(id_: str, name: str, given: str, *, finished: bool = True) -> Message:
    asked = {"id": id_, "name": name, "input": given}
    return _part("tool_call", **asked, provider_executed=False, finished=finished)


def _result(id_: str, name: str, content: str) -> Message:
    said = {"tool_call_id": id_, "name": name, "content": content}
    unused = dict.fromkeys(("data", "mime_type", "metadata"), "")
    return _part("tool_result", **said, **unused, is_error=False)


def _message(role: str, *parts: Message) -> Message:
    stop = [] if role == "assistant" else [_part("finish", reason="stop", time=0)]
    return {"role": role, "parts": [*parts, *stop]}


def build(turns: list[Turn]) -> list[Message]:
    history: list[Message] = []
    for turn in turns:
        history.append(_message("user", _part("text", text=turn.says)))
        for k, step in enumerate(turn.steps):
            parts = [_part("text", text=step.says)] if step.says else []
            parts += [_call(id_, name, json.dumps({"of": id_})) for id_, name, _ in step.calls]
            parts.append(_part("finish", reason="tool_use", time=1772445600))
            history.append(_message("assistant", *parts))
            results = [_result(id_, name, t) for id_, name, t in step.calls if t is not None]
            if k % 2:  # as before 0.13: all in one
                history += [_message("tool", *results)] if results else []
            else:
                history += [_message("tool", result) for result in results]
        if turn.answer:
            history.append(_message("assistant", _part("text", text=turn.answer)))
    return history


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    found: list[Seen] = []
    open_: list[Seen] = []
    for message in history:
        if message["role"] != "tool":
            open_ = []
        for part in message["parts"]:
            data = part["data"]
            if part["type"] == "tool_call":
                open_.append(Seen(data.get("id"), data.get("name")))
                found.append(open_[-1])
            elif part["type"] == "tool_result":
                claim(open_, data.get("tool_call_id"), data.get("content"), data["is_error"])
    return iter(found)


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    told = [p["data"] for m in history for p in m["parts"] if p["type"] == "tool_result"]
    return [(data.get("tool_call_id"), data.get("content")) for data in told]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


CANNOT = {"provider-executed": "every call is answered from outside"}


def system(words: str) -> list[Message]:
    return [_message("system", _part("text", text=words))]


def user(words: str) -> list[Message]:
    return [_message("user", _part("text", text=words))]


def media(picture: str) -> list[Message]:
    image = {"Path": "photo.png", "MIMEType": "image/png", "Data": picture}
    return [_message("user", _part("binary", **image))]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts = [_part("reasoning", thinking=thought, signature="c2ln")] if thought else []
    parts += [_part("text", text=words)] if words else []
    parts += [_call(call.id, call.name, call.written, finished=not call.cut) for call in calls]
    return [_message("assistant", *parts)]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    return [
        _message(
            "tool",
            _result(call.id, call.name, value if isinstance(value, str) else json.dumps(value)),
        )
        for call, value in given
    ]
