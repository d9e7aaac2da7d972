"""Messages of LobeChat, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from abstract import Ask, Message, Seen, Turn, claim


def build(turns: list[Turn]) -> list[Message]:
    history: list[Message] = []
    for turn in turns:
        history.append(_said("user", turn.says))
        for step in turn.steps:
            tools = [_tool(id_, name, json.dumps({"of": id_})) for id_, name, _ in step.calls]
            history.append(_said("assistant", step.says, tools=tools))
            history += [_gave(id_, token) for id_, _, token in step.calls if token is not None]
        if turn.answer:
            history.append(_said("assistant", turn.answer, tools=None))
    return history


def _said(role: str, content: str, **more: Any) -> Message:
    return {"role": role, "content": content, "topicId": "t", "updatedAt": 1, **more}


def _tool(id_: str, name: str, arguments: str) -> Message:
    call = {"id": id_, "identifier": "", "apiName": name, "type": "default"}
    return {**call, "arguments": arguments}


def _gave(id_: str, content: Any) -> Message:
    said = content if isinstance(content, str) else json.dumps(content)
    return _said("tool", said, tool_call_id=id_, plugin={"apiName": "look"})


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    open_: list[Seen] = []
    found: list[Seen] = []
    for message in history:
        if message["role"] == "tool":
            claim(open_, message.get("tool_call_id"), message.get("content"), False)
            continue
        open_ = [Seen(tool.get("id"), tool.get("apiName")) for tool in message.get("tools") or []]
        found += open_
    return iter(found)


def result_ids(history: list[Message]) -> list[Any]:
    return [m.get("tool_call_id") for m in history if m["role"] == "tool"]


def harmed(draw: st.DrawFn, message: Message, harm: str) -> Message:
    """Damage one message: a call lost or doubled, an id, a name or arguments garbled."""
    ids = st.sampled_from(["", None, "call-0002"])
    if message["role"] == "tool":
        return {**message, "tool_call_id": draw(ids)}
    tools = list(message.get("tools") or [])
    if not tools:
        return message
    at = draw(st.integers(0, len(tools) - 1))
    if harm == "part":
        lost = tools[:at] + tools[at + 1 :]
        return {**message, "tools": draw(st.sampled_from([lost, [*tools, tools[at]]]))}
    cut = draw(st.integers(0, len(tools[at]["arguments"])))
    ways = [{"id": draw(ids)}, {"apiName": ""}, {"arguments": tools[at]["arguments"][:cut]}]
    tools[at] = {**tools[at], **draw(st.sampled_from(ways))}
    return {**message, "tools": tools}


CANNOT = {"provider-executed": "every call is answered from outside"}


def system(words: str) -> list[Message]:
    return [_said("system", words)]


def user(words: str) -> list[Message]:
    return [_said("user", words)]


def media(picture: str) -> list[Message]:
    return [_said("user", "", imageList=[{"id": picture, "url": "data:,"}])]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    message = _said("assistant", words)
    if thought:
        message["reasoning"] = {"content": thought}
    if calls:
        message["tools"] = [_tool(call.id, call.name, call.written) for call in calls]
    return [message]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    return [_gave(call.id, value) for call, value in given]
