"""New rows of a store: the values that a message becomes, and the statements that write them.

Statements are built once for each set of columns; values are bound through the column's type.
"""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import TextClause, text

from endmark.errors import UnreadableError
from endmark.formats._base import Message
from endmark.guard._unwritable import UnwritableError, require_taken
from endmark.stores.order import stamp
from endmark.stores.source import Source
from endmark.stores.table import Cell

__all__ = ["Inserts", "batches"]


class Inserts:
    """How messages become rows. `top` is SQL for the last order value of a conversation."""

    def __init__(
        self, source: Source, *, message_id: str | None, ledger: str | None, top: str
    ) -> None:
        self.source = source
        self.store, self.format, self.table = source.store, source.format, source.table
        self.numbered = source.kind == "sequence"
        self.message_id = message_id
        self.ledger = ledger
        self._top = top
        self._inserts: dict[tuple[str, tuple[str, ...]], TextClause] = {}

    def following(self, last: Cell) -> Cell:
        if self.source.kind == "shared":
            return None
        if self.numbered:
            return int(last or 0) + 1
        now = int(datetime.now(UTC).timestamp() * 1e6)
        type_ = self.table.columns[self.source.order[0]].type.lower()
        sample = last or "2000-01-01 00:00:00" + (
            "+00:00" if "tz" in type_ or "with t" in type_ else ""
        )
        value, write = stamp(sample)
        return write(max(now, value + 1))

    def values(self, id_: tuple[Cell, ...], message: Message, order: Cell) -> dict[str, Any]:
        store = self.store
        values: dict[str, Any] = {
            f"v_{name}": cell for name, cell in zip(store.conversation, id_, strict=True)
        }
        payload = self.source.unwrap(message, "body" if store.role else "message")
        try:
            values[f"v_{store.payload}"] = json.dumps(
                payload, separators=(",", ":"), allow_nan=False
            )
        except (TypeError, ValueError, RecursionError) as error:
            raise UnwritableError(f"it is not JSON: {error}") from error
        if store.role:
            values[f"v_{store.role}"] = message["role"]
        for column, allowed in store.only.items():
            values[f"v_{column}"] = allowed[0]
        if order is not None:
            values[f"v_{self.source.order[0]}"] = order
        self._add_key(values, message)
        require_taken(self.table, {name[2:]: value for name, value in values.items()})
        return values

    def require_writable(self, id_: tuple[Cell, ...], messages: Sequence[Message]) -> None:
        """Raises `UnreadableError` with the place of the first message that cannot be written."""
        for place, message in enumerate(messages):
            try:
                self.values(id_, message, None)
            except UnwritableError as error:
                said = f"message {place} cannot be written, and was not: {error}"
                raise UnreadableError(said) from None

    def _add_key(self, values: dict[str, Any], message: Message) -> None:
        if self.message_id:
            own = message.get(self.format.id_field) if self.format.id_field else None
            if own is not None or self.message_id == "message_id":
                values[f"v_{self.message_id}"] = own
        for name in self.source.key:
            column = self.table.columns[name]
            kind = column.type.lower()
            if f"v_{name}" in values or column.numbered or column.generated:
                continue
            if any(word in kind for word in ("uuid", "text", "char", "clob")):
                made = uuid.uuid4()
                values[f"v_{name}"] = made.hex if "char(32)" in kind else str(made)

    def statement(self, columns: Iterable[str], kind: str) -> TextClause:
        columns = tuple(columns)
        known = self._inserts.get((kind, columns))
        if known is None:
            known = self._inserts[kind, columns] = text(self._insert_sql(columns, kind))
        return known

    def _insert_sql(self, columns: tuple[str, ...], kind: str) -> str:
        names = [column.removeprefix("v_") for column in columns]
        binds = [self.table.bind(name, f"v_{name}") for name in names]
        first = self.source.order[0]
        if kind in {"put", "end"} and self.numbered:
            names, binds = [*names, first], [*binds, f"{self._top} + 1"]
        quoted = ", ".join(map(self.table.quote, names))
        into = f"INSERT INTO {self.table.ref} ({quoted})"
        if kind == "behind":
            return self._behind(into, ", ".join(binds))
        sql = f"{into} VALUES ({', '.join(binds)})"
        if kind == "put":
            assert self.message_id is not None
            unique = (
                [*self.store.conversation, self.message_id] if self.ledger else [self.message_id]
            )
            target = ", ".join(map(self.table.quote, unique))
            kept = [name for name in (self.store.payload, self.store.role) if name]
            sets = ", ".join(
                f"{self.table.quote(n)} = excluded.{self.table.quote(n)}" for n in kept
            )
            sql += f" ON CONFLICT ({target}) DO UPDATE SET {sets}"
        return sql

    def _behind(self, into: str, binds: str) -> str:
        """Write behind a known last row, in a known epoch; the row lock is part of the statement."""
        if self.table.dialect != "postgresql":
            epoch = f"(SELECT epoch FROM {self.ledger} WHERE id = :c0)"
            return f"{into} SELECT {binds} WHERE {self._top} = :last AND {epoch} = :epoch"
        held = f"SELECT 1 FROM {self.ledger} WHERE id = CAST(:c0 AS TEXT) AND epoch = :epoch"
        columns = [*self.store.conversation, self.source.order[0]]
        target = ", ".join(map(self.table.quote, columns))
        return (
            f"WITH held AS ({held} FOR NO KEY UPDATE) {into} SELECT {binds} FROM held "
            f"WHERE {self._top} = :last ON CONFLICT ({target}) DO NOTHING"
        )


def batches(
    values: Sequence[dict[str, Any]],
) -> Iterable[tuple[tuple[str, ...], list[dict[str, Any]]]]:
    """Put neighbours together that fill the same columns: one round trip each."""
    batch: list[dict[str, Any]] = []
    for row in values:
        if batch and tuple(batch[0]) != tuple(row):
            yield tuple(batch[0]), batch
            batch = []
        batch.append(row)
    if batch:
        yield tuple(batch[0]), batch
