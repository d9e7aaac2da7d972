"""The neutral values that every format is read into and every change is written from.

A format turns messages into *events* (`Call`, `Result`) with positions; pairing and repair turn
events into *findings* and *edits*; the format turns edits back into messages. Nothing here knows
a provider, a row or a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

Turn = Literal["over", "open"]


class At(NamedTuple):
    """A position: index of the message in its history, index of the part in its message."""

    message: int
    part: int = 0


class Owner(StrEnum):
    """Who can still answer a call."""

    SERVER = "server"
    CLIENT = "client"
    PROVIDER = "provider"
    HUMAN = "human"


class Shape(StrEnum):
    """Where a format keeps the result of a call."""

    INLINE = "inline"
    OWN_MESSAGE = "own message"
    NEXT_MESSAGE = "next message"


class Outcome(StrEnum):
    """What is known of a call that has no recorded result."""

    NOT_RUN = "not_run"
    UNKNOWN = "unknown"
    DENIED = "denied"


class Kind(StrEnum):
    """What is wrong with a call or a result."""

    DANGLING = "dangling"  # a call without a result
    ORPHAN = "orphan"  # a result without a call
    MISPLACED = "misplaced"  # a result that is not where the provider wants it
    DUPLICATE = "duplicate"  # a second result for one call
    COPY = "copy"  # a second copy of the very same call
    LONE = "lone"  # a provider-executed call whose result never came
    NO_ID = "no_id"  # an empty or missing id
    REUSED_ID = "reused_id"  # an id that another call owns already
    BAD_ID = "bad_id"  # an id that the provider refuses as it is
    INCOMPLETE = "incomplete"  # arguments that were never finished
    MALFORMED = "malformed"  # a part with a field missing, or one that it must not have
    EMPTY = "empty"  # a message or text with nothing in it, which the provider refuses


@dataclass(slots=True, eq=False)  # not frozen: that would double what one costs to make
class Call:
    """One request for a tool. `id` is None when it is empty, missing or not a string."""

    at: At
    id: str | None
    name: str | None
    complete: bool = True
    owner: Owner = Owner.SERVER
    inline: bool = False
    arguments: Any = field(default=None, repr=False)
    denied: bool = False
    asked: bool = False  # a person was asked about it, whoever runs it
    slot: int = -1  # the message behind which its results belong
    flaws: tuple[Kind, ...] = ()  # what the provider refuses in the call itself
    held: bool = False  # it waits on purpose, whatever was said since
    led: bool = False  # what stands before it may not be left without it


@dataclass(slots=True, eq=False)
class Result:
    """One recorded answer. `after` is the slot it stands at, None where no result may stand."""

    at: At
    id: str | None
    name: str | None = None
    final: bool = True
    synthesized: bool = False
    error: bool = False
    owner: Owner = Owner.SERVER
    after: int | None = None
    value: Any = field(default=None, repr=False)  # what was answered, for reports and equality
    flaw: bool | Kind = False  # what the provider refuses in it; True: it is empty


@dataclass(frozen=True, slots=True, eq=False)
class Blank:
    """A message, or a part of one, that holds nothing and that the provider refuses."""

    at: At
    waits: bool = False  # an open turn may still bring what it lacks


Event = Call | Result | Blank


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, and where: no message content, so it can be logged.

    `message` and `part` are indexes into the history as it was given. `dropped` holds what a
    repair took out (a duplicate, an orphan), so that a real result is never lost unseen, and
    nothing where the words are kept as text; it is not part of the representation.
    """

    kind: Kind
    call_id: str | None
    tool_name: str | None
    message: int
    part: int = 0
    dropped: Any = field(default=None, repr=False, compare=False)


# The edits are tuples, not frozen dataclasses: a third of what one costs to make.
class Close(NamedTuple):
    """Write a synthesized result for this call."""

    call: Call
    outcome: Outcome
    text: str


class Arrange(NamedTuple):
    """Let exactly these results stand, in this order, right behind this message."""

    after: int
    answers: tuple[Close | Result, ...]


class Drop(NamedTuple):
    """Take this part, or this message, out."""

    event: Event


class ToText(NamedTuple):
    """Keep the words of this result, or the fact of this call, as plain text in its place."""

    event: Call | Result


class SetId(NamedTuple):
    """Give this call, or this result, that id."""

    event: Call | Result
    id: str


class Mend(NamedTuple):
    """Complete what the provider refuses in the call (or the result) itself: what it lacks."""

    call: Call | Result


@dataclass(frozen=True, slots=True)
class Within:
    """Write these edits into the history that this message holds."""

    message: int
    edits: tuple[Edit, ...]


Edit = Close | Arrange | Drop | ToText | SetId | Mend | Within
