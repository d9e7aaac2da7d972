"""Build the same abstract conversation in every format, and the strategies that damage it.

A conversation is a list of turns: a user's words, steps of calls with their results, and a
closing answer. Every text and result carries a token of its own, so that a loss shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

Message = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One assistant step: calls by id, and the value that answers each (None: open)."""

    calls: tuple[tuple[str, str, str | None], ...]  # id, tool name, token of the result
    says: str = ""


@dataclass(frozen=True)
class Turn:
    """What the user says, the steps that follow, and the answer ('' for none yet)."""

    says: str
    steps: tuple[Step, ...] = ()
    answer: str = ""


@dataclass
class Numbers:
    """Counters for tokens and ids."""

    n: int = field(default=0)

    def token(self, kind: str) -> str:
        self.n += 1
        return f"{kind}-{self.n:04d}"


def openai_chat(turns: list[Turn]) -> list[Message]:
    history: list[Message] = [{"role": "system", "content": "Be brief."}]
    for turn in turns:
        history.append({"role": "user", "content": turn.says})
        for step in turn.steps:
            calls = [
                {
                    "id": id_,
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps({"of": id_})},
                }
                for id_, name, _ in step.calls
            ]
            history.append({"role": "assistant", "content": step.says or None, "tool_calls": calls})
            history += [
                {"role": "tool", "tool_call_id": id_, "content": token}
                for id_, _, token in step.calls
                if token is not None
            ]
        if turn.answer:
            history.append({"role": "assistant", "content": turn.answer})
    return history


def anthropic(turns: list[Turn]) -> list[Message]:
    history: list[Message] = []
    for turn in turns:
        history.append({"role": "user", "content": turn.says})
        for step in turn.steps:
            blocks: list[Message] = [{"type": "text", "text": step.says}] if step.says else []
            blocks += [
                {"type": "tool_use", "id": id_, "name": name, "input": {"of": id_}}
                for id_, name, _ in step.calls
            ]
            history.append({"role": "assistant", "content": blocks})
            results = [
                {"type": "tool_result", "tool_use_id": id_, "content": token}
                for id_, _, token in step.calls
                if token is not None
            ]
            if results:
                history.append({"role": "user", "content": results})
        if turn.answer:
            history.append({"role": "assistant", "content": [{"type": "text", "text": turn.answer}]})
    return history


def ai_sdk(turns: list[Turn]) -> list[Message]:
    return _ui_messages(turns, _v5_part)


def ai_sdk_v4(turns: list[Turn]) -> list[Message]:
    return _ui_messages(turns, _v4_part)


def _ui_messages(turns: list[Turn], part_of: Callable[..., Message]) -> list[Message]:
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


def _v4_part(id_: str, name: str, token: str | None, step: int) -> Message:
    call: Message = {"state": "call", "step": step, "toolCallId": id_, "toolName": name}
    call["args"] = {"of": id_}
    if token is not None:
        call |= {"state": "result", "result": token}
    return {"type": "tool-invocation", "toolInvocation": call}


BUILDERS: dict[str, Callable[[list[Turn]], list[Message]]] = {
    "openai-chat": openai_chat,
    "anthropic": anthropic,
    "ai-sdk": ai_sdk,
    "ai-sdk-v4": ai_sdk_v4,
}


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
                calls.append((numbers.token("call"), draw(st.sampled_from(["look", "save"])), token))
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
    history = BUILDERS[format](draw(conversations()))
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
            history = [*history[:at], _harmed(draw, history[at], harm), *history[at + 1 :]]
    return history


_LISTS = ("tool_calls", "content", "parts")
_IDS = ("id", "tool_call_id", "tool_use_id", "toolCallId")


def _harmed(draw: st.DrawFn, message: Message, harm: str) -> Message:
    """Damage the inside of one message: a part lost or doubled, an id or arguments garbled."""
    name = next((key for key in _LISTS if isinstance(message.get(key), list)), None)
    parts = list(message[name]) if name else []
    if name is None or not parts:
        return {**message, "tool_call_id": draw(st.sampled_from(["", None, "gone"]))} if (
            "tool_call_id" in message
        ) else message
    at = draw(st.integers(0, len(parts) - 1))
    if harm == "part":
        keep = parts[:at] + parts[at + 1 :]
        parts = keep if draw(st.booleans()) and keep else [*parts, parts[at]]
    else:
        parts[at] = _garbled(draw, parts[at])
    return {**message, name: parts}


def _garbled(draw: st.DrawFn, part: Message) -> Message:
    if isinstance(part.get("toolInvocation"), dict):
        return {**part, "toolInvocation": _garbled(draw, part["toolInvocation"])}
    function = part.get("function")
    if isinstance(function, dict) and draw(st.booleans()):
        cut = draw(st.integers(0, len(function["arguments"]) - 1))
        return {**part, "function": {**function, "arguments": function["arguments"][:cut]}}
    if part.get("state") in {"input-available", "output-available"} and draw(st.booleans()):
        return {**part, "state": draw(st.sampled_from(["input-streaming", "output-error", "odd"]))}
    field_ = next((key for key in _IDS if key in part), None)
    value = draw(st.sampled_from(["", None, "call-0002"]))
    return {**part, field_: value} if field_ else part
