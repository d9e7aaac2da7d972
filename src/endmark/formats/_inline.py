"""The shape in which call and result live in one part."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from endmark.formats._base import Edits, Format, History, Message, Rebuilt
from endmark.model import Edit, Event, Shape
from endmark.policy import Policy


class Inline(Format):
    """Call and result live in one part: every edit stays inside its message."""

    shape = Shape.INLINE

    @abstractmethod
    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        """Write edits inside one message; None when nothing is left of it."""

    @abstractmethod
    def read(self, message: Message, index: int, policy: Policy) -> list[Event]:
        """Read one message."""

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        return [event for index in indexes for event in self.read(history[index], index, policy)]

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        work = Edits(edits)
        rebuilt = Rebuilt()
        done = 0
        for index in work.touched():
            rebuilt.keep(history, done, index)
            done = index + 1
            message = self.edit(history[index], work.at(index))
            if message is not None:
                rebuilt.add(message, index)
        rebuilt.keep(history, done, len(history))
        return rebuilt
