"""Undo: give rows back as they were, where they are still as the heal left them.

What belongs together goes back together: rows that were judged alone one by one, else all rows
of a conversation or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import groupby

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from endmark.errors import HealError, StoreError
from endmark.heal.connect import savepoint, take_write_lock, transaction
from endmark.heal.journal import Entry, Journal
from endmark.heal.references import References
from endmark.heal.refused import said
from endmark.heal.report import OnProgress, Run, Undone
from endmark.heal.scan import Open
from endmark.heal.stamps import unstamped
from endmark.heal.work import raise_if_general
from endmark.stores.changes import COUNTER, RowChanged, revert
from endmark.stores.table import Table

BATCH = 1_000
_Left = dict[str, str]  # the name of a row, and why it is left alone


class _LeftError(Exception):
    """A row cannot be given back, for the reason said."""


def undo(
    engine: Engine, run: str | None = None, *, on_progress: OnProgress | None = None
) -> Undone:
    """Undo a run, the newest that is not undone if none is named, batch by batch.

    Rows that were changed since are left alone; another undo of the run tries these and no others.
    Raises `HealError` when there is no such run.
    """
    return _undo(lambda: transaction(engine), run, on_progress)


def undo_in(
    connection: Connection, run: str | None = None, *, on_progress: OnProgress | None = None
) -> Undone:
    """Undo a run on one connection, inside the transaction that the caller ends."""
    take_write_lock(connection)
    return _undo(lambda: nullcontext(connection), run, on_progress)


def runs(engine: Engine) -> list[Run]:
    """Give every run that the journal holds, newest first."""
    with engine.connect() as connection:
        return Journal(connection).runs()


def _undo(writing: Open, run: str | None, on_progress: OnProgress | None) -> Undone:
    with writing() as connection:
        journal = Journal(connection)
        undone = Undone(_choose(journal.runs(), run))
    again, before = False, None
    done, left = 0, _Left()
    while True:
        with writing() as connection:
            journal = Journal(connection)
            is_undone, come_to = journal.held(undone.run)
            if is_undone:  # by another undo, meanwhile
                return undone
            if not again:
                again, before = come_to == 0, come_to or None
            entries = _whole_units(journal, undone.run, before, again=again)
            if entries:
                kept = _restore(connection, entries, left)
                journal.mark_tried(undone.run, entries, kept)
                undone.rows_restored += _rows(entries) - _rows(kept)
                before = entries[-1].id
                if not again:
                    journal.mark_undone_to(undone.run, before)
            else:
                journal.mark_end(undone.run)
        if not entries:
            undone.rows_left = [f"{name}: {why}" for name, why in left.items()]
            return undone
        done += len(entries)
        if on_progress:
            on_progress(done, None)


def _rows(entries: Sequence[Entry]) -> int:
    return sum(not entry.is_number for entry in entries)


def _choose(runs: Sequence[Run], named: str | None) -> str:
    for run in runs:
        if named is None and run.undone is None:
            return run.run
        if run.run == named:
            if run.undone is not None:
                raise HealError(f"run {named} was undone already, at {run.undone}")
            return named
    if named is None:
        raise HealError("there is no run to undo")
    known = ", ".join(run.run for run in runs) or "none"
    raise HealError(f"there is no run {named}; the runs are {known}")


def _whole_units(journal: Journal, run: str, before: int | None, *, again: bool) -> list[Entry]:
    """Give the next changes, last first, without cutting a conversation in two."""
    entries = journal.entries(run, before, BATCH, again=again)
    while len(entries) % BATCH == 0 and entries and not entries[-1].alone:
        last = entries[-1].conversation
        more = journal.entries(run, entries[-1].id, BATCH, again=again)
        same = [entry for entry in more if entry.conversation == last]
        entries += same
        if len(same) < BATCH:
            break
    return entries


def _restore(connection: Connection, entries: list[Entry], left: _Left) -> list[Entry]:
    """Give back what can be, and note why what is left is; give the changes that stay."""
    tables = _tables(connection, entries)
    references = References(tables)
    rows = [entry for entry in entries if not entry.is_number]
    kept: list[Entry] = []
    try:
        with savepoint(connection):
            _revert(connection, tables, references, rows)
    except (_LeftError, RowChanged, DBAPIError) as error:
        raise_if_general(error)
        for unit in _units(rows):
            if not _restore_unit(connection, tables, references, unit, left):
                kept += unit
    held = {entry.conversation for entry in kept}
    for entry in entries:
        if entry.is_number and (
            entry.conversation in held or not _give_back_number(connection, entry)
        ):
            kept.append(entry)
    return kept


def _restore_unit(
    connection: Connection,
    tables: dict[str, Table],
    references: References,
    unit: list[Entry],
    left: _Left,
) -> bool:
    """Give back what belongs together row by row, so that the one to blame can be named."""
    entry = unit[0]
    try:
        with savepoint(connection):
            for entry in unit:
                _revert(connection, tables, references, [entry])
    except _LeftError as error:
        why = str(error)
    except RowChanged:
        why = "changed since"
    except DBAPIError as error:
        raise_if_general(error)
        why = f"the database refused the change: {said(error)}"
    else:
        return True
    left[_named(entry)] = why
    for other in unit:
        left.setdefault(_named(other), f"goes with {_named(entry)}, which is left alone")
    return False


def _units(entries: list[Entry]) -> Iterator[list[Entry]]:
    for _, group in groupby(entries, key=lambda e: e.id if e.alone else (e.conversation,)):
        yield list(group)


def _revert(
    connection: Connection,
    tables: dict[str, Table],
    references: References,
    entries: list[Entry],
) -> None:
    changes = [revert(entry.change) for entry in entries]
    # What came to refer to a new row would go with it.
    blocked = references.blocker(connection, changes) if changes else None
    if blocked:
        raise _LeftError(blocked)
    unstamped(connection, tables, changes)


def _tables(connection: Connection, entries: list[Entry]) -> dict[str, Table]:
    named = {(e.change.table, e.name, e.schema) for e in entries if not e.is_number}
    try:
        return {label: Table(connection, name, schema) for label, name, schema in named}
    except StoreError as error:
        raise HealError(f"the run cannot be undone: {error}") from None


def _give_back_number(connection: Connection, entry: Entry) -> bool:
    """Set SQLite's counter back, unless a number was given out since; tell whether it was."""
    was, now = entry.change.before, entry.change.after
    assert now is not None
    way = f"DELETE FROM {COUNTER}" if was is None else f"UPDATE {COUNTER} SET seq = :was"  # noqa: S608
    values = {"now": now["seq"], "name": entry.change.key["name"]}
    values |= {"was": was["seq"]} if was else {}
    found = connection.execute(text(f"{way} WHERE name = :name AND seq = :now"), values)
    return found.rowcount == 1


def _named(entry: Entry) -> str:
    key = ", ".join(f"{name}={cell!s}" for name, cell in entry.change.key.items())
    return f"{entry.change.table} {key}"
