"""A tool part of AI SDK 5 to 7 whose call major 4's `toolInvocations` tells as well.

A chat that major 4 began and a later one goes on with may hold such a message. Majors 5 to 7 read
the part alone, and so does major 4 where there are parts: the entry is stale, a copy. What it knows
is known all the same: its real result is the call's where the part has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from endmark.formats._ai_sdk_parts import (
    AVAILABLE,
    DENIED,
    ERROR,
    MARK,
    approval_of,
    edit_part,
    is_marked,
    mended,
    name_of,
    read_part,
    settled,
    words,
)
from endmark.formats._ai_sdk_v4 import PARTIAL, invocation, is_answered, is_ours
from endmark.formats._base import Message, as_object, known_id
from endmark.model import At, Call, Close, Edit, Event, Kind, Mend, Outcome, Result, SetId
from endmark.policy import DEFAULT, KNOWN, Policy


def tells_of(entry: Message, part: Message) -> bool:
    """Tell whether an entry with the id of this part is of its call: not if the tool is another."""
    return len({known_id(entry.get("toolName")), name_of(part)} - {None}) < 2


def read_stale(
    part: Message, entry: Message, at: At, policy: Policy, *, passed: bool
) -> list[Event]:
    """Read a part and the stale entry of its call as one."""
    told = _told(part, entry)
    call, *results = read_part(told, at, policy, passed=passed)
    assert isinstance(call, Call)
    made = mended(told) if results else part
    if made is not part or (results and _answered(entry, made) is not entry):
        call = replace(call, flaws=(Kind.MALFORMED,))
    return [call, *(_with_other(result, entry) for result in results)]


def edit_stale(part: Message, entry: Message, edits: Sequence[Edit]) -> list[Message]:
    """Write the edits that keep a call into its part and its stale entry."""
    for edit in edits:
        if isinstance(edit, SetId):
            part, entry = ({**told, "toolCallId": edit.id} for told in (part, entry))
        elif isinstance(edit, Close | Mend):
            told = _told(part, entry)
            if isinstance(edit, Close) or settled(told):
                part = edit_part(told, [edit])
                entry = _answered(entry, part)
    return [part, entry]


def _told(part: Message, entry: Message) -> Message:
    """Give a part with what the entry knows better: a name, whole arguments, and a real result."""
    part = _named(part, entry)
    answers = _is_real(entry) and (settled(part) is None or _is_made(part))
    cut = settled(part) is None and part.get("state") == "input-streaming"
    if not answers and (not cut or entry.get("state") == PARTIAL):
        return part
    made = {**part, "state": AVAILABLE if answers else "input-available"}
    args = as_object(entry.get("args"))
    if args is not None and (cut or not isinstance(part.get("input"), dict)):
        made["input"] = args
    return _with_answer_of(entry, made) if answers else made


def _named(part: Message, entry: Message) -> Message:
    """Give a part that does not say which tool was called the name that the entry says."""
    name = known_id(entry.get("toolName"))
    if name is None or name_of(part) is not None:
        return part
    typed = part["type"] != "dynamic-tool"
    return {**part, "type": f"tool-{name}"} if typed else {**part, "toolName": name}


def _with_answer_of(entry: Message, part: Message) -> Message:
    """Give a part the entry's result in the place of our words, or of the progress, that it has."""
    made = {**part, "output": entry.get("result")}
    for key in ("errorText", "preliminary"):
        made.pop(key, None)
    metadata: Any = part.get("callProviderMetadata")
    if is_marked(metadata):
        mine = {k: v for k, v in metadata[MARK].items() if k not in {"synthesized", "outcome"}}
        rest = {k: v for k, v in metadata.items() if k != MARK} | ({MARK: mine} if mine else {})
        made["callProviderMetadata"] = rest
    return made


def _is_real(entry: Message) -> bool:
    return is_answered(entry) and not is_ours(entry)


def _is_made(part: Message) -> bool:
    said = part.get("errorText")
    marker = DEFAULT.is_marker(said, known_id(part.get("toolCallId")), name_of(part))
    return settled(part) == ERROR and (is_marked(part.get("callProviderMetadata")) or marker)


def _answered(entry: Message, part: Message) -> Message:
    """Give the entry of a settled part with the answer of the part, if it has none of its own."""
    if _is_real(entry) or (is_answered(entry) and _is_made(part)):
        return entry
    copy = {"state": "result", "toolName": name_of(part), "args": part.get("input")}
    return {**invocation(entry, [copy]), "state": "result", "result": _answer(part)}


def _answer(part: Message) -> object:
    """Give the answer of a settled part as major 4, which knows no errors, can say it."""
    state = part["state"]
    if state == AVAILABLE:
        return part.get("output")
    if state == DENIED:
        return {"error": words(approval_of(part).get("reason")) or KNOWN[Outcome.DENIED]}
    metadata: Any = part.get("callProviderMetadata")
    mark = {MARK: metadata[MARK]} if is_marked(metadata) else {}
    return {"error": part.get("errorText"), **mark}


def _with_other(result: Event, entry: Message) -> Event:
    """Give a result that tells of a second real one: what is lost with a copy are both."""
    assert isinstance(result, Result)
    other = entry.get("result")
    same = not _is_real(entry) or result.value[1] == other
    return result if same else replace(result, value=(*result.value, other))
