"""Messages of goose, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from abstract import Ask, Message, Seen, Turn, claim


def _text(words: str) -> Message:
    return {"type": "text", "text": words}


def _request(id_: str, name: str, given: Any) -> Message:
    value = {"name": name, "arguments": given}
    return {"type": "toolRequest", "id": id_, "toolCall": {"status": "success", "value": value}}


def _response(id_: str, words: str) -> Message:
    value = {"content": [_text(words)], "isError": False}
    told = {"status": "success", "value": value}
    return {"type": "toolResponse", "id": id_, "toolResult": told}


def _message(role: str, *parts: Message) -> Message:
    return {"role": role, "content": list(parts)}


def build(turns: list[Turn]) -> list[Message]:
    """Responses stand all in one message, or each in one: both were written."""
    history: list[Message] = []
    for turn in turns:
        history.append(_message("user", _text(turn.says)))
        for k, step in enumerate(turn.steps):
            if step.says:  # a message of its own, as it is streamed
                history.append(_message("assistant", _text(step.says)))
            asked = [_request(id_, name, {"of": id_}) for id_, name, _ in step.calls]
            history.append(_message("assistant", *asked))
            told = [_response(id_, token) for id_, _, token in step.calls if token is not None]
            if k % 2:
                history += [_message("user", response) for response in told]
            else:
                history += [_message("user", *told)] if told else []
        if turn.answer:
            history.append(_message("assistant", _text(turn.answer)))
    return history


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    found: list[Seen] = []
    open_: list[Seen] = []
    last = "user"
    for message in history:
        if message["role"] == "assistant" and last != "assistant":
            open_ = []
        last = message["role"]
        for part in message["content"]:
            if part["type"] == "toolRequest":
                open_.append(Seen(part.get("id"), part["toolCall"].get("value", {}).get("name")))
                found.append(open_[-1])
            elif part["type"] == "toolResponse":
                told = part["toolResult"]
                value = told.get("value", told.get("error"))
                failed = isinstance(value, str) or value["isError"]
                content = value if isinstance(value, str) else value["content"]
                claim(open_, part.get("id"), content, failed)
            elif last == "user":
                open_ = []
    return iter(found)


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    told = [p for m in history for p in m["content"] if p["type"] == "toolResponse"]
    return [(part.get("id"), part.get("toolResult")) for part in told]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


CANNOT = {
    "provider-executed": "every call is answered from outside",
    "truncated arguments": "a request whose arguments cannot be read is stored as an error",
    "nothing but system": "the system prompt is not stored",
}


def user(words: str) -> list[Message]:
    return [_message("user", _text(words))]


def media(picture: str) -> list[Message]:
    return [_message("user", {"type": "image", "data": picture, "mimeType": "image/png"})]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts = [{"type": "thinking", "thinking": thought, "signature": "c2ln"}] if thought else []
    parts += [_text(words)] if words else []
    parts += [_request(call.id, call.name, call.args) for call in calls]
    return [_message("assistant", *parts)]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    said = [
        _response(call.id, value if isinstance(value, str) else json.dumps(value))
        for call, value in given
    ]
    return [_message("user", *said)]
