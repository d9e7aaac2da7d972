"""AsyncChatRepository: the repository of `repository.py`, driven through `AsyncSession.run_sync`.

Each operation owns a session and commits it, in a task of its own that a cancellation does not
reach: what has begun is written whole, then the cancellation goes on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session, scoped_session

from endmark.errors import DatabaseError
from endmark.formats._base import Message
from endmark.guard._memory import Memory
from endmark.guard._turn import RUNNING, AsyncRunningTurn, begin, end
from endmark.guard.report import OnRepair
from endmark.guard.repository import ChatRepository, store_of
from endmark.model import Turn
from endmark.policy import DEFAULT, Policy
from endmark.stores._store import Store

if TYPE_CHECKING:  # it wants greenlet, which those who write without asyncio need not have
    from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

__all__ = ["AsyncChatRepository"]

LOG = logging.getLogger("endmark")


class AsyncChatRepository:  # noqa: D101 (the docstrings are those of the sync repository)
    __doc__ = (
        (ChatRepository.__doc__ or "")
        .partition("    >>>")[0]
        .replace(
            "`session` is the caller's and is never committed here;",
            "`session_factory` makes the session of each operation, which commits it;",
        )
    )

    def __init__(
        self,
        session_factory: async_sessionmaker[AsyncSession],
        store: Store | str,
        *,
        policy: Policy | None = None,
        on_repair: OnRepair | None = None,
    ) -> None:
        _require_greenlet()
        _require_factory(session_factory)
        self.session_factory = session_factory
        self.store = store_of(store)
        self.policy = policy or DEFAULT
        self.on_repair = on_repair
        self._tasks: set[asyncio.Task[Any]] = set()  # the loop itself holds tasks weakly

    async def add_message(
        self, conversation_id: Any, message: Message, *, turn: Turn = "over"
    ) -> None:
        await self._run("add_message", conversation_id, message, turn=turn)

    async def add_messages(
        self, conversation_id: Any, messages: Iterable[Message], *, turn: Turn = "over"
    ) -> None:
        await self._run("add_messages", conversation_id, list(messages), turn=turn)

    async def persist(self, conversation_id: Any, messages: Sequence[Message]) -> None:
        await self._run("persist", conversation_id, messages)

    def turn(self, conversation_id: Any) -> AsyncRunningTurn:
        return AsyncRunningTurn(self, conversation_id)

    async def finalize(self, conversation_id: Any) -> None:
        await self._run("finalize", conversation_id)

    async def history(self, conversation_id: Any, *, start_at_user: bool = False) -> list[Message]:
        found: list[Message] = await self._run(
            "history", conversation_id, start_at_user=start_at_user
        )
        return found

    async def conversations(self) -> list[Any]:
        found: list[Any] = await self._run("conversations")
        return found

    async def truncate(self, conversation_id: Any, *, after: str | int) -> None:
        await self._run("truncate", conversation_id, after=after)

    async def delete(self, conversation_id: Any) -> None:
        await self._run("delete", conversation_id)

    async def _run(self, method: str, *args: Any, **options: Any) -> Any:
        """Run one method of the sync repository, whole, whatever becomes of the calling task."""
        running = RUNNING.get({}).get((id(self), args[0])) if args else None
        work = self._work(running, method, args, options)
        return await self._whole(work)

    async def _work(
        self, running: AsyncRunningTurn | None, method: str, args: Any, options: Any
    ) -> Any:
        memory = running.memory if running is not None else Memory()

        def call(session: Session) -> Any:
            repository = ChatRepository(
                session, self.store, policy=self.policy, on_repair=self.on_repair
            )
            if running is not None:
                repository._memory, repository._turns = memory, running.turns  # noqa: SLF001
            if method in {"begin", "end"}:
                frontier = repository._frontier(args[0])  # noqa: SLF001
                if method == "begin":
                    state = frontier.turns[frontier.id] = begin(frontier)
                    return state
                return end(frontier)
            return getattr(repository, method)(*args, **options)

        try:
            async with self.session_factory() as session, session.begin():
                result = await session.run_sync(call)
        except BaseException:
            memory.doubt()
            raise
        memory.committed()
        return result

    async def _whole(self, work: Any) -> Any:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            while not task.done():
                try:
                    await asyncio.wait({task})
                except asyncio.CancelledError:
                    continue
            if not task.cancelled() and (error := task.exception()) is not None:
                LOG.warning("a write failed while its task was cancelled: %s", type(error).__name__)
            raise


def _require_greenlet() -> None:
    """Raises `DatabaseError` where SQLAlchemy lacks what its asynchronous sessions need."""
    if find_spec("greenlet") is None:
        raise DatabaseError(
            "asynchronous sessions need the library greenlet, which is not installed: "
            "pip install 'endmark[aiosqlite]', or 'endmark[asyncpg]' for PostgreSQL"
        )


def _require_factory(given: Any) -> None:
    """Raises `TypeError` for what makes no asynchronous sessions: a session or an engine itself."""
    makes = getattr(given, "class_", None)
    if callable(given) and not (
        isinstance(given, scoped_session)
        or (isinstance(makes, type) and issubclass(makes, Session))
        or (isinstance(given, type) and issubclass(given, Session))
    ):
        return
    raise TypeError(
        f"AsyncChatRepository writes in sessions of its own, and {type(given).__name__} makes no "
        "asynchronous ones: AsyncChatRepository(async_sessionmaker(engine), …)"
    )


for _name in (
    "add_message",
    "add_messages",
    "persist",
    "turn",
    "finalize",
    "history",
    "conversations",
    "truncate",
    "delete",
):
    getattr(AsyncChatRepository, _name).__doc__ = getattr(ChatRepository, _name).__doc__
