"""Messages of opencode: a call and its result are one part, `tool`, told by its state.

A state is pending, running, completed or error. An open one is closed as an error, with what the
tool had put out so far left in its metadata; it is not called `interrupted`, since opencode then
gives that output as the tool's whole answer. opencode sends an open call as an error itself, and
leaves what is stored as it is. Shapes as in opencode 1.18.33.
https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/message-v2.ts
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from endmark.formats._ai_sdk_parts import MARK, is_marked, mark
from endmark.formats._base import History, Message, as_object, call_flaws, known_id, unreadable
from endmark.formats._inline import Inline
from endmark.model import At, Call, Close, Drop, Edit, Event, Kind, Mend, Result, SetId, ToText
from endmark.policy import DEFAULT, Policy

OPEN = frozenset({"pending", "running"})
NO_NAME = "unknown_tool"
NO_ERROR_TEXT = "The tool reported an error; no text of it was recorded."
TYPES = frozenset(
    {
        "text", "reasoning", "file", "tool", "step-start", "step-finish", "snapshot", "patch",
        "agent", "retry", "compaction", "subtask",
    }
)  # fmt: skip


class OpenCode(Inline):
    """Messages as opencode stores them: a row of its own for each part."""

    name = "opencode"
    source = (
        "https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/message-v2.ts"
    )
    refusal = "AI_MissingToolResultsError: Tool results are missing for tool calls {ids}."
    body = "parts"
    id_field = "id"
    said: ClassVar[Message] = {
        "role": "user",
        "time": {"created": 0},
        "parts": [{"type": "text", "text": "."}],
    }
    # What a sound call has, and the words of one that is not: what is missing tips the balance.
    balanced = (
        ('"type":"tool"', '"type": "tool"'),
        ('"callID":"', '"callID": "'),
        ('"status":"completed"', '"status": "completed"'),
        ('"input":{', '"input": {'),
        ('"output":"', '"output": "'),
    )
    besides = ('"callID":""', '"callID": ""')
    needles = ('"type":"tool"', '"type": "tool"')
    ids_path = "{0}.parts[*].callID"
    ids_key = "callID"
    gate = '"tool"'

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        index = -1
        try:
            for index, message in enumerate(history):
                tools = [part for part in message["parts"] if part["type"] == "tool"]
                ids = [part.get("callID") for part in tools]
                if not all(map(_is_sound, tools)) or len(set(ids)) < len(ids):
                    suspects.append(index)
        except (AttributeError, KeyError, TypeError):
            raise unreadable(
                index, "it is no message of parts, or one of its parts is none"
            ) from None
        return suspects

    def read(self, message: Message, index: int, policy: Policy) -> list[Event]:
        events: list[Event] = []
        for k, part in enumerate(message["parts"]):
            if part["type"] == "tool":
                events += _read(part, At(index, k), policy)
        return events

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        parts: list[Any] = list(message["parts"])
        for edit in edits:
            if isinstance(edit, Close):
                k = edit.call.at.part
                parts[k] = _closed(parts[k], edit, message)
            elif isinstance(edit, SetId):
                k = edit.event.at.part
                parts[k] = {**parts[k], "callID": edit.id}
            elif isinstance(edit, Mend):
                k = edit.call.at.part
                parts[k] = _mended(parts[k])
            elif isinstance(edit, Drop | ToText):
                parts[edit.event.at.part] = None
        return {**message, "parts": [part for part in parts if part is not None]}

    def call_ids(self, message: Message) -> Sequence[str | None]:
        return [known_id(p.get("callID")) for p in message["parts"] if p["type"] == "tool"]

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user" and bool(message["parts"])

    def fits(self, message: Message) -> int:
        parts = message.get("parts")
        if message.get("role") not in ("user", "assistant") or not isinstance(parts, list):
            return -1
        if not isinstance(message.get("time"), dict):
            return -1
        known = all(isinstance(part, dict) and part.get("type") in TYPES for part in parts)
        return 1 if known else -1


def _is_sound(part: Message) -> bool:
    read = _read(part, At(0), DEFAULT)
    return len(read) == 2 and not any(
        event.flaws or event.id is None if isinstance(event, Call) else event.flaw
        for event in read
        if isinstance(event, Call | Result)
    )


def _read(part: Message, at: At, policy: Policy) -> list[Event]:
    state = part["state"]
    status, given, name = state.get("status"), state.get("input"), part.get("tool")
    flaws = call_flaws(name, given)
    call_id = known_id(part.get("callID"))
    call = Call(
        at,
        call_id,
        known_id(name),
        complete=Kind.INCOMPLETE not in flaws,
        inline=True,
        arguments=given,
        slot=at.message,
        flaws=flaws,
    )
    if status in OPEN or status not in ("completed", "error"):
        return [call]
    failed = status == "error"
    value = state.get("error" if failed else "output")
    marked = is_marked(state.get("metadata")) or policy.is_marker(value, call_id, call.name)
    result = Result(
        at,
        call_id,
        call.name,
        synthesized=failed and marked,
        error=failed,
        after=at.message,
        value=value,
        flaw=not isinstance(value, str) or (failed and not value.strip()),
    )
    return [call, result]


def _closed(part: Message, close: Close, message: Message) -> Message:
    """Close an open state; no clock is read, so it ends when it began."""
    state = part["state"]
    time = message.get("time")
    begun = time.get("created", 0) if isinstance(time, dict) else 0
    ran = state.get("time")
    start = ran.get("start", begun) if isinstance(ran, dict) else begun
    given = as_object(state.get("input"))
    known = state.get("metadata")
    metadata = {**(known if isinstance(known, dict) else {}), MARK: mark(close)}
    if isinstance(state.get("output"), str):  # said before the state was: an error holds none
        metadata.setdefault("output", state["output"])
    ended = {
        "status": "error",
        "input": given or {},
        "error": close.text,
        "metadata": metadata,
        "time": {"start": start, "end": start},
    }
    return {**part, "state": ended}


def _mended(part: Message) -> Message:
    state = part["state"]
    lacks: Message = {"input": as_object(state.get("input")) or {}}
    if state.get("status") == "error":
        said = state.get("error")
        lacks["error"] = said if isinstance(said, str) and said.strip() else NO_ERROR_TEXT
    elif state.get("status") == "completed":
        said = state.get("output")
        lacks["output"] = said if isinstance(said, str) else ""
    return {**part, "tool": part.get("tool") or NO_NAME, "state": {**state, **lacks}}


FORMAT = OpenCode()
