"""What providers accept, as independent validators: the judge beside the repair.

They read the payload itself, share no code with pairing and repair, and name for every broken rule
the provider's own words and where they can be read. Each provider is one file, loaded on use.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from endmark.errors import FormatError, UnreadableError

__all__ = ["PROVIDERS", "Rule", "Turn", "Violation", "dicts", "validate"]

Turn = Literal["over", "open"]
Message = dict[str, Any]

# provider → the file that judges it
PROVIDERS: dict[str, str] = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "mistral": "mistral",
    "ai-sdk-model": "ai_sdk_model",
    "ai-sdk": "ai_sdk",
    "ai-sdk-v4": "ai_sdk",
    "ai-sdk-v5": "ai_sdk",
    "ai-sdk-v6": "ai_sdk",
    "ai-sdk-v7": "ai_sdk",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule of a provider that a history breaks.

    `at` is the index of the message, `call_id` the call's id where it has one. `message` is the
    provider's own error string with the values filled in (message content stands as `…`), `source`
    the page or public report it was taken from.
    """

    code: str
    at: int
    call_id: str | None
    message: str
    source: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as data: its code, the provider's error string as a template, and its source."""

    code: str
    template: str
    source: str

    def broken(self, at: int, call_id: object = None, **values: object) -> Violation:
        """Make the violation of this rule by message `at`, the template's values filled in."""
        name = call_id if isinstance(call_id, str) else None
        message = self.template.format(at=at, id=name, **values)
        return Violation(self.code, at, name, message, self.source)


def validate(history: object, provider: str, *, turn: Turn = "over") -> tuple[Violation, ...]:
    """Judge a history as the provider would when it is sent, in the order of the messages.

    `history` is a list of message dicts; an empty one breaks nothing. With `turn="open"` the last
    turn may still be answered: its calls without a result are no violation as long as no later
    user message stands behind them. Raises `FormatError` for an unknown provider and
    `UnreadableError` for a payload that is no list of dicts.

    >>> call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    >>> [found.code for found in validate([asked], "openai-chat")]
    ['missing-result']
    >>> validate([asked], "openai-chat", turn="open")
    ()
    """
    if provider not in PROVIDERS:
        known = ", ".join(PROVIDERS)
        raise FormatError(f"There are no rules for {provider!r}; known providers: {known}.")
    judge = import_module(f"{__name__}.{PROVIDERS[provider]}")
    found: Iterable[Violation] = judge.violations(dicts(history, "the history"), provider, turn)
    return tuple(sorted(found, key=lambda violation: violation.at))


def dicts(value: object, what: str) -> list[Message]:
    """Take `value` as the list of dicts it has to be, or raise `UnreadableError` naming `what`.

    >>> dicts([{"role": "user"}], "the history")
    [{'role': 'user'}]
    """
    if isinstance(value, list | tuple) and all(isinstance(item, dict) for item in value):
        return list(value)
    raise UnreadableError(f"Cannot judge {what}: it has to be a list of objects.")
