"""Lossless JSON text: read a stored document, write an edited one without touching the rest.

Stands between a TEXT/JSON column and the payloads: `read` takes the text apart, `splice` puts an
edit into it so that every untouched value keeps its exact characters.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from endmark.errors import UnreadableError
from endmark.stores.json_align import align, is_copy, is_same
from endmark.stores.json_read import TOO_DEEP, read
from endmark.stores.json_spans import Document, Level, Sources, Style, style_of

__all__ = ["Sources", "read", "splice", "write"]


def splice(text: str, old: Any, new: Any, sources: Sources | None = None) -> str:
    """Return `text` with the edits that lead from `old`, its payload, to `new`.

    `new` shares its untouched containers with `old` by identity. Values moved from elsewhere in
    `text`, or from a document in `sources`, keep their exact text; new ones take the neighbours'
    style. Without an edit the same `text` object comes back.

    Raises:
        UnreadableError: nested too deep to be edited, or `old` was not read from `text`.

    >>> text = '{"n": 1.10, "state": "open"}'
    >>> old = read(text)
    >>> splice(text, old, {**old, "state": "done", "by": None})
    '{"n": 1.10, "state": "done", "by": null}'
    """
    if old is new:
        return text
    try:
        writer = _Splicer(text, old, sources)
        root = writer.document.root()
        result = text[: root.start] + writer.child(*root, old, new) + text[root.end :]
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None
    return text if result == text else result


def write(value: Any, like: str = "", sources: Sources | None = None) -> str:
    """Return JSON text for a new `value` in the style of `like`; parts in `sources` stay exact.

    Raises:
        UnreadableError: nested too deep to be written.
        TypeError: not a JSON value.

    >>> write({"a": [1, 2]}, like='{"x":1}')
    '{"a":[1,2]}'
    """
    try:
        return _Writer(like, sources).write(value)
    except RecursionError:
        raise UnreadableError(TOO_DEEP) from None


# The index of an old child (None: a new one) and its text (None: as it was).
_Child = tuple[int | None, str | None]


class _Writer:
    def __init__(self, like: str, *sources: Sources | None) -> None:
        self.text = like
        self._sources = [source for source in sources if source is not None]
        self._style: Style | None = None

    @property
    def style(self) -> Style:
        if self._style is None:
            self._style = style_of(self.text)
        return self._style

    def find(self, value: Any) -> str | None:
        for source in self._sources:
            found = source.find(value)
            if found is not None:
                return found
        return None

    def write(self, value: Any) -> str:
        found = self.find(value)
        if found is not None:
            return found
        item, colon, _ = self.style
        if isinstance(value, dict):
            pairs = [f"{self.string(key)}{colon}{self.write(at)}" for key, at in value.items()]
            return "{" + item.join(pairs) + "}"
        if isinstance(value, list | tuple):
            return "[" + item.join(map(self.write, value)) + "]"
        if isinstance(value, str):
            return self.string(value)
        # json.dumps would write Infinity, which no database takes; this reads back the same.
        return json.dumps(value).replace("Infinity", "1e999")

    def string(self, value: str) -> str:
        if self.style.ascii:
            return encode_basestring_ascii(value)
        try:
            value.encode()
        except UnicodeEncodeError:  # a lone surrogate has no raw form
            return encode_basestring_ascii(value)
        return encode_basestring(value)


class _Splicer(_Writer):
    def __init__(self, text: str, old: Any, sources: Sources | None) -> None:
        self.document = Document(text, old)
        super().__init__(text, Sources(self.document), sources)

    def child(self, start: int, end: int, old: Any, new: Any) -> str:
        if is_same(old, new):
            found = None if old is new else self.find(new)
            return self.text[start:end] if found is None else found
        kind = type(new)
        if kind is not type(old) or kind not in (dict, list):
            return self.write(new)
        # Sharing a child rules a move out, and spares the look-up that walks every source.
        if not is_copy(old, new) and self.find(new) is not None:
            return self.write(new)
        level = self.document.level(old, start)
        return self._dict(level, old, new) if kind is dict else self._list(level, old, new)

    def _dict(self, level: Level, old: dict[str, Any], new: dict[str, Any]) -> str:
        children: list[_Child] = []
        for index, key in enumerate(level.keys):
            if key not in new:
                continue
            if old[key] is new[key] or level.last[key] != index:
                children.append((index, None))
            else:
                value = level.values[index]
                edited = self.child(value, level.ends[index], old[key], new[key])
                children.append((index, self.text[level.starts[index] : value] + edited))
        colon = level.colon or self.style.key
        for key, value in new.items():
            if key not in old:
                children.append((None, f"{self.string(key)}{colon}{self.write(value)}"))
        return self._joined(level, children)

    def _list(self, level: Level, old: list[Any], new: list[Any]) -> str:
        children: list[_Child] = []
        for index, value in zip(align(old, new), new, strict=True):
            if index is None:
                children.append((None, self.write(value)))
            elif old[index] is value:
                children.append((index, None))
            else:
                start, end = level.starts[index], level.ends[index]
                children.append((index, self.child(start, end, old[index], value)))
        return self._joined(level, children)

    def _joined(self, level: Level, children: list[_Child]) -> str:
        """Copy the level in runs: a run ends where a child is edited, new, missing or moved."""
        text, (start, end), starts = self.text, level.whole, level.starts
        if not children:
            return text[start] + text[end - 1] if starts else text[start:end]
        pieces: list[str] = []
        before: int | None = -1
        copied, seen = start, starts[0] if starts else start + 1
        for position, (index, edited) in enumerate(children):
            if index is None or before is None or index != before + 1:
                pieces.append(text[copied:seen])
                pieces.append(self._separator(level, before) if position else "")
                copied = seen = seen if index is None else starts[index]
            if index is not None:
                seen = level.ends[index]
            if edited is not None:
                pieces += (text[copied : seen if index is None else starts[index]], edited)
                copied = seen
            before = index
        pieces.append(text[copied:seen])
        pieces.append(text[level.ends[-1] : end] if starts else text[end - 1])
        return "".join(pieces)

    def _separator(self, level: Level, before: int | None) -> str:
        """Return what stood behind child `before`, else what stands between the neighbours."""
        text, starts = self.text, level.starts
        if len(starts) > 1:
            behind = before if before is not None and before + 1 < len(starts) else 0
            return text[level.ends[behind] : starts[behind + 1]]
        head = text[level.whole.start + 1 : starts[0]] if starts else ""
        return f",{head}" if head else self.style.item
