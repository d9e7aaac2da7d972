"""What a repository knows between two calls, and for how long it may be believed.

Locks and verified ends hold for one transaction; an end may be carried over a commit, since the
next write makes sure of it; after a rollback nothing is believed.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session, SessionTransaction

from endmark.errors import StaleTurnError, StepLimitError
from endmark.formats._base import Format, Message
from endmark.guard._rows import Id
from endmark.guard._tail import Tail, real_results
from endmark.model import Shape
from endmark.policy import Policy
from endmark.stores._store import Store

__all__ = ["Memory", "TurnState", "Turns", "stale"]


def stale(id_: Id) -> StaleTurnError:
    """Make the error for a write of a turn that another one has overtaken."""
    return StaleTurnError(
        f"conversation {', '.join(map(str, id_))}: another turn has begun since; nothing was "
        "written. Read the history again and begin a new turn"
    )


@dataclass(slots=True)
class TurnState:
    """A running turn: its epoch, and which calls are its own."""

    epoch: int | None
    calls: set[str] = field(default_factory=set)
    messages: set[Any] = field(default_factory=set)  # ids of its call-bearing messages
    steps: int = 0
    undone: bool = False  # its beginning was rolled back

    def count(self, messages: Iterable[Message], format_: Format, policy: Policy) -> None:
        """Note the calls of messages about to be written; refuse one step too many."""
        for message in messages:
            ids = format_.call_ids(message)
            if not ids:
                continue
            own = message.get(format_.id_field) if format_.id_field else None
            if own is None or own not in self.messages:
                if policy.step_limit is not None and self.steps >= policy.step_limit:
                    msg = (
                        f"this turn has written {self.steps} messages with calls, the most that "
                        "policy.step_limit allows; nothing was written. End the turn"
                    )
                    raise StepLimitError(msg)
                self.steps += 1
                self.messages.add(own)
            self.calls.update(call_id for call_id in ids if call_id is not None)

    def begins_again(self, epoch: int | None) -> bool:
        """Tell whether the beginning was rolled back, and no other turn has begun since."""
        return self.undone and self.epoch is not None and (epoch or 0) == self.epoch - 1

    def owns(self, message: Message, format_: Format, policy: Policy) -> bool:
        """Tell whether a message only brings real results of this turn's calls."""
        results = real_results(message, format_, policy)
        if not results or not self.calls.issuperset(results):
            return False
        if format_.shape is Shape.INLINE:
            return format_.id_field is not None and message.get(format_.id_field) in self.messages
        return not format_.call_ids(message) and not format_.is_user(message)


Turns = dict[Id, TurnState]


class Memory:
    """The ends and locks of a store's conversations, in one session. Holds no connection."""

    def __init__(self) -> None:
        self.tails: dict[Id, Tail] = {}
        self.left: set[Id] = set()  # inline formats: something open was written
        self.locks: dict[Id, int | None] = {}
        self.begun: list[TurnState] = []  # in this transaction
        self._transaction: SessionTransaction | None = None
        self._committed = False

    @classmethod
    def of(cls, session: Session, store: Store) -> Memory:
        """Give the memory that all repositories of one store share on a session."""
        known: dict[Any, Memory] = session.info.setdefault("endmark.memory", {})
        key = (store.schema, store.table, store.conversation, store.format)
        if key not in known:
            known[key] = cls()
            known[key].watch(session)
        return known[key]

    def watch(self, session: Session) -> None:
        """Hear of the commits and rollbacks of a session."""
        mine = weakref.ref(
            self
        )  # the listeners go with the session, the memory with its last owner

        def committed(session: Session) -> None:
            # Heard of a savepoint too, which a rollback can still undo.
            if (memory := mine()) is not None and not session.in_nested_transaction():
                memory.committed()

        def rolled_back(_: Session, __: SessionTransaction) -> None:
            if (memory := mine()) is not None:
                memory.doubt()

        event.listen(session, "after_commit", committed)
        event.listen(session, "after_soft_rollback", rolled_back)

    def committed(self) -> None:
        """What was read and written stands; the next transaction makes sure of it."""
        self._committed = True
        self.begun.clear()

    def doubt(self) -> None:
        """Believe nothing that was read or written."""
        self.tails.clear()
        self.locks.clear()
        for state in self.begun:
            state.undone = True

    def at(self, session: Session) -> None:
        """Notice that another transaction has begun."""
        transaction = session.get_transaction()
        if transaction is self._transaction:
            return
        if not self._committed:  # closed, which tells of no rollback
            self.doubt()
        self.begun.clear()
        self.locks.clear()
        self._transaction, self._committed = transaction, False

    def forget(self, id_: Id) -> None:
        """Know nothing more of one conversation, except that its turns are stale."""
        self.tails.pop(id_, None)
        self.locks.pop(id_, None)
        self.left.discard(id_)
