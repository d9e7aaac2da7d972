"""What people's columns hold of a message: all of it, all but the role, or its parts alone."""

from __future__ import annotations

from typing import Any

from endmark.formats._base import Format, Message
from endmark.history import examine
from endmark.policy import Policy
from endmark.stores import json_text
from endmark.stores.words import body_of, is_words

__all__ = ["finalized", "packed", "respelt", "unpacked"]


def unpacked(
    value: Any, role: Any, format_: Format, *, column: bool, typed: bool = False
) -> Message | None:
    """Give the message that a value holds; None where it holds none.

    `column`: the role is in a column of its own, and `role` is what stands there. `typed`: the
    column is JSON, so that a text beside a role is words.
    """
    value = _read(value, role, format_, column=column, typed=typed)
    if isinstance(value, dict):
        return {**value, "role": role} if column else value
    if isinstance(value, list) or (column and value is not None):
        return {"role": role, format_.body: value}
    return None


def _read(value: Any, role: Any, format_: Format, *, column: bool, typed: bool) -> Any:
    if not isinstance(value, str | bytes) or (column and typed):
        return value
    if column and isinstance(value, str):
        return body_of(value, role, format_)
    return json_text.read(value)


def packed(
    message: Message, old: Any, format_: Format, *, column: bool, typed: bool = False
) -> Any:
    """Give the value that holds a message, in the form of the old value."""
    like = _read(old, message.get("role"), format_, column=column, typed=typed)
    new: Any = message
    if not isinstance(like, dict) and message.keys() <= {"role", format_.body, format_.id_field}:
        new = message.get(format_.body)
    elif column and not (isinstance(like, dict) and "role" in like):
        new = {key: value for key, value in message.items() if key != "role"}
    if not isinstance(old, str | bytes) or (column and typed):
        return new
    if is_words(old, like):
        return new if isinstance(new, str) else json_text.write(new)
    return respelt(old, like, new)


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
