"""AI SDK UI messages of major 4, built; read as all UI messages are."""

from __future__ import annotations

from abstract import Message, Turn
from builders.ai_sdk import calls, result_ids, ui_messages

__all__ = ["build", "calls", "result_ids"]


def build(turns: list[Turn]) -> list[Message]:
    return ui_messages(turns, _v4_part)


def _v4_part(id_: str, name: str, token: str | None, step: int) -> Message:
    call: Message = {"state": "call", "step": step, "toolCallId": id_, "toolName": name}
    call["args"] = {"of": id_}
    if token is not None:
        call |= {"state": "result", "result": token}
    return {"type": "tool-invocation", "toolInvocation": call}
