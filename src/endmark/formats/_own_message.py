"""The shape in which each result is a message of its own behind the calls."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from endmark.formats._base import Edits, Format, History, Message, Rebuilt
from endmark.model import Arrange, Close, Drop, Edit, Event, Result, Shape
from endmark.policy import Policy


class OwnMessage(Format):
    """Each result is a message of its own behind the message that holds the calls."""

    shape = Shape.OWN_MESSAGE

    @abstractmethod
    def is_result(self, message: Message) -> bool:
        """Tell whether this message is a result."""

    @abstractmethod
    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        """Read one message; `after` is the message that its results would stand behind."""

    @abstractmethod
    def result(self, close: Close, call_id: str | None) -> Message:
        """Make the message of a synthesized result."""

    def result_to(self, message: Message, close: Close, call_id: str | None) -> Message:
        """Make the message of a synthesized result to a call of this message."""
        return self.result(close, call_id)

    @abstractmethod
    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        """Write edits inside one message; None when nothing is left of it."""

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        events: list[Event] = []
        last, after = -2, None
        for index in indexes:
            message = history[index]
            if self.is_result(message):
                if index != last + 1 or not self.is_result(history[last]):
                    after = self._holder(history, index)
            else:
                after = index
            last = index
            events += self.read(message, index, after, policy)
        return events

    def block(self, history: History, index: int) -> range:
        stop = index + 1
        while stop < len(history) and self.is_result(history[stop]):
            stop += 1
        return range(index, stop)

    def _holder(self, history: History, index: int) -> int | None:
        before = index - 1
        while before >= 0 and self.is_result(history[before]):
            before -= 1
        return before if before >= 0 else None

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        work = Edits(edits)
        gone = {event.at.message for event in _results(edits) if id(event) in work.taken}
        rebuilt = Rebuilt()
        done = 0
        for index in work.touched():
            rebuilt.keep(history, done, index)
            done = index + 1
            if index not in gone:
                message = self._edited(history, index, work)
                if message is not None:
                    rebuilt.add(message, index)
            if index in work.arranged:
                self._add_answers(rebuilt, history, work.arranged[index], work)
        rebuilt.keep(history, done, len(history))
        return rebuilt

    def _edited(self, history: History, index: int, work: Edits) -> Message | None:
        edits = work.at(index)
        return self.edit(history[index], edits) if edits else history[index]

    def _add_answers(
        self, rebuilt: Rebuilt, history: History, arrange: Arrange, work: Edits
    ) -> None:
        for answer in arrange.answers:
            if isinstance(answer, Close):
                asked = history[answer.call.at.message]
                rebuilt.add(self.result_to(asked, answer, work.id_of(answer.call)), None)
                continue
            message = self._edited(history, answer.at.message, work)
            assert message is not None
            rebuilt.add(message, answer.at.message)


def _results(edits: Sequence[Edit]) -> Iterator[Result]:
    for edit in edits:
        if isinstance(edit, Arrange):
            yield from (answer for answer in edit.answers if isinstance(answer, Result))
        elif isinstance(edit, Drop) and isinstance(edit.event, Result):
            yield edit.event
