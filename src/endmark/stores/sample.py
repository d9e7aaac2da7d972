"""Look at a few payloads of a store, to tell whether they are of its format, or of which."""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from sqlalchemy import Connection

from endmark import formats
from endmark.errors import UnreadableError
from endmark.formats import Format
from endmark.stores import json_text
from endmark.stores.conversation import RefusedError, Row
from endmark.stores.source import Source
from endmark.stores.table import rows_of

SIZE = 200
FEW = 20  # one of so many may be broken
CALLS_KEYS = ("tool_calls", "toolInvocations", "function_call")  # beside a message's body
REFUSED = object()  # in place of a message that the store names as one to be left alone


def fits(source: Source, connection: Connection, *, empty: bool) -> bool:
    """Tell whether a store may be what it is taken for; `empty` says so for one without rows.

    Where its columns may have other names more is wanted than that nothing speaks against it: one
    message that surely is, none that is not, few that cannot be read.
    """
    told = messages(source, connection)
    if not told:
        return empty and not source.store.names
    scores = [score(source.format, message) for message in told]
    if not source.store.names:
        return max(scores) >= 0
    unread = told.count(None)
    return max(scores) == 1 and scores.count(-1) == unread <= len(told) // FEW


def format_of(source: Source, connection: Connection) -> Format:
    """Tell the format of a store that may hold any: the one that most surely fits."""
    told = messages(source, connection)
    known = [formats.get(name) for name in formats.names()]
    if not told:
        return source.format
    # Of those that fit alike, the one that the store expects.
    return max(known, key=lambda f: (*_rank(f, told), f.name == source.format.name))


def _rank(format_: Format, told: Sequence[Any]) -> tuple[bool, int, int]:
    scores = [score(format_, message) for message in told]
    return -1 not in scores, max(scores), -scores.count(-1)


def score(format_: Format, message: Any) -> int:
    """Tell how a message of a sample looks: as `Format.fits`, -1 for what could not be read."""
    if message is REFUSED:
        return 0
    return format_.told(message) if isinstance(message, dict) else -1


def calls(format_: Format, message: Any) -> bool:
    """Tell whether a format finds calls in what may be a message of it."""
    return score(format_, message) >= 0 and asks(format_, message)


def asks(format_: Format, message: Any) -> bool:
    """Tell whether a format finds calls in anything, whatever keys are beside them."""
    if message is REFUSED:
        return False
    try:
        return bool(list(format_.call_ids(message)))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, UnreadableError):
        return False


def calls_key(format_: Format, value: Any) -> str | None:
    """Give the key under which a value is calls of an assistant; None where it is none."""
    if not isinstance(value, list | dict):
        return None
    for key in (*CALLS_KEYS, format_.body):
        if calls(format_, {"role": "assistant", format_.body: "", key: value}):
            return key
    return None


def messages(source: Source, connection: Connection) -> list[Any]:
    """Read the messages of a few rows; None for a row that cannot be read."""
    return [message for row in rows(source, connection) for message in read(source, row)]


def rows(source: Source, connection: Connection, where: str = "") -> list[Row]:
    """Read the cells of a few rows that hold messages, or parts of them."""
    table, names = source.table, list(source.content)
    if source.second is not None and source.store.parts is not None:
        spec = source.store.parts
        table, names = source.second, [spec.payload] if spec.payload else list(spec.fields)
    elif source.store.linked is not None:
        table, names = source.payload_table, [source.store.payload]
    columns = ", ".join(table.read(name) for name in names)
    sql = f"SELECT {columns} FROM {table.ref} {where} LIMIT {SIZE}"
    return [
        Row(key={}, order=(), cells=dict(zip(names, cells, strict=True)))
        for cells in rows_of(connection, sql, {})
    ]


def read(source: Source, row: Row) -> list[Any]:
    """Read the messages of a row; None where it cannot be read."""
    try:
        return source.read_sample(row)
    except RefusedError:
        return [REFUSED]
    except UnreadableError:
        return [None]


def value(cell: Any) -> Any:
    """Read the JSON of a cell; None where it holds none."""
    try:
        return json_text.read(cell) if isinstance(cell, str | bytes) else None
    except UnreadableError:
        return None


def as_of(source: Source, format_: Format) -> Source:
    """Give the source as it is read by another format: beside a role that one has its own body."""
    other = copy(source)
    other.format = format_
    return other
