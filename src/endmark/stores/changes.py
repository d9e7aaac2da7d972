"""Changes of rows: what was there, what is to be there, written only where that still holds.

Every layout comes down to these three (update, insert, delete); the journal keeps them and undo
turns them round, so nothing but `write.execute` writes to people's tables.
"""

from __future__ import annotations

from dataclasses import dataclass

from endmark.stores.table import Cells

COUNTER = "sqlite_sequence"  # SQLite's own table: the last number that each table gave out


@dataclass(frozen=True, slots=True)
class Change:
    """One row's change. `before` None: a new row; `after` None: the row goes.

    Cells are the database's own text (PostgreSQL) or values (SQLite). `key` of a new row holds
    what is known of it before the database completes it; `like` is the key of the row whose other
    columns a new row copies, in SQL. `newest` is the column by which that row has to be the newest
    still, of those that share the rest of its key.
    """

    table: str
    key: Cells
    before: Cells | None
    after: Cells | None
    like: Cells | None = None
    newest: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class KeyOf:
    """In place of a cell: the key that the database gives to a new row, made before this change."""

    change: Change


class RowChanged(Exception):  # noqa: N818  (it says what happened; callers catch it)
    """A row is not what it was when the change was planned; carries the change."""

    def __init__(self, change: Change) -> None:
        super().__init__(change.table)
        self.change = change


def revert(change: Change) -> Change:
    """Turn a change round; the row is found by the key that it has come to."""
    after = change.after or {}
    key = {name: after.get(name, cell) for name, cell in change.key.items()}
    return Change(change.table, key, change.after, change.before)


def statement(change: Change) -> tuple[str, str, tuple[str, ...]]:
    """Name the statement that makes a change: those of one name go together."""
    if change.after is None:
        return change.table, "delete", ()
    kind = "insert" if change.before is None else "update"
    return change.table, kind, tuple(change.after)
