"""agno: OpenAI's messages with fields of its own, and one message for the results of a whole step.

`from_history` marks a copy of an earlier turn; a result has it as its call has. Until 2.x the
Gemini and the Bedrock adapter put all results of a step into one message, without ids or with those
of Bedrock. Written against agno 2.0.11 and 3.1.10.
https://github.com/agno-agi/agno/blob/main/libs/agno/agno/models/message.py
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from endmark.errors import UnreadableError
from endmark.formats._base import Edits, History, Message, Rebuilt, known_id, unreadable
from endmark.formats.openai_chat import OpenAIChat
from endmark.model import Blank, Close, Edit, Event, Result
from endmark.policy import Policy

NAMESPACE = uuid.UUID("0d2c3a57-6f1e-5d0e-9d5b-5f6e7a2c4b18")
# What a message without words, calls or media holds.
BARE = frozenset(
    {
        "id", "role", "content", "tool_calls", "from_history", "stop_after_tool_call", "created_at",
        "metrics", "name", "checkpoint_status", "checkpoint_created_at",
    }
)  # fmt: skip


class Agno(OpenAIChat):
    """Messages of agno's runs."""

    name = "agno"
    source = "https://github.com/agno-agi/agno/blob/main/libs/agno/agno/models/message.py"
    plain: ClassVar[Mapping[str, str]] = {}
    slim = ""  # a run is never one message a row

    def skim(self, history: History) -> list[int]:
        if not any(map(_several, history)):
            return super().skim(history)
        plain, origins = _one_each(history)
        suspects = super().skim(plain)
        return sorted({origins[index] for index in suspects})

    def is_result(self, message: Message) -> bool:
        return message.get("role") == "tool" or _several(message) is not None

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user" and _several(message) is None

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        wanted = list(indexes)
        if not any(_several(history[index]) for index in wanted):
            return super().events(history, wanted, policy)
        plain, origins = _one_each(history)
        chosen = set(wanted)
        seen = super().events(plain, [k for k, o in enumerate(origins) if o in chosen], policy)
        return [_moved(event, origins) for event in seen]

    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        events = super().read(message, index, after, policy)
        bare = message.keys() <= BARE
        return [event for event in events if bare or not isinstance(event, Blank)]

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        for index in Edits(edits).touched():
            if _several(history[index]):
                raise UnreadableError(
                    "one message holds several results, which Endmark does not edit; agno "
                    "takes such messages apart (normalize_tool_messages)"
                )
        return super().apply(history, edits)

    def result_to(self, message: Message, close: Close, call_id: str | None) -> Message:
        made: Message = {
            "content": close.text,
            "from_history": message.get("from_history") is True,
            "stop_after_tool_call": False,
            "role": "tool",
            "tool_call_id": call_id,
            "tool_name": close.call.name,
            "tool_call_error": True,
        }
        if known_id(message.get("id")):
            named = f"{message['id']}:{call_id}"
            plain = named.encode(errors="backslashreplace").decode()  # half a surrogate pair
            made = {"id": str(uuid.uuid5(NAMESPACE, plain)), **made}
        if "created_at" in message:
            made["created_at"] = message["created_at"]
        return made

    def recorded(self, message: Message, value: Any, error: bool) -> Message:
        return {**super().recorded(message, value, error), "tool_call_error": error}

    def moved(self, message: Message, made: Message) -> Message:
        copied = made["from_history"]
        return (
            message
            if message.get("from_history") is copied
            else {**message, "from_history": copied}
        )

    def fits(self, message: Message) -> int:
        if not isinstance(message.get("from_history"), bool):
            return -1
        plain = {key: value for key, value in message.items() if key != "from_history"}
        if _several(message) is not None:
            return 1
        return 1 if super().fits({"content": None, **plain}) >= 0 else -1


def _several(message: Message) -> list[tuple[str | None, Any]] | None:
    """Give the results of a message that holds those of a whole step: their ids and values."""
    role, content = message.get("role"), message.get("content")
    if role == "tool" and not message.get("tool_call_id"):
        entries = message.get("tool_calls")
        if isinstance(entries, list) and entries:
            values = content if isinstance(content, list) else []
            told = [entry.get("content") for entry in entries]
            return [
                (known_id(e.get("tool_call_id")), [*values, *told[len(values) :]][k])
                for k, e in enumerate(entries)
            ]
    if role == "user" and isinstance(content, list) and content:
        blocks = [b.get("toolResult") for b in content if isinstance(b, dict)]
        if len(blocks) == len(content) and all(isinstance(block, dict) for block in blocks):
            return [(known_id(b.get("toolUseId")), b.get("content")) for b in blocks if b]
    return None


def _one_each(history: History) -> tuple[list[Message], list[int]]:
    """Give a history in which each result has its message, and what each message is of.

    Without ids the results are those of the calls before them, one for each, in order.
    """
    made: list[Message] = []
    origins: list[int] = []
    for index, message in enumerate(history):
        several = _several(message)
        if several is None:
            made.append(message)
            origins.append(index)
            continue
        ids: list[Any] = [id_ for id_, _ in several]
        if None in ids:
            calls = history[index - 1].get("tool_calls") or [] if index else []
            ids = [call.get("id") for call in calls]
            if len(ids) != len(several):
                raise unreadable(index, "one message of results, not as many as there are calls")
        made += [
            {"role": "tool", "tool_call_id": id_, "content": "" if value is None else value}
            for id_, (_, value) in zip(ids, several, strict=True)
        ]
        origins += [index] * len(several)
    return made, origins


def _moved(event: Event, origins: Sequence[int]) -> Event:
    """Say where an event is in the history itself."""
    first = origins.index(origins[event.at.message])
    part = event.at.message - first if isinstance(event, Result) else event.at.part
    at = event.at._replace(message=origins[event.at.message], part=part)
    if isinstance(event, Blank):
        return replace(event, at=at)
    if isinstance(event, Result):
        after = None if event.after is None else origins[event.after]
        return replace(event, at=at, after=after)
    return replace(event, at=at, slot=origins[event.slot] if event.slot >= 0 else event.slot)


FORMAT = Agno()
