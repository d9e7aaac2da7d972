"""Tell which known stores a database holds: by the columns of its tables, then by a few payloads.

Names of tables decide nothing: `messages` is used by many stores, and forks rename theirs.
"""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import SAWarning

from endmark import stores
from endmark.errors import StoreError
from endmark.stores import sample
from endmark.stores._store import Store
from endmark.stores.source import Source
from endmark.stores.table import MOST_SCHEMAS, other_schemas, rows_of

Tables = dict[str, set[str]]
OURS = ("endmark_heal_", "endmark_version")  # on SQLite; PostgreSQL has a schema for them
MOST_TABLES = 20  # of another schema that are looked into
_READABLE = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = :schema AND has_schema_privilege(n.oid, 'USAGE')
  AND has_table_privilege(c.oid, 'SELECT')
"""


def detect(connection: Connection, schema: str | None = None) -> list[Store]:
    """Find the known stores in a database, each with the table that it has there.

    Looks in `schema`, else in the connection's own one and in those that stores are known to use.
    Gives [] when none fits.
    """
    return _detected(connection, schema, {})


def _detected(
    connection: Connection, schema: str | None, tables: dict[str | None, Tables]
) -> list[Store]:
    """Find the known stores among these tables; schemas that are not told are looked up."""
    found: list[Store] = []
    for name in stores.names():
        store = stores.get(name)
        if connection.dialect.name not in store.databases:
            continue
        for place in dict.fromkeys([schema] if schema else [*store.schemas, store.schema, None]):
            if place not in tables:
                tables[place] = columns_of(connection, place)
            found += _matching(connection, replace(store, schema=place), tables[place])
    return _of_each_table(found)


def _of_each_table(found: list[Store]) -> list[Store]:
    """Keep one store for each table: the one that asks for most of it, else the one of its name."""
    best: dict[tuple[str | None, str], Store] = {}
    for store in found:
        for table in _tables_of(store):
            place = (store.schema, table)
            if place not in best or _rank(store) > _rank(best[place]):
                best[place] = store
    return [s for s in found if all(best[s.schema, table] is s for table in _tables_of(s))]


def _tables_of(store: Store) -> set[str]:
    """Give the tables that hold a store's messages, which are no other store's then."""
    return {store.table, *([store.linked.table] if store.linked else ())}


def _rank(store: Store) -> tuple[int, bool]:
    return sum(map(len, store.fingerprint.values())), store.table in store.fingerprint


def seen(connection: Connection, schema: str | None = None) -> str:
    """Say what tables and columns a database has: names only, for when no store was found."""
    tables = _theirs(connection, schema)
    listed = [f"{name} ({', '.join(sorted(tables[name])[:12])})" for name in sorted(tables)[:8]]
    more = f" and {len(tables) - 8} more" if len(tables) > 8 else ""
    return "; ".join(listed) + more if listed else "no tables"


def guessed(
    connection: Connection, schema: str | None = None, *, besides: Iterable[Store] = ()
) -> list[str]:
    """Give commands that may read what no known store, or none of those, reads; to be checked."""
    return _guessed(connection, schema, _theirs(connection, schema), besides)


def _guessed(
    connection: Connection, schema: str | None, tables: Tables, besides: Iterable[Store]
) -> list[str]:
    from endmark.stores.guess import MOST, guesses
    from endmark.stores.guess_fields import guesses_of_fields

    read = {table.name for store in besides for table in Source(connection, store).tables.values()}
    tables = {n: own for n, own in tables.items() if n not in read}
    told = guesses_of_fields(connection, tables, schema)
    others = {n: own for n, own in tables.items() if n not in told}
    return [*told.values(), *guesses(connection, others, schema)][:MOST]


def elsewhere(connection: Connection, schema: str | None = None) -> list[str]:
    """Give commands that may read what other schemas hold.

    A few schemas are looked into, of each a few tables: first those that by their columns hold
    conversations. What this user may not read is passed over.
    """
    from endmark.stores.guess import MOST, named_like_one

    told: list[str] = []
    for place in other_schemas(connection, schema)[:MOST_SCHEMAS]:
        tables = _readable(connection, place)
        found = _detected(connection, place, {place: tables})
        told += [
            f"heal-db scan URL --schema {shlex.quote(place)} ({store.name} in {store.table})"
            for store in found
        ]
        likely = sorted(tables, key=lambda name: (named_like_one(tables[name]) is None, name))
        few = {name: tables[name] for name in likely[:MOST_TABLES]}
        told += _guessed(connection, place, few, found)
        if len(told) >= MOST:
            break
    return told[:MOST]


def _readable(connection: Connection, schema: str) -> Tables:
    tables = columns_of(connection, schema)
    if connection.dialect.name != "postgresql":
        return tables
    rows = rows_of(connection, _READABLE, {"schema": schema})
    return {name: tables[name] for (name,) in rows if name in tables}


def _theirs(connection: Connection, schema: str | None) -> Tables:
    every = columns_of(connection, schema)
    return {name: own for name, own in every.items() if not name.startswith(OURS)}


def columns_of(connection: Connection, schema: str | None) -> Tables:
    inspector = inspect(connection)
    if schema is not None and schema not in inspector.get_schema_names():
        return {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Did not recognize type", SAWarning)  # pgvector's
        every = inspector.get_multi_columns(schema)
    return {name: {column["name"] for column in own} for (_, name), own in every.items()}


def _matching(connection: Connection, store: Store, tables: Tables) -> Iterator[Store]:
    if store.unless and any(store.unless <= own for own in tables.values()):
        return
    if store.names:
        for table, own in tables.items():
            if (named := _renamed(store, own)) is not None:
                yield from _fitting(connection, replace(named, table=table))
        return
    places = {name: _having(tables, name, own) for name, own in store.fingerprint.items()}
    if not places or not all(places.values()):
        return
    columns = store.fingerprint[store.table]
    having = [table for table, own in tables.items() if columns <= own]
    # Parts look like messages where both are a JSON value with an id.
    for table in _having(tables, store.table, columns) if store.parts is not None else having:
        named = replace(store, table=table)
        if store.head is not None and store.head.table in places:
            named = replace(named, head=replace(store.head, table=places[store.head.table][0]))
        if store.parts is not None:
            parts = replace(store.parts, table=places[store.parts.table][0])
            named = replace(named, parts=parts)
        if store.beside:
            beside = {what: places[name][0] for what, name in store.beside.items()}
            named = replace(named, beside=beside)
        if store.linked is not None:
            linked = replace(store.linked, table=places[store.linked.table][0])
            named = replace(named, linked=linked)
        if store.tree is not None and store.tree.table is not None:
            named = replace(named, tree=replace(store.tree, table=places[store.tree.table][0]))
        if store.answers is not None:
            second = places[store.answers.table][0]
            named = replace(named, answers=replace(store.answers, table=second))
        yield from _fitting(connection, named)


def _renamed(store: Store, own: set[str]) -> Store | None:
    """Give a store of one table with the names that its columns have among these; None without."""
    found = {
        column: next((name for name in (column, *store.names.get(column, ())) if name in own), "")
        for column in store.fingerprint[store.table]
    }
    if not all(found.values()):
        return None
    return replace(
        store,
        conversation=tuple(found.get(name, name) for name in store.conversation),
        order=tuple(found.get(name, name) for name in store.order),
        payload=found.get(store.payload, store.payload),
        role=found.get(store.role or "", store.role),
        age=found.get(store.age or "", store.age),
        types={found.get(name, name): begin for name, begin in store.types.items()},
    )


def _having(tables: Tables, name: str, columns: frozenset[str]) -> list[str]:
    """Give the tables with these columns, the one of that name alone where it is among them."""
    having = sorted(table for table, own in tables.items() if columns <= own)
    return [name] if name in having else having


def _fitting(connection: Connection, store: Store) -> Iterator[Store]:
    """Give the store, with the format that its payloads tell, unless they are of another."""
    try:
        source = Source(connection, store)
    except StoreError:
        return
    types = {name: source.table.columns[name].type.lower() for name in store.types}
    if not all(types[name].startswith(begin) for name, begin in store.types.items()):
        return
    own_name = store.table in store.fingerprint
    if store.refusal or sample.fits(source, connection, empty=own_name):
        yield replace(store, format=source.format.name, any_format=False)
