"""A tool invocation of AI SDK 4: what it says of its call, and what the SDK wants it to look like.

A message may hold each invocation twice, in `parts` and in the deprecated `toolInvocations`: the
two are one fact, so all here takes the copies of one call together, the part's first.
"""

from __future__ import annotations

from collections.abc import Sequence

from endmark.formats._ai_sdk_parts import MARK, NO_NAME, OPEN, is_marked, is_tool, mark, words
from endmark.formats._base import Message, as_object, known_id
from endmark.model import At, Call, Close, Edit, Event, Kind, Mend, Result, SetId
from endmark.policy import DEFAULT, Policy

PARTIAL = "partial-call"
UNANSWERED = OPEN | {"call", PARTIAL}


def is_v4(part: Message) -> bool:
    """Tell a part of major 4 from a later one whose tool is called "invocation"."""
    return part["type"] == "tool-invocation" and isinstance(part.get("toolInvocation"), dict)


def is_plainly_sound_v4(parts: Sequence[Message], legacy: Sequence[Message]) -> bool:
    """Tell of nearly every message of major 4, at a glance, that its calls are answered.

    Nothing is wrong either with a message that holds no call at all.
    """
    told = []
    for part in parts:
        if part["type"] == "tool-invocation":
            told.append(part.get("toolInvocation"))
        elif is_tool(part):
            return False
    if told and legacy and told != legacy:
        return False
    told = told or list(legacy)
    ids = set()
    for copy in told:
        if not isinstance(copy, dict):
            return False
        call_id = copy.get("toolCallId")
        if (
            call_id.__class__ is not str
            or copy.get("state") != "result"
            or "result" not in copy
            or copy.get("args").__class__ is not dict
            or known_id(copy.get("toolName")) is None
        ):
            return False
        ids.add(call_id)
    return len(ids) == len(told) and "" not in ids


def read_copies(copies: Sequence[Message], at: At, policy: Policy) -> list[Event]:
    """Read the copies of one invocation of major 4, the part's first."""
    first, best = copies[0], _best(copies)
    complete = best is not None or any(copy.get("state") != PARTIAL for copy in copies)
    args = invocation(first, copies)["args"]
    flaws: tuple[Kind, ...] = ()
    if not complete:
        flaws = (Kind.INCOMPLETE,)
    elif not isinstance(first.get("args"), dict) or mended_copies(copies) != list(copies):
        flaws = (Kind.MALFORMED,)
    call = Call(
        at,
        known_id(first.get("toolCallId")),
        next(iter(_names(copies)), None),
        complete=complete,
        inline=True,
        arguments=args if complete else words(first.get("args") or None),
        slot=at.message,
        flaws=flaws,
    )
    if best is None:
        return [call]
    # A second real result belongs to the value: a call that has another one is no copy of this.
    values = [copies[k].get("result") for k in sorted({best, *standing(copies)})]
    value = ("result", *(v for k, v in enumerate(values) if v not in values[:k]))
    made = is_ours(copies[best], policy)
    return [call, Result(at, call.id, call.name, synthesized=made, after=call.slot, value=value)]


def is_ours(copy: Message, policy: Policy = DEFAULT) -> bool:
    """Tell whether we made the result of a copy."""
    value = copy.get("result")
    return is_marked(value) or policy.is_marker(
        value, known_id(copy.get("toolCallId")), known_id(copy.get("toolName"))
    )


def _says(copy: Message) -> bool:
    """Tell whether a copy holds a result: a null beside an open state is an empty column."""
    return "result" in copy and (copy["result"] is not None or copy.get("state") not in UNANSWERED)


def is_answered(copy: Message) -> bool:
    """Tell whether a copy holds a result, or says that the tool gave nothing back."""
    return _says(copy) or copy.get("state") == "result"


def _best(copies: Sequence[Message]) -> int | None:
    """Find the copy whose result stands: a real one first, then the part's; None for none."""
    answered = [k for k, copy in enumerate(copies) if is_answered(copy)]
    if not answered:
        return None
    return min(answered, key=lambda k: (is_ours(copies[k]), not _says(copies[k])))


def standing(copies: Sequence[Message]) -> list[int]:
    """Give for each copy the place of the one whose result it is to say; [] where none has any.

    Two real results that differ both stay: the SDK reads the part's, and neither is ours to lose.
    """
    best = _best(copies)
    if best is None:
        return []
    return [k if _says(copy) and not is_ours(copy) else best for k, copy in enumerate(copies)]


def mended_copies(copies: Sequence[Message]) -> list[Message]:
    """Give the copies of an answered invocation, complete and with the real result in each."""
    made = list(copies)
    for k, told in enumerate(standing(copies)):
        answer = {"state": "result", "result": copies[told].get("result")}
        new = {**invocation(copies[k], copies), **answer}
        made[k] = copies[k] if new == copies[k] else new
    return made


def invocation(copy: Message, copies: Sequence[Message]) -> Message:
    """Give a copy with a name and arguments: its own, unless they may have been cut off."""
    whole = sorted((copy, *copies), key=lambda told: told.get("state") == PARTIAL)
    args = [found for told in whole if (found := as_object(told.get("args"))) is not None]
    names = [*_names([copy, *copies]), NO_NAME]
    return {**copy, "toolName": names[0], "args": [*args, {}][0]}


def _names(copies: Sequence[Message]) -> list[str]:
    return [name for copy in copies if (name := known_id(copy.get("toolName")))]


def edit_copies(copies: Sequence[Message], edits: Sequence[Edit]) -> list[Message]:
    """Write the edits that keep an invocation into all its copies."""
    made = list(copies)
    for edit in edits:
        if isinstance(edit, SetId):
            made = [{**copy, "toolCallId": edit.id} for copy in made]
        elif isinstance(edit, Mend):
            made = mended_copies(made)
        elif isinstance(edit, Close):
            made = [closed_copy(copy, made, edit) for copy in made]
    return made


def closed_copy(copy: Message, copies: Sequence[Message], close: Close) -> Message:
    """Give one copy with a result that says that it is none: major 4 has no error state."""
    made = {**invocation(copy, copies), "state": "result"}
    if not close.call.complete:
        made["args"] = {}
    return {**made, "result": {"error": close.text, MARK: mark(close)}}
