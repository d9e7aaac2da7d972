"""Where each value of a JSON document stands in its text, one level at a time.

The splicer asks for the level it edits; nothing above or beside the edited path is scanned. A
`Sources` registry answers the question "is this very object part of a text we have read?".
"""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from endmark.errors import UnreadableError

__all__ = ["Document", "Level", "Sources", "Span", "Style", "is_telling", "scan_level", "style_of"]

# The standard library's own scanners, which are written in C; its stubs leave them out.
_C: Any = json.decoder
_SCAN = _C.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str).scan_once
_STRING = _C.scanstring
_SPACE = " \t\n\r"
# These three match at every place, if only the empty text.
_COLON: Any = re.compile(r"[ \t\n\r]*:?[ \t\n\r]*").match
_COMMA: Any = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*").match
_OPENING: Any = re.compile(r"[\[{]?[ \t\n\r]*").match
_MARKS = re.compile(
    r'"(?:[^"\\]|\\.)*+"([ \t\n\r]*:[ \t\n\r]*)?|([ \t\n\r]*,[ \t\n\r]*)', re.DOTALL
)
_MISMATCH = "The text is not the text this payload was read from; left alone."


class Span(NamedTuple):
    """Half-open range of characters of a text."""

    start: int
    end: int


class Level(NamedTuple):
    """The children of one container: `keys` and `last` (key to its effective child) of a dict.

    `starts` to `ends` are whole children (with their key), `values` where their values start.
    """

    whole: Span
    starts: list[int]
    values: list[int]
    ends: list[int]
    keys: list[str]
    last: dict[str, int]
    colon: str


def scan_level(text: str, start: int) -> Level:
    """Return the level of the container that starts at `text[start]`; the text must be JSON."""
    keyed = text[start] == "{"
    starts: list[int] = []
    values = [] if keyed else starts
    ends: list[int] = []
    keys: list[str] = []
    colon = ""
    at = _OPENING(text, start).end()
    while text[at] not in "]}":
        starts.append(at)
        if keyed:
            key, key_end = _STRING(text, at + 1, True)
            at = _COLON(text, key_end).end()
            colon = colon or text[key_end:at]
            keys.append(key)
            values.append(at)
        end: int = _SCAN(text, at)[1]
        ends.append(end)
        at = _COMMA(text, end).end()
    last = {key: index for index, key in enumerate(keys)} if keyed else {}
    return Level(Span(start, at + 1), starts, values, ends, keys, last, colon)


class Style(NamedTuple):
    """How a document writes: between items, between key and value, and non-ASCII characters."""

    item: str
    key: str
    ascii: bool


def style_of(text: str) -> Style:
    """Return the style of the first separators in `text`; an empty text has `json.dumps`'s."""
    item = key = None
    for mark in _MARKS.finditer(text):
        key = mark[1] if key is None else key
        item = mark[2] if item is None else item
        if item is not None and key is not None:
            break
    if item is None:
        item = "," if key == ":" else ", "
    if key is None:
        key = ":" if item == "," else ": "
    # A new value is written on one line, also where the document is indented.
    return Style(", " if "\n" in item else item, key, text.isascii())


def is_telling(value: Any) -> bool:
    """Say whether the identity of `value` tells where it came from: it is no shared constant."""
    kind = type(value)
    return kind is dict or kind is list or kind is float or (kind is str and len(value) > 1)


@dataclass(slots=True)
class Document:
    """A text and the payload read from it; its levels are scanned once, when asked for."""

    text: str
    payload: Any
    levels: dict[int, Level] = field(default_factory=dict)

    @property
    def is_recoded(self) -> bool:
        """Say whether a string of the text may look other than a plain ASCII writer's."""
        return not self.text.isascii() or "\\u" in self.text or "\\/" in self.text

    def level(self, node: Any, start: int) -> Level:
        found = self.levels.get(id(node))
        if found is None:
            try:
                found = scan_level(self.text, start)
            except (ValueError, StopIteration, IndexError):
                raise UnreadableError(_MISMATCH) from None
            fits = found.last.keys() == node.keys() if type(node) is dict else not found.keys
            if not fits or len(found.last or found.ends) != len(node):
                raise UnreadableError(_MISMATCH)
            self.levels[id(node)] = found
        return found

    def root(self) -> Span:
        whole = len(self.text)
        return Span(whole - len(self.text.lstrip(_SPACE)), len(self.text.rstrip(_SPACE)))

    def span(self, path: Iterable[tuple[Any, Any]]) -> Span:
        """Return the span at the end of `path`, pairs of container and key from the root down."""
        found = self.root()
        for node, key in path:
            level = self.level(node, found.start)
            index = level.last[key] if level.keys else key
            found = Span(level.values[index], level.ends[index])
        return found


class Sources:
    """Texts that were read, so that a value moved between them keeps its exact text.

    Payloads must come from `read` and stay unchanged; they are kept alive. Nothing is scanned
    before the first question.

    >>> from endmark.stores.json_text import read, write
    >>> text = '[{"cost": 1.10}]'
    >>> row = read(text)
    >>> sources = Sources()
    >>> sources.add(text, row)
    >>> write({"moved": row[0]}, like="{}", sources=sources)
    '{"moved": {"cost": 1.10}}'
    """

    def __init__(self, *documents: Document) -> None:
        self._waiting = list(documents)
        self._plain: list[Document] = []
        self._places: dict[int, tuple[Document, Any, Any]] = {}

    def add(self, text: str, payload: Any) -> None:
        """Register `payload`, which was read from `text`."""
        self._waiting.append(Document(text, payload))

    def find(self, value: Any) -> str | None:
        """Return the exact text of this very object, or None when it is in no registered text."""
        if not is_telling(value):
            return None
        self._prepare(type(value) is str)
        place = self._places.get(id(value))
        if place is None:
            return None
        path = []
        document, node, key = place
        while node is not None:
            path.append((node, key))
            _, node, key = self._places[id(node)]
        span = document.span(reversed(path))
        return document.text[span.start : span.end]

    def _prepare(self, for_string: bool) -> None:
        # New strings are common, so a text that would not write one differently is not walked.
        if not for_string:
            self._waiting += self._plain
            self._plain = []
        while self._waiting:
            document = self._waiting.pop()
            if for_string and not document.is_recoded:
                self._plain.append(document)
            else:
                self._index(document)

    def _index(self, document: Document) -> None:
        places = self._places
        places.setdefault(id(document.payload), (document, None, None))
        stack = [document.payload] if type(document.payload) in (dict, list) else []
        while stack:
            node = stack.pop()
            for key, child in node.items() if type(node) is dict else enumerate(node):
                kind = type(child)
                if kind is dict or kind is list:
                    places.setdefault(id(child), (document, node, key))
                    stack.append(child)
                elif kind is float or (kind is str and len(child) > 1):
                    places.setdefault(id(child), (document, node, key))
