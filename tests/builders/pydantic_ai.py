"""pydantic-ai requests and responses, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from abstract import OPEN, Ask, Message, Seen, Turn, claim

TIME = "2026-03-02T10:00:00Z"
ERRORS = {"failed", "interrupted", "retried"}


def request(*parts: Message) -> Message:
    return {"parts": list(parts), "kind": "request", "state": "complete"}


def response(*parts: Message) -> Message:
    return {"parts": list(parts), "timestamp": TIME, "kind": "response", "state": "complete"}


def text(words: str) -> Message:
    return {"content": words, "part_kind": "text"}


def build(turns: list[Turn]) -> list[Message]:
    """Arguments are an object or its JSON by turns; every third result is a retry."""
    history: list[Message] = []
    for k, turn in enumerate(turns):
        history.append(
            request({"content": turn.says, "timestamp": TIME, "part_kind": "user-prompt"})
        )
        for step in turn.steps:
            said = [text(step.says)] if step.says else []
            history.append(response(*said, *[_call(id_, name, k) for id_, name, _ in step.calls]))
            results = [
                _return(id_, name, token, at)
                for at, (id_, name, token) in enumerate(step.calls)
                if token is not None
            ]
            if results:
                history.append(request(*results))
        if turn.answer:
            history.append(response(text(turn.answer)))
    return history


def _call(id_: str, name: str, turn: int) -> Message:
    args = json.dumps({"of": id_}) if turn % 2 else {"of": id_}
    return {"tool_name": name, "args": args, "tool_call_id": id_, "part_kind": "tool-call"}


def _return(id_: str, name: str, token: str, at: int) -> Message:
    made = {"tool_name": name, "content": token, "tool_call_id": id_, "timestamp": TIME}
    if at == 2:
        return {**made, "part_kind": "retry-prompt"}
    return {**made, "metadata": None, "outcome": "success", "part_kind": "tool-return"}


def _answers(part: Message) -> bool:
    kind = part["part_kind"]
    return kind == "tool-return" or (kind == "retry-prompt" and part.get("tool_name") is not None)


def calls(history: list[Message]) -> Iterator[Seen]:
    found: list[Seen] = []
    open_: list[Seen] = []
    for message in history:
        if message["kind"] == "response":
            open_ = [
                Seen(part.get("tool_call_id"), part["tool_name"])
                for part in message["parts"]
                if part["part_kind"] == "tool-call"
            ]
            found += open_
        for part in message["parts"] if message["kind"] == "request" else ():
            if _answers(part):
                error = part["part_kind"] == "retry-prompt" or part.get("outcome") in ERRORS
                claim(open_, part.get("tool_call_id"), part.get("content"), error)
    return iter(found)


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    parts = [part for message in history for part in message["parts"] if _answers(part)]
    return [(part.get("tool_call_id"), part.get("content")) for part in parts]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


def harmed(draw: st.DrawFn, message: Message, harm: str) -> Message:
    """Damage one message: a part lost, doubled or moved, an id or arguments garbled."""
    parts = list(message["parts"])
    if not parts:
        return message
    at = draw(st.integers(0, len(parts) - 1))
    part = parts[at]
    if harm == "part":
        keep = parts[:at] + parts[at + 1 :]
        ways = [keep, [*parts, part], [*keep, part]]
        if message["kind"] == "request":
            ways.append([{"content": "", "part_kind": "user-prompt"}, *parts])
        return {**message, "parts": draw(st.sampled_from(ways))}
    id_ = draw(st.sampled_from(["", None, "call-0002"]))
    if part["part_kind"] == "tool-call":
        hurt = [{"args": '{"of": "ca'}, {"args": None}, {"args": [1]}, {"tool_name": ""}]
        part = {**part, **draw(st.sampled_from([*hurt, {"tool_call_id": id_}]))}
    elif _answers(part):
        hurt = [{"outcome": "failed"}, {"metadata": {"mine": 1}}, {"tool_call_id": id_}]
        part = {**part, **draw(st.sampled_from(hurt))}
    return {**message, "parts": [*parts[:at], part, *parts[at + 1 :]]}


CANNOT: dict[str, str] = {}


def system(words: str) -> list[Message]:
    return [request({"content": words, "timestamp": TIME, "part_kind": "system-prompt"})]


def user(words: str) -> list[Message]:
    return [request({"content": words, "timestamp": TIME, "part_kind": "user-prompt"})]


def media(picture: str) -> list[Message]:
    image = {"data": picture, "media_type": "image/png", "kind": "binary"}
    return [request({"content": [image], "timestamp": TIME, "part_kind": "user-prompt"})]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts: list[Message] = []
    if thought:
        parts.append({"content": thought, "signature": "c2ln", "part_kind": "thinking"})
    if words:
        parts.append(text(words))
    for call in calls:
        named = {"tool_name": call.name, "tool_call_id": call.id}
        kind = "builtin-tool-call" if call.hosted else "tool-call"
        parts.append({**named, "args": call.written, "part_kind": kind})
        if call.value is not OPEN:
            gave = {**named, "content": call.value, "timestamp": TIME}
            parts.append({**gave, "part_kind": "builtin-tool-return"})
    return [response(*parts)]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    return [request(*[_return(call.id, call.name, value, 0) for call, value in given])]
