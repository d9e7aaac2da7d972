"""The strategies that draw conversations in every format, and damage them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

from hypothesis import strategies as st

from abstract import Message, Numbers, Step, Turn

# One module a format: `build(turns)`, `calls(history)`, `result_ids(history)`; where the shape
# is like no other also `results(history)` and `harmed(draw, message, harm)`.
# For `scenarios`: `user`, `media`, `system`, `assistant`, `answers`, and `CANNOT` (name to reason).
BUILDERS: dict[str, ModuleType] = {
    path.stem.replace("_", "-"): import_module(f"builders.{path.stem}")
    for path in sorted((Path(__file__).parent / "builders").glob("[a-z]*.py"))
}


def builder(format: str) -> ModuleType:
    """Give the builder of a format, or of a major of the AI SDK."""
    return BUILDERS.get(format) or BUILDERS["ai-sdk"]


@st.composite
def conversations(draw: st.DrawFn, *, sound: bool = False) -> list[Turn]:
    """Draw a conversation; a sound one has every call answered and every id once."""
    numbers = Numbers()
    turns = []
    for _ in range(draw(st.integers(0, 4))):
        steps = []
        for _ in range(draw(st.integers(0, 3))):
            calls = []
            for _ in range(draw(st.integers(1, 3))):
                answered = sound or draw(st.integers(0, 5)) > 0
                token = numbers.token("result") if answered else None
                calls.append(
                    (numbers.token("call"), draw(st.sampled_from(["look", "save"])), token)
                )
            says = numbers.token("step") if draw(st.booleans()) else ""
            steps.append(Step(tuple(calls), says))
        answer = numbers.token("answer") if draw(st.booleans()) else ""
        turns.append(Turn(numbers.token("user"), tuple(steps), answer))
    return turns if sound else _reuse(draw, turns)


def _reuse(draw: st.DrawFn, turns: list[Turn]) -> list[Turn]:
    """Give some calls the id of another, or none."""
    ids = [id_ for turn in turns for step in turn.steps for id_, _, _ in step.calls]
    if not ids or draw(st.integers(0, 2)):
        return turns
    renamed = {draw(st.sampled_from(ids)): draw(st.sampled_from([*ids, ""]))}
    return [
        replace(
            turn,
            steps=tuple(
                replace(step, calls=tuple((renamed.get(i, i), n, t) for i, n, t in step.calls))
                for step in turn.steps
            ),
        )
        for turn in turns
    ]


@st.composite
def damaged(draw: st.DrawFn, format: str) -> list[Message]:
    """Draw a history of this format with up to three things wrong with it."""
    history = builder(format).build(draw(conversations()))
    for _ in range(draw(st.integers(0, 3))):
        if not history:
            break
        at = draw(st.integers(0, len(history) - 1))
        harm = draw(st.sampled_from(["cut", "cut head", "drop", "copy", "move", "part", "garble"]))
        if harm == "cut":
            history = history[:at]
        elif harm == "cut head":
            history = history[at:]
        elif harm == "drop":
            history = history[:at] + history[at + 1 :]
        elif harm == "copy":
            to = draw(st.integers(at, len(history)))
            history = [*history[:to], json.loads(json.dumps(history[at])), *history[to:]]
        elif harm == "move":
            rest = history[:at] + history[at + 1 :]
            to = draw(st.integers(0, len(rest)))
            history = [*rest[:to], history[at], *rest[to:]]
        else:
            history = [*history[:at], _harm(format)(draw, history[at], harm), *history[at + 1 :]]
    return history


def _harm(format: str) -> Callable[[st.DrawFn, Message, str], Message]:
    return getattr(builder(format), "harmed", _harmed)


_LISTS = ("tool_calls", "content", "parts")
_IDS = ("id", "tool_call_id", "tool_use_id", "toolCallId", "toolUseId")
_NESTED = (
    "data",
    "toolInvocation",
    "toolUse",
    "toolResult",
    "functionCall",
    "functionResponse",
    "function_call",
    "function_response",
)


def _harmed(draw: st.DrawFn, message: Message, harm: str) -> Message:
    """Damage the inside of one message: a part lost or doubled, an id or arguments garbled."""
    name = next((key for key in _LISTS if isinstance(message.get(key), list)), None)
    parts = list(message[name]) if name else []
    if name is None or not parts:
        return (
            {**message, "tool_call_id": draw(st.sampled_from(["", None, "gone"]))}
            if ("tool_call_id" in message)
            else message
        )
    at = draw(st.integers(0, len(parts) - 1))
    if harm == "part":
        keep = parts[:at] + parts[at + 1 :]
        parts = keep if draw(st.booleans()) and keep else [*parts, parts[at]]
    else:
        parts[at] = _garbled(draw, parts[at])
    return {**message, name: parts}


def _garbled(draw: st.DrawFn, part: Message) -> Message:
    nested = next((key for key in _NESTED if isinstance(part.get(key), dict)), None)
    if nested:
        return {**part, nested: _garbled(draw, part[nested])}
    function = part.get("function")
    if isinstance(function, dict) and draw(st.booleans()):
        cut = draw(st.integers(0, len(function["arguments"]) - 1))
        return {**part, "function": {**function, "arguments": function["arguments"][:cut]}}
    if part.get("state") in {"input-available", "output-available"} and draw(st.booleans()):
        return {**part, "state": draw(st.sampled_from(["input-streaming", "output-error", "odd"]))}
    field_ = next((key for key in _IDS if key in part), None)
    value = draw(st.sampled_from(["", None, "call-0002"]))
    return {**part, field_: value} if field_ else part
