"""Results whose calls no message holds: the calls are kept where a mapping does not look.

To a repair such results are orphans, and orphans go. True ones are there as well, so a table is
doubted only where not one call is to be seen in it, and results stand right behind an assistant's
message, where their calls should be, or in several conversations. One conversation alone is no
sign, but to a guard, which sees it as it is written.
"""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from sqlalchemy import Connection

from endmark.errors import UnreadableError
from endmark.formats import Format
from endmark.history import examine
from endmark.model import Kind, Shape
from endmark.stores import sample
from endmark.stores._store import LISTS
from endmark.stores.conversation import Conversation, Row
from endmark.stores.left_out import Id, telling
from endmark.stores.source import Source
from endmark.stores.table import rows_of

__all__ = ["calls_elsewhere"]

FAR = 5_000  # rows that are looked through for a call
THREADS = 20  # conversations that are looked at
SEVERAL = 3
TWICE = 2  # once could be what a compaction left


def calls_elsewhere(source: Source, connection: Connection, id_: Id | None = None) -> str | None:
    """Say that the calls of a table's results are not in it, by the looks of it.

    Conversations with results are looked at, or one where it is named; calls are looked for in the
    whole table.
    """
    store = source.store
    plain = store.layout == "rows" or store.layout in LISTS
    if store.calls_gone or source.format.shape is Shape.INLINE or not plain:
        return None
    if _has_calls(source, connection):
        return None
    ids = _with_results(source, connection) if id_ is None else [id_]
    found = [k for one in source.load(connection, ids) if (k := _orphans(source.format, one))]
    behind = sum(behind for _, behind in found)
    if len(found) < SEVERAL and behind < (TWICE if id_ is None else 1):
        return None
    where = f"{source.table.label}.{store.payload}" if store.payload else source.table.label
    return (
        f"{where} holds results, and not one of the calls that they answer, so they would be taken "
        "for orphans: where are the calls kept? Describe the columns with them as `fields` in a "
        "--config, or bring them into the messages; if they are gone for good, say so there with "
        "calls_gone = true (docs/stores.md)"
    )


def _has_calls(source: Source, connection: Connection) -> bool:
    """Look for a call in many rows, some of them at a time."""
    names = list(source.content)
    columns = ", ".join(source.table.read(name) for name in names)
    sql = f"SELECT {columns} FROM {source.table.ref} WHERE {telling(source)} LIMIT {FAR}"
    return any(
        sample.asks(source.format, message)
        for cells in rows_of(connection, sql, {})
        for message in sample.read(
            source, Row(key={}, order=(), cells=dict(zip(names, cells, strict=True)))
        )
    )


def _with_results(source: Source, connection: Connection) -> list[Id]:
    """Name a few conversations that may hold results."""
    table, names = source.table, source.store.conversation
    columns = ", ".join(table.read(name) for name in names)
    named = " AND ".join(f"{table.quote(name)} IS NOT NULL" for name in names)
    sql = f"SELECT {columns} FROM {table.ref} WHERE {named} AND {telling(source)} LIMIT {FAR}"
    return list(dict.fromkeys(tuple(row) for row in rows_of(connection, sql, {})))[:THREADS]


def _orphans(format_: Format, conversation: Conversation) -> tuple[int, bool] | None:
    """Count results without calls, and tell whether some stand where the calls should be."""
    history = conversation.history
    try:
        findings = examine(history, format_).findings if conversation.problem is None else ()
    except UnreadableError:
        return None
    orphans = {finding.message for finding in findings if finding.kind is Kind.ORPHAN}
    if not orphans:
        return None
    firsts = [k for k in orphans if k and k - 1 not in orphans]
    return len(orphans), any(format_.is_assistant(history[k - 1]) for k in firsts)
