"""A message whose fields lie in columns of their own: `Store.fields` maps a column to its key."""

from __future__ import annotations

from typing import Any

from endmark.formats._base import Message
from endmark.stores import json_text
from endmark.stores.conversation import Row
from endmark.stores.source import Source
from endmark.stores.table import Cells

__all__ = ["cells_of", "read"]


def read(source: Source, cells: Cells) -> Message:
    """Read a message from its columns; NULL is a key that it has not. Raises `UnreadableError`."""
    message: Message = {}
    if source.store.role:
        message["role"] = cells[source.store.role]
    for column, key in source.fields.items():
        cell = cells[column]
        if cell is not None:
            held = column in source.store.json
            message[key] = json_text.read(cell) if held else cell  # type: ignore[arg-type]
    for column, key in source.fields.items():
        # What an application sends for a NULL is its own business: an empty text is sound.
        if key == source.format.body and column not in source.store.json:
            message.setdefault(key, "")
    return message


def cells_of(source: Source, message: Message, old: Row | None, near: Row) -> Cells:
    """Give the columns that hold a message: `old` is where it was, `near` the row before it."""
    cells: Cells = {}
    if source.store.role:
        cells[source.store.role] = message["role"]
    was: Message = old.message or {} if old is not None else {}
    for column, key in source.fields.items():
        value = message.get(key)
        if old is not None and value is was.get(key):
            cells[column] = old.cells[column]
        elif old is None and column in source.new:
            cells[column] = source.new[column]
        elif key not in message and not source.table.columns[column].free:
            cells[column] = near.cells[column]
        elif column in source.store.json and value is not None:
            cells[column] = _written(value, was.get(key), old.cells[column] if old else None, near)
        else:
            cells[column] = value
    return cells


def _written(value: Any, was: Any, cell: Any, near: Row) -> str:
    """Write JSON: into the text that was there, else as it is written in the row before."""
    if isinstance(cell, str) and was is not None:
        return json_text.splice(cell, was, value)
    like = next((c for c in near.cells.values() if isinstance(c, str) and c[:1] in "[{"), "")
    return json_text.write(value, like)
