"""Mastra's messages: parts in the shape of AI SDK 4, with the states of the later majors.

A call may stand in `parts` and in `toolInvocations`, which need not hold all of them. The message's
`metadata` names calls that wait: for an approval, or for what a tool suspended itself for; they are
resumed by the id of their run, whatever was said since. A client's result may come in a message of
its own, as a second invocation without arguments: then both stay. Written against @mastra/core
1.71.0. https://github.com/mastra-ai/mastra/tree/main/packages/core/src/agent/message-list
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from endmark.formats._ai_sdk_v4 import invocation, read_copies, standing
from endmark.formats._base import History, Message, known_id, unreadable
from endmark.formats.ai_sdk import AISDK
from endmark.model import At, Call, Close, Edit, Event, Mend, Owner, Result, SetId
from endmark.policy import Policy

WAITING = frozenset({"approval-requested", "approval-responded"})
# States of a settled call besides `result`, and the keys that hold what was answered.
SETTLED = {"output-error": "errorText", "output-denied": "approval"}
ANSWER = ("state", "result", "isError", "errorText", "approval")
PAUSES = ("pendingToolApprovals", "suspendedTools")


class Mastra(AISDK):
    """Messages of Mastra's storage, format 2."""

    name = "mastra"
    aliases = ()
    source = "https://mastra.ai/docs/memory/overview"
    linked = True
    said: ClassVar[Message] = {"format": 2, **AISDK.said}
    needles = ()
    balanced = (('"state":"result"',), ('"toolCallId":"',), ('"result":',))
    besides = (
        '"partial-call"', '"approval-', '"output-', '"toolCallId":""', '"tool-call"', '"tool-result"',
    )  # fmt: skip
    gate = '"tool'
    jsonpaths = ()

    def skim(self, history: History) -> list[int]:
        for index, message in enumerate(history):
            if not isinstance(message, dict) or message.get("format") != 2:
                what = "it is of Mastra's format 1; @mastra/core turns it into format 2 when it saves it"
                raise unreadable(index, what)
        return super().skim(history)

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        """Read the calls, save those whose result a client gave in a later message."""
        forced = bool(history) and history[-1] is self.said
        wanted = list(indexes)
        last_user = self.last(history, self.is_user)
        later = _given_later(history)
        events: list[Event] = []
        for index in wanted:
            waits: frozenset[str | None] = frozenset() if forced else _paused(history[index])
            seen = self.read(history[index], index, policy, passed=index < last_user)
            answered = {event.at for event in seen if isinstance(event, Result)}
            for event in seen:
                if not isinstance(event, Call) or event.at in answered:
                    events.append(event)
                elif event.id in waits:
                    events.append(replace(event, held=True, owner=Owner.HUMAN))
                elif later.get(event.id, -1) <= index:
                    events.append(event)
        return events

    def read_copies(self, copies: Sequence[Message], at: At, policy: Policy) -> list[Event]:
        events = read_copies([_as_v4(copy) for copy in copies], at, policy)
        call, *results = events
        assert isinstance(call, Call)
        if not results and any(copy.get("state") in WAITING for copy in copies):
            said = {_approval(copy).get("approved") for copy in copies}
            denied = False in said and True not in said
            return [replace(call, owner=Owner.HUMAN, asked=True, denied=denied)]
        return [call, *(_with_error(result, copies) for result in results)]

    def edit_copies(self, copies: Sequence[Message], edits: Sequence[Edit]) -> list[Message]:
        made = list(copies)
        for edit in edits:
            if isinstance(edit, SetId):
                made = [{**copy, "toolCallId": edit.id} for copy in made]
            elif isinstance(edit, Mend):
                made = _mended(made)
            elif isinstance(edit, Close):
                made = [_closed(copy, made, edit) for copy in made]
        return made

    def fits(self, message: Message) -> int:
        if message.get("format") != 2 or not isinstance(message.get("parts"), list):
            return -1
        return super().fits({key: value for key, value in message.items() if key != "format"})


def _approval(copy: Message) -> Message:
    approval = copy.get("approval")
    return approval if isinstance(approval, dict) else {}


def _as_v4(copy: Message) -> Message:
    """Give an invocation as major 4 knows it: a settled one has a result."""
    key = SETTLED.get(str(copy.get("state")))
    if key is None or "result" in copy:
        return copy if key is None else {**copy, "state": "result"}
    return {**copy, "state": "result", "result": copy.get(key)}


def _with_error(event: Event, copies: Sequence[Message]) -> Event:
    assert isinstance(event, Result)
    failed = any(copy.get("isError") is True or copy.get("state") in SETTLED for copy in copies)
    return replace(event, error=failed)


def _mended(copies: Sequence[Message]) -> list[Message]:
    """Give copies that agree: those without a real answer get all of the one that has it."""
    made = list(copies)
    for k, told in enumerate(standing([_as_v4(copy) for copy in copies])):
        new = _answered(invocation(copies[k], copies), copies[told])
        made[k] = copies[k] if new == copies[k] else new
    return made


def _answered(copy: Message, told: Message) -> Message:
    """Give a copy with the answer that is told; what was granted stays granted."""
    granted = _approval(copy).get("approved") is True
    kept = {k: v for k, v in copy.items() if k not in ANSWER or (granted and k == "approval")}
    made = kept | {key: told[key] for key in ANSWER if key in told}
    return made if made.get("state") in SETTLED else _settled(made)


def _settled(copy: Message) -> Message:
    made = {**copy, "state": "result", "result": copy.get("result")}
    if copy.get("state") != "result" and _approval(copy).get("approved") is not True:
        made.pop("approval", None)
    return made


def _closed(copy: Message, copies: Sequence[Message], close: Close) -> Message:
    """Give an open invocation as one that failed, in words that every version takes."""
    made = {**_settled(invocation(copy, copies)), "result": close.text, "isError": True}
    return made if close.call.complete else {**made, "args": {}}


def _paused(message: Message) -> frozenset[str | None]:
    """Name the calls that the message's metadata says are waiting."""
    metadata = message.get("metadata")
    told: list[Any] = []
    for key in PAUSES:
        entries = metadata.get(key) if isinstance(metadata, dict) else None
        told += entries.values() if isinstance(entries, dict) else ()
    ids = (entry.get("toolCallId") for entry in told if isinstance(entry, dict))
    return frozenset(id_ for id_ in ids if isinstance(id_, str))


def _given_later(history: History) -> dict[str | None, int]:
    """Find results without arguments of their own: those that a client gave."""
    found: dict[str | None, int] = {}
    for index, message in enumerate(history):
        for part in message.get("parts") or ():
            told = part.get("toolInvocation") if part.get("type") == "tool-invocation" else None
            if isinstance(told, dict) and told.get("state") == "result" and not told.get("args"):
                found[known_id(told.get("toolCallId"))] = index
    return found


FORMAT = Mastra()
