"""Gemini contents, built and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abstract import OPEN, Ask, Message, Seen, Turn


def build(turns: list[Turn]) -> list[Message]:
    """Every other turn is spelled in snake case and has no ids."""
    history: list[Message] = []
    for k, turn in enumerate(turns):
        history.append({"role": "user", "parts": [{"text": turn.says}]})
        for step in turn.steps:
            parts: list[Message] = [{"text": step.says}] if step.says else []
            parts += [_part("Call", id_, name, {"of": id_}, k) for id_, name, _ in step.calls]
            history.append({"role": "model", "parts": parts})
            responses = [
                _part("Response", id_, name, {"output": token}, k)
                for id_, name, token in step.calls
                if token is not None
            ]
            if responses:
                history.append({"role": "user", "parts": responses})
        if turn.answer:
            history.append({"role": "model", "parts": [{"text": turn.answer}]})
    return history


def _part(kind: str, id_: str, name: str, value: Any, turn: int) -> Message:
    body = {"name": name, "args" if kind == "Call" else "response": value}
    if turn % 2:
        return {f"function_{kind.lower()}": body}
    return {f"function{kind}": {"id": id_, **body}}


def _bodies(message: Message, key: str) -> list[dict[str, Any]]:
    snake = key.replace("C", "_c").replace("R", "_r")
    bodies = [part.get(key, part.get(snake)) for part in message["parts"]]
    return [body for body in bodies if body is not None]


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    found: list[Seen] = []
    open_: list[Seen] = []
    for message in history:
        if message["role"] == "model":
            open_ = [
                Seen(body.get("id"), body.get("name")) for body in _bodies(message, "functionCall")
            ]
            found += open_
            continue
        for body in _bodies(message, "functionResponse"):
            response = body["response"]
            _claim(open_, body.get("id") or None, body.get("name"), response)
        open_ = []
    return iter(found)


def _claim(open_: list[Seen], id_: Any, name: Any, response: Any) -> None:
    """By id, else by name and order."""
    free = [call for call in open_ if call.result is OPEN]
    same = [call for call in free if id_ is not None and call.id == id_]
    same = same or [c for c in free if c.name == name and (id_ is None or not c.id)]
    if same:
        same[0].result, same[0].error = response, "error" in response


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    found = [body for message in history for body in _bodies(message, "functionResponse")]
    return [(body.get("id"), body.get("response")) for body in found]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


CANNOT = {
    "empty id": "ids are optional: a call without one is told by name and order",
    "provider-executed": "code that the provider runs is a part with its own outcome",
    "nothing but system": "the system instruction is a field of the request",
}


def user(words: str) -> list[Message]:
    return [{"role": "user", "parts": [{"text": words}]}]


def media(picture: str) -> list[Message]:
    return [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": picture}}]}]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts: list[Message] = [{"text": thought, "thought": True}] if thought else []
    parts += [{"text": words}] if words else []
    for call in calls:
        given = call.written if call.cut else call.args
        part: Message = {"functionCall": {"id": call.id, "name": call.name, "args": given}}
        if thought and call is calls[0]:
            part["thoughtSignature"] = "c2ln"
        parts.append(part)
    return [{"role": "model", "parts": parts}]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    """A response is an object; what is none stands under `output`."""
    parts = []
    for call, value in given:
        response = value if isinstance(value, dict) else {"output": value}
        body = {"id": call.id, "name": call.name, "response": response}
        parts.append({"functionResponse": body})
    return [{"role": "user", "parts": parts}]
