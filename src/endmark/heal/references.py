"""Which rows of other tables point at a row: such a row is not taken out from under them."""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, inspect, text

from endmark import stores
from endmark.stores.changes import Change
from endmark.stores.table import Table

_PG = """
SELECT n.nspname, c.relname, c.oid,
       ARRAY(SELECT a.attname FROM unnest(k.conkey) WITH ORDINALITY u(n, o)
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.n ORDER BY u.o),
       ARRAY(SELECT a.attname FROM unnest(k.confkey) WITH ORDINALITY u(n, o)
             JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.n ORDER BY u.o)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype = 'f' AND k.confrelid = CAST(:name AS regclass)
"""


class Reference(NamedTuple):
    """A foreign key of another table: its columns, and those that they point at."""

    table: str  # quoted
    columns: tuple[str, ...]
    target: tuple[str, ...]
    oid: int | None = None  # of that table, on PostgreSQL


class References:
    """What points at rows of a store's tables, looked up when a row is to go."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.tables = tables
        self._known: dict[str, list[Reference]] = {}

    def blocker(self, connection: Connection, changes: list[Change]) -> str | None:
        """Say which table refers to a row that goes, or to the place that one leaves; else None."""
        for change in changes:
            table = self.tables.get(change.table)
            if table is None or change.before is None:
                continue
            for reference in self._of(connection, table):
                if change.after is None:
                    done = "is to be taken out"
                    stays = self._goes_too(connection, reference, change, changes)
                else:
                    done = "is to get another place"
                    stays = set(change.after).isdisjoint(reference.target)
                if not stays and _points(connection, table, reference, change):
                    return f"a row of {table.label} {done}, but {reference.table} refers to it"
        return None

    def _goes_too(
        self, connection: Connection, reference: Reference, change: Change, changes: list[Change]
    ) -> bool:
        """Tell whether the one row that can refer to this one, by its own key, goes as well."""
        values = [change.key.get(name) for name in reference.target]
        return None not in values and any(
            other.after is None
            and other.table != change.table
            and len(other.key) == len(values)
            and [other.key.get(name) for name in reference.columns] == values
            and _is_of(connection, reference, self.tables[other.table])
            for other in changes
        )

    def _of(self, connection: Connection, table: Table) -> list[Reference]:
        if table.label not in self._known:
            find = _on_postgresql if table.dialect == "postgresql" else _on_sqlite
            self._known[table.label] = [*find(connection, table), *_undeclared(table)]
        return self._known[table.label]


def _is_of(connection: Connection, reference: Reference, table: Table) -> bool:
    """Tell whether a foreign key is one of this table."""
    if reference.oid is None:
        return reference.table == table.quote(table.name)
    sql = text("SELECT CAST(CAST(:name AS regclass) AS oid)")
    return bool(connection.scalar(sql, {"name": table.regclass}) == reference.oid)


def _on_postgresql(connection: Connection, table: Table) -> list[Reference]:
    rows = connection.execute(text(_PG), {"name": table.regclass})
    return [
        Reference(f"{table.quote(schema)}.{table.quote(name)}", tuple(columns), tuple(target), oid)
        for schema, name, oid, columns, target in rows
    ]


def _on_sqlite(connection: Connection, table: Table) -> list[Reference]:
    found = []
    inspector = inspect(connection)
    for name in inspector.get_table_names(table.schema):
        for key in inspector.get_foreign_keys(name, table.schema):
            if key["referred_table"].lower() == table.name.lower():
                target = tuple(key["referred_columns"]) or table.primary_key
                found.append(
                    Reference(table.quote(name), tuple(key["constrained_columns"]), target)
                )
    return found


def _undeclared(table: Table) -> list[Reference]:
    """Give what a known store says of a row that comes after another without a foreign key."""
    for store in map(stores.get, stores.names()):
        columns = store.fingerprint.get(store.table)
        if store.before and columns and columns <= set(table.columns):
            return [Reference(table.ref, tuple(store.before), tuple(store.before.values()))]
    return []


def _points(connection: Connection, table: Table, reference: Reference, change: Change) -> bool:
    # The row gives the values itself: what is referred to need not be its key.
    pairs = zip(reference.columns, reference.target, strict=True)
    joined = " AND ".join(f"o.{table.quote(own)} = t.{table.quote(to)}" for own, to in pairs)
    where = " AND ".join(
        f"t.{table.quote(name)} = {table.bind(name, f'k{n}')}" for n, name in enumerate(change.key)
    )
    sql = (
        f"SELECT 1 FROM {reference.table} AS o, {table.ref} AS t WHERE {joined} AND {where} LIMIT 1"
    )
    values = {f"k{n}": cell for n, cell in enumerate(change.key.values())}
    return connection.execute(text(sql), values).first() is not None
