"""What speaks against a mapping that somebody described: messages of another format, fields left out.

A wrong mapping finds nothing wrong, which would look like a healthy database.
"""
# ruff: noqa: S608  (names are quoted by the dialect)

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection

from endmark import formats
from endmark.errors import StoreError, UnreadableError
from endmark.formats import Format
from endmark.model import Result, Shape
from endmark.stores import sample
from endmark.stores._store import LISTS, Store
from endmark.stores.calls_elsewhere import calls_elsewhere
from endmark.stores.conversation import Row
from endmark.stores.guess import is_role, lists_in, order_of, sequence_of
from endmark.stores.left_out import left_out, telling
from endmark.stores.order import moment
from endmark.stores.source import Source
from endmark.stores.table import rows_of

__all__ = ["doubt", "undoubted"]

UUID = re.compile(
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE
)


def doubt(source: Source, connection: Connection) -> str | None:
    """Say why a described store is probably not read as it was written; None where nothing is odd."""
    look = _Look(source, connection)
    return next((why for check in CHECKS if (why := check(look))), None)


def undoubted(connection: Connection, stores: Sequence[Store]) -> list[Store]:
    """Give stores. Raises `StoreError` for one that somebody described, and that is read wrongly."""
    for store in stores:
        if store.fingerprint:  # a known one, in other clothes
            continue
        if why := doubt(Source(connection, store), connection):
            raise StoreError(why)
    return list(stores)


class _Look:
    """A few rows of a store, and how its format reads them."""

    def __init__(self, source: Source, connection: Connection) -> None:
        self.source, self.connection, self.store = source, connection, source.store
        payload = self.store.payload
        self.where = f"{source.table.label}.{payload}" if payload else source.table.label

    @cached_property
    def rows(self) -> list[Row]:
        """The first rows; where they show no call, some that may hold one."""
        rows = sample.rows(self.source, self.connection)
        format_ = self.source.format
        if not self.store.payload or any(
            sample.calls(format_, m) for m in self.read(format_, rows)
        ):
            return rows
        table = self.source.payload_table
        if self.store.payload not in table.columns or self.store.parts:
            return rows
        return rows + sample.rows(self.source, self.connection, f"WHERE {telling(self.source)}")

    @cached_property
    def seen(self) -> list[Any]:
        return self.read(self.source.format, self.rows)

    def read(self, format_: Format, rows: Sequence[Row]) -> list[Any]:
        source = sample.as_of(self.source, format_)
        return [message for row in rows for message in sample.read(source, row)]

    def scores(self, format_: Format, rows: Sequence[Row]) -> list[int]:
        """Tell how another format finds what it reads; what cannot be read says nothing."""
        read = self.read(format_, rows)
        return [sample.score(format_, one) for one in read if one is not None]

    def calls(self, format_: Format) -> bool:
        """Tell whether a format finds a call in these rows."""
        read = self.seen if format_ is self.source.format else self.read(format_, self.rows)
        return any(sample.calls(format_, one) for one in read)

    @property
    def results(self) -> bool:
        """Tell whether a result is among these rows."""
        read = [one for one in self.seen if isinstance(one, dict)]
        return any(formats.ids([one], self.source.format, Result) for one in read)

    @cached_property
    def told(self) -> list[int]:
        return self.scores(self.source.format, self.rows)

    @property
    def is_plain(self) -> bool:
        """Say whether a row, or a list in one, holds messages and nothing beside it does."""
        return self.store.layout == "rows" or self.store.layout in LISTS


def _age(look: _Look) -> str | None:
    source, name = look.source, look.store.age
    if not name or _tells_time(source, look.connection, name):
        return None
    return (
        f"{source.table.label}.{name} holds no time, so it tells no age; "
        "--age takes the column that says when a row was written"
    )


def _tells_time(source: Source, connection: Connection, name: str) -> bool:
    """Tell whether a column holds times, as far as a few rows say; an empty one may."""
    cells = _cells(source, connection, name)
    return not cells or any(moment(one) is not None for one in cells)


def _cells(source: Source, connection: Connection, name: str) -> list[Any]:
    table = source.table
    cell = table.quote(name)
    sql = f"SELECT {table.read(name)} FROM {table.ref} WHERE {cell} IS NOT NULL LIMIT {sample.SIZE}"
    return [row[0] for row in rows_of(connection, sql, {})]


def _order(look: _Look) -> str | None:
    """See that what orders the messages is no random id: those heal what is sound."""
    source = look.source
    name = next(iter(source.order), None)
    if name is None or not _are_random(_cells(source, look.connection, name)):
        return None
    better = order_of(source.table, {*source.content, name}, *look.store.conversation)
    way = f"; by the looks of it, --order {better}" if better else ""
    return (
        f"{source.table.label}.{name} holds random ids (UUIDs of version 4), which order nothing; "
        f"--order takes a time, a sequence or, on SQLite, rowid{way}"
    )


def _unordered(look: _Look) -> str | None:
    source = look.source
    taken, conversation = {*source.content, *source.key}, look.store.conversation
    names = [*source.table.columns]
    numbers = [n for n in names if source.table.columns[n].is_number]
    named = sequence_of(n for n in numbers if n not in {*taken, *conversation})
    inline = source.format.shape is Shape.INLINE
    if inline or look.store.order or look.store.layout != "rows" or named is None:
        return None
    better = order_of(source.table, taken, *conversation)
    key = ", ".join(source.key)
    return (
        f"no column of {source.table.label} is named that orders its messages: by the looks of it, "
        f"--order {better}; else --order {key}, its key"
    )


def _are_random(cells: Sequence[Any]) -> bool:
    """Tell whether these are all UUIDs of version 4; those of version 7 and ULIDs sort by time."""
    told = [UUID.fullmatch(cell) and uuid.UUID(cell) for cell in cells if isinstance(cell, str)]
    return len(told) == len(cells) > 1 and all(one and one.version == 4 for one in told)


def _format(look: _Look) -> str | None:
    """Say of which other format the messages surely are, where none is as that one named asks."""
    told = [one for one in look.seen if isinstance(one, dict)]
    likely: Sequence[str] = formats.foreign(told, look.source.format)
    if not likely and not look.calls(look.source.format):
        likely = [name for name in formats.names() if _is_sure(look, formats.get(name))]
    if not likely:
        return None
    name = look.source.format.name
    return (
        f"the messages in {look.where} are not of {name}: by the looks of them they are "
        f"of {', '.join(likely)}; name it with --format"
    )


def _is_sure(look: _Look, format_: Format) -> bool:
    """Tell whether a format reads these messages, and calls in them: words alone fit many."""
    scores = look.scores(format_, look.rows)
    fits = 1 in scores and scores.count(-1) <= len(scores) // sample.FEW
    return fits and look.calls(format_)


def _without_role(look: _Look) -> str | None:
    """Say which column probably tells who speaks, where no message does."""
    source, store = look.source, look.store
    if store.layout != "rows" or store.role or any(one >= 0 for one in look.told):
        return None
    used = {*store.conversation, *source.order, *source.key, *source.content}
    names = [name for name in source.table.columns if name not in used]
    roles = [name for name in names if is_role(look.connection, source.table, name)]
    if not roles or not look.seen:
        return None
    what = "payload" if store.payload else "row"
    return f"no {what} in {look.where} is a message with its role; by the looks of it, add --role {roles[0]}"


def _layout(look: _Look) -> str | None:
    """See that a list is one of messages, and that a message is no list of them."""
    if not look.is_plain or 1 in look.told:
        return None
    format_, store = look.source.format, look.store
    if store.layout in LISTS and any(_is_message(one) for one in _lists(look)):
        return (
            f"the lists in {look.where} hold the parts of one message each, not messages: describe "
            "a message a row (--layout rows, with --role and --order)"
        )
    if store.layout == "rows" and store.payload:
        values = [sample.value(row.cells[store.payload]) for row in look.rows]
        for path, messages in lists_in(values).items():
            if _are_messages(format_, messages) and path[:1] != (format_.body,):
                flags = f"--path {'.'.join(path)}" if path else "--layout list"
                return f"the payloads in {look.where} hold whole lists of messages; add {flags}"
    return None


def _elsewhere(look: _Look) -> str | None:
    if look.calls(look.source.format) or not look.results:
        return None
    return calls_elsewhere(look.source, look.connection)


def _nothing(look: _Look) -> str | None:
    """See that something is a message of the format at all."""
    format_, store = look.source.format, look.store
    # One odd message, which says who speaks, is no proof.
    alone = len(look.told) == 1 and any(map(_has_role, look.seen))
    # An application may have keys of its own on each, which another format has.
    own = alone or any(sample.asks(format_, one) for one in look.seen)
    if look.is_plain and look.told and max(look.told) < 0 and not own:
        what = "the lists" if store.layout in LISTS else "the rows"
        return (
            f"nothing in {what} of {look.where} is a message of {format_.name}; "
            "check --format, --payload and --layout"
        )
    return None


def _lists(look: _Look) -> Iterator[list[Any]]:
    for row in look.rows:
        try:
            yield from look.source.lists(row.cells[look.store.payload])
        except UnreadableError:
            continue


def _is_message(parts: list[Any]) -> bool:
    """Tell whether a list is what a message of some format has in it."""
    every = [formats.get(name) for name in formats.names()]
    if any(_are_messages(format_, parts) for format_ in every):
        return False
    return any(f.told({"role": "assistant", f.body: parts}) == 1 for f in every)


def _has_role(message: Any) -> bool:
    return isinstance(message, dict) and "role" in message


def _are_messages(format_: Format, items: Sequence[Any]) -> bool:
    scores = [format_.told(item) for item in items]
    return bool(scores) and -1 not in scores and (1 in scores or all(map(_has_role, items)))


CHECKS: tuple[Callable[[_Look], str | None], ...] = (
    _age,
    _order,
    _unordered,
    _layout,
    _without_role,
    lambda look: left_out(look.source, look.connection),
    _format,
    _nothing,
    _elsewhere,
)
