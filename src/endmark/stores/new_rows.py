"""What a new row holds beside its message: its key, and what it cannot have from its neighbour."""

from __future__ import annotations

import re
import uuid

from endmark.errors import UnreadableError
from endmark.stores.conversation import Conversation, Row
from endmark.stores.order import following, places
from endmark.stores.select import label
from endmark.stores.source import Source
from endmark.stores.table import Cells, Column

__all__ = ["NAMESPACE", "cells_of_new", "new_key"]

NAMESPACE = uuid.UUID("6f0f5d0c-9a3c-5b52-8f2e-3b8f6c1d7e11")
SHORT, LONG = 32, 36  # characters of an id without, and with, its dashes
_DRAWN = ("char", "text", "uuid")  # types that hold a drawn id


def cells_of_new(source: Source, conversation: Conversation, like: Row, ordinal: int) -> Cells:
    """Give what a new row holds in the columns that it does not have from the row before it."""
    named = "_".join(map(str, conversation.id))
    cells: Cells = {}
    for one in _unshared(source):
        cells[one.name] = _drawn(source, like, f"{ordinal}:{one.name}", one)
    for column, value in source.new.items():
        if column in source.fields:  # it goes with its message, wherever that is put
            continue
        seed = f"{source.table.label}:{label(like.key)}:{ordinal}:{column}"
        made = uuid.uuid5(NAMESPACE, seed)
        text = isinstance(value, str)
        cells[column] = str(value).format(id=made, conversation=named) if text else value
    return cells


def new_key(source: Source, like: Row, ordinal: int) -> Cells:
    """Give the key of a new row, as far as the database does not give it.

    Made keys come from the key of the row they stand by: the same on every run. An id that orders
    the rows by its time is the next one, so that what the application writes then stands behind.
    """
    key: Cells = {}
    for name in source.key:
        column = source.table.columns[name]
        if column.numbered or (name == source.order[0] and source.kind != "shared"):
            continue
        if source.table.dialect == "postgresql" and column.free and column.is_time:
            continue  # its default: when the row is made
        if name in source.store.conversation:
            key[name] = like.key[name]
            continue
        if name == source.order[0] and set(source.store.conversation) <= set(source.key):
            [(last, write)] = places([like.key[name]], column.type)
            key[name] = write(last + 1 + ordinal)
            continue
        if name == source.order[0] and (made := following(like.key[name], 1 + ordinal)):
            key[name] = made
            continue
        if any(word in column.type.lower() for word in ("int", "num")):
            msg = (
                f"rows of {source.table.label} need a number in {name} that the database does "
                "not give; no row can be added"
            )
            raise UnreadableError(msg)
        key[name] = _drawn(source, like, str(ordinal), column)
    return key


def _unshared(source: Source) -> list[Column]:
    """Give the columns that no two rows may share, and that a row cannot go without: ids."""
    table, store = source.table, source.store
    said = {*store.conversation, *source.order, *source.key, *source.content, *source.new}
    said |= source.copies.keys()
    alone = (table.columns[names[0]] for names in table.unique if len(names) == 1)
    return [
        column
        for column in alone
        if column.name not in said
        and not (column.free or column.numbered or column.generated)
        and any(kind in column.type.lower() for kind in _DRAWN)
        and _room(column) >= SHORT
    ]


def _room(column: Column) -> int:
    """Give how many characters a column takes."""
    said = re.search(r"\((\d+)\)", column.type)
    return int(said[1]) if said else LONG


def _drawn(source: Source, like: Row, what: str, column: Column) -> str:
    """Draw an id for a row: the same on every run."""
    drawn = uuid.uuid5(NAMESPACE, f"{source.table.label}:{label(like.key)}:{what}")
    # SQLAlchemy keeps a UUID in 32 characters where the database has no type for it.
    return drawn.hex if _room(column) < LONG else str(drawn)
