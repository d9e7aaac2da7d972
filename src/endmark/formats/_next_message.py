"""The shape in which results are parts that lead the message behind the calls.

Answers are put into the message that holds some of them already (or, where a format says so, into
any that could), else into a message of their own. A message that is left with nothing goes.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from endmark.formats._base import Edits, Format, History, Message, Rebuilt, event_of
from endmark.model import Arrange, Close, Edit, Result, Shape, Within


class NextMessage(Format):
    """Results are parts that lead the message which follows the calls."""

    shape = Shape.NEXT_MESSAGE
    # Results lead the message of their role that follows the calls, whatever else is in it.
    joins: ClassVar[bool] = False
    # Roles of which the provider refuses two messages in a row: one between them that is left
    # with nothing stays, with a note.
    alternates: ClassVar[frozenset[str]] = frozenset()

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
    def result_part(self, close: Close, call_id: str | None, asked: Any) -> Any:
        """Make the part of a synthesized result; `asked` is the part of its call."""

    def result_to(self, message: Message, close: Close, call_id: str | None, asked: Any) -> Any:
        """Make the part of a synthesized result to a call of this message."""
        return self.result_part(close, call_id, asked)

    @abstractmethod
    def edit_part(self, message: Message, part: Any, edits: Sequence[Edit]) -> list[Any]:
        """Write edits inside one part of a message; give what stands in its place."""

    @abstractmethod
    def settle(self, message: Message, parts: list[Any], edits: Sequence[Edit]) -> list[Any]:
        """Give the parts that an edited message can stand with, [] to leave it out."""

    def split(self, message: Message) -> list[Message]:
        """Give the messages that an edited one comes to: more where its parts may not mix."""
        return [message]

    def side(self, message: Message) -> str:
        """Tell who speaks in this message, as `alternates` names the sides."""
        return str(message.get("role"))

    def answers_in(self, message: Message) -> bool:
        """Tell whether this message is one that results may stand in."""
        return message.get("role") == "user"

    def note(self) -> list[Any]:
        """Make the parts of a message that stays although nothing is left in it."""
        return []

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        work = Edits(edits)
        made = _Turns(self, history)
        leads: dict[int, list[Any]] = {}
        follow = self._followers(history, work)
        for index in sorted({*work.touched(), *follow.values()}):
            made.keep_until(index)
            lead = leads.pop(index, [])
            message = self._rebuild(history, index, lead, work)
            if message is None:
                made.empty(index)
            else:
                for k, one in enumerate(self.split(message)):
                    made.add(one, None if k else index)
            if index in work.arranged:
                answers = self._answer_parts(history, work.arranged[index], work)
                if index in follow:
                    leads[follow[index]] = answers
                else:
                    self._insert(made, history, work.arranged[index], answers)
        made.keep_until(len(history))
        return made.rebuilt

    def _followers(self, history: History, work: Edits) -> dict[int, int]:
        """Find the message behind each arranged block that takes its answers in."""
        touched = set(work.touched())
        found = {}
        for after, arrange in work.arranged.items():
            index = after + 1
            if self.joins:
                while index in touched and not self.answers_in(history[index]):
                    if self._rebuild(history, index, [], work) is not None:
                        break
                    index += 1
                takes = index < len(history) and self.answers_in(history[index])
            else:
                takes = any(
                    isinstance(answer, Result)
                    and answer.at.message == index
                    and (answer.after is not None or self.is_user(history[index]))
                    for answer in arrange.answers
                )
            if takes:
                found[after] = index
        return found

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
        parts = self.settle(message, lead + kept, edits)
        return self.with_parts(message, parts) if parts else None

    def _part(self, message: Message, part: Any, k: int, edits: Sequence[Edit]) -> list[Any]:
        mine = [
            e for e in edits if not isinstance(e, Arrange | Within) and event_of(e).at.part == k
        ]
        return self.edit_part(message, part, mine) if mine else [part]

    def _answer_parts(self, history: History, arrange: Arrange, work: Edits) -> list[Any]:
        parts: list[Any] = []
        for answer in arrange.answers:
            if isinstance(answer, Close):
                at = answer.call.at
                holder = history[at.message]
                asked = self.parts(holder)[at.part]
                parts.append(self.result_to(holder, answer, work.id_of(answer.call), asked))
            else:
                message, k = history[answer.at.message], answer.at.part
                part = self.parts(message)[k]
                parts += self._part(message, part, k, work.at(answer.at.message))
        return parts

    def _insert(self, made: _Turns, history: History, arrange: Arrange, parts: list[Any]) -> None:
        """Add a message of results: an old one that moves whole where all come from it."""
        sources = {a.at.message if isinstance(a, Result) else None for a in arrange.answers}
        origin = sources.pop() if len(sources) == 1 else None
        if origin is not None and len(self.parts(history[origin])) == len(parts):
            made.add(self.message_of(parts, history[origin]), origin)
        else:
            made.add(self.message_of(parts, {}), None)


class _Turns:
    """The messages as they are put together, kept apart where the provider wants turns."""

    def __init__(self, format_: NextMessage, history: History) -> None:
        self.format = format_
        self.history = history
        self.rebuilt = Rebuilt()
        self.done = 0
        self.used: set[int] = set()  # each old message is gone on with once
        self.emptied: int | None = None  # a message left with nothing, not yet given up

    def keep_until(self, index: int) -> None:
        """Keep what is not touched, up to this message, which is dealt with by itself."""
        if self.done < index:
            self._hold_apart(self.history[self.done])
            self.rebuilt.keep(self.history, self.done, index)
        self.done = index + 1

    def add(self, message: Message, origin: int | None) -> None:
        self._hold_apart(message)
        self._add(message, origin)

    def empty(self, index: int) -> None:
        old, before = self.history[index], self._before()
        apart = self.format.answers_in(old) if before is None else before != self.format.side(old)
        if self.emptied is None and apart and self.format.alternates:
            self.emptied = index

    def _add(self, message: Message, origin: int | None) -> None:
        self.rebuilt.add(message, None if origin in self.used else origin)
        if origin is not None:
            self.used.add(origin)

    def _before(self) -> str | None:
        messages = self.rebuilt.messages
        return self.format.side(messages[-1]) if messages else None

    def _hold_apart(self, coming: Message) -> None:
        """Keep an emptied message if two of one side would meet without it, or none begin."""
        index, self.emptied = self.emptied, None
        if index is None:
            return
        old, side = self.history[index], self.format.side(coming)
        meets = self._before() in (side, None) and side != self.format.side(old)
        if meets and side in self.format.alternates:
            self._add(self.format.with_parts(old, self.format.note()), index)
