"""Scan: look at every store and say what is poisoned, pending or skipped; nothing is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import product
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DataError, DBAPIError

from endmark.errors import HealError
from endmark.heal import find
from endmark.heal.ahead import ahead
from endmark.heal.find import Candidate, Id
from endmark.heal.judge import Judge
from endmark.heal.report import USUAL, Item, OnItem, OnProgress, Options, Scan, Shown
from endmark.heal.work import judged
from endmark.policy import DEFAULT, Policy
from endmark.stores._store import Store
from endmark.stores.conversation import Conversation
from endmark.stores.doubts import undoubted
from endmark.stores.select import among
from endmark.stores.source import Source
from endmark.stores.table import Cell, rows_of

Open = Callable[[], AbstractContextManager[Connection]]
MOST_ROWS = 2_000  # in a batch, however few conversations they are of
COMING = 50  # in a batch of those that come one by one
_CANCELED = "57014"  # by a timeout, or by somebody
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)


def scan(
    engine: Engine,
    stores: Sequence[Store],
    *,
    policy: Policy = DEFAULT,
    options: Options = USUAL,
    on_item: OnItem | None = None,
    on_progress: OnProgress | None = None,
) -> Scan:
    """Say what is wrong in these stores; writes nothing.

    Raises `StoreError` for a mapping that the database does not have, or that reads it wrongly.
    """
    total = Scan()
    with engine.connect() as connection:
        for store in undoubted(connection, stores):
            source = Source(connection, store)
            total.conversations += find.count(source, connection, options)
            judge = Judge(source, policy, options)
            if rows := find.unnamed(source, connection, options):
                total.conversations += 1
                total.add(nameless := _nameless(source, rows))
                if on_item:
                    on_item(nameless)
            for batch, done, of in batches(lambda: nullcontext(connection), source, options):
                for verdicts in judged(connection, judge, batch, lock=False):
                    for verdict in verdicts:
                        item = verdict.item(source.name)
                        if item is not None:
                            total.add(item)
                            if on_item:
                                on_item(item)
                if on_progress:
                    on_progress(done, of)
    return total


def _nameless(source: Source, rows: int) -> Item:
    names = ", ".join(source.store.conversation)
    reason = f"{rows} rows are of no conversation, their {names} is NULL: they are not looked at"
    return Item(source.name, "NULL", "skipped", reason=reason)


def show(
    engine: Engine,
    store: Store,
    conversation: str,
    *,
    policy: Policy = DEFAULT,
    options: Options = USUAL,
) -> Shown:
    """Give one conversation as it is and as it would be; the only report with content.

    Raises `HealError` when the store has no such conversation, `StoreError` as `scan` does.
    """
    with engine.connect() as connection:
        [source] = [Source(connection, one) for one in undoubted(connection, [store])]
        found = _named(source, connection, conversation)
        judge = Judge(source, policy, options)
        before: list[Any] = found.history
        verdict = judge.whole(found)
        if verdict.problem is not None:
            unread = tuple(found.unread)
            return Shown(before, before, (), "skipped", verdict.problem, unread=unread)
        status = verdict.item(source.name)
        if status is None or not verdict.findings:
            kept = tuple(range(len(before)))
            return Shown(before, before, (), "pending" if status else "clean", verdict.waits, kept)
        made = found.rebuilt or judge.examine(found).rebuild()
        return Shown(
            before, made.messages, verdict.findings, "poisoned", origins=tuple(made.origins)
        )


def _named(source: Source, connection: Connection, name: str) -> Conversation:
    """Find a conversation by the name that reports give it. Raises `HealError` for none."""
    table, columns = source.table, source.store.conversation
    given = name.split("/", len(columns) - 1)
    ids: list[Id] = [tuple(given)] if len(given) == len(columns) else []
    if table.dialect == "sqlite":  # a number is no text there, unless the column's type says so
        spelt: list[list[Cell]] = [
            [text, int(text)] if _NUMBER.fullmatch(text) else [text] for text in given
        ]
        ids = list(product(*spelt)) if ids else []
    condition, values = among(table, columns, ids) if ids else ("1 = 0", {})
    cells = ", ".join(table.read(column) for column in columns)
    sql = f"SELECT {cells} FROM {table.ref} WHERE {condition} LIMIT 1"  # noqa: S608
    try:
        rows = rows_of(connection, sql, values)
    except DataError:  # text that cannot be of the column's type
        rows = []
    for found in source.load(connection, rows) if rows else ():
        if found.rows or found.problem:
            return found
    raise HealError(f"store {source.name} has no conversation {name}")


def batches(
    reading: Open, source: Source, options: Options, *, apart: bool = False
) -> Iterator[tuple[list[Candidate], int, int | None]]:
    """Give the candidates in batches, with how many are done and known, None while more come.

    `apart`: one connection of `reading` may go on looking meanwhile. Else none stays open: a
    reader may hold a writer up.
    """
    after: Id | None = None
    before = 0
    if apart and find.is_streamed(source):
        try:
            for batch in _coming(reading, source, options):
                before += len(batch)
                after = batch[-1].id
                yield batch, before, None
        except DBAPIError as error:  # it took too long, since it had to wait for the writer
            if getattr(error.orig, "sqlstate", None) != _CANCELED or after is None:
                raise
        else:
            return
    while True:
        with reading() as connection:
            candidates, after = find.find(source, connection, options, after)
        known = before + len(candidates)
        for batch in _batched(candidates, options.batch):
            before += len(batch)
            yield batch, before, known
        if after is None:
            return


def _coming(reading: Open, source: Source, options: Options) -> Iterator[list[Candidate]]:
    """Give candidates as they come: few at a time, or the writer would wait for the search.

    Not so where each reading of conversations is of the whole table.
    """
    size = min(options.batch, COMING) if source.is_sought else options.batch
    with reading() as connection:
        driver: Any = connection.connection.driver_connection  # psycopg's
        try:
            with ahead(_searched(connection, source, options), driver.cancel) as coming:
                yield from _batched(coming, size)
        except BaseException:
            if not connection.invalidated:
                connection.detach()  # a cancel may hit it late
            raise


def _searched(connection: Connection, source: Source, options: Options) -> Generator[Candidate]:
    """Search, and let go of what the search has locked: the writer may need long for the rest."""
    yield from find.streamed(source, connection, options, None)
    connection.rollback()


def _batched(candidates: Iterable[Candidate], size: int) -> Iterator[list[Candidate]]:
    batch: list[Candidate] = []
    rows = 0
    for candidate in candidates:
        batch.append(candidate)
        rows += len(candidate.keys)
        if len(batch) >= size or rows >= MOST_ROWS:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch
