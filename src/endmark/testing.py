"""What a test of an application says of its histories: a provider would take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endmark import rules

__all__ = ["assert_sendable"]


def assert_sendable(history: Sequence[Any], provider: str, *, turn: rules.Turn = "over") -> None:
    """Fail with the provider's own error strings when it would refuse this history.

    `provider` is a name of `endmark.rules` (`openai-chat`, `anthropic`, `ai-sdk`, `ai-sdk-v5`, …);
    `turn="open"` allows the calls of the last turn to be open. Raises `AssertionError`,
    `FormatError` for an unknown provider, `UnreadableError` for no list of messages.

    >>> assert_sendable([{"role": "user", "content": "hello"}], "openai-chat")
    >>> assert_sendable([{"role": "tool", "tool_call_id": "a", "content": "ok"}], "openai-chat")
    Traceback (most recent call last):
    AssertionError: openai-chat would refuse this history:
    ...
    """
    broken = rules.validate(list(history), provider, turn=turn)
    if broken:
        lines = [f"  message {found.at}: {found.message}" for found in broken]
        raise AssertionError("\n".join([f"{provider} would refuse this history:", *lines]))
