"""A store opened on a connection: its conversations read, and the changes that a repair means.

row -> payload -> history here, and back again: `Source.changes` says which rows would change, and
nothing in this package writes without `write.execute`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import Any

from sqlalchemy import Connection

from endmark import formats
from endmark.errors import StoreError, UnreadableError, kind_of
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.model import Shape
from endmark.stores import endmark_tables, json_text
from endmark.stores._store import LISTS, OrderKind, Store
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, RefusedError, Row, Wrap
from endmark.stores.mixed import Mixed
from endmark.stores.order import moment
from endmark.stores.sense import nonsense
from endmark.stores.table import Cell, Table, rows_of
from endmark.stores.words import body_of, is_words, reads_back

# One module a layout, each with `load`, `changes` and `read_sample`; with `open_second` where it
# has a second table.
LAYOUTS = {
    "checkpoints": "endmark.stores.checkpoints",
    "rows": "endmark.stores.rows",
    "parts": "endmark.stores.parts",
    "list": "endmark.stores.lists",
    "gathered": "endmark.stores.gathered",
    "linked": "endmark.stores.linked",
    "nested": "endmark.stores.nested",
    "tree": "endmark.stores.trees",
}
WHOLE = LISTS | {"tree"}  # layouts in which one row holds a conversation
AGE_COLUMNS = ("updated_at", "updatedAt", "created_at", "createdAt", "timestamp")


class Source:
    """A store's tables as they are in one database. Raises `StoreError` for a wrong mapping."""

    def __init__(self, connection: Connection, store: Store) -> None:
        self.store = store
        self.format = formats.get(store.format)
        self.layout: Any = import_module(LAYOUTS[store.layout])
        self.table = Table(connection, store.table, store.schema)
        self.tables = {self.table.label: self.table}
        if missing := set(getattr(self.layout, "BESIDE", ())) - set(store.beside):
            msg = f"layout {store.layout!r} is for known stores: it reads {', '.join(missing)} too"
            raise StoreError(msg)
        self.beside = {
            what: Table(connection, name, store.schema) for what, name in store.beside.items()
        }
        self.tables |= {table.label: table for table in self.beside.values()}
        self.key = self.table.key(store.key)
        self._require_sense()
        self._require_unique(connection)
        self.order = store.order or (() if store.layout in WHOLE else self._order_of_key())
        self.only = {name: values for name, values in store.only.items() if self._has(name)}
        placing = {*store.conversation, *self.key, *self.order}
        self.fields = {c: k for c, k in store.fields.items() if self._has(c) and c not in placing}
        self.without = {c: text for c, text in store.without.items() if self._has(c)}
        self.new = {c: value for c, value in store.new.items() if self._has(c)}
        named = [*store.conversation, *self.order, *self.only, *self.fields, *self.new]
        self.table.require([*named, *(c for c in (store.role, store.age, *store.copies) if c)])
        open_second = getattr(self.layout, "open_second", None)
        self.second: Table | None = open_second and open_second(self, connection)
        self.payload_table = self.second if self.second and store.linked else self.table
        if store.layout != "parts" and not store.fields:
            self.payload_table.require([store.payload or "payload"])
        self.copies = {c: name for c, name in store.copies.items() if c not in placing}
        linked = store.linked
        content = (linked.by, *linked.follows) if linked else (store.payload,)
        columns = (*content, store.role, *self.fields, *self.copies)
        self.content = tuple(c for c in columns if c)
        if store.answers is not None:
            more = (store.answers.content, store.answers.parent, store.answers.thread)
            self.content += tuple(
                c for c in (*more, *store.answers.shared) if c in self.table.columns
            )
        self.told = self._times_as_text(connection)
        self.age = self._age()
        self.kind: OrderKind = store.order_kind or self._kind()
        self.head = self._head(connection)
        if store.any_format:
            from endmark.stores import sample

            self.format = sample.format_of(self, connection)

    @cached_property
    def mixed(self) -> Mixed | None:
        """Look for messages of several formats, where nobody but its users knows the table.

        Formats that hold results in their calls are looked for by these, and no others are seen.
        """
        known = self.store.fingerprint and self.store.name != endmark_tables.NAME
        return None if known or self.format.shape is Shape.INLINE else Mixed(self.format)

    def _require_sense(self) -> None:
        """Refuse a mapping that cannot be meant, or takes each row for a conversation."""
        store, named = self.store, set(self.store.conversation)
        unique = [self.table.primary_key, *self.table.unique]
        if why := nonsense(store):
            raise StoreError(why)
        if store.layout not in WHOLE and any(names and set(names) <= named for names in unique):
            raise StoreError(
                f"{', '.join(store.conversation)} differs in every row of {self.table.label}; "
                "--conversation takes what all messages of one conversation share"
            )

    def _require_unique(self, connection: Connection) -> None:
        """See that a key which was named tells rows apart, unless the database sees to it."""
        table, unique = self.table, [self.table.primary_key, *self.table.unique]
        if self.key == ("rowid",) or any(names and set(names) <= set(self.key) for names in unique):
            return
        names = ", ".join(map(table.quote, self.key))
        nulls = " OR ".join(f"{table.quote(name)} IS NULL" for name in self.key)
        for condition in (f"WHERE {nulls}", f"GROUP BY {names} HAVING count(*) > 1"):
            sql = f"SELECT 1 FROM {table.ref} {condition} LIMIT 1"  # noqa: S608
            if rows_of(connection, sql, {}):
                msg = (
                    f"the key {', '.join(self.key)} does not tell the rows of {table.label} apart; "
                    "name unique columns with --key"
                )
                raise StoreError(msg)

    def _has(self, name: str) -> bool:
        """Tell whether a column is looked for: one that older versions lack may be missing."""
        return name in self.table.columns or name not in self.store.optional

    def _head(self, connection: Connection) -> Table | None:
        head = self.store.head
        if head is None:
            return None
        start = [head.start] if head.start else []
        return self.add_table(connection, head.table, [head.key, *head.counts, *start])

    @property
    def name(self) -> str:
        return self.store.name

    def _order_of_key(self) -> tuple[str, ...]:
        """Take the key for the order where it counts; the order of other keys means nothing."""
        if not all(self.table.columns[name].is_number for name in self.key):
            msg = (
                f"name the column that orders the messages of {self.table.label} with --order: "
                f"its key ({', '.join(self.key)}) is not a number"
            )
            raise StoreError(msg)
        return self.key

    def add_table(
        self, connection: Connection, name: str, columns: Sequence[str], schema: str | None = None
    ) -> Table:
        """Open another table of the store. Raises `StoreError` where it, or a column, is not there."""
        table = Table(connection, name, schema or self.store.schema)
        table.require(columns)
        self.tables[table.label] = table
        return table

    def read_sample(self, row: Row) -> list[Any]:
        """Read the messages, or the part of one, in a row alone. Raises `UnreadableError`."""
        return list(self.layout.read_sample(self, row))

    def _age(self) -> str | None:
        if self.store.age is not None:
            return self.store.age or None
        if self.order and self._is_time(self.order[0]):
            return self.order[0]
        return next((name for name in AGE_COLUMNS if name in self.table.columns), None)

    def _is_time(self, name: str) -> bool:
        return name in self.told or self.table.columns[name].is_time

    def _times_as_text(self, connection: Connection) -> set[str]:
        """Find the order column, or none, whose texts are times."""
        name, table = next(iter(self.order), ""), self.table
        if not name or not any(
            word in table.columns[name].type.lower() for word in ("char", "text")
        ):
            return set()
        cell = table.quote(name)
        sql = f"SELECT {cell} FROM {table.ref} WHERE {cell} IS NOT NULL LIMIT 1"  # noqa: S608
        said = [row[0] for row in rows_of(connection, sql, {})]
        return {name} if any(isinstance(s, str) and "-" in s and moment(s) for s in said) else set()

    def _kind(self) -> OrderKind:
        """See from the order column whether its values are a conversation's own."""
        if not self.order:
            return "sequence"
        first = self.order[0]
        if self._is_time(first):
            return "time"
        alone = (first,) == self.table.primary_key or (first,) in self.table.unique
        column = self.table.columns[first]
        in_key = first in self.key
        return (
            "shared" if alone or in_key or column.numbered or not column.is_number else "sequence"
        )

    def load(
        self, connection: Connection, ids: Sequence[tuple[Cell, ...]], *, lock: bool = False
    ) -> list[Conversation]:
        """Read these conversations whole, each with its rows in order.

        `lock` takes PostgreSQL's row locks for the transaction. A conversation that cannot be
        read comes back with its `problem`.
        """
        if self.store.refusal:
            return [Conversation(id_, problem=self.store.refusal) for id_ in ids]
        conversations: list[Conversation] = self.layout.load(self, connection, ids, lock=lock)
        return conversations

    @property
    def is_sought(self) -> bool:
        """Say whether an index finds a conversation's rows; else each reading is of all rows."""
        found = not self.table.sought.isdisjoint(self.store.conversation)
        parts = self.store.parts
        return found and (
            parts is None or self.second is None or parts.message in self.second.sought
        )

    def changes(self, conversation: Conversation, rebuilt: Rebuilt) -> list[Change]:
        """Say which rows change for a rebuilt history, without writing any.

        Raises `UnreadableError` when the store has no room for what the repair needs.
        """
        changes: list[Change] = self.layout.changes(self, conversation, rebuilt)
        return [own for change in changes if (own := self._without_computed(change)) is not None]

    def _without_computed(self, change: Change) -> Change | None:
        """Leave to the database the columns that it computes; None where no other changes."""
        after, before = change.after, change.before
        if after is None or before is None:  # a new row is written without them anyway
            return change
        columns = self.tables[change.table].columns
        own = {name: cell for name, cell in after.items() if not columns[name].generated}
        if len(own) == len(after):
            return change
        return replace(change, before={n: before[n] for n in own}, after=own) if own else None

    @property
    def is_opaque(self) -> bool:
        """Say whether a payload is more than JSON text: a conversation is then read to be seen."""
        return bool(getattr(self.layout, "OPAQUE", False))

    def lists(self, cell: Cell) -> list[list[Any]]:
        """Give the histories in one payload, of a layout that keeps lists."""
        return list(self.layout.lists(self, cell))

    def decode(self, row: Row) -> None:
        """Read a row's payload into its message. Raises `UnreadableError`."""
        if self.fields:
            from endmark.stores import fields

            row.message, row.wrap = fields.read(self, row.cells), "columns"
            return
        row.payload = self.payload_of(row)
        row.message, row.wrap = self._wrapped(row)

    def payload_of(self, row: Row) -> Any:
        """Read the payload of a row. Raises `UnreadableError`."""
        cell = row.cells[self.store.payload]
        if self.is_binary:
            msg = "the payload is bytea; Endmark reads text, json and jsonb"
            raise UnreadableError(msg)
        if cell is None:
            msg = "the payload is NULL"
            raise UnreadableError(msg)
        if not isinstance(cell, str | bytes):
            msg = f"the payload is a {type(cell).__name__}, not JSON text"
            raise UnreadableError(msg)
        payload = self._read(cell, row.cells.get(self.store.role or ""))
        for sign, reason in self.store.refuses.items():
            if isinstance(payload, dict) and sign in payload:
                raise RefusedError(reason)
        return payload

    def _read(self, cell: str | bytes, role: Cell) -> Any:
        if self.holds_words and isinstance(cell, str):
            return body_of(cell, role, self.format)
        return json_text.read(cell)

    @cached_property
    def is_binary(self) -> bool:
        """Say whether the payload's column is one that cannot be read."""
        return self.payload_table.columns[self.store.payload].type == "bytea"

    @cached_property
    def holds_words(self) -> bool:
        """Say whether a text in the payload's column may be words as they stand."""
        column = self.payload_table.columns[self.store.payload]
        return self.store.role is not None and "json" not in column.type.lower()

    def _wrapped(self, row: Row) -> tuple[Message, Wrap]:
        payload = row.payload
        if self.store.role is None:
            if not isinstance(payload, dict):
                msg = f"the payload is {kind_of(payload)}, not an object"
                raise UnreadableError(msg)
            return payload, "message"
        role = row.cells[self.store.role]
        if isinstance(payload, dict):
            wrap: Wrap = "message" if "role" in payload else "rest"
            return {**payload, "role": role}, wrap
        message: Message = {"role": role, self.format.body: payload}
        if self.format.id_field and len(row.key) == 1:
            message = {self.format.id_field: str(next(iter(row.key.values()))), **message}
        return message, "words" if is_words(row.cells[self.store.payload], payload) else "body"

    def unwrap(self, message: Message, wrap: Wrap) -> Any:
        """Give the payload that holds this message.

        Where others are just the content, a message that is more (a result, calls) is all but
        its role: so a reader must have stored one before. One that says nothing is whole, where its
        content as JSON would be read as words.
        """
        if wrap == "message":
            return message
        rest = {key: value for key, value in message.items() if key != "role"}
        bare = rest.keys() <= {self.format.body, self.format.id_field} and self.format.body in rest
        if wrap not in ("body", "words") or not bare:
            return rest
        body = rest[self.format.body]
        as_it_stands = not self.holds_words or (wrap == "words" and isinstance(body, str))
        return body if as_it_stands or reads_back(body, message["role"], self.format) else message
