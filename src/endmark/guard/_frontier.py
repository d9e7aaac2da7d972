"""The end of one conversation, under its lock: what the repository's methods are made of.

lock -> end -> verdict -> rows. Sound messages are appended in runs; whatever else is written is
followed, or preceded, by a repair of the stored end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from endmark.formats._base import Message
from endmark.guard._core import read_tail, settle
from endmark.guard._memory import Memory, Turns, TurnState, stale
from endmark.guard._rows import Id, Rows
from endmark.guard._tail import Tail, require_readable, weigh
from endmark.guard._unwritable import UnwritableError
from endmark.guard.report import OnRepair, report
from endmark.history import examine
from endmark.model import Finding, Shape, Turn
from endmark.policy import Policy

__all__ = ["Frontier"]


@dataclass(slots=True)
class Frontier:
    """One conversation in one transaction, with what is remembered of it."""

    connection: Connection
    rows: Rows
    id: Id
    name: Any
    policy: Policy
    on_repair: OnRepair | None
    memory: Memory
    turns: Turns

    @property
    def state(self) -> TurnState | None:
        return self.turns.get(self.id)

    def lock(self, *, create: bool = True) -> int | None:
        """Keep other writers out for the rest of the transaction; give the epoch."""
        held = self.memory.locks
        if self.id not in held:
            self.memory.tails.pop(self.id, None)  # seen before the lock
            create = create and self.state is None
            epoch = self.rows.lock(self.connection, self.id, create=create)
            if epoch is None and self.rows.ledger and self.state is None:
                return None  # there is none: whoever writes to it makes it
            held[self.id] = epoch
        return held[self.id]

    def is_stale(self, *, create: bool = True) -> bool:
        """Lock, and tell whether another turn has begun since this one."""
        epoch, state = self.lock(create=create), self.state
        if state is None:
            return False
        if state.begins_again(epoch):
            epoch = self.begin()
        elif state.undone and state not in self.memory.begun:
            return epoch is not None  # the number may be that of another turn by now
        return state.epoch != epoch

    def require_current(self, *, create: bool = True) -> bool:
        """Lock, and tell whether there is such a conversation; raises `StaleTurnError`."""
        if self.is_stale(create=create):
            raise stale(self.id)
        return not self.rows.ledger or self.id in self.memory.locks

    def begin(self) -> int | None:
        """Take the next epoch, so that any other turn is stale; the lock is part of it."""
        self.memory.tails.pop(self.id, None)
        epoch = self.rows.next_epoch(self.connection, self.id)
        self.memory.locks[self.id] = epoch
        if self.state is not None:
            self.memory.begun.append(self.state)
            self.state.epoch, self.state.undone = epoch, False
        return epoch

    def tail(self) -> Tail:
        """Give the end of the conversation: remembered, or read."""
        tail = self.memory.tails.get(self.id)
        if tail is None:
            tail = read_tail(self.connection, self.rows, self.id, self.policy)
            tail.epoch = self.memory.locks.get(self.id)
            self.memory.tails[self.id] = tail
        return tail

    def add(self, messages: Sequence[Message], turn: Turn) -> None:
        """Write messages behind the others. Raises `UnreadableError` for what cannot be."""
        try:
            self._add(messages, turn)
        except BaseException as error:
            self.memory.tails.pop(self.id, None)  # it may tell of what was not written
            if isinstance(error, UnwritableError):
                self.rows.new.require_writable(self.id, messages)
            raise

    def _add(self, messages: Sequence[Message], turn: Turn) -> None:
        format_ = self.rows.format
        require_readable(format_, messages)
        if self.state is not None:
            self.state.count(messages, format_, self.policy)
        if format_.shape is not Shape.INLINE and self._append_at_once(messages):
            return
        if self.is_stale():
            self._add_late(messages)
        elif format_.shape is Shape.INLINE:
            self.put(messages, turn)
        else:
            self.append(messages)

    def _append_at_once(self, messages: Sequence[Message]) -> bool:
        """Lock and append one sound message in one statement, behind the end as it was seen."""
        rows = self.rows
        if self.id in self.memory.locks or len(messages) != 1 or not (rows.ledger and rows.exact):
            return False
        tail = self.memory.tails.get(self.id)
        if tail is None:
            tail = read_tail(self.connection, rows, self.id, self.policy, in_epoch=True)
        epoch = tail.epoch
        self.memory.tails.pop(self.id, None)
        state = self.state
        if epoch is None or (state is not None and (state.undone or state.epoch != epoch)):
            return False
        verdict = weigh(tail, messages[0], rows.format, self.policy)
        if verdict.closes or verdict.disturbs or verdict.message is None:
            return False
        last = rows.append_behind(self.connection, self.id, verdict.message, tail.last, epoch)
        if last is None:
            return False
        self.tell(verdict.findings)
        tail.take(verdict)
        tail.last = last
        self.memory.tails[self.id] = tail
        self.memory.locks[self.id] = epoch
        return True

    def append(self, messages: Sequence[Message]) -> None:
        """Own message and next message formats: runs of sound messages go in one statement."""
        if self.tail().passes(messages, self.rows.format):
            self._write(messages)
            return
        ready: list[Message] = []
        for message in messages:
            tail = self.tail()
            verdict = weigh(tail, message, self.rows.format, self.policy)
            if not (verdict.closes or verdict.disturbs):
                ready += [] if verdict.message is None else [verdict.message]
                tail.take(verdict)
                self.tell(verdict.findings)
                continue
            self._write(ready)
            ready = []
            if verdict.closes:
                self.settle("over")
            self._write([message])
            if verdict.disturbs:
                self.settle("open")
            else:
                self.memory.tails.pop(self.id, None)
        self._write(ready)

    def _write(self, messages: Sequence[Message]) -> None:
        if messages:
            tail = self.tail()
            tail.last = self.rows.append(self.connection, self.id, messages, tail.last)

    def put(self, messages: Sequence[Message], turn: Turn) -> None:
        """Inline formats: each message is finalized on its own; nothing is read."""
        ready: list[Message] = []
        for message in messages:
            found = examine([message], self.rows.format, self.policy, turn)
            kept = found.rebuild().messages if found.edits else [message]
            if turn == "open":
                kept = [message]
            if turn == "open" or found.pending or not kept:
                self.memory.left.add(self.id)
            ready += kept
            self.tell(found.findings if turn == "over" else ())
        if ready:
            self.rows.put(self.connection, self.id, ready)

    def settle(self, turn: Turn) -> None:
        """Repair the stored end."""
        done = settle(self.connection, self.rows, self.id, self.policy, turn)
        self.memory.tails.pop(self.id, None)
        if turn == "open" and (done.stray or done.left):
            tail = self.tail()
            tail.stray, tail.left = done.stray, tail.left or done.left
        self.tell(done.findings)

    def close(self) -> None:
        """Close the frontier; where the end is known to be sound nothing is read."""
        tail = self.memory.tails.get(self.id)
        if tail is None and self.rows.format.shape is not Shape.INLINE:
            tail = self.tail()
        is_open = tail is None or tail.is_open(self.rows.format, self.policy)
        if is_open or self.id in self.memory.left:
            self.settle("over")
            self.memory.left.discard(self.id)

    def _add_late(self, messages: Sequence[Message]) -> None:
        """A stale turn may still bring real results of its own calls, and nothing else."""
        state, format_ = self.state, self.rows.format
        assert state is not None
        if not all(state.owns(message, format_, self.policy) for message in messages):
            raise stale(self.id)
        if self.lock() is None and self.rows.ledger:
            raise stale(self.id)  # the conversation is gone
        if format_.shape is Shape.INLINE:
            self.put(messages, "over")
            return
        self.memory.tails.pop(self.id, None)
        for message in messages:
            self._write([message])
            self.settle("open")

    def tell(self, findings: Sequence[Finding]) -> None:
        """Report what was repaired."""
        if findings:
            report(self.name, findings, self.on_repair)
