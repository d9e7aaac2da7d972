"""Bedrock Converse messages, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from abstract import OPEN, Ask, Message, Seen, Turn, claim


def build(turns: list[Turn]) -> list[Message]:
    """User and assistant take turns: what a user says joins the results before it."""
    history: list[Message] = []
    for turn in turns:
        _say(history, "user", [{"text": turn.says}])
        for step in turn.steps:
            blocks: list[Message] = [{"text": step.says}] if step.says else []
            blocks += [
                {"toolUse": {"toolUseId": id_, "name": name, "input": {"of": id_}}}
                for id_, name, _ in step.calls
            ]
            _say(history, "assistant", blocks)
            results = [
                {"toolResult": {"toolUseId": id_, "content": [{"text": t}], "status": "success"}}
                for id_, _, t in step.calls
                if t is not None
            ]
            if results:
                _say(history, "user", results)
        if turn.answer:
            _say(history, "assistant", [{"text": turn.answer}])
    return history


def _say(history: list[Message], role: str, blocks: list[Message]) -> None:
    if history and history[-1]["role"] == role == "user":
        history[-1]["content"] += blocks
    else:
        history.append({"role": role, "content": blocks})


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    found: list[Seen] = []
    open_: list[Seen] = []
    for message in history:
        if message["role"] == "assistant":
            open_ = [
                Seen(block["toolUse"].get("toolUseId"), block["toolUse"].get("name"))
                for block in message["content"]
                if "toolUse" in block
            ]
            found += open_
            continue
        for block in message["content"]:
            if "toolResult" not in block:
                break
            result = block["toolResult"]
            claim(open_, result["toolUseId"], result["content"], result.get("status") == "error")
        open_ = []
    return iter(found)


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    found = [b["toolResult"] for m in history for b in m["content"] if "toolResult" in b]
    return [(result.get("toolUseId"), result.get("content")) for result in found]


def result_ids(history: list[Message]) -> list[Any]:
    return [id_ for id_, _ in results(history)]


CANNOT = {"nothing but system": "the system prompt is a field of the request"}


def join(history: list[Message], messages: list[Message]) -> None:
    """User and assistant take turns: what a user says joins the user message before it."""
    for message in messages:
        _say(history, message["role"], message["content"])


def user(words: str) -> list[Message]:
    return [{"role": "user", "content": [{"text": words}]}]


def media(picture: str) -> list[Message]:
    image = {"format": "png", "source": {"bytes": picture}}
    return [{"role": "user", "content": [{"image": image}]}]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    blocks: list[Message] = []
    if thought:
        text = {"text": thought, "signature": "c2ln"}
        blocks.append({"reasoningContent": {"reasoningText": text}})
    if words:
        blocks.append({"text": words})
    for call in calls:
        use = {"toolUseId": call.id, "name": call.name}
        use |= {"type": "server_tool_use"} if call.hosted else {}
        given = call.written if call.cut else call.args
        blocks.append({"toolUse": {**use, "input": given}})
        if call.value is not OPEN:
            result = {"toolUseId": call.id, "content": [{"text": call.value}]}
            blocks.append({"toolResult": {**result, "type": "nova_grounding_result"}})
    return [{"role": "assistant", "content": blocks}]


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    """Words as text, an object as JSON; a blank text is refused, so that is no block at all."""
    blocks = []
    for call, value in given:
        text = value if isinstance(value, str) else json.dumps(value)
        content = [{"json": value}] if isinstance(value, dict) else [{"text": text}] if text else []
        result = {"toolUseId": call.id, "content": content, "status": "success"}
        blocks.append({"toolResult": result})
    return [{"role": "user", "content": blocks}]
