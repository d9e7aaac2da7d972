"""The format of a history is told from its messages, or the candidates are."""

from __future__ import annotations

from typing import Any

import pytest

from abstract import Step, Turn
from building import BUILDERS, builder
from endmark import formats
from endmark.errors import FormatError
from judging import load

TALK = [Turn("hi", (Step((("call-1", "look", "ok"), ("call-2", "save", "ok")), "so"),), "done")]


@pytest.mark.parametrize("format", sorted(BUILDERS))
@pytest.mark.parametrize("length", range(2, 6))
def test_a_history_with_a_call_is_of_its_format(format: str, length: int) -> None:
    history = builder(format).build(TALK)[:length]

    found = _candidates(history)

    assert formats.get(format).name in found
    if length == len(builder(format).build(TALK)) or _calls(format, history):
        assert found == {formats.get(format).name}


def _calls(format: str, history: list[Any]) -> bool:
    return bool(list(builder(format).calls(history)))


@pytest.mark.parametrize("case", load(), ids=lambda case: case["id"])
def test_a_reported_history_is_of_its_format(case: dict[str, Any]) -> None:
    assert formats.get(case["format"]).name in _candidates(case["history"])


@pytest.mark.parametrize(
    ("history", "candidates"),
    [
        (
            [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "done"}],
            {"anthropic", "openai-chat", "openai-responses"},
        ),
        ([{"type": "message", "role": "user", "content": "hi"}], {"openai-responses"}),
        (
            [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
            {"openai-responses"},
        ),
        ([{"type": "human", "content": "hi"}, {"type": "ai", "content": "done"}], {"langchain"}),
        ([{"type": "human", "data": {"content": "hi"}}], {"langchain"}),
        ([{"role": "tool", "content": "ok", "tool_call_id": "a"}], {"openai-chat"}),
        ([{"role": "user", "content": [{"text": "hi"}]}], {"bedrock"}),
        ([{"role": "assistant", "content": [{"toolUse": {"toolUseId": "a"}}]}], {"bedrock"}),
        ([{"role": "user", "content": [{"toolResult": {"toolUseId": "a"}}]}], {"bedrock"}),
        ([{"role": "model", "parts": [{"text": "hi"}]}], {"gemini"}),
        ([{"parts": [{"text": "hi"}]}, {"parts": [{"functionResponse": {}}]}], {"gemini"}),
        ([{"role": "user", "parts": [{"function_response": {"name": "f"}}]}], {"gemini"}),
        ([{"role": "assistant", "content": [{"type": "tool-call"}]}], {"ai-sdk-model"}),
        ([{"role": "tool", "content": [{"type": "tool-result"}]}], {"ai-sdk-model"}),
        ([{"role": "tool", "content": [{"type": "tool-approval-response"}]}], {"ai-sdk-model"}),
        ([{"role": "assistant", "parts": [{"type": "tool-f"}]}], {"ai-sdk"}),
        (
            [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
            {"anthropic", "openai-chat", "ai-sdk-model"},
        ),
        ([{"nothing": "known"}], set()),
    ],
)
def test_what_is_not_plain_is_not_guessed(history: list[Any], candidates: set[str]) -> None:
    assert candidates <= _candidates(history)
    if len(candidates) < 2:
        assert _candidates(history) == candidates


def _candidates(history: list[Any]) -> set[str]:
    """Give the format that is detected, or all that the error says it could be."""
    try:
        return {formats.detect(history).name}
    except FormatError as error:
        said = str(error).partition("could be ")[2].partition(";")[0]
        return set(said.split(", ")) - {""}
