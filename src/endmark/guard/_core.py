"""What the repository and the ORM hook share: bring the stored end of a conversation in order.

The rows are read through the store, examined by the core, and changed by `stores.changes` only,
so that guard, view and heal write the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

from sqlalchemy import Connection

from endmark.errors import StoreError
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.guard._beside import require_named
from endmark.guard._closing import time_behind
from endmark.guard._rows import Id, Rows, UnreadRowError
from endmark.guard._tail import (
    Tail,
    answers,
    block_of,
    block_start,
    doubtful,
    leads,
    leaves_pending,
    settled,
    waits,
)
from endmark.history import ODD, Examination, examine
from endmark.model import Finding, Shape, Turn
from endmark.policy import Policy
from endmark.stores.changes import Change, RowChanged
from endmark.stores.conversation import Conversation
from endmark.stores.order import place, stamp
from endmark.stores.table import Cell
from endmark.stores.write import execute

__all__ = [
    "SEGMENT",
    "WHOLE",
    "Settled",
    "Since",
    "earlier",
    "read_tail",
    "settle",
    "starting_at",
    "time_due",
    "write",
]

SEGMENT = 64  # rows looked at first where something is wrong
Since = int | float | Fraction | None  # an order value as `order.place` reads it; None: the end
WHOLE = float("-inf")  # since the beginning
BLOCK = 8  # times as many rows are looked at where those do not hold the block whole


def starting_at(value: object) -> int | float | Fraction:
    """Give the place of a row that was changed: the beginning where it does not tell."""
    found = None if value is None else place(value)
    return WHOLE if found is None else found


def earlier(one: Since, other: Since) -> Since:
    """Give the earlier of two places; None, the end, is behind any."""
    return min((place for place in (one, other) if place is not None), default=None)


class Settled(NamedTuple):
    """What was found, whether a result waits for its call, and whether a call is left open."""

    findings: Sequence[Finding]
    stray: bool
    left: bool


def read_tail(
    connection: Connection, rows: Rows, id_: Id, policy: Policy, *, in_epoch: bool = False
) -> Tail:
    """Read what the next message depends on: one row, and more only in the midst of a block."""
    try:
        return _read_tail(connection, rows, id_, policy, in_epoch=in_epoch)
    except ODD as error:
        raise UnreadRowError(
            f"{rows.table.label}: one of the last rows is no message of {rows.format.name} "
            f"({type(error).__name__} while reading it); mend that row, or take it out"
        ) from error


def _read_tail(
    connection: Connection, rows: Rows, id_: Id, policy: Policy, *, in_epoch: bool
) -> Tail:
    format_ = rows.format
    if format_.shape is Shape.INLINE:
        found, epoch = rows.tail(connection, id_, 4, epoch=in_epoch)
        history = _history(rows, found)
        broken = bool(examine(history, format_, policy).findings)
        return Tail(found[0][0] if found else None, epoch, left=broken)
    alone = format_.shape is Shape.OWN_MESSAGE and not format_.joint
    count = (
        BLOCK if format_.joint else 2
    )  # a result and its call, or the end of a run and what comes before it
    found, epoch = rows.tail(connection, id_, count, epoch=in_epoch)
    tail = Tail(found[0][0] if found else None, epoch, left=leaves_pending(policy))
    if not found or block_start([rows.message(found[0])], format_):
        return tail  # no block ends here: what is before the last row need not be read
    while True:
        history = _history(rows, found)
        start = block_start(history, format_)
        if start or len(found) < count or (alone and format_.is_assistant(history[0])):
            break
        count *= BLOCK
        found, tail.epoch = rows.tail(connection, id_, count, epoch=in_epoch)
        tail.last = found[0][0] if found else None
    tail.block = block = block_of(history, start, format_)
    tail.open = bool(block)
    if block and answers(format_, block[-1]):
        tail.stray = settled(examine(block, format_, policy, "open"), "open")[1]
    return tail


def _history(rows: Rows, found: Sequence[Sequence[Cell]]) -> list[Message]:
    return [rows.message(row) for row in reversed(found)]


def settle(
    connection: Connection,
    rows: Rows,
    id_: Id,
    policy: Policy,
    turn: Turn,
    since: Since = None,
    *,
    taken: bool = False,
) -> Settled:
    """Repair a conversation from the place on where it was written to; None: its end.

    `taken`: the application itself changed rows, or took them away, calls among them perhaps.
    """
    conversation, found = _examined(connection, rows, id_, policy, turn, since)
    if taken:
        conversation.doubt = None
    history = conversation.history
    if turn == "open" and history and not (waits(found) or leads(rows.format, history[-1])):
        found = examine(history, rows.format, policy)  # as the view decides
    found, stray = settled(found, turn)
    if found.edits:
        write(connection, rows, conversation, found.rebuild())
    return Settled(found.findings, stray, bool(found.pending))


def _examined(
    connection: Connection, rows: Rows, id_: Id, policy: Policy, turn: Turn, since: Since
) -> tuple[Conversation, Examination]:
    conversation = rows.segment(connection, id_, SEGMENT)
    if len(conversation.rows) >= SEGMENT:
        start = max(rows.format.last(conversation.history[:-1], rows.format.is_user), 0)
        start = _first_user(conversation, rows) if start else 0
        part = replace(
            conversation,
            rows=conversation.rows[start:],
            history=conversation.history[start:],
        )
        found = examine(part.history, rows.format, policy, turn)
        if start and _reaches(part, since) and not doubtful(found):
            return part, found
        conversation = rows.segment(connection, id_, None)
    return conversation, examine(conversation.history, rows.format, policy, turn)


def _reaches(conversation: Conversation, since: Since) -> bool:
    """Tell whether the rows that were read go back to where something was written."""
    first = None if since is None else place(conversation.rows[0].order[0])
    return since is None or (first is not None and first <= since)


def _first_user(conversation: Conversation, rows: Rows) -> int:
    return next(
        (k for k, message in enumerate(conversation.history) if rows.format.is_user(message)), 0
    )


def time_due(connection: Connection, rows: Rows, id_: Id, *, moved: bool) -> datetime | None:
    """Give the time right behind the last row, where the database's own would not be behind it.

    `moved`: rows were put behind the last one in this transaction, which has one time on
    PostgreSQL. SQLite's own times are whole seconds.
    """
    if rows.postgresql and not moved:
        return None
    last, _ = rows.tail(connection, id_, 1)
    following = time_behind(last[0][0]) if last else None
    if following is None:
        return None
    now, at = stamp(rows.now(connection))[0], stamp(last[0][0])[0]
    return None if now > at or (now == at and not moved) else following


def write(connection: Connection, rows: Rows, conversation: Conversation, rebuilt: Rebuilt) -> None:
    """Write a rebuilt history over its rows."""
    require_named(rows.store, rows.format, conversation, rebuilt)
    changes = [
        _native(rows, _short(rows, _own_row(rows, conversation, change)))
        for change in rows.source.changes(conversation, rebuilt)
    ]
    try:
        execute(connection, rows.source.tables, changes)
    except RowChanged as error:
        msg = (
            f"{rows.table.label}, conversation {', '.join(map(str, conversation.id))}: another "
            "writer changed a row while it was put in order; try the transaction again"
        )
        raise StoreError(msg) from error


def _short(rows: Rows, change: Change) -> Change:
    """Spell the key of a new row as SQLAlchemy spells it: a UUID in CHAR(32) has no dashes."""
    if change.before is not None or rows.postgresql:
        return change
    columns = rows.table.columns
    key = {
        name: cell.replace("-", "")
        if isinstance(cell, str) and "char(32)" in columns[name].type.lower()
        else cell
        for name, cell in change.key.items()
    }
    return replace(change, key=key)


def _native(rows: Rows, change: Change) -> Change:
    if not rows.strict:
        return change
    cells = [
        None if c is None else rows.native(c) for c in (change.before, change.after, change.like)
    ]
    before, after, like = cells
    return replace(change, key=rows.native(change.key), before=before, after=after, like=like)


def _own_row(rows: Rows, conversation: Conversation, change: Change) -> Change:
    """A new row of a table with message ids copies nothing: a copied message id would be refused."""
    if change.before is not None or "message_id" not in rows.table.columns:
        return change
    named = dict(zip(rows.store.conversation, conversation.id, strict=True))
    only = {column: allowed[0] for column, allowed in rows.store.only.items()}
    return replace(change, after={**named, **only, **(change.after or {})}, like=None)
