"""What speaks against a mapping that somebody described: messages of another format, fields left out.

A wrong mapping finds nothing wrong, which would look like a healthy database.
"""
# ruff: noqa: S608  (names are quoted by the dialect)

from __future__ import annotations

from sqlalchemy import Connection

from endmark import formats
from endmark.stores import sample
from endmark.stores.guess import PIECES, plain
from endmark.stores.source import Source
from endmark.stores.table import rows_of

__all__ = ["doubt"]

CALLS = PIECES - {"tools"} | {"toolcallid"}  # tools may be what is on offer


def doubt(source: Source, connection: Connection) -> str | None:
    """Say why a described store is probably not read as it was written; None where nothing is odd."""
    where = f"{source.table.label}.{source.store.payload}" if source.store.payload else source.name
    told = [one for one in sample.messages(source, connection) if isinstance(one, dict)]
    if likely := formats.others(told, source.format):
        return (
            f"the messages in {where} are not of {source.format.name}: by the looks of them they are "
            f"of {', '.join(likely)}; name it with --format"
        )
    store = source.store
    if store.layout != "rows" or store.fields or store.role is None:
        return None
    used = {*store.conversation, *source.order, *source.key, *source.content}
    left = [name for name in source.table.columns if name not in used and plain(name) in CALLS]
    if not any(_holds(source, connection, name) for name in left):
        return None
    return (
        f"table {source.table.label} keeps {', '.join(left)} in columns of their own, which these "
        "flags leave out; describe them as `fields` in a --config (docs/stores.md)"
    )


def _holds(source: Source, connection: Connection, name: str) -> bool:
    table = source.table
    sql = f"SELECT 1 FROM {table.ref} WHERE {table.quote(name)} IS NOT NULL LIMIT 1"
    return bool(rows_of(connection, sql, {}))
