"""What is read of a store: rows, and the conversations that they are of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.stores.table import Cell, Cells

Wrap = Literal["message", "rest", "body", "words", "columns"]


class RefusedError(UnreadableError):
    """A payload bears a sign that its store names as one to be left alone."""


@dataclass(slots=True)
class Row:
    """One row: its key, its place, its content as stored, and the message it holds."""

    key: Cells
    order: tuple[Cell, ...]
    cells: Cells
    written: float | None = None  # seconds since the epoch, UTC
    payload: Any = None
    message: Message | None = None
    wrap: Wrap = "message"
    parts: list[Row] = field(default_factory=list)  # the rows of another table that go with it
    shared: bool = False  # layout `linked`: other conversations point at this message too


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a conversation that is sent alone: the messages `[start:stop]` of its history."""

    start: int
    stop: int
    row: Row
    place: tuple[str | int, ...]  # where in the row's payload its list lies
    waits: bool = False  # a person is asked
    ended: bool = False  # nothing of its turn is to come
    recorded: Mapping[str, tuple[Any, bool]] = field(default_factory=dict)  # id: result, an error


@dataclass(frozen=True, slots=True)
class Unread:
    """What cannot be read: the index in the history that it would stand before, and why."""

    at: int
    reason: str


@dataclass(slots=True)
class Conversation:
    """One conversation as stored; `problem` says why it cannot be read, without content.

    `unread` says where in the history something is missing for that. Where there are `sections`, each is a history of its own.
    """

    id: tuple[Cell, ...]
    rows: list[Row] = field(default_factory=list)
    history: list[Message] = field(default_factory=list)
    problem: str | None = None
    unread: list[Unread] = field(default_factory=list)
    paused: bool = False  # it waits for a person, whatever its messages look like
    # Results by the id of their call that are stored, but not in the history.
    aside: dict[str, Message] = field(default_factory=dict)
    others: list[Conversation] = field(default_factory=list)  # histories that are healed with it
    rebuilt: Rebuilt | None = None
    # Where it has branches: the messages of each, from the first to a last, by their indexes.
    branches: list[list[int]] = field(default_factory=list)
    head: Row | None = None  # its row in the table of the conversations
    sections: list[Section] = field(default_factory=list)
    # Says why its results may have calls that are not in the history, asked before one is taken out.
    doubt: Callable[[], str | None] | None = None

    def leave_out(self, reason: str) -> None:
        """Note that what comes next cannot be read; what was found first is the problem."""
        self.problem = self.problem or reason
        self.unread.append(Unread(len(self.history), reason))

    @property
    def written(self) -> float | None:
        """When its newest row was written, in seconds since the epoch; None where unknown."""
        return max((row.written for row in self.rows if row.written is not None), default=None)
