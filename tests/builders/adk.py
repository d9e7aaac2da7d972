"""Events of the Agent Development Kit, built and read as its own contents are put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from abstract import OPEN, Ask, Message, Seen, Turn

CALLS = ("function_call", "functionCall")
RESPONSES = ("function_response", "functionResponse")


def build(turns: list[Turn]) -> list[Message]:
    """Every other turn is spelled in camel case; every third call's results come one by one."""
    history: list[Message] = []
    for k, turn in enumerate(turns):
        _add(history, k, "user", "user", [{"text": turn.says}])
        for step in turn.steps:
            said: list[Message] = [{"text": step.says}] if step.says else []
            asked = [
                {CALLS[k % 2]: {"id": id_, "name": name, "args": {"of": id_}}}
                for id_, name, _ in step.calls
            ]
            _add(history, k, "bot", "model", said + asked)
            answered: list[Message] = [
                {RESPONSES[k % 2]: {"id": id_, "name": name, "response": {"result": token}}}
                for id_, name, token in step.calls
                if token is not None
            ]
            size = 1 if len(history) % 3 == 0 else 3
            for at in range(0, len(answered), size):
                _add(history, k, "bot", "user", answered[at : at + size])
        if turn.answer:
            _add(history, k, "bot", "model", [{"text": turn.answer}])
    return history


def _add(history: list[Message], turn: int, author: str, role: str, parts: list[Message]) -> None:
    invocation = "invocationId" if turn % 2 else "invocation_id"
    history.append(
        {
            "content": {"parts": parts, "role": role},
            invocation: f"e-{turn}",
            "author": author,
            "actions": {},
            "id": f"ev{len(history):03}",
            "timestamp": 1772445600.0 + len(history),
        }
    )


def _bodies(event: Message, keys: tuple[str, str]) -> list[dict[str, Any]]:
    parts = (event.get("content") or {}).get("parts") or []
    return [part[key] for part in parts for key in keys if part.get(key) is not None]


def calls(history: list[Message]) -> Iterator[Seen]:
    """A response answers the last event that calls by its id; the last response counts."""
    events: list[list[Seen]] = []
    for event in history:
        for body in _bodies(event, RESPONSES):
            owner = _owner(events, body)
            if owner is not None:
                owner.result = body.get("response")
                owner.error = "error" in (body.get("response") or {})
        events.append([Seen(c.get("id"), c.get("name") or "") for c in _bodies(event, CALLS)])
    return iter([call for asked in events for call in asked])


def _owner(events: list[list[Seen]], body: dict[str, Any]) -> Seen | None:
    id_, name = body.get("id"), body.get("name")
    for asked in reversed(events):
        same = [call for call in asked if call.id == id_ and (id_ or call.name == name)]
        free = [call for call in same if call.result is OPEN]
        if same and (id_ or free):
            return next((call for call in free if call.name == name), (free or same)[-1])
    return None


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    found = [body for event in history for body in _bodies(event, RESPONSES)]
    return [(body.get("id"), body.get("response")) for body in found]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


def harmed(draw: st.DrawFn, event: Message, harm: str) -> Message:
    """Damage one event: a part lost or doubled, an id garbled, another branch, more to come."""
    parts = list(event["content"]["parts"]) if event.get("content") else []
    if not parts:
        return event
    at = draw(st.integers(0, len(parts) - 1))
    if harm == "part":
        keep = parts[:at] + parts[at + 1 :]
        other = draw(st.sampled_from([keep, [*parts, parts[at]], [*parts, {"text": "more"}]]))
        return {**event, "content": {**event["content"], "parts": other}}
    if draw(st.integers(0, 3)) == 0:
        return {**event, "branch": draw(st.sampled_from(["a", "a.b", "c"]))}
    for key in (*CALLS, *RESPONSES):
        if key in parts[at]:
            parts[at] = {key: _garbled(draw, parts[at][key])}
            asked: Message = {
                id_: {} for id_ in [parts[at][key]["id"]] if id_ and draw(st.booleans())
            }
            event = {**event, "actions": {"requested_tool_confirmations": asked}}
    return {**event, "content": {**event["content"], "parts": parts}}


def _garbled(draw: st.DrawFn, body: dict[str, Any]) -> dict[str, Any]:
    id_ = draw(st.sampled_from(["", None, "call-0002", body.get("id")]))
    name = draw(st.sampled_from([body["name"], body["name"], ""]))
    return {**body, "id": id_, "name": name}


CANNOT = {
    "provider-executed": "code that the provider runs is a part with its own outcome",
    "nothing but system": "the instruction is the agent's, and no event",
}


def join(history: list[Message], events: list[Message]) -> None:
    for event in events:
        _add(history, 0, event["author"], event["content"]["role"], event["content"]["parts"])


def _event(author: str, role: str, *parts: Message) -> list[Message]:
    return [{"author": author, "content": {"role": role, "parts": list(parts)}}]


def user(words: str) -> list[Message]:
    return _event("user", "user", {"text": words})


def media(picture: str) -> list[Message]:
    return _event("user", "user", {"inline_data": {"mime_type": "image/png", "data": picture}})


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts: list[Message] = [{"text": thought, "thought": True}] if thought else []
    parts += [{"text": words}] if words else []
    for call in calls:
        given = call.written if call.cut else call.args
        parts.append({"function_call": {"id": call.id, "name": call.name, "args": given}})
    return _event("bot", "model", *parts)


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    """A response is an object; what is none stands under `result`."""
    parts = []
    for call, value in given:
        response = value if isinstance(value, dict) else {"result": value}
        body = {"id": call.id, "name": call.name, "response": response}
        parts.append({"function_response": body})
    return _event("bot", "user", *parts)
