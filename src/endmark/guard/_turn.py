"""A turn in progress, as a context manager: whichever way it is left, nothing stays open."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import nullcontext
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from endmark.guard._frontier import Frontier
from endmark.guard._memory import Memory, Turns, TurnState

if TYPE_CHECKING:
    from endmark.guard.aio import AsyncChatRepository
    from endmark.guard.repository import ChatRepository

__all__ = ["RUNNING", "AsyncRunningTurn", "RunningTurn", "begin", "end"]

LOG = logging.getLogger("endmark")


def begin(frontier: Frontier) -> TurnState:
    """Close the wreckage of an earlier turn, and make that turn stale."""
    epoch = frontier.begin()
    if frontier.tail().is_open(frontier.rows.format, frontier.policy):
        frontier.settle("over")
        frontier.tail()
    state = TurnState(epoch)
    frontier.memory.begun.append(state)
    return state


def end(frontier: Frontier) -> None:
    """Close what the turn left open, unless another turn has taken over."""
    tail = frontier.memory.tails.get(frontier.id)
    sound = tail is not None and not tail.is_open(frontier.rows.format, frontier.policy)
    if sound and frontier.id not in frontier.memory.left:
        return
    if not frontier.is_stale():
        frontier.settle("over")
        frontier.memory.left.discard(frontier.id)


def _left_open(conversation_id: Any, failure: Exception) -> None:
    LOG.warning(
        "conversation %s: what the turn left open could not be closed (%s); the next write or "
        "read of the conversation closes it",
        conversation_id,
        type(failure).__name__,
    )


class RunningTurn:
    """A turn of one conversation: enter it, write with the repository, leave it."""

    def __init__(self, repository: ChatRepository, conversation_id: Any) -> None:
        self.conversation_id = conversation_id
        self._repository = repository
        self._state: TurnState | None = None
        self._around: TurnState | None = None  # of the same conversation, and stale from here on

    @property
    def epoch(self) -> int | None:
        """The number that tells this turn from others; None before it is entered."""
        return self._state.epoch if self._state else None

    def __enter__(self) -> Self:
        frontier = self._repository._frontier(self.conversation_id)  # noqa: SLF001
        self._around = frontier.turns.pop(frontier.id, None)
        self._state = frontier.turns[frontier.id] = begin(frontier)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        repository = self._repository
        try:
            frontier = repository._frontier(self.conversation_id)  # noqa: SLF001
            # On PostgreSQL a failed statement breaks the transaction: a savepoint asks first.
            ask = error is not None and frontier.rows.postgresql
            with repository.session.begin_nested() if ask else nullcontext():
                end(frontier)
        except Exception as failure:
            # What ended the turn is what its caller has to hear of.
            if error is None:
                raise
            _left_open(self.conversation_id, failure)
        finally:
            self._forget()

    def _forget(self) -> None:
        turns = self._repository._turns  # noqa: SLF001
        for id_ in [id_ for id_, state in turns.items() if state is self._state]:
            del turns[id_]
            if self._around is not None:
                turns[id_] = self._around


# By repository and conversation: tasks may run turns side by side on one repository.
RUNNING: ContextVar[Mapping[tuple[int, Any], AsyncRunningTurn]] = ContextVar("endmark_turns")


class AsyncRunningTurn:
    """A turn of one conversation: enter it, write with the repository, leave it."""

    def __init__(self, repository: AsyncChatRepository, conversation_id: Any) -> None:
        self.conversation_id = conversation_id
        self.memory = Memory()
        self.turns: Turns = {}
        self._repository = repository
        self._state: TurnState | None = None
        self._around: AsyncRunningTurn | None = None

    @property
    def epoch(self) -> int | None:
        """The number that tells this turn from others; None before it is entered."""
        return self._state.epoch if self._state else None

    async def __aenter__(self) -> Self:
        key = (id(self._repository), self.conversation_id)
        work = self._repository._work(self, "begin", (self.conversation_id,), {})  # noqa: SLF001
        self._state = await self._repository._whole(work)  # noqa: SLF001
        self._around = RUNNING.get({}).get(key)
        RUNNING.set({**RUNNING.get({}), key: self})
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        key = (id(self._repository), self.conversation_id)
        others = {k: v for k, v in RUNNING.get({}).items() if k != key}
        RUNNING.set(others if self._around is None else {**others, key: self._around})
        work = self._repository._work(self, "end", (self.conversation_id,), {})  # noqa: SLF001
        try:
            await self._repository._whole(work)  # noqa: SLF001
        except Exception as failure:
            if error is None:
                raise
            _left_open(self.conversation_id, failure)
