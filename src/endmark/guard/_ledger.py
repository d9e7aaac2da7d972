"""The table of conversations with their epochs, where a store has one: a turn's number, and its lock."""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, inspect, text

from endmark.stores._store import Store
from endmark.stores.table import Cell, Table

__all__ = ["Ledger", "ledger_of"]


def ledger_of(connection: Connection, table: Table, store: Store) -> Ledger | None:
    """Find the table of conversations with epochs, by the foreign key that leads to it."""
    inspector = inspect(connection)
    for key in inspector.get_foreign_keys(store.table, store.schema):
        if tuple(key["constrained_columns"]) == store.conversation:
            name, schema = key["referred_table"], key["referred_schema"]
            columns = {column["name"] for column in inspector.get_columns(name, schema)}
            if {"id", "epoch"} <= columns:
                ref = ".".join(table.quote(part) for part in (schema, name) if part)
                return Ledger(ref, postgresql=table.dialect == "postgresql")
    return None


class Ledger:
    """One row a conversation: its id, and the number of its last turn."""

    def __init__(self, ref: str, *, postgresql: bool) -> None:
        self.ref = ref
        self.named = named = "CAST(:c0 AS TEXT)" if postgresql else ":c0"
        if postgresql:
            lock = f"SELECT epoch FROM {ref} WHERE id = {named} FOR NO KEY UPDATE"
        else:  # the first write takes SQLite's write lock
            lock = f"UPDATE {ref} SET epoch = epoch WHERE id = {named} RETURNING epoch"
        self._lock = text(lock)
        self._new = text(
            f"INSERT INTO {ref} (id, epoch) VALUES ({named}, 0) ON CONFLICT (id) DO NOTHING"
        )
        self._next = text(f"UPDATE {ref} SET epoch = epoch + 1 WHERE id = {named} RETURNING epoch")
        self._gone = text(f"DELETE FROM {ref} WHERE id = {named}")
        self._ids = text(f"SELECT id FROM {ref} ORDER BY created_at, id")

    def lock(self, connection: Connection, id_: Cell, *, create: bool) -> int | None:
        """Lock a conversation's row until the transaction ends, and give its epoch."""
        return self._epoch(connection, self._lock, id_, create=create)

    def next_epoch(self, connection: Connection, id_: Cell) -> int | None:
        """Count one turn more."""
        return self._epoch(connection, self._next, id_, create=True)

    def _epoch(
        self, connection: Connection, statement: Any, id_: Cell, *, create: bool
    ) -> int | None:
        values = {"c0": id_}
        epoch: int | None = connection.execute(statement, values).scalar()
        if epoch is None and create:
            connection.execute(self._new, values)
            epoch = connection.execute(statement, values).scalar()
        return epoch

    def forget(self, connection: Connection, id_: Cell) -> None:
        """Take a conversation's row out."""
        connection.execute(self._gone, {"c0": id_})

    def ids(self, connection: Connection) -> list[Any]:
        """Name every conversation, the oldest first."""
        return list(connection.execute(self._ids).scalars())
