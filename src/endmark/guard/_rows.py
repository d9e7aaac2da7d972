"""The rows of one store in one database, through statements that are built once.

The repository and the ORM hook read and write people's tables only here (and through
`stores.changes` where something is to be repaired).
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

import json
import uuid
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, text

from endmark.errors import StoreError, UnreadableError
from endmark.formats._base import Message
from endmark.guard._beside import require_in_sight
from endmark.guard._inserts import Inserts, batches
from endmark.guard._ledger import ledger_of
from endmark.guard._look import Look
from endmark.guard._unwritable import odd_in
from endmark.model import Shape
from endmark.stores import json_text
from endmark.stores._store import Store
from endmark.stores.calls_elsewhere import calls_elsewhere
from endmark.stores.conversation import Conversation, RefusedError, Row
from endmark.stores.left_out import left_out
from endmark.stores.order import stamp
from endmark.stores.select import of_conversations, read_rows
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells, without_content

__all__ = ["Id", "Rows", "UnreadRowError", "rows_of"]

Id = tuple[Cell, ...]


class UnreadRowError(UnreadableError):
    """A row that is stored cannot be read; the message says which one."""


_OPENED: weakref.WeakKeyDictionary[Engine, list[tuple[Store, Rows]]] = weakref.WeakKeyDictionary()


def rows_of(connection: Connection, store: Store) -> Rows:
    """Give the rows of a store in a connection's database; the database is looked at once."""
    schemas = connection.get_execution_options().get("schema_translate_map") or {}
    if store.schema in schemas:
        store = replace(store, schema=schemas[store.schema])
    opened = _OPENED.setdefault(connection.engine, [])
    for known, rows in opened:
        if known is store or known == store:
            return rows
    rows = Rows(connection, store)
    opened.append((store, rows))
    return rows


class Rows:
    """Raises `StoreError` for a wrong mapping, or a layout that has no row for a message."""

    def __init__(self, connection: Connection, store: Store) -> None:
        if store.layout != "rows" or store.fields:
            msg = f"store {store.name}: only a layout of one message a row, in one column, can be guarded"
            raise StoreError(msg)
        self.source = source = Source(connection, store)
        self.store, self.format, self.table = store, source.format, source.table
        require_in_sight(store, self.table.columns)
        self.numbered = source.kind == "sequence"
        self.postgresql = self.table.dialect == "postgresql"
        self.strict = connection.dialect.driver == "asyncpg"
        self.ledger = ledger_of(connection, self.table, store)
        self.message_id = self._message_id()
        # Where numbers are unique, a row that follows the last one follows it for every writer.
        place = {*self.store.conversation, source.order[0]}
        self.exact = self.numbered and any(set(names) == place for names in self.table.unique)
        self._prepare()

    def _message_id(self) -> str | None:
        """The column that holds the format's own id of a message: inline formats write over it."""
        if self.format.shape is not Shape.INLINE:
            return None
        if self.ledger and "message_id" in self.table.columns:
            return "message_id"
        alone = len(self.source.key) == 1 and not self.table.columns[self.source.key[0]].numbered
        if self.store.role and alone and self.format.id_field:
            return self.source.key[0]
        return None

    def _prepare(self) -> None:
        table, source = self.table, self.source
        ref = table.ref
        self._names = [f"c{n}" for n in range(len(self.store.conversation))]
        self.where = " AND ".join(map(table.equals, self.store.conversation, self._names))
        for column, allowed in self.store.only.items():
            values = ", ".join("'" + value.replace("'", "''") + "'" for value in allowed)
            self.where += f" AND {table.read(column)} IN ({values})"
        # Qualified: a bare name would mean the column as it is selected, which is text.
        names = dict.fromkeys([*source.order, *(() if self.exact else source.key)])
        sorting = [f"{ref}.{table.quote(name)}" for name in names]
        falling = ", ".join(f"{name} DESC" for name in sorting)
        first = source.order[0]
        self._at = len(source.order)  # where a row's content begins
        # The message is the payload, and nothing more is to be asked of it.
        self._bare = not (self.store.role or self.store.refuses or source.is_binary)
        self._end = f"FROM {ref} WHERE {self.where} ORDER BY {falling} LIMIT"
        self._looks: dict[tuple[int, bool], Look] = {}
        self._edge = text(
            f"SELECT {table.read(first)} FROM {ref} WHERE {self.where} "
            f"ORDER BY {falling} LIMIT 1 OFFSET :n"
        )
        ledger = self.ledger.ref if self.ledger else None
        top = f"(SELECT coalesce(max({table.quote(first)}), 0) FROM {ref} WHERE {self.where})"
        self.new = Inserts(source, message_id=self.message_id, ledger=ledger, top=top)
        self._nothing = text(f"DELETE FROM {ref} WHERE 1 = 0")

    def id_of(self, conversation_id: Any) -> Id:
        """Give the cells that name a conversation."""
        given = conversation_id if isinstance(conversation_id, tuple) else (conversation_id,)
        if len(given) != len(self.store.conversation):
            msg = f"a conversation of {self.table.label} is named by {self.store.conversation}"
            raise StoreError(msg)
        return tuple(map(self._cell, given, self.store.conversation))

    def _cell(self, value: Any, name: str) -> Cell:
        if isinstance(value, str) and (odd := odd_in(value, nul=not self.postgresql)):
            raise StoreError(f"no conversation of {self.table.label} is named so: it holds {odd}")
        if isinstance(value, uuid.UUID):
            short = "CHAR(32)" in self.table.columns[name].type.upper()
            return value.hex if short and not self.postgresql else str(value)
        if self.ledger and isinstance(value, int):
            return str(value)
        return value  # type: ignore[no-any-return]

    def native(self, cells: Cells) -> Cells:
        """Give cells that were read as text as the values that asyncpg insists on."""
        if not self.strict:
            return cells
        return {name: self._native(name, cell) for name, cell in cells.items()}

    def _native(self, name: str, cell: Cell) -> Any:
        kind = self.table.columns[name].type.lower()
        if not self.strict or not isinstance(cell, str):
            return cell
        if kind in {"smallint", "integer", "bigint"}:
            return int(cell)
        return datetime.fromisoformat(cell) if kind.startswith(("timestamp", "date")) else cell

    def _bound(self, id_: Id, **more: Any) -> dict[str, Any]:
        return dict(zip(self._names, id_, strict=True), **more)

    def lock(self, connection: Connection, id_: Id, *, create: bool = True) -> int | None:
        """Keep other writers of a conversation out until the transaction ends; give its epoch.

        None: there is no such conversation, or the store has no place for an epoch.
        """
        if self.ledger is not None:
            return self.ledger.lock(connection, id_[0], create=create)
        self.fence(connection, id_)
        return None

    def fence(self, connection: Connection, id_: Id) -> None:
        """Keep other writers of a conversation out until the transaction ends."""
        if not self.postgresql:  # takes SQLite's write lock, and writes nothing
            connection.execute(self._nothing)
        elif self.ledger is not None:
            self.ledger.lock(connection, id_[0], create=False)
        else:
            name = json.dumps([self.table.label, [str(cell) for cell in id_]])
            connection.execute(_ADVISORY, {"name": name})

    def next_epoch(self, connection: Connection, id_: Id) -> int | None:
        """Let a new turn begin: whoever holds the old epoch is stale."""
        if self.ledger is not None:
            return self.ledger.next_epoch(connection, id_[0])
        self.fence(connection, id_)
        return None

    def tail(
        self, connection: Connection, id_: Id, count: int, *, epoch: bool = False
    ) -> tuple[list[Sequence[Cell]], int | None]:
        """Read the last rows of a conversation, the last one first, and its epoch on demand.

        Each row is as `message` takes it: its order first.
        """
        look = self._looks.get((count, epoch)) or self._look(connection, count, epoch=epoch)
        found = look.rows(connection, self._bound(id_))
        current = found[0][-1] if found and epoch else None
        return found, None if current is None else int(current)

    def now(self, connection: Connection) -> Cell:
        """Give the time that the database would give to a row, as the order's column reads."""
        kind = self.table.columns[self.source.order[0]].type
        here = (
            f"CAST(CAST(CURRENT_TIMESTAMP AS {kind}) AS TEXT)"
            if self.postgresql
            else "CURRENT_TIMESTAMP"
        )
        found: Cell = connection.scalar(text(f"SELECT {here}"))
        return found

    def message(self, found: Sequence[Cell]) -> Message:
        """Read the message of a row that `tail` gave. Raises `UnreadableError`."""
        cell = found[self._at]
        if self._bare and isinstance(cell, str):
            try:
                payload = json_text.read(cell)
            except UnreadableError:
                payload = None  # said in full below
            if isinstance(payload, dict):
                return payload
        row = Row({}, (found[0],), dict(zip(self.source.content, found[self._at :], strict=False)))
        return self._decoded(row)

    def _decoded(self, row: Row) -> Message:
        try:
            self.source.decode(row)
        except RefusedError:
            raise
        except UnreadableError as error:
            raise UnreadRowError(
                f"{self.table.label}, the row whose {self.source.order[0]} is {row.order[0]!r}: "
                f"{str(error).rstrip('.')}; mend that row, or take it out"
            ) from None
        assert row.message is not None
        return row.message

    def _look(self, connection: Connection, count: int, *, epoch: bool) -> Look:
        """Build the query; its limit is a literal, which a prepared plan can count on."""
        columns = ", ".join(map(self.table.read, [*self.source.order, *self.source.content]))
        if epoch and self.ledger is not None:
            columns += f", (SELECT epoch FROM {self.ledger.ref} WHERE id = {self.ledger.named})"
        look = Look(connection, f"SELECT {columns} {self._end} {count}")
        self._looks[count, epoch] = look
        return look

    def segment(self, connection: Connection, id_: Id, count: int | None) -> Conversation:
        """Read the last `count` rows of a conversation and what is level with them; None: all."""
        condition, values = of_conversations(self.source, [id_])
        if count is not None:
            edge = connection.execute(self._edge, self._bound(id_, n=count - 1)).scalar()
            if edge is not None:
                first = self.source.order[0]
                quoted, bind = self.table.quote(first), self.table.bind(first, "edge")
                condition, values = (
                    f"{condition} AND {quoted} >= {bind}",
                    {**values, "edge": self._native(first, edge)},
                )
        conversation = Conversation(id_, doubt=partial(self._doubt, connection, id_))
        found = [row for _, row in read_rows(self.source, connection, condition, values)]
        for row in _in_order(found):
            conversation.history.append(self._decoded(row))
            conversation.rows.append(row)
        return conversation

    def _doubt(self, connection: Connection, id_: Id) -> str | None:
        """Say why the results of a conversation may have calls that are not in its messages."""
        if self.store.fingerprint:  # a known one
            return None
        return left_out(self.source, connection, id_) or calls_elsewhere(
            self.source, connection, id_
        )

    @without_content()
    def append(
        self, connection: Connection, id_: Id, messages: Sequence[Message], last: Cell
    ) -> Cell:
        """Write messages behind the last row; give the order value of the last one written."""
        values = []
        for message in messages:
            last = self.new.following(last)
            values.append(self.new.values(id_, message, last))
        for columns, batch in batches(values):
            connection.execute(
                self.new.statement(columns, "plain"), batch if batch[1:] else batch[0]
            )
        return last

    @without_content()
    def append_behind(
        self, connection: Connection, id_: Id, message: Message, last: Cell, epoch: int
    ) -> Cell | None:
        """Lock and write one message if the last row and the epoch still are those; None if not."""
        values = self.new.values(id_, message, self.new.following(last))
        sql = self.new.statement(tuple(values), "behind")
        bound = self._bound(id_, last=int(last or 0), epoch=epoch)
        done = connection.execute(sql, {**values, **bound})
        return values["v_" + self.source.order[0]] if done.rowcount == 1 else None

    @without_content()
    def put(self, connection: Connection, id_: Id, messages: Sequence[Message]) -> None:
        """Write messages at the end, or over the row with the same message id; nothing is read."""
        kind = "put" if self.message_id else "end"
        values = [self.new.values(id_, message, None) for message in messages]
        for columns, batch in batches(values):
            bound = [{**row, **self._bound(id_)} for row in batch]
            connection.execute(self.new.statement(columns, kind), bound if bound[1:] else bound[0])

    def delete(self, connection: Connection, rows: Iterable[Row]) -> None:
        """Take rows out."""
        where = " AND ".join(self.table.equals(n, f"k{i}") for i, n in enumerate(self.source.key))
        values = [
            {f"k{i}": cell for i, cell in enumerate(self.native(row.key).values())} for row in rows
        ]
        if values:
            connection.execute(text(f"DELETE FROM {self.table.ref} WHERE {where}"), values)

    def delete_all(self, connection: Connection, id_: Id) -> None:
        """Take a conversation out."""
        sql = f"DELETE FROM {self.table.ref} WHERE {self.where}"
        connection.execute(text(sql), self._bound(id_))
        if self.ledger:
            self.ledger.forget(connection, id_[0])

    def conversations(self, connection: Connection) -> list[Any]:
        """Name every conversation, the oldest first where the store tells."""
        if self.ledger:
            return self.ledger.ids(connection)
        names = ", ".join(map(self.table.quote, self.store.conversation))
        sql = f"SELECT DISTINCT {names} FROM {self.table.ref} ORDER BY {names}"
        found = connection.execute(text(sql)).all()
        return [tuple(row) if len(row) > 1 else row[0] for row in found]


def _in_order(rows: list[Row]) -> list[Row]:
    """Sort rows by the number, or the time, that orders them; PostgreSQL gives it as text."""
    try:
        return sorted(rows, key=lambda row: stamp(row.order[0])[0])
    except UnreadableError:
        return rows


_ADVISORY = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
