"""Tell which known stores a database holds: by the columns of its tables, then by a few payloads.

Names of tables decide nothing: `messages` is used by many stores, and forks rename theirs.
"""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import Connection, inspect

from endmark import stores
from endmark.errors import StoreError, UnreadableError
from endmark.stores._store import Store
from endmark.stores.source import Row, Source
from endmark.stores.table import Cells, rows_of

SAMPLE = 20
Tables = dict[str, set[str]]


def detect(connection: Connection, schema: str | None = None) -> list[Store]:
    """Find the known stores in a database, each with the table that it has there.

    Looks in `schema`, else in the connection's own one and in those that stores are known to use.
    Gives [] when none fits.
    """
    tables: dict[str | None, Tables] = {}
    found: list[Store] = []
    for name in stores.names():
        store = stores.get(name)
        if connection.dialect.name not in store.databases:
            continue
        for place in dict.fromkeys([schema] if schema else [store.schema, None]):
            if place not in tables:
                tables[place] = columns_of(connection, place)
            found += _matching(connection, replace(store, schema=place), tables[place])
    return found


def seen(connection: Connection) -> str:
    """Say what tables and columns a database has: names only, for when no store was found."""
    tables = columns_of(connection, None)
    listed = [f"{name} ({', '.join(sorted(tables[name])[:12])})" for name in sorted(tables)[:8]]
    more = f" and {len(tables) - 8} more" if len(tables) > 8 else ""
    return "; ".join(listed) + more if listed else "no tables"


def columns_of(connection: Connection, schema: str | None) -> Tables:
    inspector = inspect(connection)
    if schema is not None and schema not in inspector.get_schema_names():
        return {}
    return {
        name: {column["name"] for column in columns}
        for (_, name), columns in inspector.get_multi_columns(schema).items()
    }


def _matching(connection: Connection, store: Store, tables: Tables) -> Iterator[Store]:
    places = [_having(tables, table, store.fingerprint[table]) for table in store.fingerprint]
    if not places or not all(places):
        return
    for table in places[0]:
        named = replace(store, table=table)
        if store.parts is not None:
            parts = store.parts.table if store.parts.table in places[1] else places[1][0]
            named = replace(named, parts=replace(store.parts, table=parts))
        if _fits(connection, named):
            yield named


def _having(tables: Tables, name: str, columns: frozenset[str]) -> list[str]:
    """Give the tables with these columns, the one of that name alone where it is among them."""
    having = sorted(table for table, own in tables.items() if columns <= own)
    return [name] if name in having else having


def _fits(connection: Connection, store: Store) -> bool:
    """Look at a few payloads: an empty table fits, one of another format does not."""
    try:
        source = Source(connection, store)
    except StoreError:
        return False
    scores = [_score(source, row) for row in _sample(source, connection)]
    return not scores or max(scores) >= 0


def _score(source: Source, row: Row) -> int:
    try:
        source.read_sample(row)
    except UnreadableError:
        return -1
    return source.format.fits(row.message) if row.message is not None else -1


def _sample(source: Source, connection: Connection) -> list[Row]:
    table, names = source.table, list(source.content)
    if source.part_table is not None and source.store.parts is not None:
        table, names = source.part_table, list(source.store.parts.fields)
    sql = f"SELECT {', '.join(table.read(name) for name in names)} FROM {table.ref} LIMIT {SAMPLE}"
    rows = rows_of(connection, sql, {})
    return [Row(key={}, order=(), cells=_cells(names, row)) for row in rows]


def _cells(names: list[str], row: tuple[object, ...]) -> Cells:
    return dict(zip(names, row, strict=True))  # type: ignore[arg-type]
