"""AI SDK UI messages of major 4, built; read as all UI messages are."""

from __future__ import annotations

from abstract import OPEN, Ask, Message, Turn
from builders import ai_sdk
from builders.ai_sdk import calls, result_ids, system, ui_messages, user

__all__ = ["build", "calls", "result_ids", "system", "user"]

CANNOT = {
    **ai_sdk.CANNOT,
    "provider-executed": "what the provider ran is no part of a message",
}


def build(turns: list[Turn]) -> list[Message]:
    return ui_messages(turns, _v4_part)


def _v4_part(id_: str, name: str, token: str | None, step: int) -> Message:
    call: Message = {"state": "call", "step": step, "toolCallId": id_, "toolName": name}
    call["args"] = {"of": id_}
    if token is not None:
        call |= {"state": "result", "result": token}
    return {"type": "tool-invocation", "toolInvocation": call}


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts: list[Message] = []
    if thought:
        details = [{"type": "text", "text": thought}]
        parts.append({"type": "reasoning", "reasoning": thought, "details": details})
    parts += [{"type": "text", "text": words}] if words else []
    parts += [{"type": "tool-invocation", "toolInvocation": _asked(call)} for call in calls]
    return [{"id": "assistant-1", "role": "assistant", "content": words, "parts": parts}]


def _asked(call: Ask) -> Message:
    state = "partial-call" if call.cut else "call"
    body: Message = {"state": state, "step": 0, "toolCallId": call.id, "toolName": call.name}
    body["args"] = {} if call.cut else call.args
    return body if call.value is OPEN else {**body, "state": "result", "result": call.value}
