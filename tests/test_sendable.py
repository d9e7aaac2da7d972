"""`assert_sendable`: what a test of an application may rest on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstract import Step, Turn
from building import BUILDERS, builder, conversations
from endmark import rules
from endmark.testing import assert_sendable

HALF = [Turn("hi", (Step((("call-1", "look", None),), "so"),), ""), Turn("and?", (), "done")]
OWN = sorted(set(BUILDERS) & set(rules.PROVIDERS))
# Formats that people take for one another, and ours of applications for a provider's.
CONFUSED = {
    "openai-chat": [
        "anthropic",
        "openai-responses",
        "bedrock",
        "langchain",
        "ai-sdk-model",
        "ai-sdk",
    ],
    "openai-responses": ["openai-chat", "anthropic", "langchain", "ai-sdk"],
    "anthropic": ["openai-chat", "openai-responses", "bedrock", "langchain", "pydantic-ai"],
    "gemini": ["openai-chat", "anthropic", "adk"],
    "bedrock": ["anthropic", "openai-chat"],
    "ai-sdk": ["ai-sdk-model", "openai-chat", "mastra"],
    "ai-sdk-model": ["ai-sdk", "openai-chat", "anthropic"],
}


@pytest.mark.parametrize("format", OWN)
@given(data=st.data())
def test_a_sound_history_passes(format: str, data: st.DataObject) -> None:
    assert_sendable(builder(format).build(data.draw(conversations(sound=True))), format)


@pytest.mark.parametrize("format", OWN)
def test_a_half_pair_fails(format: str) -> None:
    with pytest.raises(AssertionError, match="would refuse"):
        assert_sendable(builder(format).build(HALF), format)


@pytest.mark.parametrize(("named", "told"), [(n, t) for n, told in CONFUSED.items() for t in told])
def test_a_half_pair_of_another_format_does_not_pass(named: str, told: str) -> None:
    with pytest.raises((AssertionError, rules.UnreadableError)):
        assert_sendable(builder(told).build(HALF), named)
