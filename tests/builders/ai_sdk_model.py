"""AI SDK model messages of major 5 and later, built; read in every major's spelling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abstract import Message, Seen, Turn, claim


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
