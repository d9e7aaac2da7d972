"""Rows that others delete while a batch is healed: the new row that was put beside one goes too.

A DELETE that began before PostgreSQL committed a batch waits for the locks of its rows and takes
those that it knew, not one that came meanwhile: of a thread that its user deleted a message would
be left. Who may have begun so early holds the table's lock until he has ended. On SQLite one
writes at a time, so this cannot come about.
"""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from time import monotonic, sleep

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from endmark.heal.connect import savepoint
from endmark.heal.scan import Open
from endmark.heal.work import raise_if_general
from endmark.stores.changes import Change, RowChanged, revert
from endmark.stores.database import BUSY_TIMEOUT
from endmark.stores.table import Cells, Table, as_json, rows_of
from endmark.stores.write import execute

_WRITERS = """
SELECT DISTINCT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND relation = CAST(:name AS regclass) AND mode = 'RowExclusiveLock'
AND granted AND pid IS DISTINCT FROM pg_backend_pid()
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
EVERY = 1.0  # seconds
POLL = 0.05


class Deletions:
    """The new rows of one run beside which somebody may yet delete others; `writing` None: none."""

    def __init__(self, tables: Mapping[str, Table], writing: Open | None) -> None:
        self.tables = tables
        self.writing = writing
        self.next = 0.0
        self.added: list[Change] = []  # not looked at yet
        self.watched: list[tuple[set[str], list[Change]]] = []  # by who may delete beside them

    def follow(self, made: Sequence[Change]) -> int:
        """Look after the new rows of a batch that is committed; give how many were taken out.

        Not at each batch: to look later is as sure, and a transaction is dear.
        """
        if self.writing is None:
            return 0
        self.added += [c for c in made if c.before is None and c.like is not None]
        return self._look() if monotonic() >= self.next else 0

    def follow_to_end(self) -> int:
        """Wait a while for those who were writing when the last rows were added."""
        gone, until = self._look(), monotonic() + BUSY_TIMEOUT
        while self.watched and monotonic() < until:
            sleep(POLL)
            gone += self._look()
        return gone + self._look(to_end=True)

    def _look(self, *, to_end: bool = False) -> int:
        """Take out new rows whose models are gone, and give their number.

        Rows that a writer may still leave alone are looked at again until it has ended, or
        `to_end`. The journal stays as it is: an undo finds these rows changed, and leaves what
        there may be of their conversation alone.
        """
        if self.writing is None or not (self.added or self.watched):
            return 0
        with self.writing() as connection:
            # Who writes is asked first: what others have deleted, who have ended by then, is seen.
            added, self.added = self.added, []
            now = self._writers(connection, {change.table for change in added} | self._named())
            over = [rows for writers, rows in self.watched if to_end or not writers & now]
            self.watched = [group for group in self.watched if group[0] & now and not to_end]
            if now and added:
                self.watched.append((now, added))
            orphans = self._orphaned(connection, [*chain.from_iterable(over), *added])
            # The last first: one may hang on another.
            gone = sum(self._is_out(connection, change) for change in reversed(orphans))
        self.next = monotonic() + EVERY
        return gone

    def _named(self) -> set[str]:
        return {change.table for _, rows in self.watched for change in rows}

    def _writers(self, connection: Connection, labels: Iterable[str]) -> set[str]:
        """Name the transactions that write to these tables now."""
        return {
            str(name)
            for label in labels
            for (name,) in rows_of(connection, _WRITERS, {"name": self.tables[label].regclass})
        }

    def _orphaned(self, connection: Connection, added: Sequence[Change]) -> list[Change]:
        """Give the new rows whose models are no longer there."""
        gone: list[int] = []
        for label in {change.table for change in added}:
            models = {n: c.like or {} for n, c in enumerate(added) if c.table == label}
            gone += _missing(connection, self.tables[label], models)
        return [added[n] for n in sorted(gone)]

    def _is_out(self, connection: Connection, change: Change) -> bool:
        """Take out a new row, unless it is no longer as it was made; tell whether it was."""
        try:
            with savepoint(connection):
                execute(connection, dict(self.tables), [revert(change)])
        except (RowChanged, DBAPIError) as error:
            raise_if_general(error)
            return False
        return True


def _missing(connection: Connection, table: Table, keys: Mapping[int, Cells]) -> list[int]:
    """Give the numbers of the keys of which there is no row."""
    names = list(next(iter(keys.values())))
    fields = [f"k{k}" for k, _ in enumerate(names)]
    rows = [{"n": n, **dict(zip(fields, key.values(), strict=True))} for n, key in keys.items()]
    typed = ", ".join(f"{field} text" for field in fields)
    same = " AND ".join(
        f"t.{table.quote(name)} = {table.cast(name, f'v.{field}')}"
        for name, field in zip(names, fields, strict=True)
    )
    sql = (
        f"SELECT v.n FROM json_to_recordset(CAST(:rows AS json)) AS v(n int, {typed}) "
        f"WHERE NOT EXISTS (SELECT 1 FROM {table.ref} AS t WHERE {same})"
    )
    return [n for (n,) in rows_of(connection, sql, {"rows": as_json(rows)})]
