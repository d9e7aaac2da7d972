"""The shape in which results are parts of messages of their own, one or several, behind the calls.

Results that stand behind their calls stay where they are; what is put in, or moved there, comes
behind them, and what was said between calls and results behind it all.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Literal

from endmark.formats._base import (
    Edits,
    Format,
    History,
    Message,
    Rebuilt,
    event_of,
    known_id,
    not_a_role,
    unlike,
    unreadable,
)
from endmark.model import (
    Arrange,
    At,
    Call,
    Close,
    Edit,
    Event,
    Mend,
    Result,
    SetId,
    Shape,
    ToText,
    Within,
)
from endmark.policy import Policy

Kind = Literal["call", "result", "said", "silent"]
_UNREAD = (AttributeError, KeyError, TypeError)


class Behind(Format):
    """Results are parts of messages that hold nothing else, behind the message of the calls."""

    shape = Shape.NEXT_MESSAGE
    roles: ClassVar[frozenset[str]]
    answerer: ClassVar[str]  # the role of a message of results
    runs: ClassVar[bool] = False  # messages of the assistant in a row are one to the provider

    @abstractmethod
    def kind(self, part: Any) -> Kind:
        """Tell what a part is; a silent one says nothing to the model."""

    @abstractmethod
    def id_of(self, part: Any) -> Any:
        """Give the id of a call, or that a result answers, as it is written."""

    @abstractmethod
    def is_plain(self, part: Any) -> bool:
        """Tell whether nothing is wrong with this call, or this result, in itself."""

    @abstractmethod
    def call_of(self, part: Any, at: At, slot: int) -> Call:
        """Read a call."""

    @abstractmethod
    def result_of(self, part: Any, at: At, after: int | None, policy: Policy) -> Result:
        """Read a result."""

    @abstractmethod
    def result(self, close: Close, call_id: str | None) -> Any:
        """Make the part of a synthesized result."""

    @abstractmethod
    def with_id(self, part: Any, id_: str) -> Any:
        """Give a copy of a call, or of a result, with that id."""

    @abstractmethod
    def mended(self, part: Any) -> Any:
        """Give a copy of a call, or of a result, with what it lacks."""

    @abstractmethod
    def text(self, event: Call | Result, part: Any) -> Any:
        """Make the part of text that stands for a call or a result."""

    def message(self, role: str, parts: list[Any]) -> Message:
        """Make a message of these parts."""
        return {"role": role, self.body: parts}

    def asked(self, history: History, last_user: int) -> dict[Any, Any]:
        """Give the ids of calls that a person, or a client, is asked about."""
        return {}

    def parts(self, message: Message) -> list[Any]:
        parts: list[Any] = message[self.body]
        return parts

    def is_user(self, message: Message) -> bool:
        said = any(self.kind(part) == "said" for part in self.parts(message))
        return message.get("role") == "user" and said

    def call_ids(self, message: Message) -> Sequence[str | None]:
        if not self.is_assistant(message):
            return ()
        calls = [part for part in self.parts(message) if self.kind(part) == "call"]
        return [known_id(self.id_of(part)) for part in calls]

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        due: list[Any] = []
        start, dirty, lead, asks, index = 0, False, False, False, -1
        try:
            for index, message in enumerate(history):
                went_on = asks and self.runs
                asks = self.is_assistant(message)
                if asks and not went_on:
                    if dirty or due:
                        suspects += range(start, index)
                    start, due, dirty = index, [], False
                if not asks and message["role"] not in self.roles:
                    raise not_a_role(index, message["role"])
                lead = asks or (lead and message["role"] == self.answerer)
                for part in self.parts(message):
                    kind = self.kind(part)
                    if kind == "call":
                        if not asks:
                            raise unreadable(index, "it holds a call, but is not the assistant's")
                        dirty = dirty or self.id_of(part) in due or not self.is_plain(part)
                        due.append(self.id_of(part))
                    elif kind == "result" and not (dirty or asks) and lead:
                        dirty = not self._answers(part, due)
                    elif kind == "result":
                        dirty = True
                    elif kind == "said":
                        lead = asks
        except _UNREAD:
            raise unlike(index, message, "it is no message of parts") from None
        return suspects + list(range(start, len(history))) if dirty or due else suspects

    def _answers(self, part: Any, due: list[Any]) -> bool:
        if self.id_of(part) not in due or not self.is_plain(part):
            return False
        due.remove(self.id_of(part))
        return True

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        asked = self.asked(history, self.last(history, self.is_user))
        return [event for index in indexes for event in self._read(history, index, asked, policy)]

    def _read(
        self, history: History, index: int, asked: dict[Any, Any], policy: Policy
    ) -> Iterator[Event]:
        message = history[index]
        asks = self.is_assistant(message)
        slot = self._run_end(history, index) if asks else -1
        answers = message["role"] == self.answerer
        after = self._holder(history, index) if answers else None
        for k, part in enumerate(self.parts(message)):
            kind = self.kind(part)
            if kind == "call":
                call = self.call_of(part, At(index, k), slot)
                yield asked[call.id](call) if call.id in asked else call
            elif kind == "result":
                yield self.result_of(part, At(index, k), after, policy)
            elif kind == "said":
                after = None

    def _run_end(self, history: History, index: int) -> int:
        while self.runs and index + 1 < len(history) and self.is_assistant(history[index + 1]):
            index += 1
        return index

    def _holder(self, history: History, index: int) -> int | None:
        """Find the message of calls whose results may stand in this one."""
        before = index - 1
        while before >= 0 and self._holds_answers(history[before]):
            before -= 1
        return before if before >= 0 and self.is_assistant(history[before]) else None

    def _holds_answers(self, message: Message) -> bool:
        """Tell whether a message says nothing of its own, so that results go on behind it."""
        if message["role"] != self.answerer:
            return False
        return all(self.kind(part) != "said" for part in self.parts(message))

    def block(self, history: History, index: int) -> range:
        start, stop = index, self._run_end(history, index) + 1
        while self.runs and start > 0 and self.is_assistant(history[start - 1]):
            start -= 1
        while stop < len(history) and not self.is_assistant(history[stop]):
            stop += 1
        return range(start, stop)

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        work, rebuilt, done = Edits(edits), Rebuilt(), 0
        for index in work.touched():
            if index < done:  # a message of results that went with its block
                continue
            rebuilt.keep(history, done, index)
            done = index + 1
            for message, origin in self._edited(history, index, work):
                rebuilt.add(message, origin)
            if index in work.arranged:
                done = self._behind(rebuilt, history, work.arranged[index], work)
        rebuilt.keep(history, done, len(history))
        return rebuilt

    def _edited(
        self, history: History, index: int, work: Edits, stay: frozenset[int] = frozenset()
    ) -> list[tuple[Message, int | None]]:
        """Give what becomes of a message; `stay` are results that are not taken out of it."""
        message, edits = history[index], work.at(index)
        taken = work.parts_taken.get(index, set()) - stay
        if not edits and not taken:
            return [(message, index)]
        parts = [
            self._part(part, k, edits)
            for k, part in enumerate(self.parts(message))
            if k not in taken
        ]
        if all(self.kind(part) == "silent" for part in parts):
            return []
        return [(one, None if k else index) for k, one in enumerate(self._split(message, parts))]

    def _split(self, message: Message, parts: list[Any]) -> Iterator[Message]:
        """Give a message for results and one for what is said, where it held results alone."""
        said = [part for part in parts if self.kind(part) == "said"]
        if self.is_assistant(message) or not self._holds_answers(message) or not said:
            yield {**message, self.body: parts}
            return
        if any(self.kind(part) == "result" for part in parts):
            yield {**message, self.body: [part for part in parts if self.kind(part) != "said"]}
        yield self.message("user", said)

    def _part(self, part: Any, k: int, edits: Sequence[Edit]) -> Any:
        for edit in edits:
            if isinstance(edit, Arrange | Within) or event_of(edit).at.part != k:
                continue
            if isinstance(edit, SetId):
                part = self.with_id(part, edit.id)
            elif isinstance(edit, Mend):
                part = self.mended(part)
            elif isinstance(edit, ToText):
                part = self.text(edit.event, part)
        return part

    def _behind(self, rebuilt: Rebuilt, history: History, arrange: Arrange, work: Edits) -> int:
        """Add the answers of a block; give the message with which the history goes on."""
        stop = arrange.after + 1
        while stop < len(history) and self._holds_answers(history[stop]):
            stop += 1
        mine = {a.at for a in arrange.answers if isinstance(a, Result)}
        words = []
        for index in range(arrange.after + 1, stop):
            stay = frozenset(at.part for at in mine if at.message == index)
            for message, origin in self._edited(history, index, work, stay):
                kinds = {self.kind(part) for part in self.parts(message)}
                if "result" in kinds:
                    rebuilt.add(message, origin)
                else:
                    words.append((message, origin))
        for answer in arrange.answers:
            if isinstance(answer, Close):
                part = self.result(answer, work.id_of(answer.call))
                rebuilt.add(self.message(self.answerer, [part]), None)
            elif not arrange.after < answer.at.message < stop:
                self._move(rebuilt, history, answer.at, work)
        for message, origin in words:
            rebuilt.add(message, origin)
        return stop

    def _move(self, rebuilt: Rebuilt, history: History, at: At, work: Edits) -> None:
        """Add a result that stood elsewhere: with its message where nothing else is in it."""
        message, edits = history[at.message], work.at(at.message)
        kinds = [self.kind(part) for part in self.parts(message)]
        part = self._part(self.parts(message)[at.part], at.part, edits)
        if self._holds_answers(message) and kinds.count("result") == 1:
            parts = [part if k == at.part else p for k, p in enumerate(self.parts(message))]
            rebuilt.add({**message, self.body: parts}, at.message)
        else:
            rebuilt.add(self.message(self.answerer, [part]), None)
