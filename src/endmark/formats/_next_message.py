"""The shape in which results are parts that lead the message behind the calls.

Answers are put into the user's message that holds some of them already, else into a message of
their own; a message that is left with nothing goes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from endmark.formats._base import Edits, Format, History, Message, Rebuilt, event_of
from endmark.model import Arrange, Close, Edit, Result, Shape


class NextMessage(Format):
    """Results are parts that lead the message which follows the calls."""

    shape = Shape.NEXT_MESSAGE

    @abstractmethod
    def parts(self, message: Message) -> list[Any]:
        """Give the parts of a message; a plain text counts as one part."""

    @abstractmethod
    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        """Give a copy of a message with these parts."""

    @abstractmethod
    def message_of(self, parts: list[Any], old: Message) -> Message:
        """Make a message of these results; `old` held nothing else, {} where there is none."""

    @abstractmethod
    def result_part(self, close: Close, call_id: str | None) -> Any:
        """Make the part of a synthesized result."""

    @abstractmethod
    def edit_part(self, message: Message, part: Any, edits: Sequence[Edit]) -> list[Any]:
        """Write edits inside one part of a message; give what stands in its place."""

    @abstractmethod
    def settle(self, message: Message, parts: list[Any], edits: Sequence[Edit]) -> list[Any]:
        """Give the parts that an edited message can stand with, [] to leave it out."""

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        work = Edits(edits)
        rebuilt = Rebuilt()
        done = 0
        leads: dict[int, list[Any]] = {}
        follow = self._followers(history, work)
        for index in sorted({*work.touched(), *follow.values()}):
            rebuilt.keep(history, done, index)
            done = index + 1
            lead = leads.pop(index, [])
            message = self._rebuild(history, index, lead, work)
            if message is not None:
                rebuilt.add(message, index)
            if index in work.arranged:
                answers = self._answer_parts(history, work.arranged[index], work)
                if index in follow:
                    leads[follow[index]] = answers
                else:
                    self._insert(rebuilt, history, work.arranged[index], answers)
        rebuilt.keep(history, done, len(history))
        return rebuilt

    def _followers(self, history: History, work: Edits) -> dict[int, int]:
        """Find the user's message behind each arranged block that holds some of its answers."""
        return {
            after: after + 1
            for after, arrange in work.arranged.items()
            if any(
                isinstance(answer, Result)
                and answer.at.message == after + 1
                and (answer.after is not None or self.is_user(history[after + 1]))
                for answer in arrange.answers
            )
        }

    def _rebuild(
        self, history: History, index: int, lead: list[Any], work: Edits
    ) -> Message | None:
        message = history[index]
        edits = work.at(index)
        taken = work.parts_taken.get(index, set())
        if not (lead or edits or taken):
            return message
        kept = [
            part
            for k, old in enumerate(self.parts(message))
            if k not in taken
            for part in self._part(message, old, k, edits)
        ]
        parts = lead + self.settle(message, kept, edits)
        return self.with_parts(message, parts) if parts else None

    def _part(self, message: Message, part: Any, k: int, edits: Sequence[Edit]) -> list[Any]:
        mine = [e for e in edits if not isinstance(e, Arrange) and event_of(e).at.part == k]
        return self.edit_part(message, part, mine) if mine else [part]

    def _answer_parts(self, history: History, arrange: Arrange, work: Edits) -> list[Any]:
        parts: list[Any] = []
        for answer in arrange.answers:
            if isinstance(answer, Close):
                parts.append(self.result_part(answer, work.id_of(answer.call)))
            else:
                message, k = history[answer.at.message], answer.at.part
                part = self.parts(message)[k]
                parts += self._part(message, part, k, work.at(answer.at.message))
        return parts

    def _insert(
        self, rebuilt: Rebuilt, history: History, arrange: Arrange, parts: list[Any]
    ) -> None:
        """Add a message of results: an old one that moves whole where all come from it."""
        sources = {a.at.message if isinstance(a, Result) else None for a in arrange.answers}
        origin = sources.pop() if len(sources) == 1 else None
        if origin is not None and len(self.parts(history[origin])) == len(parts):
            rebuilt.add(self.message_of(parts, history[origin]), origin)
        else:
            rebuilt.add(self.message_of(parts, {}), None)
