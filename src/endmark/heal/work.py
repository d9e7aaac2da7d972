"""Read one batch and write it inside its transaction: judge, write, read back, judge again.

All of a group is written at once; when a row has changed or the database refuses one, the group is
gone through again conversation by conversation, so that only the one in question is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, zip_longest

from sqlalchemy import Connection
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from endmark.heal.behind import stand_behind
from endmark.heal.connect import savepoint
from endmark.heal.find import Candidate, suspects
from endmark.heal.judge import Id, Judge, Verdict
from endmark.heal.kept import Kept, UnverifiedError
from endmark.heal.references import References
from endmark.heal.refused import why_refused, why_unsound
from endmark.heal.stamps import unstamped
from endmark.stores.changes import COUNTER, Change, RowChanged, statement
from endmark.stores.conversation import Row
from endmark.stores.inserts import counts
from endmark.stores.select import among, read_rows
from endmark.stores.source import Source

WHOLE = 2_000  # rows in memory at a time
UNSOUGHT = 20_000  # where no index finds a conversation, and each reading is of the whole table
CHANGED = "a row changed while it was healed; the next run sees to it"
UNVERIFIED = "what was written does not read back as a sound conversation; it was taken back"


@dataclass(slots=True)
class Outcome:
    """What became of one conversation: the changes that were made, none where none were."""

    verdict: Verdict
    made: list[Change] = field(default_factory=list)


def judged(
    connection: Connection, judge: Judge, batch: Sequence[Candidate], *, lock: bool
) -> Iterator[list[Verdict]]:
    """Judge a batch, in groups that fit in memory."""
    alone = judge.alone(_rows(connection, judge.source, batch, lock=lock))
    whole = [candidate for candidate in batch if candidate.id not in alone]
    yield list(alone.values())
    alone.clear()
    for ids in _groups(whole, WHOLE if judge.source.is_sought else UNSOUGHT):
        yield [judge.whole(found) for found in judge.source.load(connection, ids, lock=lock)]


def _groups(candidates: Sequence[Candidate], most: int) -> Iterator[list[Id]]:
    """Put together conversations of about so many rows."""
    ids: list[Id] = []
    rows = 0
    for candidate in candidates:
        ids.append(candidate.id)
        rows += candidate.rows
        if rows >= most:
            yield ids
            ids, rows = [], 0
    if ids:
        yield ids


def _rows(
    connection: Connection, source: Source, batch: Sequence[Candidate], *, lock: bool
) -> dict[Id, list[Row]]:
    """Read the rows that were found, by conversation; none of one that is to be read whole."""
    keys = [key for candidate in batch for key in candidate.keys]
    found: dict[Id, list[Row]] = {c.id: [] for c in batch if c.keys}
    for start in range(0, len(keys), 1000):
        condition, values = among(source.table, source.key, keys[start : start + 1000])
        for id_, row in read_rows(source, connection, condition, values, lock=lock):
            found.setdefault(id_, []).append(row)
    return found


class Worker:
    """Write the batches of one store."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.source = judge.source
        self.references = References(judge.source.tables)
        self.kept = Kept(judge.source.tables)

    def work(self, connection: Connection, batch: Sequence[Candidate]) -> Iterator[Outcome]:
        """Heal a batch on a connection whose transaction the caller commits."""
        for verdicts in judged(connection, self.judge, batch, lock=True):
            for verdict in verdicts:
                if verdict.changes and verdict.problem is None:
                    verdict.problem = self.references.blocker(connection, verdict.changes)
            due = [v for v in verdicts if v.changes and v.problem is None]
            yield from (Outcome(v) for v in verdicts if not v.changes or v.problem is not None)
            yield from self._write(connection, due)

    def _write(self, connection: Connection, due: list[Verdict]) -> Iterator[Outcome]:
        if not due:
            return
        try:
            with savepoint(connection):
                outcomes = self._write_all(connection, due, at_once=True)
        except (RowChanged, UnverifiedError, DBAPIError, UnicodeError) as error:
            raise_if_general(error)
        else:
            yield from outcomes
            return
        for verdict in due:
            yield self._write_one(connection, verdict.id)

    def _write_all(
        self, connection: Connection, due: list[Verdict], *, at_once: bool = False
    ) -> list[Outcome]:
        planned = _in_turn(connection, due)
        changes = [change for _, change in planned]
        made = unstamped(connection, self.source.tables, changes, at_once=at_once)
        made = self.kept.of(connection, made)
        outcomes = _shared_out(due, [index for index, _ in planned], made)
        self._verify(connection, outcomes)
        return outcomes

    def _write_one(self, connection: Connection, id_: Id) -> Outcome:
        """Heal one conversation, judged anew from all of its rows; twice, then it is left."""
        verdict = Verdict(id_)
        reason = CHANGED
        for _ in range(2):
            for found in self.source.load(connection, [id_], lock=True):
                verdict = self.judge.whole(found)
            blocked = verdict.problem or self.references.blocker(connection, verdict.changes)
            if blocked or not verdict.changes:
                verdict.problem = blocked
                return Outcome(verdict)
            try:
                with savepoint(connection):
                    return self._write_all(connection, [verdict])[0]
            except RowChanged:
                reason = CHANGED
            except UnverifiedError as error:
                reason = str(error) or why_unsound(connection, self.source) or UNVERIFIED
            except UnicodeError:
                reason = "a text of its messages cannot be stored: half a surrogate pair"
                break
            except DBAPIError as error:
                raise_if_general(error)
                reason = why_refused(connection, self.source, error)
                break
        verdict.problem = reason
        return Outcome(verdict)

    def _verify(self, connection: Connection, outcomes: list[Outcome]) -> None:
        alone = [o for o in outcomes if o.verdict.alone]
        keys = [
            Candidate(o.verdict.id, tuple(tuple(c.key.values()) for c in o.made if c.after))
            for o in alone
        ]
        read = _rows(connection, self.source, keys, lock=False)
        for row in chain.from_iterable(read.values()):
            row.written = 0.0  # by now: it was old enough, and a trigger may tell of this write
        again = self.judge.alone(read)
        if len(again) < len(alone) or any(verdict.findings for verdict in again.values()):
            raise UnverifiedError
        made = {o.verdict.id: o.made for o in outcomes}
        if not stand_behind(connection, self.source, made):
            raise UnverifiedError
        due = {o.verdict.id: self._rows_due(o) for o in outcomes if not o.verdict.alone}
        whole = suspects(self.source, connection, due)
        for found in self.source.load(connection, whole) if whole else ():
            verdict = self.judge.whole(found)
            rows = due[found.id]
            if verdict.problem is not None or verdict.findings or rows not in (None, verdict.rows):
                raise UnverifiedError

    def _rows_due(self, outcome: Outcome) -> int | None:
        """Say how many rows a conversation is to have: a trigger may take some, or move them.

        None where not each of its messages is a row of its table, from the first to the last.
        """
        if self.source.store.layout != "rows" or self.source.store.head:
            return None
        mine = [change for change in outcome.made if change.table == self.source.table.label]
        added = sum(change.before is None for change in mine)
        return outcome.verdict.rows + added - sum(change.after is None for change in mine)


def _in_turn(connection: Connection, due: list[Verdict]) -> list[tuple[int, Change]]:
    """Say in which order changes are made, and of which verdict each is.

    Like ones of several conversations stand together, to be one statement. SQLite's counter of
    rows has to go back as it went: conversation by conversation.
    """
    each = [[(n, change) for change in verdict.changes] for n, verdict in enumerate(due)]
    if counts(connection):
        return list(chain.from_iterable(each))
    runs = [[list(run) for _, run in groupby(planned, _like)] for planned in each]
    waves = (filter(None, wave) for wave in zip_longest(*runs))
    return [one for wave in waves for one in sorted(chain.from_iterable(wave), key=_like)]


def _like(planned: tuple[int, Change]) -> tuple[str, str, tuple[str, ...]]:
    return statement(planned[1])


def _shared_out(due: list[Verdict], owners: list[int], made: list[Change]) -> list[Outcome]:
    """Give each conversation the changes that were made for it.

    `unstamped` keeps the order, and adds a change of SQLite's counter behind an insert.
    """
    outcomes = [Outcome(verdict) for verdict in due]
    rest = iter(owners)
    owner = 0
    for change in made:
        if change.table != COUNTER:
            owner = next(rest)
        outcomes[owner].made.append(change)
    return outcomes


def raise_if_general(error: Exception) -> None:
    """Raise an error that is not about the row: the run is to end with it."""
    raised = getattr(getattr(error, "orig", None), "sqlstate", None) == "P0001"  # by a trigger
    if (
        isinstance(error, DBAPIError)
        and not isinstance(error, IntegrityError | DataError)
        and not raised
    ):
        raise error
