"""What a test of an application says of its histories: a provider would take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endmark import formats, rules
from endmark.errors import FormatError

__all__ = ["assert_sendable"]


def assert_sendable(history: Sequence[Any], provider: str, *, turn: rules.Turn = "over") -> None:
    """Fail with the provider's own error strings when it would refuse this history.

    `provider` is a name of `endmark.rules` (`openai-chat`, `anthropic`, `ai-sdk`, `ai-sdk-v5`, …);
    `turn="open"` allows the calls of the last turn to be open. Messages that are plainly of another
    format fail too: no provider's rules would see their calls. Raises `AssertionError`,
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
    if likely := _others(history, provider):
        msg = f"these messages are not of {provider}: by the looks of them they are of {likely}"
        raise AssertionError(msg)


def _others(history: Sequence[Any], provider: str) -> str:
    """Name the formats that the messages are of instead; nothing for a provider without its own."""
    try:
        return ", ".join(formats.foreign(history, formats.get(provider)))
    except FormatError:
        return ""
