"""A history in a file, and the repaired one in the same framing with the same text.

Stands where `stores` stands for a database: text to messages, and back with every untouched
message exactly as it was.
"""

from __future__ import annotations

import codecs
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.stores import json_text

__all__ = ["HistoryFile", "read", "write_atomically"]

# What requests call their history: Chat Completions and Anthropic, Responses, Gemini.
NAMES = ("messages", "input", "contents")
ACCEPTED = (
    "give a JSON array of messages, JSON Lines (one message a line), or an object whose "
    '"messages", "input" or "contents" is such an array'
)


@dataclass
class HistoryFile:
    """A file's text and the messages in it. `lines` are those that hold one, for JSON Lines."""

    data: bytes
    text: str
    framing: Literal["array", "object", "lines"]
    payload: Any
    messages: list[Any]
    lines: list[int] = field(default_factory=list)
    name: str = ""  # of the messages in an object

    def with_changes(self, rebuilt: Rebuilt) -> bytes:
        """Give the bytes of the file with this history in it."""
        text = self._lines(rebuilt) if self.framing == "lines" else self._spliced(rebuilt)
        mark = codecs.BOM_UTF8 if self.data.startswith(codecs.BOM_UTF8) else b""
        return mark + text.encode()

    def _spliced(self, rebuilt: Rebuilt) -> str:
        new: Any = rebuilt.messages
        if self.framing == "object":
            new = {**self.payload, self.name: new}
        return json_text.splice(self.text, self.payload, new)

    def _lines(self, rebuilt: Rebuilt) -> str:
        lines = self.text.split("\n")  # only there: a string may hold U+2028 as it is
        newline = "\r\n" if lines[0].endswith("\r") else "\n"
        old = [lines[number].rstrip("\r") for number in self.lines]
        sources = json_text.Sources()
        for text, message in zip(old, self.messages, strict=True):
            sources.add(text, message)
        written = [
            json_text.write(message, old[0], sources)
            if origin is None
            else json_text.splice(old[origin], self.messages[origin], message, sources)
            for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True)
        ]
        end = newline if self.text.endswith("\n") else ""
        return newline.join(written) + (end if written else "")


def read(path: str) -> HistoryFile:
    """Read a history from a file, or from standard input for `-`.

    Raises `UnreadableError` for what is none of the framings, `OSError` for no such file.
    """
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        msg = f"{_name(path)} is not UTF-8 text; save it as UTF-8"
        raise UnreadableError(msg) from None
    if not text.strip():
        msg = f"{_name(path)} is empty; {ACCEPTED}"
        raise UnreadableError(msg)
    return _framed(path, data, text)


def _framed(path: str, data: bytes, text: str) -> HistoryFile:
    try:
        payload = json_text.read(text)
    except UnreadableError as error:
        return _by_lines(path, data, text, error)
    name = next((n for n in NAMES if _is_list(payload, n)), "")
    messages: list[Any]
    if isinstance(payload, list):
        messages, framing = payload, "array"
    elif name:
        messages, framing = payload[name], "object"
    elif isinstance(payload, dict) and "role" in payload:
        return _by_lines(path, data, text, None)
    else:
        raise UnreadableError(f"{_name(path)} holds JSON, but no history; {ACCEPTED}")
    _require_objects(path, messages)
    return HistoryFile(data, text, framing, payload, messages, name=name)  # type: ignore[arg-type]


def _is_list(payload: Any, name: str) -> bool:
    return isinstance(payload, dict) and isinstance(payload.get(name), list)


def _by_lines(path: str, data: bytes, text: str, whole: UnreadableError | None) -> HistoryFile:
    if whole is None and text.strip().count("\n"):  # one message over several lines
        raise UnreadableError(f"{_name(path)} holds one message, not a history; put it in [ ]")
    found = [(n, line) for n, line in enumerate(text.split("\n")) if line.strip()]
    messages: list[Any] = []
    for number, line in found:
        try:
            messages.append(json_text.read(line))
        except UnreadableError as error:
            if whole is not None and not messages:
                raise UnreadableError(
                    f"{_name(path)}: {str(whole).rstrip('.')}; {ACCEPTED}"
                ) from None
            raise UnreadableError(f"{_name(path)}, line {number + 1}: {error}") from None
    _require_objects(path, messages)
    return HistoryFile(data, text, "lines", messages, messages, [number for number, _ in found])


def _require_objects(path: str, messages: Sequence[Any]) -> None:
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            kind = type(message).__name__
            msg = f"{_name(path)}: messages[{index}] is no object but {kind}; {ACCEPTED}"
            raise UnreadableError(msg)


def _name(path: str) -> str:
    return "standard input" if path == "-" else path


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, with the permissions it had. Raises `OSError`.

    What is no file (a pipe, a device) is written to, never replaced.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(data)
        return
    target = path.resolve()
    try:
        _replace(target, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
