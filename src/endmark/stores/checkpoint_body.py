"""A LangGraph checkpoint as it is stored: its fields and channels, and a new one made from it.

SQLite has all of it in one value, MessagePack or JSON; PostgreSQL has the channels that are no plain
values in rows of their own. Every value that is not said anew is kept as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from endmark.errors import UnreadableError
from endmark.stores import json_text, message_lists, msgpack
from endmark.stores.message_lists import MessageList
from endmark.stores.msgpack import Raw
from endmark.stores.table import Cell

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Blob:
    """A channel of PostgreSQL that stands in a row of its own; no data: it was not asked for."""

    kind: str
    data: bytes | None


@dataclass(slots=True)
class Packed:
    """A checkpoint in MessagePack."""

    fields: dict[str, Raw]
    values: dict[str, Raw]

    @classmethod
    def of(cls, data: bytes) -> Packed:
        fields = msgpack.split_map(data)
        return cls(fields, msgpack.split_map(fields["channel_values"]))

    def field(self, name: str) -> Any:
        return msgpack.read(self.fields[name]) if name in self.fields else None

    def held(self) -> list[str]:
        """Name the channels that hold something."""
        return list(self.values)

    def items(self, channel: str) -> list[Any] | None:
        """Give the items of a channel that is a list or a set."""
        return message_lists.plain(msgpack.read(self.values[channel]))

    def lists(self) -> dict[str, MessageList]:
        found = {name: message_lists.read("msgpack", raw) for name, raw in self.values.items()}
        return {name: list_ for name, list_ in found.items() if list_ is not None}

    def written(
        self, fields: Fields, channels: Mapping[str, list[Any]], gone: Iterable[str]
    ) -> Cell:
        values: dict[str, Any] = {**self.values, **channels}
        kept = {name: value for name, value in values.items() if name not in set(gone)}
        return bytes(msgpack.write({**self.fields, **fields, "channel_values": kept}))


@dataclass(slots=True)
class Told:
    """A checkpoint in JSON; on PostgreSQL its greater channels stand in rows beside it."""

    text: str
    payload: dict[str, Any]
    as_bytes: bool = False
    blobs: dict[str, Blob] = field(default_factory=dict)
    beside: dict[str, MessageList] = field(default_factory=dict)

    @classmethod
    def of(cls, cell: str | bytes) -> Told:
        text = cell.decode() if isinstance(cell, bytes) else cell
        payload = json_text.read(text)
        if not isinstance(payload, dict):
            msg = "the checkpoint is not an object"
            raise UnreadableError(msg)
        return cls(text, payload, isinstance(cell, bytes))

    @property
    def values(self) -> dict[str, Any]:
        found: dict[str, Any] = self.payload.get("channel_values") or {}
        return found

    def field(self, name: str) -> Any:
        return self.payload.get(name)

    def held(self) -> list[str]:
        return [*self.values, *(name for name in self.blobs if name not in self.values)]

    def items(self, channel: str) -> list[Any] | None:
        if channel in self.values:
            return message_lists.plain(self.values[channel])
        blob = self.blobs[channel]
        if blob.data is None:
            return None
        read = msgpack.read if blob.kind == "msgpack" else json_text.read
        return message_lists.plain(read(blob.data))

    def lists(self) -> dict[str, MessageList]:
        """Give the channels that are lists of messages; those of rows of their own are noted."""
        for name, blob in self.blobs.items():
            one = message_lists.read(blob.kind, blob.data) if blob.data is not None else None
            if one is not None:
                self.beside[name] = one
        found = {name: message_lists.of_json(value) for name, value in self.values.items()}
        return self.beside | {name: one for name, one in found.items() if one is not None}

    def written(
        self, fields: Fields, channels: Mapping[str, list[Any]], gone: Iterable[str]
    ) -> Cell:
        own = {name: items for name, items in channels.items() if name not in self.beside}
        values = {**self.values, **own}
        kept = {name: value for name, value in values.items() if name not in set(gone)}
        payload = {**self.payload, **fields}
        if kept or "channel_values" in payload:
            payload["channel_values"] = kept
        text = json_text.splice(self.text, self.payload, payload)
        return text.encode() if self.as_bytes else text


Body = Packed | Told


def body_of(kind: str, cell: Any) -> Body:
    """Read a checkpoint. Raises `UnreadableError` for what it is not, or is left alone."""
    why = message_lists.refusal(kind)
    if why:
        raise UnreadableError(why)
    if kind not in ("msgpack", "json", "") or not isinstance(cell, str | bytes):
        msg = f"Endmark knows no checkpoint of type {kind}; {message_lists.WAY_OUT}"
        raise UnreadableError(msg)
    try:
        body = Packed.of(cell) if isinstance(cell, bytes) and kind == "msgpack" else Told.of(cell)
    except KeyError:
        body = None
    if body is None or body.field("channel_versions") is None:
        msg = "the checkpoint has no channels"
        raise UnreadableError(msg)
    return body
