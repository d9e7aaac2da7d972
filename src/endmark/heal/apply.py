"""Apply: heal batch by batch, each one transaction with its part of the journal.

A run that is cut off is whole up to its last batch; the next apply of the same stores goes on with
it under the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from sqlalchemy import Connection, Engine
from sqlalchemy.pool import NullPool, QueuePool

from endmark.heal.connect import take_write_lock, transaction
from endmark.heal.deleted import Deletions
from endmark.heal.find import Candidate
from endmark.heal.journal import Journal, scope
from endmark.heal.judge import Judge
from endmark.heal.report import USUAL, Applied, OnItem, OnProgress, Options, label
from endmark.heal.scan import Open, batches
from endmark.heal.work import Outcome, Worker
from endmark.policy import DEFAULT, Policy
from endmark.stores._store import Store
from endmark.stores.changes import COUNTER, Change
from endmark.stores.doubts import undoubted
from endmark.stores.source import Source


def apply(
    engine: Engine,
    stores: Sequence[Store],
    *,
    policy: Policy = DEFAULT,
    options: Options = USUAL,
    on_item: OnItem | None = None,
    on_progress: OnProgress | None = None,
    stop: Callable[[], bool] | None = None,
) -> Applied:
    """Heal these stores; `stop` is asked after each batch.

    Raises `StoreError` for a mapping that the database does not have, `HealError` for a journal
    of a newer version; what was committed before any error stays, whole and journalled.
    """
    apart = options.shard is None and _is_roomy(engine)  # shards are at work beside each other
    healing = _Healing(stores, policy, options, on_item, stop, apart=apart)
    healing.run(engine.connect, lambda: transaction(engine), on_progress)
    return healing.applied


def heal_in(
    connection: Connection,
    stores: Sequence[Store],
    *,
    policy: Policy = DEFAULT,
    options: Options = USUAL,
    on_item: OnItem | None = None,
    on_progress: OnProgress | None = None,
) -> Applied:
    """Heal these stores on one connection, inside the transaction that the caller ends.

    Always a run of its own: an `apply` that was cut off is not gone on with.
    """
    take_write_lock(connection)
    healing = _Healing(stores, policy, options, on_item, None, resumes=False)
    same = lambda: nullcontext(connection)  # noqa: E731
    healing.run(same, same, on_progress)
    return healing.applied


def _is_roomy(engine: Engine) -> bool:
    """Tell whether one connection can look for more while another writes: on PostgreSQL.

    An asynchronous driver is bound to the greenlet it is asked in.
    """
    pool, dialect = engine.pool, engine.dialect
    if dialect.driver != "psycopg" or dialect.is_async:
        return False
    # What may overflow is not counted: others of the application may be about to take it.
    return isinstance(pool, NullPool) or (
        isinstance(pool, QueuePool) and (pool.size() == 0 or pool.size() - pool.checkedout() > 1)
    )


class _Healing:
    """One run: its counts, and its name in the journal once there is something to journal."""

    def __init__(
        self,
        stores: Sequence[Store],
        policy: Policy,
        options: Options,
        on_item: OnItem | None,
        stop: Callable[[], bool] | None,
        *,
        resumes: bool = True,
        apart: bool = False,
    ) -> None:
        self.stores = stores
        self.policy = policy
        self.options = options
        self.scope = scope(stores, options)
        self.on_item = on_item or (lambda _: None)
        self.stop = stop or (lambda: False)
        self.resumes = resumes
        self.apart = apart
        self.applied = Applied()

    def run(self, reading: Open, writing: Open, on_progress: OnProgress | None) -> None:
        with reading() as connection:
            sources = [Source(connection, store) for store in undoubted(connection, self.stores)]
            journal = Journal(connection)
            if journal.exists() and self.resumes:
                self.applied.run = journal.unfinished(self.scope)
        for source in sources:
            worker = Worker(Judge(source, self.policy, self.options))
            others_write = self.resumes and source.table.dialect == "postgresql"
            deletions = Deletions(source.tables, writing if others_write else None)
            for batch, done, known in batches(reading, source, self.options, apart=self.apart):
                if self.stop():
                    self.applied.stopped = True
                    break
                made = self._batch(writing, worker, batch)
                self.applied.rows_deleted += deletions.follow(made)
                if on_progress:
                    on_progress(done, known)
            self.applied.rows_deleted += deletions.follow_to_end()
            if self.applied.stopped:
                return
        if self.applied.run is not None:
            with writing() as connection:
                Journal(connection).finish(self.applied.run)

    def _batch(self, writing: Open, worker: Worker, batch: list[Candidate]) -> list[Change]:
        with writing() as connection:
            outcomes = list(worker.work(connection, batch))
            made = [o for o in outcomes if o.made]
            run = self._record(connection, worker.source, made) if made else self.applied.run
        # Counted only once it is committed.
        self.applied.run = run
        for outcome in outcomes:
            self._count(outcome, worker.source.name)
        return [change for outcome in made for change in outcome.made]

    def _record(self, connection: Connection, source: Source, made: list[Outcome]) -> str:
        journal = Journal(connection)
        run = self.applied.run or journal.begin(self.stores, self.scope)
        schemas = {name: table.schema for name, table in source.tables.items()}
        journal.record(
            run,
            len(made),
            (
                (label(o.verdict.id), o.verdict.alone, schemas.get(change.table), change)
                for o in made
                for change in o.made
            ),
        )
        return run

    def _count(self, outcome: Outcome, store: str) -> None:
        for change in outcome.made:
            if change.table != COUNTER:
                self._count_row(change)
        item = outcome.verdict.item(store)
        if item is not None:
            self.applied.add(item)
            self.on_item(item)

    def _count_row(self, change: Change) -> None:
        if change.before is None:
            self.applied.rows_inserted += 1
        elif change.after is None:
            self.applied.rows_deleted += 1
        else:
            self.applied.rows_changed += 1
