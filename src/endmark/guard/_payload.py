"""What people's columns hold of a message: all of it, all but the role, or its parts alone."""

from __future__ import annotations

from typing import Any

from endmark.formats._base import Format, Message
from endmark.history import examine
from endmark.policy import Policy
from endmark.stores import json_text

__all__ = ["finalized", "packed", "respelt", "unpacked"]


def unpacked(value: Any, role: Any, format_: Format, *, column: bool) -> Message | None:
    """Give the message that a value holds; None where it holds none.

    `column`: the role is in a column of its own, and `role` is what stands there.
    """
    if isinstance(value, str | bytes):
        value = json_text.read(value)
    if isinstance(value, dict):
        return {**value, "role": role} if column else value
    if isinstance(value, list) or (column and value is not None):
        return {"role": role, format_.body: value}
    return None


def packed(message: Message, old: Any, format_: Format, *, column: bool) -> Any:
    """Give the value that holds a message, in the form of the old value."""
    like = json_text.read(old) if isinstance(old, str | bytes) else old
    if isinstance(like, dict):
        new: Any = message
        if column and "role" not in like:
            new = {key: value for key, value in message.items() if key != "role"}
    else:
        new = message[format_.body]
    if isinstance(old, str | bytes):
        return respelt(old, like, new)
    return new


def respelt(old: str | bytes, like: Any, new: Any) -> str | bytes:
    """Give JSON text with a new value, what is untouched as it was written."""
    text = json_text.splice(old if isinstance(old, str) else old.decode(), like, new)
    return text if isinstance(old, str) else text.encode()


def finalized(value: Any, format_: Format, policy: Policy) -> Any:
    """Finalize one payload of an inline format: the same object where nothing is open."""
    if not isinstance(value, dict | list):
        return value
    bare = isinstance(value, list)
    message: Message = {"role": "assistant", format_.body: value} if bare else value  # type: ignore[assignment]
    found = examine([message], format_, policy)
    if not found.edits:
        return value
    kept = found.rebuild().messages
    if bare:
        return kept[0][format_.body] if kept else []
    return kept[0] if kept else {**message, format_.body: []}
