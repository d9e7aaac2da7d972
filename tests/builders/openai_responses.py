"""Items of the OpenAI Responses API, built and read as its strictest readers do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from abstract import OPEN, Ask, Message, Seen, Turn, claim

CALLS = ("function_call", "custom_tool_call", "shell_call", "mcp_approval_request")


def build(turns: list[Turn]) -> list[Message]:
    history: list[Message] = []
    for n, turn in enumerate(turns):
        says = [{"type": "input_text", "text": turn.says}]
        history.append({"type": "message", "role": "user", "content": says})
        for k, step in enumerate(turn.steps):
            if k % 2 == 0:
                history.append({"type": "reasoning", "id": f"rs_{n}_{k}", "summary": []})
            if step.says:
                history.append({"role": "assistant", "content": step.says})
            for j, (id_, name, _) in enumerate(step.calls):
                call = {"type": "function_call", "call_id": id_, "name": name}
                own = {"id": f"fc_{id_}"} if j % 2 == 0 else {}
                history.append({**call, "arguments": json.dumps({"of": id_}), **own})
            history += [
                {"type": "function_call_output", "call_id": id_, "output": token}
                for id_, _, token in step.calls
                if token is not None
            ]
        if turn.answer:
            text = {"type": "output_text", "text": turn.answer, "annotations": []}
            history.append({"type": "message", "role": "assistant", "content": [text]})
    return history


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    """Yield the calls; outputs count right behind the run of their calls only."""
    open_: list[Seen] = []
    found: list[Seen] = []
    answered = False
    for item in history:
        kind = item.get("type") or "message"
        if kind in CALLS:
            if answered:
                open_, answered = [], False
            name = item.get("id" if kind == "mcp_approval_request" else "call_id")
            open_.append(Seen(name, item.get("name") or kind))
            found.append(open_[-1])
        elif kind.endswith("_output") or kind == "mcp_approval_response":
            answered = True
            said = item.get("output", item.get("reason"))
            claim(open_, item.get("call_id") or item.get("approval_request_id"), said, False)
        elif kind == "message" or answered:
            open_, answered = [], False
    return iter(found)


def result_ids(history: list[Message]) -> list[Any]:
    return [m.get("call_id") for m in history if str(m.get("type")).endswith("_output")]


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    return [(m.get("call_id"), m.get("output")) for m in history if "output" in m]


def harmed(draw: st.DrawFn, item: Message, harm: str) -> Message:
    """Damage one item: an id lost, cut or another's, arguments cut, another kind of output."""
    ids = st.sampled_from(["", None, "call-0002", "fc_call-0001", "x" * 70])
    if item.get("type") == "reasoning":
        return {**item, "id": draw(st.sampled_from([None, "rs_0_0"]))}
    if item.get("type") == "function_call_output" and harm == "part":
        return draw(
            st.sampled_from(
                [
                    {**item, "type": "custom_tool_call_output"},
                    {**item, "output": None},
                    {**item, "type": "shell_call_output"},
                ]
            )
        )
    if item.get("type") == "function_call" and harm == "part":
        cut = draw(st.integers(0, len(item["arguments"])))
        return draw(
            st.sampled_from(
                [
                    {**item, "arguments": item["arguments"][:cut]},
                    {**item, "name": ""},
                    {**item, "id": draw(ids)},
                ]
            )
        )
    return {**item, "call_id": draw(ids)} if "call_id" in item else item


CANNOT: dict[str, str] = {}


def system(words: str) -> list[Message]:
    return [{"role": "system", "content": words}]


def user(words: str) -> list[Message]:
    return [{"role": "user", "content": words}]


def media(picture: str) -> list[Message]:
    image = {"type": "input_image", "image_url": f"data:image/png;base64,{picture}"}
    return [{"role": "user", "content": [image]}]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    """What the provider runs, and may leave without an answer, is a program."""
    items: list[Message] = []
    if thought:
        summary = [{"type": "summary_text", "text": thought}]
        items.append({"type": "reasoning", "id": "rs_1", "summary": summary})
    if words:
        items.append({"role": "assistant", "content": words})
    for call in calls:
        body = {"call_id": call.id, "name": call.name, "arguments": call.written}
        if not call.hosted:
            items.append({"type": "function_call", **body})
            continue
        ran = {"id": f"prog_{call.id}", "call_id": call.id, "code": "f()", "fingerprint": "x"}
        items.append({"type": "program", **ran})
        if call.value is not OPEN:
            gave = {"id": f"po_{call.id}", "call_id": call.id, "result": call.value}
            items.append({"type": "program_output", **gave, "status": "completed"})
    return items


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    return [
        {
            "type": "function_call_output",
            "call_id": call.id,
            "output": value if isinstance(value, str) else json.dumps(value),
        }
        for call, value in given
    ]
