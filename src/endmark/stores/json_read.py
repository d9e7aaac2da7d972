"""Read a stored JSON document: the fast parser first, the standard one for what it refuses.

The first step behind a column of any store; what cannot be read is refused with the reason and
without its content, so that a scan can report the row and go on.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

from endmark.errors import UnreadableError

__all__ = ["TOO_DEEP", "read"]

_DEEPEST = 1024  # orjson's own limit, kept for what the standard parser reads in its place
TOO_DEEP = f"JSON nested more than {_DEEPEST} levels deep, or too deep for this stack; left alone."
_JSONB = "A binary JSONB value of SQLite, not JSON text; read it through json(column)."


def read(text: str | bytes | bytearray | memoryview) -> Any:
    """Return the payload of JSON `text`; bytes are UTF-8.

    Numbers beyond 64 bits or beyond a double are read as the nearest float; only their text is
    exact. `NaN`, `Infinity`, 1E400 and lone surrogates are read too, as the standard parser does.

    Raises:
        UnreadableError: not JSON, nested too deep, or not text at all.

    >>> read('{"cost": 1.10}')
    {'cost': 1.1}
    """
    try:
        return orjson.loads(text)
    except (ValueError, TypeError, RecursionError):
        pass
    refusal = ""
    try:
        # Each constant an object of its own: which NaN was moved, only its identity tells.
        payload = json.loads(_decoded(text), parse_int=_integer, parse_constant=float)
        if not _is_deep(payload):
            return payload
        refusal = TOO_DEEP
    except RecursionError:
        refusal = TOO_DEEP
    except json.JSONDecodeError as error:
        refusal = "The text is not JSON."
        if error.doc[: error.pos].strip():  # it was some, to begin with
            refusal = f"The text is not JSON: it breaks off at character {error.pos}."
    except UnicodeDecodeError as error:
        refusal = f"The bytes are not UTF-8 text: they break off at byte {error.start}."
    except ValueError:
        refusal = "The bytes cannot be read."
    # Raised out here, so that the parser's error, which holds the text, is not chained to ours.
    raise UnreadableError(refusal)


def _decoded(text: Any) -> str:
    if isinstance(text, str):
        return text
    if not isinstance(text, bytes | bytearray | memoryview):
        raise UnreadableError(f"JSON is read from str or bytes, not from {type(text).__name__}.")
    data = bytes(text)
    if _is_sqlite_jsonb(data):
        raise UnreadableError(_JSONB)
    return data.decode("utf-8")


def _is_sqlite_jsonb(data: bytes) -> bool:
    """Say whether `data` is an array or object of https://sqlite.org/jsonb.html, by its header."""
    if not data or data[0] & 0x0F not in (0x0B, 0x0C):
        return False
    short = data[0] >> 4
    if short <= 11:
        return len(data) == 1 + short
    size = 1 << (short - 12)
    return len(data) == 1 + size + int.from_bytes(data[1 : 1 + size], "big")


def _integer(digits: str) -> int | float:
    # As orjson reads it, so that an edit that takes the last NaN away changes no other value.
    value = int(digits) if len(digits) <= 20 else float(digits)
    return value if -(2**63) <= value < 2**64 else float(digits)


def _is_deep(payload: Any) -> bool:
    layer = [payload]
    for _ in range(_DEEPEST + 1):
        layer = [
            child
            for node in layer
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not layer:
            return False
    return True
