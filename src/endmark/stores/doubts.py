"""What speaks against a mapping that somebody described: messages of another format, fields left out.

A wrong mapping finds nothing wrong, which would look like a healthy database.
"""
# ruff: noqa: S608  (names are quoted by the dialect)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from endmark import formats
from endmark.stores import sample
from endmark.stores.guess import PIECES, is_role, plain
from endmark.stores.source import Source
from endmark.stores.table import rows_of

__all__ = ["doubt"]

CALLS = PIECES - {"tools"} | {"toolcallid"}  # tools may be what is on offer


def doubt(source: Source, connection: Connection) -> str | None:
    """Say why a described store is probably not read as it was written; None where nothing is odd."""
    if source.store.age and not _tells_time(source, connection, source.store.age):
        return (
            f"{source.table.label}.{source.store.age} holds no time, so it tells no age; "
            "--age takes the column that says when a row was written"
        )
    where = f"{source.table.label}.{source.store.payload}" if source.store.payload else source.name
    seen = sample.messages(source, connection)
    told = [one for one in seen if isinstance(one, dict)]
    if likely := formats.others(told, source.format):
        return (
            f"the messages in {where} are not of {source.format.name}: by the looks of them they are "
            f"of {', '.join(likely)}; name it with --format"
        )
    store = source.store
    if store.layout != "rows" or store.fields:
        return None
    if store.role is None:
        return _without_role(source, connection, seen, where)
    used = {*store.conversation, *source.order, *source.key, *source.content}
    left = [name for name in source.table.columns if name not in used and plain(name) in CALLS]
    if not any(_holds(source, connection, name) for name in left):
        return None
    return (
        f"table {source.table.label} keeps {', '.join(left)} in columns of their own, which these "
        "flags leave out; describe them as `fields` in a --config (docs/stores.md)"
    )


def _without_role(
    source: Source, connection: Connection, seen: Sequence[Any], where: str
) -> str | None:
    """Say which column probably tells who speaks, where no payload does."""
    used = {*source.store.conversation, *source.order, *source.key, *source.content}
    roles = [
        name
        for name in source.table.columns
        if name not in used and is_role(connection, source.table, name)
    ]
    if not roles or not seen or any(sample.score(source.format, one) >= 0 for one in seen):
        return None
    return f"no payload in {where} is a message with its role; by the looks of it, add --role {roles[0]}"


def _tells_time(source: Source, connection: Connection, name: str) -> bool:
    """Tell whether a column holds times, as far as a few rows say; an empty one may."""
    table = source.table
    cell = table.quote(name)
    sql = f"SELECT {table.read(name)} FROM {table.ref} WHERE {cell} IS NOT NULL LIMIT {sample.SIZE}"
    cells = [row[0] for row in rows_of(connection, sql, {})]
    return not cells or any(source.written(one) is not None for one in cells)


def _holds(source: Source, connection: Connection, name: str) -> bool:
    table = source.table
    sql = f"SELECT 1 FROM {table.ref} WHERE {table.quote(name)} IS NOT NULL LIMIT 1"
    return bool(rows_of(connection, sql, {}))
