"""A text column beside a role: many write a message's words there as they are, and all else as JSON.

Stands between such a column and the payload. What is half a JSON document is no words: it is left
alone.
"""

from __future__ import annotations

from typing import Any

from endmark.errors import UnreadableError
from endmark.formats._base import Format
from endmark.stores import json_text

__all__ = ["body_of", "is_words"]

_JSON = ("[{", '{"')  # how what is a message's begins, blanks apart


def body_of(text: str, role: Any, format_: Format) -> Any:
    """Read what such a column holds: a text, a list of parts, or a message without its role.

    An answer that is JSON itself is words: a list not of parts, an object not of a message. Raises
    `UnreadableError`.

    >>> from endmark import formats
    >>> [body_of(text, "assistant", formats.get("anthropic")) for text in
    ...  ("Hello", '"Hello"', '["a"]', '[{"type": "text", "text": "Hello"}]')]
    ['Hello', 'Hello', '["a"]', [{'type': 'text', 'text': 'Hello'}]]
    """
    if text.lstrip()[:1] not in ("[", "{", '"'):
        return text
    try:
        value = json_text.read(text)
    except UnreadableError:
        if "".join(text[:80].split()).startswith(_JSON):
            raise
        return text
    if isinstance(value, list):
        return value if all(isinstance(part, dict) for part in value) else text
    if isinstance(value, dict):
        message = {**value, "role": role}
        return value if format_.body in value or format_.told(message) == 1 else text
    return value


def is_words(text: Any, body: Any) -> bool:
    """Tell whether a body is the text of its column itself."""
    return isinstance(body, str) and body == text
