"""What is not a history of its format is said to be none: never clean, never guessed at."""

from __future__ import annotations

from typing import Any

import pytest

from endmark import UnreadableError, check, formats, repair

HI = {"role": "user", "content": "hi"}
CHAT = [
    [{"content": "x"}],  # the role is in a column of its own, and was not named
    [HI, {"role": "wizard", "content": "x"}],
    [{"role": None, "content": "x"}],
    [{"role": ["user"], "content": "x"}],
    [{"role": "assistant", "tool_calls": ["call_1"]}],
    [{"role": "assistant", "tool_calls": {"id": "call_1"}}],
]
ANY: list[list[Any]] = [["text"], [None], [[HI]], [HI, 7]]


@pytest.mark.parametrize("history", CHAT, ids=str)
def test_chat(history: list[Any]) -> None:
    with pytest.raises(UnreadableError):
        check(history, "openai-chat")


@pytest.mark.parametrize("format", formats.names())
@pytest.mark.parametrize("history", ANY, ids=str)
def test_any_format(format: str, history: list[Any]) -> None:
    with pytest.raises(UnreadableError):
        repair(history, format)


@pytest.mark.parametrize("message", [HI, {"type": "function_call", "call_id": "a", "name": "f"}])
def test_messages_without_parts_are_not_taken_for_empty_ones(message: dict[str, Any]) -> None:
    with pytest.raises(UnreadableError):
        repair([message], "gemini")
    assert repair([{"role": "model"}], "gemini") == []
