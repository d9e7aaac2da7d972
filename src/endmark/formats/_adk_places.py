"""Where the responses of an ADK log stand: behind which call event, and which are only updates.

Several agents share one log, so a call's responses need not follow it directly: it is words and
calls that its agent sees in between which part them. A tool that runs long, or that asks first, answers
more than once; ADK sends its last answer, so the ones before are left as the updates they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from endmark.formats._base import History, Message, known_id
from endmark.formats._gemini_ids import CALLS, RESPONSES, body_of

# What ADK asks of people or their programs; `adk-` ids of its own making no model is sent.
ASKING = frozenset({"adk_request_credential", "adk_request_confirmation", "adk_request_input"})
OWN_ID = "adk-"
ABORTED = "INVOCATION_ABORTED"  # what ADK itself writes for the calls of an invocation it ended
MARK = "endmark"  # our namespace in custom_metadata, which no model is sent


def field(event: Message, snake: str, camel: str) -> Any:
    """Give a field in either spelling."""
    value = event.get(snake)
    return event.get(camel) if value is None else value


def parts_of(event: Message) -> list[Any]:
    content = event.get("content")
    return content.get("parts") or [] if content else []


def calls_in(event: Message) -> list[Message]:
    bodies = [body_of(part, CALLS) for part in parts_of(event)]
    return [body for body in bodies if body is not None]


def responses_in(event: Message) -> list[Message]:
    bodies = [body_of(part, RESPONSES) for part in parts_of(event)]
    return [body for body in bodies if body is not None]


def says(event: Message) -> bool:
    """Tell whether anything but calls and responses is said in an event."""
    return any(
        body_of(part, CALLS) is None and body_of(part, RESPONSES) is None
        for part in parts_of(event)
    )


def is_made(event: Message) -> bool:
    """Tell of an event whose responses were made up, by us or by ADK."""
    metadata = field(event, "custom_metadata", "customMetadata")
    ours = isinstance(metadata, dict) and MARK in metadata
    return ours or field(event, "error_code", "errorCode") == ABORTED


def long_running(event: Message) -> Sequence[str]:
    return field(event, "long_running_tool_ids", "longRunningToolIds") or ()


class Answer(NamedTuple):
    """A response with an id: where it stands, which call event it is for, and what it stands at."""

    message: int
    part: int
    after: int | None
    made: bool


class Places:
    """What `after` is for each response of a log, and which responses are only updates."""

    def __init__(self, history: History) -> None:
        self.after: dict[tuple[int, int], int | None] = {}
        self.updates: set[tuple[int, int]] = set()
        self._live: dict[int, str] = {}  # call event → branch, while nothing parts it
        self._holder: dict[Any, int] = {}  # id → the last event that calls by it
        self._last: int | None = None
        self._slow: set[tuple[Any, int]] = set()  # id and call event of what answers repeatedly
        self._answers: dict[tuple[Any, int], list[Answer]] = {}
        for index, event in enumerate(history):
            self._read(event, index)
        self._settle()

    def _read(self, event: Message, index: int) -> None:
        asks: set[Any] = set()
        branch = event.get("branch") or ""
        for k, part in enumerate(parts_of(event)):
            called, answered = body_of(part, CALLS), body_of(part, RESPONSES)
            if called is not None:
                asks.add(called.get("name"))
                self._holder[known_id(called.get("id"))] = index
            elif answered is not None:
                self._answer(event, index, k, known_id(answered.get("id")))
        if asks:
            if not asks <= ASKING:
                self._part(branch)
                self._last = index
            self._live[index] = branch
            self._slow.update((id_, index) for id_ in long_running(event))
        elif says(event):
            self._part(branch)

    def _answer(self, event: Message, index: int, k: int, id_: str | None) -> None:
        holder = self._holder.get(id_) if id_ is not None else None
        place = next((at for at in (holder, self._last) if at in self._live), None)
        self.after[index, k] = place
        if holder is None:
            return
        actions = event.get("actions") or {}
        asked = field(actions, "requested_tool_confirmations", "requestedToolConfirmations") or {}
        wanted = field(actions, "requested_auth_configs", "requestedAuthConfigs") or {}
        if id_ in asked or id_ in wanted:
            self._slow.add((id_, holder))
        answer = Answer(index, k, place, is_made(event))
        self._answers.setdefault((id_, holder), []).append(answer)

    def _part(self, branch: str) -> None:
        """Let words or a call come between calls and their responses, for the agents that see them."""
        if not branch:
            self._live.clear()
            return
        for index, other in list(self._live.items()):
            if other == branch or other.startswith(branch + "."):
                del self._live[index]

    def _settle(self) -> None:
        """Of several answers to a slow call only the last counts, where the first one stands."""
        for key in self._slow:
            real = [answer for answer in self._answers.get(key, ()) if not answer.made]
            if len(real) > 1:
                *before, last = real
                self.updates.update((answer.message, answer.part) for answer in before)
                if any(answer.after == key[1] for answer in before):
                    self.after[last.message, last.part] = key[1]
