"""LlamaIndex chat messages, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from abstract import Ask, Message, Seen, Turn, claim


def message(role: str, words: str, kwargs: Message, *blocks: Message) -> Message:
    said = [{"block_type": "text", "text": words}] if words or role == "tool" else []
    return {"role": role, "additional_kwargs": kwargs, "blocks": [*said, *blocks]}


def build(turns: list[Turn]) -> list[Message]:
    """Calls are in blocks, in both places, or in the kwargs of an old row, by turns."""
    history: list[Message] = []
    for turn in turns:
        history.append(message("user", turn.says, {}))
        for k, step in enumerate(turn.steps):
            blocks = [_block(id_, name, k) for id_, name, _ in step.calls] if k % 3 < 2 else []
            copies = [_copy(id_, name, k) for id_, name, _ in step.calls] if k % 3 else []
            kwargs = {"tool_calls": copies} if copies else {}
            history.append(_old(message("assistant", step.says, kwargs, *blocks), k % 3 == 2))
            history += [
                _old(message("tool", token, {"tool_call_id": id_}), k % 3 == 2)
                for id_, _, token in step.calls
                if token is not None
            ]
        if turn.answer:
            history.append(message("assistant", turn.answer, {}))
    return history


def _old(told: Message, old: bool) -> Message:
    if not old:
        return told
    words = "".join(block["text"] for block in told["blocks"]) or None
    return {"role": told["role"], "content": words, "additional_kwargs": told["additional_kwargs"]}


def _block(id_: str, name: str, k: int) -> Message:
    asked: Any = json.dumps({"of": id_}) if k % 2 else {"of": id_}
    called = {"tool_call_id": id_, "tool_name": name, "tool_kwargs": asked}
    return {"block_type": "tool_call", **called}


def _copy(id_: str, name: str, k: int) -> Message:
    if k % 2:
        return {"id": id_, "name": name, "input": {"of": id_}, "type": "tool_use"}
    function = {"name": name, "arguments": json.dumps({"of": id_})}
    return {"id": id_, "type": "function", "function": function}


def _text(told: Message) -> Any:
    if "blocks" not in told:
        return told["content"]
    return "\n".join(block["text"] for block in told["blocks"] if block["block_type"] == "text")


def calls(history: list[Message]) -> Iterator[Seen]:
    open_: list[Seen] = []
    found: list[Seen] = []
    for told in history:
        if told["role"] == "tool":
            claim(open_, told["additional_kwargs"].get("tool_call_id"), _text(told), error=False)
            continue
        open_ = _asked(told) if told["role"] == "assistant" else []
        found += open_
    return iter(found)


def _asked(told: Message) -> list[Seen]:
    """Read each call once: as often as the place that has most calls of its id."""
    blocks = [
        {"id": block["tool_call_id"], "name": block["tool_name"]}
        for block in told.get("blocks", [])
        if block["block_type"] == "tool_call"
    ]
    copies = [
        {"id": copy["id"], "name": copy.get("function", copy)["name"]}
        for copy in told["additional_kwargs"].get("tool_calls", [])
    ]
    asked: list[Seen] = []
    for place in (blocks, copies):
        left = list(asked)
        for call in place:
            twin = next((seen for seen in left if (seen.id or None) == (call["id"] or None)), None)
            if twin is None:
                asked.append(Seen(call["id"], call["name"]))
            else:
                left.remove(twin)
    return asked


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    told = [message for message in history if message["role"] == "tool"]
    return [(one["additional_kwargs"].get("tool_call_id"), _text(one)) for one in told]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


def harmed(draw: st.DrawFn, told: Message, harm: str) -> Message:
    """Damage one message: a call lost, doubled, renamed or cut off, a result of no call."""
    id_ = draw(st.sampled_from(["", None, "call-0002"]))
    if told["role"] == "tool":
        return {**told, "additional_kwargs": {"tool_call_id": id_}}
    asked = [k for k, b in enumerate(told.get("blocks", [])) if b["block_type"] == "tool_call"]
    if not asked:
        return told
    at = draw(st.sampled_from(asked))
    blocks = list(told["blocks"])
    hurt = [{"tool_call_id": id_}, {"tool_kwargs": '{"of": "ca'}, {"tool_kwargs": None}]
    changed = {**blocks[at], **draw(st.sampled_from([*hurt, {"tool_name": ""}]))}
    ways = [[*blocks, blocks[at]], blocks[:at] + blocks[at + 1 :]]
    if harm == "garble":
        ways = [[*blocks[:at], changed, *blocks[at + 1 :]]]
    return {**told, "blocks": draw(st.sampled_from(ways))}


CANNOT = {"provider-executed": "every call is answered from outside"}


def system(words: str) -> list[Message]:
    return [message("system", words, {})]


def user(words: str) -> list[Message]:
    return [message("user", words, {})]


def media(picture: str) -> list[Message]:
    image = {"block_type": "image", "image": picture, "image_mimetype": "image/png"}
    return [message("user", "", {}, image)]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    blocks: list[Message] = []
    if thought:
        blocks.append({"block_type": "thinking", "content": thought, "additional_information": {}})
    for call in calls:
        called = {"tool_call_id": call.id, "tool_name": call.name, "tool_kwargs": call.args}
        cut = {"tool_kwargs": call.written} if call.cut else {}
        blocks.append({"block_type": "tool_call", **called, **cut})
    return [message("assistant", words, {}, *blocks)]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    return [
        message(
            "tool",
            value if isinstance(value, str) else json.dumps(value),
            {"tool_call_id": call.id, "name": call.name},
        )
        for call, value in given
    ]
