"""What a format is: its events, its edits, and its quirks as declared data.

The three shapes are written once (`_inline`, `_own_message`, `_next_message`); a format fills in
how one message, or part of one, looks.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Any, ClassVar

import orjson

from endmark.errors import UnreadableError
from endmark.model import (
    Arrange,
    Call,
    Close,
    Drop,
    Edit,
    Event,
    Kind,
    Mend,
    Result,
    SetId,
    Shape,
    ToText,
    Within,
)
from endmark.policy import Policy

Message = dict[str, Any]
History = Sequence[Message]

ORPHAN_TEXT = "[Result of a tool call that is no longer part of this conversation]"

LONGEST_ROLE = 20  # that an error repeats


class Rebuilt:
    """A history after its edits: untouched messages are the same objects.

    `origins[k]` is the index that `messages[k]` had before, None where it is new.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._spans: list[range | None] = []  # who asks for messages alone need not wait for more

    @classmethod
    def of(cls, messages: Iterable[Message], origins: Iterable[int | None]) -> Rebuilt:
        made = cls()
        for message, origin in zip(messages, origins, strict=True):
            made.add(message, origin)
        return made

    @cached_property
    def origins(self) -> list[int | None]:
        return [k for span in self._spans for k in (span or (None,))]

    def add(self, message: Message, origin: int | None) -> None:
        self.messages.append(message)
        self._spans.append(None if origin is None else range(origin, origin + 1))

    def keep(self, history: History, start: int, stop: int) -> None:
        if start < stop:
            self.messages += history[start:stop]
            self._spans.append(range(start, stop))


class Format(ABC):
    """One message format. Instances hold no state: one of each serves all threads."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    shape: ClassVar[Shape]
    source: ClassVar[str]  # the documentation of the shape
    refusal: ClassVar[str]  # what the provider answers to a half pair
    unique_ids: ClassVar[bool] = False
    optional_ids: ClassVar[bool] = False  # calls and results may go without an id
    objects: ClassVar[bool] = False  # messages may be a library's objects, not only plain data
    joint: ClassVar[bool] = False  # calls in a row are one block: each is a message of its own
    leading: ClassVar[bool] = False  # some messages need another to follow them: reasoning does
    linked: ClassVar[bool] = False  # a call's result may stand in the part of another message
    body: ClassVar[str]  # the field that holds a message's content where the role is a column
    said: ClassVar[Message] = {"role": "user", "content": "."}  # a message in which a user speaks
    told_by: ClassVar[tuple[str, ...]] = ()  # keys of a message by which it has a call or a result
    id_field: ClassVar[str | None] = None  # the message's own id, where the format has one
    # Substrings of stored text, one of which a message must contain to be poisoned on its own.
    needles: ClassVar[tuple[str, ...]] = ()
    # Substrings that a sound message holds equally often (spellings of one are added up), and the
    # needles that this balance does not tell: together what a database looks for in text.
    balanced: ClassVar[tuple[tuple[str, ...], ...]] = ()
    besides: ClassVar[tuple[str, ...]] = ()
    # A substring that every message with a call contains, so that most rows are done with at once.
    gate: ClassVar[str] = ""
    # The same as jsonpaths below a message {0}, for PostgreSQL's jsonb, whose text is dear to make.
    jsonpaths: ClassVar[tuple[str, ...]] = ()
    # Where the ids of calls stand in a message that may hold one twice: as a jsonpath below {0}, and
    # as the key whose values they are.
    ids_path: ClassVar[str] = ""
    ids_key: ClassVar[str] = ""
    # SQL on a jsonb message {0}: the text of a smaller one that `skim` sees the same in.
    slim: ClassVar[str | None] = None
    # The same for text: how most programs begin a message of which `skim` sees no more than is here
    # (spaces left out), and what it then counts as.
    plain: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def skim(self, history: History) -> list[int]:
        """Give the indexes of messages that are not plainly sound: the cheap first look.

        A block whose calls are answered in place by id may be left out: pairing reserves it
        before anything else, so leaving it out changes nothing (a property test says so).
        """

    @abstractmethod
    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        """Read these messages into events, in order."""

    @abstractmethod
    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        """Write the edits; neither the history nor any of its messages is changed."""

    @abstractmethod
    def call_ids(self, message: Message) -> Sequence[str | None]:
        """Give the ids of the calls of one message, () for none."""

    def calling(self, history: History, ids: AbstractSet[str | None]) -> list[int]:
        """Give the indexes of the messages that call by one of these ids; more does no harm."""
        return [
            index
            for index, message in enumerate(history)
            if not ids.isdisjoint(self.call_ids(message))
        ]

    def block(self, history: History, index: int) -> range:
        """Give the messages of the block whose calls this message holds."""
        return range(index, index + 1)

    @abstractmethod
    def is_user(self, message: Message) -> bool:
        """Tell whether a user says something in this message (results alone are not that)."""

    @abstractmethod
    def fits(self, message: Message) -> int:
        """Tell how a message looks: -1 not this format, 0 could be, 1 surely."""

    def told(self, message: Any) -> int:
        """Tell how anything looks: as `fits`, and -1 for what is no message at all."""
        try:
            return self.fits(message) if self.objects or isinstance(message, dict) else -1
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            return -1

    def is_assistant(self, message: Message) -> bool:
        """Tell whether the assistant says something in this message, or calls a tool."""
        return message.get("role") == "assistant"

    def answered(self, message: Message) -> str | None:
        """Give the id of the call that this message of a result answers; None where it is none."""
        return None

    def recorded(self, message: Message, value: Any, error: bool) -> Message:
        """Give a message of a result with another value in it."""
        return message

    def moved(self, message: Message, made: Message) -> Message:
        """Give a real result as it may stand in another history, where one was made for its call."""
        return message

    def last(self, history: History, is_it: Callable[[Message], bool]) -> int:
        """Give the index of the last message of a kind, -1 for none."""
        return next((i for i in range(len(history) - 1, -1, -1) if is_it(history[i])), -1)


class Latest:
    """The last message of a kind up to a given one, asked for in the order of the messages."""

    def __init__(self, history: History, is_it: Callable[[Message], bool]) -> None:
        self.history = history
        self.is_it = is_it
        self.asked = -1
        self.found = -1

    def upto(self, index: int) -> int:
        """Give the index of that message, -1 for none; each is looked at once."""
        for at in range(index, self.asked, -1):
            if self.is_it(self.history[at]):
                self.found = at
                break
        self.asked = max(index, self.asked)
        return self.found


def known_id(value: Any) -> str | None:
    """Give an id, or None if it is empty, missing or not a string."""
    return value if isinstance(value, str) and value else None


def as_object(value: Any) -> Message | None:
    """Give arguments as the object they are or spell; None if they are none."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def call_flaws(name: Any, given: Any) -> tuple[Kind, ...]:
    """Tell what a provider refuses in a call whose arguments have to be an object."""
    if isinstance(given, str) and given.strip() and as_object(given) is None:
        return (Kind.INCOMPLETE,)
    return () if isinstance(given, dict) and name else (Kind.MALFORMED,)


def parses(text: Any) -> bool:
    """Tell whether a text is JSON, by either parser."""
    if text.__class__ is not str:
        return False
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return False
    return True


def unreadable(index: int, what: str) -> UnreadableError:
    """Make the error for a message that is not of its format."""
    return UnreadableError(
        f"message {index}: {what}. Nothing was changed; check the format that was named."
    )


def unlike(index: int, message: Any, what: str, field: str = "role") -> UnreadableError:
    """Make the same error, naming the field that says who speaks where that is what it lacks."""
    lacks = isinstance(message, dict) and message.get(field) is None
    return unreadable(index, f"it has no {field}" if lacks else what)


def not_a_role(index: int, role: Any, field: str = "role") -> UnreadableError:
    """Make the error for what nobody of its format is called; a long name may be content."""
    if role is None:
        return unreadable(index, f"it has no {field}")
    short = isinstance(role, str) and len(role) <= LONGEST_ROLE
    return unreadable(index, f"its {field} {f'is {role!r}' if short else 'is no name'}")


def event_of(edit: Close | Drop | ToText | SetId | Mend) -> Event:
    """Give the event that an edit is about."""
    return edit.call if isinstance(edit, Close | Mend) else edit.event


class Edits:
    """The edits of one repair, by the message and the part that they touch."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.arranged: dict[int, Arrange] = {}
        self.within: dict[int, Within] = {}
        self.taken: set[int] = set()  # ids of results that leave their place
        self.by_message: dict[int, list[Edit]] = {}
        self.ids: dict[int, str] = {}
        self.parts_taken: dict[int, set[int]] = {}  # by message: the parts that leave their place
        for edit in edits:
            if isinstance(edit, Arrange):
                self.arranged[edit.after] = edit
                for answer in edit.answers:
                    if isinstance(answer, Result):
                        self.taken.add(id(answer))
                        self._take(answer)
                continue
            if isinstance(edit, Within):
                self.within[edit.message] = edit
                continue
            event = event_of(edit)
            if isinstance(edit, SetId):
                self.ids[id(event)] = edit.id
            if isinstance(edit, Drop):
                self._take(event)
                if isinstance(event, Result):
                    self.taken.add(id(event))
            self.by_message.setdefault(event.at.message, []).append(edit)

    def _take(self, event: Event) -> None:
        self.parts_taken.setdefault(event.at.message, set()).add(event.at.part)

    def touched(self) -> list[int]:
        moved = {
            answer.at.message
            for arrange in self.arranged.values()
            for answer in arrange.answers
            if isinstance(answer, Result)
        }
        return sorted({*self.by_message, *self.arranged, *moved})

    def at(self, index: int) -> list[Edit]:
        return self.by_message.get(index, [])

    def id_of(self, event: Call | Result) -> str | None:
        return self.ids.get(id(event), event.id)


def text_of_orphan(call: Call) -> str:
    """Give the sentence that stands for a call which was the provider's to run."""
    return f"[{call.name or 'A tool'} was requested; no result was recorded]"
