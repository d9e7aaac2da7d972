"""A text column beside a role: many write a message's words there as they are, and all else as JSON.

Stands between such a column and the payload. What may be half a message with a call or a result is
no words: it is left alone.
"""

from __future__ import annotations

from typing import Any

from endmark.errors import UnreadableError
from endmark.formats._base import Format
from endmark.model import Blank
from endmark.policy import DEFAULT
from endmark.stores import json_text

__all__ = ["body_of", "is_plain", "is_words", "reads_back"]

_JSON = ("[{", '{"')  # how what is a message's begins, blanks apart
_FIRST = ("type", "role", "id")  # keys that formats begin with, besides that of the body
_PAIR = ("tool", "call", "function", "response")  # one of them names a call or a result, anywhere


def body_of(text: str, role: Any, format_: Format) -> Any:
    """Read what such a column holds: a text, a list of parts, or a message without its role.

    An answer that is JSON itself is words: a list not of parts, an object not of a message. Raises
    `UnreadableError`.

    >>> from endmark import formats
    >>> [body_of(text, "assistant", formats.get("anthropic")) for text in
    ...  ("Hello", '"Hello"', '["a"]', '[{"type": "text", "text": "Hello"}]')]
    ['Hello', 'Hello', '["a"]', [{'type': 'text', 'text': 'Hello'}]]
    """
    if is_plain(text):
        return text
    try:
        value = json_text.read(text)
    except UnreadableError:
        if _may_be_half(text, format_):
            raise
        return text
    if _says_nothing(value) or _is_blank(value, role, format_):
        return text if format_.told({"role": role, format_.body: text}) >= 0 else value
    if isinstance(value, list):
        return value if all(isinstance(part, dict) for part in value) else text
    if isinstance(value, dict):
        message = {**value, "role": role}
        return value if format_.body in value or format_.told(message) == 1 else text
    return value


def reads_back(body: Any, role: Any, format_: Format) -> bool:
    """Tell whether a body, as JSON beside a role, is read as itself.

    >>> from endmark import formats
    >>> [reads_back(body, "user", formats.get("openai-chat")) for body in ("[]", "", " ", [])]
    [True, False, False, False]
    """
    if _says_nothing(body):
        return bool(body_of(json_text.write(body), role, format_) == body)
    return isinstance(body, str) or (
        isinstance(body, list) and all(isinstance(part, dict) for part in body)
    )


def _says_nothing(value: Any) -> bool:
    """Tell of `[]` and `""`: somebody's answer, or a message with nothing in it, which is dropped.

    Nobody can tell, and words are never ours to lose.
    """
    return value == [] or (isinstance(value, str) and not value.strip())


def _is_blank(value: Any, role: Any, format_: Format) -> bool:
    """Tell of an object of one key that would be a message with nothing in it: `{"content": []}`."""
    if not isinstance(value, dict) or len(value) != 1 or isinstance(value.get(format_.body), str):
        return False
    message = {**value, "role": role}
    if format_.told(message) < 0:  # a null is no content of most formats
        return format_.body in value and value[format_.body] is None
    events = format_.events([message, format_.said], [0], DEFAULT)
    return bool(events) and all(isinstance(event, Blank) for event in events)


def _may_be_half(text: str, format_: Format) -> bool:
    """Tell what may be cut off from broken JSON that somebody asks about."""
    begin = "".join(text[:80].split())
    if begin in ("[", "{"):
        return True
    keys = (*_FIRST, format_.body)
    first = begin.lstrip("[").startswith(tuple(f'{{"{key}"' for key in keys))
    named = first or _ends_in_key(begin, keys) or any(word in text.lower() for word in _PAIR)
    return begin.startswith(_JSON) and named


def _ends_in_key(begin: str, keys: tuple[str, ...]) -> bool:
    """Tell whether a text ends within its first key: any in a list, a message's own in an object."""
    if begin.startswith("[{"):
        return '"' not in begin[3:]
    return any(key.startswith(begin[2:]) for key in (*keys, *_PAIR))


def is_plain(text: str) -> bool:
    """Tell whether a text beside a role is words by its first character."""
    return text.lstrip()[:1] not in ("[", "{", '"')


def is_words(text: Any, body: Any) -> bool:
    """Tell whether a body is the text of its column itself."""
    return isinstance(body, str) and body == text
