"""AI SDK model messages of major 5 and later, built; read in every major's spelling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abstract import OPEN, Ask, Message, Seen, Turn, claim


def build(turns: list[Turn]) -> list[Message]:
    history: list[Message] = []
    for turn in turns:
        history.append({"role": "user", "content": turn.says})
        for step in turn.steps:
            parts: list[Message] = [{"type": "text", "text": step.says}] if step.says else []
            parts += [
                {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": {"of": id_}}
                for id_, name, _ in step.calls
            ]
            history.append({"role": "assistant", "content": parts})
            results = [
                {
                    "type": "tool-result",
                    "toolCallId": id_,
                    "toolName": name,
                    "output": {"type": "text", "value": token},
                }
                for id_, name, token in step.calls
                if token is not None
            ]
            if results:
                history.append({"role": "tool", "content": results})
        if turn.answer:
            answer = {"type": "text", "text": turn.answer}
            history.append({"role": "assistant", "content": [answer]})
    return history


def _parts(message: Message) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    found: list[Seen] = []
    open_: list[Seen] = []
    for message in history:
        if message["role"] != "tool":
            open_ = []
        for part in _parts(message):
            if part["type"] == "tool-call":
                open_.append(Seen(part.get("toolCallId"), part.get("toolName")))
                found.append(open_[-1])
            elif part["type"] == "tool-result":
                output = part.get("output") or {"value": part.get("result")}
                error = str(output.get("type")).startswith("error") or part.get("isError", False)
                claim(open_, part.get("toolCallId"), output.get("value"), error)
    return iter(found)


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    found = [p for m in history for p in _parts(m) if p["type"] == "tool-result"]
    return [(part.get("toolCallId"), part.get("output", part.get("result"))) for part in found]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


CANNOT: dict[str, str] = {}


def system(words: str) -> list[Message]:
    return [{"role": "system", "content": words}]


def user(words: str) -> list[Message]:
    return [{"role": "user", "content": words}]


def media(picture: str) -> list[Message]:
    image = {"type": "file", "data": picture, "mediaType": "image/png"}
    return [{"role": "user", "content": [image]}]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts: list[Message] = [{"type": "reasoning", "text": thought}] if thought else []
    parts += [{"type": "text", "text": words}] if words else []
    for call in calls:
        named = {"toolCallId": call.id, "toolName": call.name}
        given = call.written if call.cut else call.args
        part = {"type": "tool-call", **named, "input": given}
        parts.append({**part, "providerExecuted": True} if call.hosted else part)
        if call.value is not OPEN:
            parts.append(_result(call, call.value))
    return [{"role": "assistant", "content": parts}]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    return [{"role": "tool", "content": [_result(call, value) for call, value in given]}]


def _result(call: Ask, value: Any) -> Message:
    kind = "text" if isinstance(value, str) else "json"
    named = {"toolCallId": call.id, "toolName": call.name}
    return {"type": "tool-result", **named, "output": {"type": kind, "value": value}}
