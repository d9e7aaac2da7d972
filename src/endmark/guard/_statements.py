"""INSERT, UPDATE and DELETE of a store's table, whoever has them executed on a connection.

What is open is closed before an INSERT, so that the closing rows sort first; what cannot be put in
order beforehand is repaired right after the statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from endmark import formats
from endmark.errors import UnreadableError
from endmark.formats._base import Message
from endmark.guard._bulk import (
    Later,
    Named,
    name_of,
    read_touched,
    rewritten,
    said_in,
    tell,
    touched,
)
from endmark.guard._closing import as_read, stands_before
from endmark.guard._core import Since, read_tail, settle, starting_at
from endmark.guard._payload import finalized, respelt, unpacked
from endmark.guard._rows import Rows, UnreadRowError, rows_of
from endmark.guard._tail import Tail, weigh
from endmark.guard.report import OnRepair, left_alone, report
from endmark.model import Shape, Turn
from endmark.policy import Policy
from endmark.stores import json_text
from endmark.stores._store import Store
from endmark.stores.conversation import RefusedError
from endmark.stores.order import stamp
from endmark.stores.table import Cell

__all__ = ["Statements", "Work"]

Parameters = Sequence[dict[str, Any]]


@dataclass(slots=True)
class Work:
    """One statement: as it is to be executed, and the conversations to be repaired after it, and since where."""

    statement: Any
    later: Later = field(default_factory=dict)
    taken: bool = False  # it changes rows, or takes them away


class Statements:
    """What a guard does about the statements of one store."""

    def __init__(self, store: Store, policy: Policy, on_repair: OnRepair | None) -> None:
        self.store = store
        self.format = formats.get(store.format)
        self.policy = policy
        self.on_repair = on_repair
        self.inline = self.format.shape is Shape.INLINE

    def concerns(self, statement: Any) -> bool:
        """Tell whether a statement writes to the store's table."""
        if not getattr(statement, "is_dml", False):
            return False
        table = statement.table
        return (getattr(table, "name", None), getattr(table, "schema", None)) == (
            self.store.table,
            self.store.schema,
        )

    def before(self, connection: Connection, statement: Any, parameters: Parameters) -> Work:
        """Do what has to be done before a statement that concerns the store.

        Parameters are finalized in place (inline formats). Raises `UnreadableError` where the end
        of a conversation cannot be read; the statement is then not to be executed.
        """
        if self.inline:
            sets = statement.is_insert or statement.is_update
            return Work(self._finalized(statement, parameters) if sets else statement)
        if statement.is_insert:
            return Work(statement, self._insert(connection, statement, parameters))
        if statement.is_update and not self._touches(statement, parameters):
            return Work(statement)
        return Work(statement, self._found(connection, statement, parameters), taken=True)

    def after(self, connection: Connection, work: Work) -> None:
        """Repair what the statement left out of order."""
        for named, since in work.later.items():
            rows = rows_of(connection, self.store)
            self._settle(connection, rows, named, "open", since, taken=work.taken)

    def _settle(
        self,
        connection: Connection,
        rows: Rows,
        named: Named,
        turn: Turn,
        since: Since = None,
        *,
        taken: bool = False,
    ) -> None:
        id_ = rows.id_of(named)
        rows.fence(connection, id_)
        try:
            done = settle(connection, rows, id_, self.policy, turn, since, taken=taken)
        except UnreadRowError as error:
            left_alone(_plain(named), error)
            return
        report(_plain(named), done.findings, self.on_repair)

    def _finalized(self, statement: Any, parameters: Parameters) -> Any:
        column = _columns(statement)[self.store.payload]
        names = {column.key, column.name}

        def closed(value: Any) -> Any:
            is_text = isinstance(value, str | bytes)
            read = json_text.read(value) if is_text else value
            new = finalized(read, self.format, self.policy)
            if new is read:
                return value
            tell(read, self.format, self.policy, self.on_repair)
            return respelt(value, read, new) if is_text else new

        for row in parameters:
            for name in names & row.keys():
                row[name] = closed(row[name])
        return rewritten(statement, names, closed)

    def _insert(self, connection: Connection, statement: Any, parameters: Parameters) -> Later:
        """Close what the new rows find open; give the conversations to be looked at again."""
        replaces = getattr(statement, "_post_values_clause", None) is not None
        later: Later = {}
        new = self._new(_said(statement, parameters))
        for named, given in sorted(new.items(), key=lambda item: repr(item[0])):  # as all lock
            rows = rows_of(connection, self.store)
            id_ = rows.id_of(named)
            rows.fence(connection, id_)
            places = [self._order(rows, values) for values in given]
            if replaces:  # a row that is there, perhaps
                later[named] = min(map(starting_at, places))
                continue
            given = [given[k] for k in as_read(places)]  # noqa: PLW2901
            try:
                tail = read_tail(connection, rows, id_, self.policy)
            except UnreadRowError as error:
                left_alone(_plain(named), error)
                continue
            if early := [place for place in places if stands_before(place, tail.last)]:
                later[named] = min(map(starting_at, early))
            elif not self._closed_before(connection, rows, named, given, tail):
                later[named] = None
        return later

    def _new(self, said: Iterable[dict[str, Any]]) -> dict[Named, list[dict[str, Any]]]:
        """Group the rows that a statement makes by conversation."""
        found: dict[Named, list[dict[str, Any]]] = {}
        for values in said:
            named = tuple(values.get(name) for name in self.store.conversation)
            if None not in named and self._is_read(values):
                found.setdefault(named, []).append(values)
        return found

    def _is_read(self, values: dict[str, Any]) -> bool:
        """Tell whether a new row is of the model's history at all."""
        return all(
            getattr(values[column], "value", values[column]) in allowed
            for column, allowed in self.store.only.items()
            if column in values
        )

    def _closed_before(
        self,
        connection: Connection,
        rows: Rows,
        named: Named,
        given: list[dict[str, Any]],
        tail: Tail,
    ) -> bool:
        """Close what the first new row finds open; False where more is to be done after it."""
        done = True
        for k, values in enumerate(given):
            message = self._message(values)
            if message is None:
                return False
            verdict = weigh(tail, message, self.format, self.policy)
            if verdict.closes and k == 0 and self._has_room(rows, tail, values):
                self._settle(connection, rows, named, "over")
                tail = read_tail(connection, rows, rows.id_of(named), self.policy)
                verdict = weigh(tail, message, self.format, self.policy)
                # A time that the database is to give may be that of the closing rows.
                done = rows.source.kind != "time" or self._order(rows, values) is not None
            if verdict.closes or verdict.disturbs or verdict.message is not message:
                done = False
            tail.take(verdict)
        return done

    def _message(self, values: dict[str, Any]) -> Message | None:
        """Read the message of a new row; None for what is no value, or no message.

        Raises `RefusedError` for one that bears a sign of what is left alone.
        """
        payload = values.get(self.store.payload)
        try:
            message = unpacked(
                payload if isinstance(payload, dict | list | str | bytes) else None,
                values.get(self.store.role) if self.store.role else None,
                self.format,
                column=self.store.role is not None,
            )
        except UnreadableError:
            return None
        for sign, reason in self.store.refuses.items():
            if message is not None and sign in message:
                raise RefusedError(reason)
        return message

    def _order(self, rows: Rows, values: dict[str, Any]) -> Any:
        return values.get(rows.source.order[0])

    def _has_room(self, rows: Rows, tail: Tail, values: dict[str, Any]) -> bool:
        """Tell whether closing rows fit between the last row and one with a given place."""
        if rows.source.kind == "shared":  # the database numbers the closing rows as well
            return all(values.get(name) is None for name in rows.source.order)
        place = self._order(rows, values)
        if place is None:
            return True
        needed = sum(len(self.format.call_ids(message)) for message in tail.block)
        try:
            return _number(place) - _number(tail.last) > needed
        except (TypeError, UnreadableError):
            return False

    def _touches(self, statement: Any, parameters: Parameters) -> bool:
        """Tell whether an UPDATE changes what a conversation says, or in what order."""
        store = self.store
        ours = {store.payload, store.role, *store.conversation, *store.order}
        return any(not ours.isdisjoint(row) for row in _said(statement, parameters))

    def _found(self, connection: Connection, statement: Any, parameters: Parameters) -> Later:
        """Look for the conversations of the rows that an UPDATE or DELETE is about."""
        by_name = _columns(statement)
        order = by_name.get(rows_of(connection, self.store).source.order[0])
        query = touched([by_name[name] for name in self.store.conversation], order, statement)
        found: Later = {}
        for row in parameters or ({},):
            found |= read_touched(connection, query, row)
        return found


def _columns(statement: Any) -> dict[str, Any]:
    """Give the columns of a statement's table by the names that the database has for them."""
    return {column.name: column for column in statement.table.c}


def _said(statement: Any, parameters: Parameters) -> Iterator[dict[str, Any]]:
    """Give the values of each row that a statement is to write, by the names of columns."""
    spelt = {column.key: name for name, column in _columns(statement).items()}
    for row in said_in(statement, parameters):
        yield {spelt.get(key := name_of(given), key): value for given, value in row.items()}


def _plain(named: Named) -> Any:
    return named[0] if len(named) == 1 else named


def _number(place: Any) -> int:
    cell: Cell = place if isinstance(place, int | float) else str(place)
    return stamp(cell)[0]
