"""Messages of opencode with their parts, built and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from abstract import OPEN, Ask, Message, Seen, Turn
from builders.ai_sdk import CANNOT as INLINE

TIME = {"created": 1772445600000}
SPAN = {"start": 1772445600000, "end": 1772445601000}


def _message(role: str, *parts: Message) -> Message:
    return {"id": f"msg_{role}", "role": role, "time": TIME, "parts": list(parts)}


def _text(words: str) -> Message:
    return {"type": "text", "text": words}


def _tool(id_: str, name: str, given: Any, output: str | None) -> Message:
    state: Message = {"status": "running", "input": given, "time": {"start": SPAN["start"]}}
    if output is not None:
        done = {"output": output, "title": name, "metadata": {}, "time": SPAN}
        state = {"status": "completed", "input": given, **done}
    return {"type": "tool", "callID": id_, "tool": name, "state": state}


def build(turns: list[Turn]) -> list[Message]:
    """Each step is a message of its own."""
    history: list[Message] = []
    for turn in turns:
        history.append(_message("user", _text(turn.says)))
        for step in turn.steps:
            parts: list[Message] = [{"type": "step-start"}]
            parts += [_text(step.says)] if step.says else []
            parts += [_tool(id_, name, {"of": id_}, token) for id_, name, token in step.calls]
            parts.append({"type": "step-finish", "reason": "tool-calls", "cost": 0})
            history.append(_message("assistant", *parts))
        if turn.answer:
            history.append(_message("assistant", {"type": "step-start"}, _text(turn.answer)))
    return [{**message, "id": f"msg_{n:03}"} for n, message in enumerate(history)]


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    for message in history:
        for part in message["parts"]:
            if part["type"] == "tool":
                state = part["state"]
                seen = Seen(part.get("callID"), part.get("tool"))
                if state["status"] in ("completed", "error"):
                    seen.error = state["status"] == "error"
                    seen.result = state.get("error" if seen.error else "output")
                yield seen


def results(history: list[Message]) -> list[tuple[Any, Any]]:
    tools = [p for m in history for p in m["parts"] if p["type"] == "tool"]
    done = [part for part in tools if part["state"]["status"] == "completed"]
    return [(part.get("callID"), part["state"].get("output")) for part in done]


def result_ids(history: list[Message]) -> list[Any]:
    return []


def harmed(draw: st.DrawFn, message: Message, harm: str) -> Message:
    """Lose or double a part, or garble the id or the state of a call."""
    parts = list(message["parts"])
    if not parts:
        return message
    at = draw(st.integers(0, len(parts) - 1))
    part = parts[at]
    if harm == "part":
        keep = parts[:at] + parts[at + 1 :]
        parts = keep if draw(st.booleans()) and keep else [*parts, part]
    elif part["type"] == "tool":
        state = draw(
            st.sampled_from(
                [
                    part["state"],
                    {**part["state"], "status": "pending"},
                    {**part["state"], "status": "odd"},
                    {**part["state"], "input": '{"of": "ca'},
                    {"status": "error", "input": None},
                ]
            )
        )
        id_ = draw(st.sampled_from([part.get("callID"), "", None, "call-0002"]))
        parts[at] = {**part, "callID": id_, "state": state}
    return {**message, "parts": parts}


CANNOT = INLINE | {
    "provider-executed": "every call is answered from outside",
    "nothing but system": "the system prompt is not stored",
}


def user(words: str) -> list[Message]:
    return [_message("user", _text(words))]


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    parts: list[Message] = [{"type": "step-start"}]
    parts += [{"type": "reasoning", "text": thought, "time": SPAN}] if thought else []
    parts += [_text(words)] if words else []
    for call in calls:
        value = call.value if isinstance(call.value, str) else json.dumps(call.value, default=str)
        part = _tool(call.id, call.name, call.args, None if call.value is OPEN else value)
        if call.cut:
            part["state"] = {"status": "pending", "input": call.written, "raw": call.written}
        parts.append(part)
    return [_message("assistant", *parts)]
