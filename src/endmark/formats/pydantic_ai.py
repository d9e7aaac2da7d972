"""pydantic-ai messages, as `ModelMessagesTypeAdapter` dumps them: responses call, requests answer.

Requests in a row are one to the library, and results lead them; what the provider ran itself
(`builtin-tool-…`) is answered inside the responses of its turn. Shapes as in pydantic-ai 2.68.0,
and what 1.60, 1.100 and 2.0 to 2.10 load. https://ai.pydantic.dev/message-history/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

from endmark.formats._base import (
    History,
    Latest,
    Message,
    known_id,
    not_a_role,
    text_of_orphan,
    unlike,
    unreadable,
)
from endmark.formats._next_message import NextMessage
from endmark.formats._pydantic_ai_parts import (
    HOSTED_CALL,
    HOSTED_RETURN,
    as_text,
    call_of,
    is_asked_soundly,
    is_result,
    is_said,
    mended,
    result_of,
    synthesized,
)
from endmark.model import At, Call, Close, Drop, Edit, Event, Mend, SetId, ToText
from endmark.policy import Policy

# What is said to the model, and may not stand before a result; notes for the library may.
SAID = frozenset({"user-prompt", "retry-prompt", "retry-feedback", "speech", "compaction"})
USERS = frozenset({"user-prompt", "speech"})
CALLS = frozenset({"tool-call", HOSTED_CALL})


class PydanticAI(NextMessage):
    """Requests and responses of pydantic-ai."""

    name = "pydantic-ai"
    source = "https://ai.pydantic.dev/message-history/"
    refusal = (
        "Cannot provide a new user prompt when the message history contains unprocessed tool calls."
    )
    body = "parts"
    said: ClassVar[Message] = {
        "kind": "request",
        "parts": [{"part_kind": "user-prompt", "content": "."}],
    }

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        due: list[Any] = []
        start, dirty, lead, index = 0, False, False, -1
        try:
            for index, message in enumerate(history):
                kind, parts = message["kind"], message["parts"]
                if kind == "response":
                    if dirty or due:
                        suspects += range(start, index)
                    start, lead = index, True
                    due, dirty = _asked(parts)
                    continue
                if kind != "request":
                    raise not_a_role(index, kind, "kind")
                for part in parts:
                    what = part["part_kind"]
                    if what == "tool-return" or (what == "retry-prompt" and is_result(part)):
                        call_id = part.get("tool_call_id")
                        if lead and call_id in due and is_said(part):
                            due.remove(call_id)
                        else:
                            dirty = True
                    elif what in SAID:
                        lead = False
                    elif what in CALLS:
                        raise unreadable(index, "it holds a call, but it is a request")
        except (AttributeError, KeyError, TypeError):
            raise unlike(index, message, "it is no request or response of parts", "kind") from None
        if dirty or due:
            suspects += range(start, len(history))
        return suspects

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        seen = _Seen(history)
        return [event for index in indexes for event in _read(history, index, seen, policy)]

    def call_ids(self, message: Message) -> Sequence[str | None]:
        if message["kind"] != "response":
            return ()
        calls = [part for part in message["parts"] if part["part_kind"] in CALLS]
        return [known_id(part.get("tool_call_id")) for part in calls]

    def block(self, history: History, index: int) -> range:
        stop = index + 1
        while stop < len(history) and history[stop]["kind"] != "response":
            stop += 1
        return range(index, stop)

    def is_user(self, message: Message) -> bool:
        return _begins_turn(message)

    def is_assistant(self, message: Message) -> bool:
        return bool(message["kind"] == "response")

    def answers_in(self, message: Message) -> bool:
        return bool(message["kind"] == "request")

    def parts(self, message: Message) -> list[Any]:
        parts: list[Any] = message["parts"]
        return parts

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        return {**message, "parts": parts}

    def message_of(self, parts: list[Any], old: Message) -> Message:
        if old.get("kind") == "request":
            return {**old, "parts": parts}
        return {"parts": parts, "kind": "request"}

    def result_part(self, close: Close, call_id: str | None, asked: Any) -> Any:
        return synthesized(close, call_id, {})

    def result_to(self, message: Message, close: Close, call_id: str | None, asked: Any) -> Any:
        return synthesized(close, call_id, message)

    def edit_part(self, message: Message, part: Any, edits: Sequence[Edit]) -> list[Any]:
        for edit in edits:
            if isinstance(edit, SetId):
                part = {**part, "tool_call_id": edit.id}
            elif isinstance(edit, Mend):
                part = mended(edit.call, part)
            elif isinstance(edit, ToText):
                return [as_text(edit.event, part, in_request=message["kind"] == "request")]
        return [part]

    def settle(self, message: Message, parts: list[Any], edits: Sequence[Edit]) -> list[Any]:
        if message["kind"] != "response" or any(p["part_kind"] != "thinking" for p in parts):
            return parts
        lone = [e.event for e in edits if isinstance(e, Drop) and isinstance(e.event, Call)]
        return [*parts, {"content": text_of_orphan(lone[0]), "part_kind": "text"}] if lone else []

    def fits(self, message: Message) -> int:
        parts = message.get("parts")
        if message.get("kind") not in ("request", "response") or not isinstance(parts, list):
            return -1
        return 1 if all(isinstance(part, dict) and "part_kind" in part for part in parts) else -1


def _asked(parts: list[Any]) -> tuple[list[Any], bool]:
    """Give the ids that are due, and whether anything in a response wants a closer look."""
    due: list[Any] = []
    hosted: list[Any] = []
    dirty = False
    for part in parts:
        kind = part["part_kind"]
        if kind == "tool-call":
            call_id = part.get("tool_call_id")
            if (
                call_id.__class__ is not str
                or not call_id
                or call_id in due
                or not is_asked_soundly(part)
            ):
                dirty = True
            due.append(call_id)
        elif kind == HOSTED_CALL:
            hosted.append(part.get("tool_call_id"))
        elif kind == HOSTED_RETURN and part.get("tool_call_id") in hosted:
            hosted.remove(part.get("tool_call_id"))
        elif kind in (HOSTED_RETURN, "tool-return"):
            dirty = True
    return due, dirty or bool(hosted) or None in due


class _Seen:
    """What stands elsewhere in the history and tells of a call or a result."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.turns = Latest(history, _begins_turn)
        self.parting = Latest(history, _parts)

    def holder(self, index: int) -> int | None:
        """Give the response whose results the request at this place may lead, None for none."""
        before = self.parting.upto(index - 1)
        asks = before >= 0 and self.history[before]["kind"] == "response"
        return before if asks and self.history[index]["kind"] != "response" else None

    def answered(self, index: int) -> set[Any]:
        """Give the ids of the results that stand behind a response."""
        found = set()
        for later in range(index + 1, len(self.history)):
            message = self.history[later]
            if message["kind"] == "response":
                break
            found |= {part.get("tool_call_id") for part in message["parts"] if is_result(part)}
        return found

    def waits(self, turn: int, part: Message) -> bool:
        """Tell of a call that the provider goes on with when it is asked to."""
        return turn == self.last and part.get("tool_call_id") not in self.hosted

    @cached_property
    def last(self) -> int:
        """Where the last turn began."""
        return Latest(self.history, _begins_turn).upto(len(self.history) - 1)

    @cached_property
    def hosted(self) -> set[Any]:
        """The ids of what the provider answered in the last turn."""
        return {
            part.get("tool_call_id")
            for message in islice(self.history, self.last + 1, None)
            for part in message["parts"]
            if part["part_kind"] == HOSTED_RETURN
        }


def _begins_turn(message: Message) -> bool:
    return message["kind"] != "response" and any(
        part["part_kind"] in USERS for part in message["parts"]
    )


def _parts(message: Message) -> bool:
    """Tell whether no results for what stands before may stand behind this message."""
    return message["kind"] == "response" or any(map(_is_speech, message["parts"]))


def _is_speech(part: Message) -> bool:
    return part["part_kind"] in SAID and not is_result(part)


def _read(history: History, index: int, seen: _Seen, policy: Policy) -> Iterator[Event]:
    """Read one message: its calls, what the provider answered, the results and where they stand."""
    message, turn, after = history[index], seen.turns.upto(index), seen.holder(index)
    answered = seen.answered(index) if message["kind"] == "response" else ()
    suspended = message.get("state") == "suspended"
    for k, part in enumerate(message["parts"]):
        kind, at = part["part_kind"], At(index, k)
        if kind == "tool-call":
            yield call_of(part, at, index, answered=part.get("tool_call_id") in answered)
        elif kind == HOSTED_CALL:
            if not (suspended and seen.waits(turn, part)):
                yield call_of(part, at, turn, answered=False)
        elif kind == HOSTED_RETURN:
            yield result_of(part, at, turn, policy)
        elif is_result(part):
            yield result_of(part, at, after, policy)
        elif kind in SAID:
            after = None


FORMAT = PydanticAI()
