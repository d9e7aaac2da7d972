"""What is not a history of its format is said to be none: never clean, never guessed at."""

from __future__ import annotations

import re
from itertools import permutations
from typing import Any

import pytest

from abstract import Step, Turn
from building import BUILDERS, builder
from endmark import Policy, UnreadableError, check, formats, repair

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


# Two calls answered and one open.
TALK = [
    Turn("user-1", (Step((("call-1", "look", "result-1"),), "step-1"),), "answer-1"),
    Turn("user-2", (Step((("call-2", "look", "result-2"),), ""),), ""),
    Turn("user-3", (Step((("call-3", "look", None),), "step-2"),), ""),
    Turn("user-4", (), "answer-2"),
]


@pytest.mark.parametrize("orphans", ["drop", "text"])
@pytest.mark.parametrize(("told", "named"), list(permutations(sorted(BUILDERS), 2)))
def test_nothing_is_taken_out_of_a_history_of_another_format(
    told: str, named: str, orphans: Any
) -> None:
    history = builder(told).build(TALK)
    try:
        repaired = repair(history, named, policy=Policy(orphans=orphans))
    except UnreadableError:
        return
    assert names_in(history) <= names_in(repaired)


def names_in(history: list[Any]) -> set[str]:
    return set(re.findall(r"(?:user|step|call|result|answer)-\d", str(history)))
