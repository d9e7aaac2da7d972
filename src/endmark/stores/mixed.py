"""Messages of another format in a table that somebody described: what its own format passes over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endmark import formats
from endmark.formats import Format

__all__ = ["Mixed"]

CALLS = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
USERS = ("user", "human")  # by role alone: what they say may not have been sent along
BACK = 8  # messages of a user, at the end of a thread that gets no answer


class Mixed:
    """Look for messages of other formats than the one that a table is said to be of.

    The quick look is at one message of a thread: the last one that is not a user's. Behind a half
    pair nobody but the user has spoken, since every request was refused. It sees foreign keys, and
    lists whose last part is of a kind that no message of this format has ended with.
    """

    def __init__(self, format_: Format) -> None:
        self.format, self.body = format_, format_.body
        said = {"role": "assistant", self.body: ""}
        foreign = [key for key in formats.keys_of_calls() if format_.told({**said, key: CALLS}) < 0]
        self.has_none = frozenset(foreign).difference([self.body]).isdisjoint
        self.kinds: set[Any] = set()

    def quick(self, history: Sequence[Any]) -> list[int]:
        """Give the index of a message that may be of another format, by a quick look."""
        at = len(history) - 1
        for k in range(at, max(at - BACK, -1), -1):
            message = history[k]
            if (message.get("role") or message.get("type")) not in USERS:
                return [k] if self._may_be_odd(message) else []
        return []

    def _may_be_odd(self, message: Any) -> bool:
        parts = message.get(self.body)
        if parts.__class__ is not list or not parts:
            return not self.has_none(message) and self.format.told(message) < 0
        last = parts[-1]
        kind = (last.get("type") or tuple(last)) if isinstance(last, dict) else type(last)
        if kind in self.kinds:
            return False
        if self.format.told(message) < 0:
            return True
        self.kinds.add(kind)
        return False

    def odd(self, history: Sequence[Any]) -> list[int]:
        """Give the indexes of messages that are not of this format."""
        return [k for k, message in enumerate(history) if self.format.told(message) < 0]

    def why(self, history: Sequence[Any]) -> str | None:
        """Say which message holds a call or result of another format; None where none does."""
        for k in self.odd(history):
            if names := formats.stranger(history[k], self.format):
                return (
                    f"message {k} holds a call or result of {', '.join(names)}, which "
                    f"{self.format.name} passes over: name that format for this thread, if it is "
                    "all of it"
                )
        return None
