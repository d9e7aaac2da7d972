"""Messages of Open WebUI, built as it stores them and read as it sends them.

Read here is what its oldest release with items sends, which leaves nothing out: calls up to the
next result in one assistant message, the results behind it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from abstract import OPEN, Ask, Message, Seen, Turn, claim


def build(turns: list[Turn]) -> list[Message]:
    history: list[Message] = []
    for n, turn in enumerate(turns):
        history.append(_node(f"u{n}", "user", turn.says))
        output: list[Message] = []
        for k, step in enumerate(turn.steps):
            output += [_thinks(f"thought {k}")] if k % 2 == 0 else []
            output += [_says(step.says)] if step.says else []
            output += [_calls(id_, name, {"of": id_}) for id_, name, _ in step.calls]
            output += [_gave(id_, t) for id_, _, t in step.calls if t is not None]
        output += [_says(turn.answer)] if turn.answer else []
        if output:
            history.append(_node(f"a{n}", "assistant", "", output=output))
    return history


def _node(id_: str, role: str, content: str, **more: Any) -> Message:
    tree = {"id": id_, "parentId": None, "childrenIds": []}
    return {**tree, "role": role, "content": content, **more}


def _says(words: str) -> Message:
    said = [{"type": "output_text", "text": words}]
    return {"type": "message", "status": "completed", "role": "assistant", "content": said}


def _thinks(words: str) -> Message:
    return {"type": "reasoning", "summary": [{"type": "output_text", "text": words}]}


def _calls(id_: str, name: str, args: Any) -> Message:
    text = args if isinstance(args, str) else json.dumps(args)
    call = {"type": "function_call", "id": id_, "call_id": id_, "name": name}
    return {**call, "arguments": text, "status": "completed"}


def _gave(id_: str, said: Any) -> Message:
    text = said if isinstance(said, str) else json.dumps(said)
    output = [{"type": "input_text", "text": text}]
    return {
        "type": "function_call_output",
        "call_id": id_,
        "output": output,
        "status": "completed",
    }


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    for message in history:
        found: list[Seen] = []
        open_: list[Seen] = []
        answers = False
        for item in message.get("output") or []:
            if item["type"] == "function_call_output":
                answers = True
                said = item.get("output")
                if isinstance(said, list) and len(said) == 1:
                    said = said[0]["text"]
                claim(open_, item.get("call_id"), said, item.get("status") == "incomplete")
                continue
            if answers:
                open_, answers = [], False
            if item["type"] == "function_call":
                open_.append(Seen(item.get("call_id") or item.get("id"), item.get("name") or ""))
                found.append(open_[-1])
        yield from found


def _outputs(history: list[Message]) -> list[Message]:
    items = [item for message in history for item in message.get("output") or []]
    return [item for item in items if item["type"] == "function_call_output"]


def result_ids(history: list[Message]) -> list[Any]:
    return [item.get("call_id") for item in _outputs(history)]


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    """Give the results by the message and the id: another message's are none of its own."""
    return [
        (f"{message['id']} {item['call_id']}" if item.get("call_id") else "", item.get("output"))
        for message in history
        for item in _outputs([message])
    ]


def harmed(draw: st.DrawFn, message: Message, harm: str) -> Message:
    """Damage the items of one message: one lost, doubled, moved, or garbled."""
    items = list(message.get("output") or [])
    if not items:
        return message
    at = draw(st.integers(0, len(items) - 1))
    if harm == "part":
        item = items.pop(at)
        ways = [items, [*items, item]]
        to = draw(st.integers(0, len(items)))
        ways += [[*items[:to], item, *items[to:]], [*items[:at], item, *items[at:], item]]
        return {**message, "output": draw(st.sampled_from(ways))}
    items[at] = _garbled(draw, items[at])
    return {**message, "output": items}


def _garbled(draw: st.DrawFn, item: Message) -> Message:
    ids = st.sampled_from(["", None, "call-0002"])
    ways = [{**item, "call_id": draw(ids)}] if "call_id" in item else [item]
    if item["type"] == "function_call":
        cut = draw(st.integers(0, len(item["arguments"])))
        status = draw(st.sampled_from(["in_progress", "pending", "queued", "rejected"]))
        ways += [{**item, "arguments": item["arguments"][:cut]}, {**item, "name": ""}]
        ways += [{**item, "status": status}, {**item, "id": draw(ids)}]
    elif item["type"] == "function_call_output":
        ways += [{**item, "output": item["output"][0]["text"]}, {**item, "output": None}]
    return draw(st.sampled_from(ways))


CANNOT = dict.fromkeys(
    (
        "late",
        "early",
        "split",
        "duplicate",
        "media between",
        "synthesized, then real",
        "orphan",
    ),
    "a result is in the message of its call",
) | {"provider-executed": "what a provider runs is no call of the application's"}


def system(words: str) -> list[Message]:
    return [_node("s", "system", words)]


def user(words: str) -> list[Message]:
    return [_node("u", "user", words)]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    output = [_thinks(thought)] if thought else []
    output += [_says(words)] if words else []
    output += [_calls(call.id, call.name, call.written) for call in calls]
    output += [_gave(call.id, call.value) for call in calls if call.value is not OPEN]
    return [_node("a", "assistant", words, output=output)]
