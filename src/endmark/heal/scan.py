"""Scan: look at every store and say what is poisoned, pending or skipped; nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import Connection, Engine

from endmark.errors import HealError
from endmark.heal import find
from endmark.heal.find import Candidate, Id
from endmark.heal.judge import Judge
from endmark.heal.report import USUAL, OnItem, OnProgress, Options, Scan, Shown
from endmark.heal.work import judged
from endmark.policy import DEFAULT, Policy
from endmark.stores._store import Store
from endmark.stores.source import Source

Open = Callable[[], AbstractContextManager[Connection]]
MOST_ROWS = 2_000  # in a batch, however few conversations they are of


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

    Raises `StoreError` for a mapping that the database does not have.
    """
    total = Scan()
    with engine.connect() as connection:
        for store in stores:
            source = Source(connection, store)
            total.conversations += find.count(source, connection, options)
            judge = Judge(source, policy, options)
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


def show(
    engine: Engine,
    store: Store,
    conversation: str,
    *,
    policy: Policy = DEFAULT,
    options: Options = USUAL,
) -> Shown:
    """Give one conversation as it is and as it would be; the only report with content.

    Raises `HealError` when the store has no such conversation.
    """
    names = len(store.conversation)
    id_: Id = tuple(conversation.split("/", names - 1))
    with engine.connect() as connection:
        source = Source(connection, store)
        [found] = source.load(connection, [id_])
        if not found.rows:
            raise HealError(f"store {store.name} has no conversation {conversation}")
        judge = Judge(source, policy, options)
        before: list[Any] = found.history
        verdict = judge.whole(found)
        if verdict.problem is not None:
            return Shown(before, before, (), "skipped", verdict.problem)
        after = judge.examine(found).rebuild().messages if verdict.findings else before
        status = verdict.item(source.name)
        return Shown(before, after, verdict.findings, status.status if status else "clean")


def batches(
    reading: Open, source: Source, options: Options
) -> Iterator[tuple[list[Candidate], int, int]]:
    """Give the candidates in batches, with how many are done and known.

    No connection of `reading` stays open meanwhile: a reader may hold a writer up.
    """
    after: Id | None = None
    before = 0
    while True:
        with reading() as connection:
            candidates, after = find.find(source, connection, options, after)
        known = before + len(candidates)
        for batch in _batched(candidates, options.batch):
            before += len(batch)
            yield batch, before, known
        if after is None:
            return


def _batched(candidates: list[Candidate], size: int) -> Iterator[list[Candidate]]:
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
