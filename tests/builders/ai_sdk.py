"""AI SDK UI messages of major 5 and later, built and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from abstract import OPEN, Ask, Message, Seen, Turn


def build(turns: list[Turn]) -> list[Message]:
    return ui_messages(turns, _v5_part)


def ui_messages(turns: list[Turn], part_of: Callable[..., Message]) -> list[Message]:
    history: list[Message] = []
    for n, turn in enumerate(turns):
        text = {"type": "text", "text": turn.says}
        history.append({"id": f"u{n}", "role": "user", "parts": [text]})
        parts: list[Message] = []
        for k, step in enumerate(turn.steps):
            parts.append({"type": "step-start"})
            if step.says:
                parts.append({"type": "text", "text": step.says})
            parts += [part_of(id_, name, token, k) for id_, name, token in step.calls]
        if turn.answer:
            parts.append({"type": "text", "text": turn.answer})
        if parts:
            history.append({"id": f"a{n}", "role": "assistant", "parts": parts})
    return history


def _v5_part(id_: str, name: str, token: str | None, step: int) -> Message:
    part: Message = {"type": f"tool-{name}", "toolCallId": id_, "state": "input-available"}
    part["input"] = {"of": id_, "step": step}
    if token is not None:
        part |= {"state": "output-available", "output": {"said": token}}
    return part


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    for message in history:
        for part in message.get("parts", []):
            if part["type"] == "tool-invocation" and "toolInvocation" in part:
                invocation = part["toolInvocation"]
                seen = Seen(invocation["toolCallId"], invocation["toolName"])
                if "result" in invocation and invocation["state"] == "result":
                    seen.result = invocation["result"]
                    marked = isinstance(seen.result, dict) and "endmark" in seen.result
                    seen.error = marked
                yield seen
            elif part["type"] == "dynamic-tool" or part["type"].startswith("tool-"):
                name = part.get("toolName") or part["type"].partition("-")[2]
                seen = Seen(part.get("toolCallId"), name)
                if part.get("state") == "output-available" and not part.get("preliminary"):
                    seen.result = part.get("output")
                elif part.get("state") == "output-error":
                    seen.result, seen.error = part.get("errorText"), True
                elif part.get("state") == "output-denied":
                    seen.result, seen.error = "denied", True
                yield seen


def result_ids(history: list[Message]) -> list[Any]:
    return []


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
    "a result is in the part of its call",
)


def system(words: str) -> list[Message]:
    return [_message("system", {"type": "text", "text": words})]


def user(words: str) -> list[Message]:
    return [_message("user", {"type": "text", "text": words})]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts: list[Message] = [{"type": "step-start"}]
    parts += [{"type": "reasoning", "text": thought, "state": "done"}] if thought else []
    parts += [{"type": "text", "text": words}] if words else []
    return [_message("assistant", *parts, *map(_asked, calls))]


def _message(role: str, *parts: Message) -> Message:
    return {"id": f"{role}-1", "role": role, "parts": list(parts)}


def _asked(call: Ask) -> Message:
    part: Message = {"type": f"tool-{call.name}", "toolCallId": call.id, "input": call.args}
    part["state"] = "input-streaming" if call.cut else "input-available"
    if call.hosted:
        part["providerExecuted"] = True
    if call.value is not OPEN:
        part |= {"state": "output-available", "output": call.value}
    return part
