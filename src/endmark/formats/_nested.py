"""The shape in which a message holds a history of its own, and its calls are answered in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from endmark.formats._base import Edits, Format, History, Message, Rebuilt, unlike
from endmark.model import At, Blank, Edit, Event, Result, Shape
from endmark.policy import Policy


class Nested(Format):
    """Call and result are items of one message: every edit stays inside its message.

    What is wrong among the items, `inner` knows; here the messages are found and put back.
    """

    shape = Shape.INLINE
    inner: ClassVar[Format]

    @abstractmethod
    def held(self, message: Message) -> list[Message] | None:
        """Give the history that a message holds, None for none; `TypeError` where it is none."""

    @abstractmethod
    def holding(self, message: Message, held: list[Message]) -> Message:
        """Give the message with that history in place of its own."""

    def skim(self, history: History) -> list[int]:
        suspects = []
        for index, message in enumerate(history):
            try:
                held = self.held(message)
                if held and self.inner.skim(held):
                    suspects.append(index)
            except (AttributeError, TypeError, ValueError):
                raise unlike(
                    index, message, f"its role, or what it holds, is not of {self.name}"
                ) from None
        return suspects

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        return [
            _at(event, index)
            for index in indexes
            if (held := self.held(history[index]))
            for event in self.inner.events(held, range(len(held)), policy)
        ]

    def call_ids(self, message: Message) -> Sequence[str | None]:
        held = self.held(message) or ()
        return [id_ for item in held for id_ in self.inner.call_ids(item)]

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        within = Edits(edits).within
        rebuilt = Rebuilt()
        for index, message in enumerate(history):
            if index in within:
                held = self.inner.apply(self.held(message) or [], within[index].edits)
                message = self.holding(message, held.messages)  # noqa: PLW2901
            rebuilt.add(message, index)
        return rebuilt


def _at(event: Event, index: int) -> Event:
    at = At(index, event.at.message)
    if isinstance(event, Blank):
        return replace(event, at=at)
    if isinstance(event, Result):
        return replace(event, at=at, after=None if event.after is None else index)
    return replace(event, at=at, slot=index, inline=True)
