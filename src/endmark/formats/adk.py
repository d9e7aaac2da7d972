"""Events of Google's Agent Development Kit: calls and responses are parts of their contents.

One event may hold several calls, or several responses; what is written for a call is an event of
its own right behind the one that calls. Both spellings are read, and written as the event is
spelled. Shapes as in google-adk 2.13.0. https://google.github.io/adk-docs/events/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from endmark.formats._adk_edits import answers, away_of, closing, edited, kept, with_own_ids
from endmark.formats._adk_places import (
    ASKING,
    Places,
    calls_in,
    is_made,
    long_running,
    parts_of,
    responses_in,
    says,
)
from endmark.formats._base import (
    Edits,
    History,
    Message,
    Rebuilt,
    call_flaws,
    known_id,
    unreadable,
)
from endmark.formats._gemini_ids import CALLS, RESPONSES, body_of
from endmark.formats._own_message import OwnMessage
from endmark.model import (
    At,
    Call,
    Close,
    Edit,
    Event,
    Kind,
    Owner,
    Result,
)
from endmark.policy import Policy


class ADK(OwnMessage):
    """Events of a session of the Agent Development Kit."""

    name = "adk"
    source = "https://google.github.io/adk-docs/events/"
    refusal = (
        "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn."
    )
    body = "content"
    id_field = "id"
    said: ClassVar[Message] = {
        "author": "user",
        "content": {"role": "user", "parts": [{"text": "."}]},
    }

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        due: list[Any] = []
        start, dirty, index = -1, False, -1
        try:
            for index, event in enumerate(history):
                content = event.get("content")
                parts = content.get("parts") if content else None
                called, said, answered = [], False, False
                for part in parts or ():
                    if (body := body_of(part, CALLS)) is not None:
                        called.append(body)
                    elif (body := body_of(part, RESPONSES)) is None:
                        said = True
                    else:
                        answered = True
                        if body.get("id") in due and _is_said(body):
                            due.remove(body.get("id"))
                        else:
                            dirty = True
                if answered:
                    start = index if start < 0 else start
                    dirty = dirty or said or bool(called)
                elif start >= 0 and (called or said):
                    if due or dirty:
                        suspects += range(start, index)
                    start, dirty, due = -1, False, []
                for body in called:
                    start = index if start < 0 else start
                    dirty = dirty or body.get("id") in due or not _is_asked(body)
                    due.append(body.get("id"))
        except (AttributeError, TypeError):
            raise unreadable(index, "it is no event with a content of parts") from None
        if start >= 0 and (dirty or due):
            suspects += range(start, len(history))
        return suspects

    def is_result(self, message: Message) -> bool:
        return bool(responses_in(message)) and not calls_in(message) and not says(message)

    def is_user(self, message: Message) -> bool:
        return message.get("author") == "user" and says(message)

    def is_assistant(self, message: Message) -> bool:
        """The words of an agent that all others see; calls alone pass nobody by."""
        return message.get("author") != "user" and says(message) and not message.get("branch")

    def call_ids(self, message: Message) -> Sequence[str | None]:
        return [known_id(called.get("id")) for called in calls_in(message)]

    def block(self, history: History, index: int) -> range:
        stop = index + 1
        while stop < len(history) and not calls_in(history[stop]) and not says(history[stop]):
            stop += 1
        return range(index, stop)

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        indexes = list(indexes)
        answered = any(responses_in(history[index]) for index in indexes)
        places = Places(history if answered else ())  # a call's place is its own
        return [event for index in indexes for event in _read(history, index, places, policy)]

    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        return self.events([message], [0], policy)

    def result(self, close: Close, call_id: str | None) -> Message:
        return closing({}, [(close, call_id)])

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        return edited(message, edits, range(len(parts_of(message))))

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        work = Edits(with_own_ids(edits))
        away = away_of(work)
        rebuilt = Rebuilt()
        done = 0
        for index in work.touched():
            rebuilt.keep(history, done, index)
            done = index + 1
            event = kept(history[index], work.at(index), away.get(index, {}))
            if event is not None:
                rebuilt.add(event, index)
            if index in work.arranged:
                for made, origin in answers(history, index, work, away):
                    rebuilt.add(made, origin)
        rebuilt.keep(history, done, len(history))
        return rebuilt

    def fits(self, message: Message) -> int:
        if not isinstance(message.get("author"), str) or "role" in message:
            return -1
        content = message.get("content")
        if content is not None and not isinstance(content, dict):
            return -1
        return 1 if {"invocation_id", "invocationId", "actions"} & message.keys() else -1


def _is_asked(called: Message) -> bool:
    call_id = called.get("id")
    return bool(isinstance(call_id, str) and call_id) and not _flaws(called)


def _flaws(called: Message) -> tuple[Kind, ...]:
    given = called.get("args")
    return call_flaws(called.get("name"), {} if given is None else given)


def _is_said(answered: Message) -> bool:
    return bool(isinstance(answered.get("response"), dict) and answered.get("name"))


def _read(history: History, index: int, places: Places, policy: Policy) -> Iterator[Event]:
    """Read one event: its calls and who answers them, its responses and where they stand."""
    event = history[index]
    waiting = long_running(event)
    made = is_made(event)
    for k, part in enumerate(parts_of(event)):
        at = At(index, k)
        called, answered = body_of(part, CALLS), body_of(part, RESPONSES)
        if called is not None:
            human = called.get("name") in ASKING or called.get("id") in waiting
            yield _call(called, at, Owner.HUMAN if human else Owner.SERVER)
        elif answered is not None and (index, k) not in places.updates:
            yield _result(answered, at, places.after[index, k], made, policy)


def _call(called: Message, at: At, owner: Owner) -> Call:
    flaws = _flaws(called)
    return Call(
        at,
        known_id(called.get("id")),
        called.get("name") or None,
        complete=Kind.INCOMPLETE not in flaws,
        owner=owner,
        arguments=called.get("args"),
        slot=at.message,
        flaws=flaws,
    )


def _result(answered: Message, at: At, after: int | None, made: bool, policy: Policy) -> Result:
    call_id, name = known_id(answered.get("id")), answered.get("name") or None
    response = answered.get("response")
    error = response.get("error") if isinstance(response, dict) else None
    return Result(
        at,
        call_id,
        name,
        synthesized=made or policy.is_marker(error, call_id, name),
        error=isinstance(response, dict) and "error" in response,
        after=after,
        value=response,
        flaw=False if _is_said(answered) else Kind.MALFORMED,
    )


FORMAT = ADK()
