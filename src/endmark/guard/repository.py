"""ChatRepository: the one place where messages are written, so that no half pair stays.

Every write goes lock -> end of the conversation -> verdict -> rows. The session is the caller's:
it is flushed, never committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy.orm import Session, scoped_session

from endmark import formats, stores
from endmark.errors import FormatError, StoreError
from endmark.formats._base import Message
from endmark.guard._frontier import Frontier
from endmark.guard._memory import Memory, Turns
from endmark.guard._persist import persist
from endmark.guard._rows import rows_of
from endmark.guard._truncate import truncate
from endmark.guard._turn import RunningTurn
from endmark.guard.report import OnRepair
from endmark.history import repair
from endmark.model import Turn
from endmark.policy import DEFAULT, Policy
from endmark.stores import endmark_tables
from endmark.stores._store import Store

__all__ = ["ChatRepository", "store_of"]


def store_of(store: Store | str) -> Store:
    """Give the store that is meant: itself, Endmark's own tables for a format's name, or a known one.

    Raises `StoreError` for a name that is neither.
    """
    if isinstance(store, Store):
        found = store
    else:  # a format's name first: some known stores are called as their format is
        try:
            found = endmark_tables.store(formats.get(store).name)
        except FormatError as error:
            if store not in stores.names():
                known = ", ".join(stores.names())
                raise StoreError(f"{error}; the known stores are {known}") from None
            found = stores.get(store)
    if found.any_format:
        raise StoreError(
            "Endmark's own tables hold any format: name the one to write, as the store"
        )
    return found


class ChatRepository:
    """Write and read conversations so that every stored history can be sent.

    `session` is the caller's and is never committed here; `store` is a `Store`, or a format's
    name for Endmark's own tables; `on_repair` is called once for each repaired call.
    Raises `FormatError` or `StoreError` when the store is not what was said, `UnreadableError`
    for a message, or a stored row, that is not of the format.

    >>> import sqlalchemy as sa
    >>> from sqlalchemy.orm import Session
    >>> from endmark.guard import tables
    >>> engine = sa.create_engine("sqlite://")
    >>> tables.metadata.create_all(engine)
    >>> with Session(engine) as session:
    ...     chat = ChatRepository(session, "openai-chat")
    ...     chat.add_message("c", {"role": "user", "content": "hello"})
    ...     chat.history("c")
    [{'role': 'user', 'content': 'hello'}]
    """

    def __init__(
        self,
        session: Session,
        store: Store | str,
        *,
        policy: Policy | None = None,
        on_repair: OnRepair | None = None,
    ) -> None:
        if not isinstance(session, Session | scoped_session):
            raise TypeError(
                f"ChatRepository writes in a Session of yours, not in {type(session).__name__}: "
                "with Session(engine) as session: ChatRepository(session, …)"
            )
        self.session = session
        self.store = store_of(store)
        self.policy = policy or DEFAULT
        self.on_repair = on_repair
        self._memory = Memory.of(session, self.store)
        self._turns: Turns = {}

    def add_message(
        self,
        conversation_id: Any,
        message: Message,
        *,
        turn: Turn = "over",
    ) -> None:
        """Write one message behind the others, in an order that can be sent.

        What is open before it is closed first, or answered by it. In inline formats the message
        itself is finalized, unless `turn="open"`: a streaming checkpoint, rewritten by the next
        message with the same id. Raises `StaleTurnError` when another turn has begun since.
        """
        self.add_messages(conversation_id, [message], turn=turn)

    def add_messages(
        self,
        conversation_id: Any,
        messages: Iterable[Message],
        *,
        turn: Turn = "over",
    ) -> None:
        """Write messages one behind the other, as `add_message` does, in few statements."""
        if turn not in {"over", "open"}:
            msg = f"turn must be 'over' or 'open', not {turn!r}"
            raise ValueError(msg)
        if given := list(messages):
            self._frontier(conversation_id).add(given, turn)

    def persist(self, conversation_id: Any, messages: Sequence[Message]) -> None:
        """Store a whole history: what is new is written, what is stored stays, nothing is open.

        Messages with an id of their own are put over the stored ones of that id; others are
        compared by content, results that Endmark wrote counting as open calls. Raises
        `ContradictionError`, with nothing written, where the stored history says otherwise.
        """
        frontier, given = self._frontier(conversation_id), list(messages)
        if frontier.require_current(create=bool(given)):
            persist(frontier, given)

    def turn(self, conversation_id: Any) -> RunningTurn:
        """Hold a turn: `with repository.turn(id): ...` closes what it leaves open, however it ends.

        Entering closes the wreckage of an earlier turn and makes that turn stale: its writes
        raise `StaleTurnError`, except real results of its own calls.
        """
        return RunningTurn(self, conversation_id)

    def finalize(self, conversation_id: Any) -> None:
        """Close what is open at the end of a conversation, except what is pending on purpose."""
        frontier = self._frontier(conversation_id)
        if frontier.require_current(create=False):
            frontier.close()

    def history(self, conversation_id: Any, *, start_at_user: bool = False) -> list[Message]:
        """Give a conversation's messages, repaired: they can be sent. Nothing is written.

        `start_at_user` leaves out what stands before the first message of a user, and what that
        cuts in half.
        """
        frontier = self._frontier(conversation_id)
        rows = frontier.rows
        messages = rows.segment(frontier.connection, frontier.id, None).history
        if start_at_user:
            user = (k for k, message in enumerate(messages) if rows.format.is_user(message))
            messages = messages[next(user, len(messages)) :]
        return list(repair(messages, rows.format, policy=self.policy))

    def conversations(self) -> list[Any]:
        """Name every conversation, the oldest first where the store tells."""
        self.session.flush()
        connection = self.session.connection()
        return rows_of(connection, self.store).conversations(connection)

    def truncate(self, conversation_id: Any, *, after: str | int) -> None:
        """Take out every message behind `after`, save the real results of calls that stay.

        `after` is a message's own id, or the position, from 0, of the last stored message that
        stays; -1 takes all out. Running turns become stale. Raises `StoreError` where there is
        no such message.
        """
        truncate(self._frontier(conversation_id), after)

    def delete(self, conversation_id: Any) -> None:
        """Take a conversation out with all of its messages. Running turns become stale."""
        frontier = self._frontier(conversation_id)
        frontier.rows.lock(frontier.connection, frontier.id, create=False)
        frontier.rows.delete_all(frontier.connection, frontier.id)
        frontier.memory.forget(frontier.id)

    def _frontier(self, conversation_id: Any) -> Frontier:
        named = conversation_id if isinstance(conversation_id, tuple) else (conversation_id,)
        if None in named:
            columns = ", ".join(self.store.conversation)
            msg = f"a conversation of {self.store.table} is named by its {columns}, not by None"
            raise StoreError(msg)
        self.session.flush()
        connection = self.session.connection()
        self._memory.at(self.session)
        rows = rows_of(connection, self.store)
        return Frontier(
            connection,
            rows,
            rows.id_of(conversation_id),
            conversation_id,
            self.policy,
            self.on_repair,
            self._memory,
            self._turns,
        )
