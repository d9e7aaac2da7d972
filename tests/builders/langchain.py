"""LangChain messages as its message tables nest them, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from abstract import OPEN, Ask, Message, Seen, Turn, claim


def row(kind: str, content: Any, **more: Any) -> Message:
    data = {"content": content, "additional_kwargs": {}, "response_metadata": {}, "type": kind}
    return {"type": kind, "data": {**data, "name": None, "id": None, **more}}


def build(turns: list[Turn]) -> list[Message]:
    history: list[Message] = []
    for turn in turns:
        history.append(row("human", turn.says))
        for k, step in enumerate(turn.steps):
            whole = [
                {"name": name, "args": {"of": id_}, "id": id_, "type": "tool_call"}
                for id_, name, _ in step.calls
            ]
            copies = [{}, _openai(whole), {}][k % 3]
            said = [step.says, step.says, _anthropic(whole, step.says)][k % 3]
            calls = {"tool_calls": whole, "invalid_tool_calls": [], **copies}
            history.append(row("ai", said, **calls))
            history += [
                row("tool", token, name=name, tool_call_id=id_, artifact=None, status="success")
                for id_, name, token in step.calls
                if token is not None
            ]
        if turn.answer:
            history.append(row("ai", turn.answer, tool_calls=[], invalid_tool_calls=[]))
    return history


def _openai(calls: list[Message]) -> Message:
    copies = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
        }
        for call in calls
    ]
    return {"additional_kwargs": {"tool_calls": copies}}


def _anthropic(calls: list[Message], says: str) -> list[Message]:
    text = [{"type": "text", "text": says}] if says else []
    return text + [
        {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
        for call in calls
    ]


def fields(message: Any) -> dict[str, Any]:
    """Give the fields of a message, whichever clothes it wears."""
    if not isinstance(message, dict):
        return vars(message)
    return message.get("kwargs") or message.get("data") or message


def _kind(message: Any) -> str:
    names = {"AIMessage": "ai", "AIMessageChunk": "ai", "ToolMessage": "tool"}
    if isinstance(message, dict) and message["type"] == "constructor":
        return names.get(message["id"][-1], "")
    told = message["type"] if isinstance(message, dict) else message.type
    return names.get(told, told)


def calls(history: list[Any]) -> Iterator[Seen]:
    open_: list[Seen] = []
    found: list[Seen] = []
    for message in history:
        told = fields(message)
        if _kind(message) == "tool":
            error = told.get("status") == "error"
            claim(open_, told.get("tool_call_id"), told.get("content"), error)
            continue
        open_ = _asked(told) if _kind(message) == "ai" else []
        found += open_
    return iter(found)


def _asked(told: dict[str, Any]) -> list[Seen]:
    """Read each call once: as often as the place that has most calls of its id."""
    content = told.get("content")
    blocks = [
        {**block, "id": block.get("call_id") or block.get("id")}
        for block in (content if isinstance(content, list) else [])
        if block["type"] in {"tool_use", "function_call", "tool_call", "invalid_tool_call"}
    ]
    kwargs = [
        {"id": call["id"], "name": call["function"]["name"]}
        for call in (told.get("additional_kwargs") or {}).get("tool_calls", [])
    ]
    places = [told.get("tool_calls") or [], told.get("invalid_tool_calls") or [], kwargs, blocks]
    asked: list[Seen] = []
    for place in places:
        left = list(asked)
        for call in place:
            twin = next((seen for seen in left if (seen.id or None) == (call["id"] or None)), None)
            if twin is None:
                asked.append(Seen(call["id"], call["name"]))
            else:
                left.remove(twin)
    return asked


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    told = [fields(message) for message in history if _kind(message) == "tool"]
    return [(t.get("tool_call_id"), t.get("content")) for t in told]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


def harmed(draw: st.DrawFn, message: Message, harm: str) -> Message:
    """Damage one message: a copy of a call lost, invalid or renamed, a result of no call."""
    data = message["data"]
    id_ = draw(st.sampled_from(["", None, "call-0002"]))
    if message["type"] == "tool":
        hurt = [{"tool_call_id": id_}, {"status": "error"}, {"content": None}]
        return {**message, "data": {**data, **draw(st.sampled_from(hurt))}}
    whole = data.get("tool_calls")
    if message["type"] != "ai" or not whole:
        return message
    at = draw(st.integers(0, len(whole) - 1))
    if harm == "part" and draw(st.booleans()):
        return _chunk(whole, at)
    rest = whole[:at] + whole[at + 1 :]
    cut = {"args": '{"of": "ca', "error": None, "type": "invalid_tool_call"}
    hurt = [
        {"tool_calls": rest, "invalid_tool_calls": [{**whole[at], **cut}]},
        {"tool_calls": [*rest, {**whole[at], "id": id_}]},
        {"tool_calls": [*whole, whole[at]]},
        {"tool_calls": [*rest, {**whole[at], "args": None}]},
        {"tool_calls": [*rest, {**whole[at], "name": ""}]},
        {"tool_calls": rest},
        {"tool_calls": []},
    ]
    return {**message, "data": {**data, **draw(st.sampled_from(hurt))}}


def _chunk(whole: list[Message], at: int) -> Message:
    """Give these calls as they are streamed, cut in the arguments of one."""
    texts = [json.dumps(call["args"]) for call in whole]
    texts[at] = texts[at][:-2]
    chunks = [
        {
            "name": call["name"],
            "args": text,
            "id": call["id"],
            "index": k,
            "type": "tool_call_chunk",
        }
        for k, (call, text) in enumerate(zip(whole, texts, strict=True))
    ]
    calls = {"tool_calls": whole, "invalid_tool_calls": [], "tool_call_chunks": chunks}
    return row("AIMessageChunk", "", **calls)


CANNOT: dict[str, str] = {}


def system(words: str) -> list[Message]:
    return [row("system", words)]


def user(words: str) -> list[Message]:
    return [row("human", words)]


def media(picture: str) -> list[Message]:
    url = {"url": f"data:image/png;base64,{picture}"}
    return [row("human", [{"type": "image_url", "image_url": url}])]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    content: Any = words
    if thought:
        content = [{"type": "thinking", "thinking": thought, "signature": "c2ln"}]
    hosted = [call for call in calls if call.hosted]
    if hosted:
        content = [{"type": "text", "text": words}] if words else []
        content += [block for call in hosted for block in _hosted(call)]
    calls = tuple(call for call in calls if not call.hosted)
    whole = [{"name": c.name, "args": c.args, "id": c.id, "type": "tool_call"} for c in calls]
    invalid = [
        {**body, "args": call.written, "error": None, "type": "invalid_tool_call"}
        for call, body in zip(calls, whole, strict=True)
        if call.cut
    ]
    whole = [body for call, body in zip(calls, whole, strict=True) if not call.cut]
    return [row("ai", content, tool_calls=whole, invalid_tool_calls=invalid)]


def _hosted(call: Ask) -> list[Message]:
    """Give the blocks of a call that Anthropic runs, as langchain-anthropic keeps them."""
    asked = {"type": "server_tool_use", "id": call.id, "name": call.name, "input": call.args}
    if call.value is OPEN:
        return [asked]
    found = [{"type": "web_search_result", "title": call.value}]
    kind = f"{call.name}_tool_result"
    return [asked, {"type": kind, "tool_use_id": call.id, "content": found}]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    made = []
    for call, value in given:
        text = value if isinstance(value, str) else json.dumps(value)
        told = {"name": call.name, "tool_call_id": call.id, "artifact": None}
        made.append(row("tool", text, **told, status="success"))
    return made
