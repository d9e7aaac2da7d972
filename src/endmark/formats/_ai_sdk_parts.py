"""A tool part of AI SDK 5 to 7: what it says of its call, and what the SDK wants it to look like.

Call and result live in one flat part, `tool-NAME` or `dynamic-tool`; `ai_sdk` finds the parts and
puts them back. The tables are the schema of `validateUIMessages`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from endmark.formats._base import Message, as_object, known_id
from endmark.model import At, Call, Close, Edit, Event, Kind, Mend, Owner, Result, SetId
from endmark.policy import Policy

AVAILABLE, ERROR, DENIED = "output-available", "output-error", "output-denied"
WAITING = frozenset({"approval-requested", "approval-responded"})
OPEN = frozenset({"input-streaming", "input-available"}) | WAITING

# Keys that the schema refuses beside a final state, and the approval that may stand there.
REFUSED = {
    AVAILABLE: ("errorText",),
    ERROR: ("output", "preliminary"),
    DENIED: ("output", "errorText", "preliminary"),
}
# Keys that may be missing but not null: the schema knows "optional", never "nullable".
OPTIONAL: dict[str, type] = {
    "providerExecuted": bool,
    "title": str,
    "toolMetadata": dict,
    "callProviderMetadata": dict,
    "resultProviderMetadata": dict,
    "preliminary": bool,
    "dynamic": bool,
}
# The keys of a finished part that leave no question, when they are of this type.
PLAIN = {key: kind for key, kind in OPTIONAL.items() if key not in {"preliminary", "dynamic"}} | {
    "type": str,
    "toolCallId": str,
    "toolName": str,
    "state": str,
    "input": dict,
}
MARK = "endmark"  # our namespace in callProviderMetadata: the one place that every major keeps
NO_NAME = "unknown_tool"
NAMELESS = frozenset({"dynamic-tool", "tool-"})  # types that do not say which tool was called
NO_TEXT = "The tool reported an error; no text of it was recorded."


def is_tool(part: Message) -> bool:
    """Tell whether the SDK takes a part for a call; that of major 4 looks like one too."""
    kind = part["type"]
    return bool(kind == "dynamic-tool" or kind.startswith("tool-"))


def says(value: Any) -> bool:
    """Tell whether this is a text with something in it."""
    return isinstance(value, str) and value.strip() != ""


def words(value: Any) -> str | None:
    """Give a value as text; None where it says nothing."""
    if isinstance(value, str) or value is None:
        return value if says(value) else None
    return json.dumps(value, ensure_ascii=False)


def is_plainly_sound(part: Message) -> bool:
    """Tell of nearly every finished part, at a glance, that nothing is wrong with it."""
    state = part.get("state")
    answer = "output" if state == AVAILABLE else "errorText" if state == ERROR else ""
    if answer not in part or "input" not in part or not part.get("toolCallId"):
        return False
    if part["type"] in NAMELESS and not part.get("toolName"):
        return False
    for key, value in part.items():
        if value.__class__ is not PLAIN.get(key) and key != answer:
            return False
    return answer == "output" or says(part["errorText"])


def settled(part: Message) -> str | None:
    """Give the final state that a part has, or owes to the result in it; None while it is open."""
    state = part.get("state")
    if state in {ERROR, DENIED}:
        return str(state)
    progress = part.get("preliminary") is True
    if state == AVAILABLE and not progress:
        return AVAILABLE
    said = part.get("errorText")
    failed = bool(said) and words(said) is not None  # some store the error itself, not its text
    if not progress:
        # A null output beside a known open state is an empty column, not a result.
        told = "output" in part and state not in OPEN and not failed
        if told or part.get("output") is not None:
            return AVAILABLE
    return ERROR if failed else None


def read_part(part: Message, at: At, policy: Policy, *, passed: bool) -> list[Event]:
    """Read one part of majors 5 to 7; `passed`: a user has written since."""
    state = settled(part)
    cut = state is None and part.get("state") == "input-streaming"
    made = mended(part) if state else {**part, "state": ERROR}
    if not state:
        _give_input(made, {}, cut=cut)
        flaws = _flaws_of_open(part, cut=cut)
    else:
        flaws = () if made is part else (Kind.MALFORMED,)
    call = Call(
        at,
        known_id(part.get("toolCallId")),
        name_of(part),
        complete=not cut,
        owner=_owner(part, passed=passed),
        inline=True,
        # As they are after the repair: else two calls could become copies of each other by it.
        arguments=made["input"] or words(made.get("rawInput")) or {},
        denied=approval_of(part).get("approved") is False,
        slot=at.message,
        flaws=flaws,
    )
    return [call, _result(made, call, policy)] if state else [call]


def name_of(part: Message) -> str | None:
    """Give the name of the tool that a part calls; None where it has none."""
    name = part.get("toolName") if part["type"] == "dynamic-tool" else part["type"][5:]
    return name if isinstance(name, str) and name else None


def approval_of(part: Message) -> Message:
    """Give what a part says of its approval; an empty object for nothing."""
    approval = part.get("approval")
    return approval if isinstance(approval, dict) else {}


def _owner(part: Message, *, passed: bool) -> Owner:
    provider = part.get("providerExecuted") is True
    if part.get("state") in WAITING and not (provider and passed):
        return Owner.HUMAN
    return Owner.PROVIDER if provider else Owner.SERVER


def _flaws_of_open(part: Message, *, cut: bool) -> tuple[Kind, ...]:
    if cut:
        return (Kind.INCOMPLETE,)
    return () if isinstance(part.get("input"), dict) else (Kind.MALFORMED,)


def _result(part: Message, call: Call, policy: Policy) -> Result:
    state = part["state"]
    value = part["output"] if state == AVAILABLE else part.get("errorText")
    if state == DENIED:
        value = approval_of(part).get("reason")
    marked = is_marked(part.get("callProviderMetadata")) or policy.is_marker(
        value, call.id, call.name
    )
    return Result(
        call.at,
        call.id,
        call.name,
        synthesized=state == ERROR and marked,
        error=state != AVAILABLE,
        after=call.slot,
        value=(state, value),
    )


def is_marked(holder: Any) -> bool:
    """Tell whether this metadata, or this result of major 4, carries our mark."""
    mine = holder.get(MARK) if isinstance(holder, dict) else None
    return isinstance(mine, dict) and mine.get("synthesized") is True


def mark(close: Close) -> Message:
    """Make the mark that says that a result is ours."""
    return {"synthesized": True, "outcome": close.outcome.value}


def mended(part: Message) -> Message:
    """Give a settled part as the SDK wants it: the same object when it is so already.

    What cannot stand in it and is not null is kept in our namespace of its metadata.
    """
    state = settled(part)
    if state is None:
        return part
    made = {**part, "state": state}
    aside: Message = {}
    if made["type"] == "dynamic-tool" and not known_id(made.get("toolName")):
        made["toolName"] = NO_NAME
    elif made["type"] == "tool-":
        made["type"] += NO_NAME
    _give_input(made, aside)
    _give_answer(made, aside)
    _give_approval(made, aside)
    for key, kind in OPTIONAL.items():
        if key in made and not isinstance(made[key], kind):
            del made[key]
    _keep(made, aside)
    return part if made == part else made


def _give_input(made: Message, aside: Message, *, cut: bool = False) -> None:
    given = made.get("input")
    if cut:
        fragment = made.get("rawInput") or given
        made["input"] = {}
        if fragment:
            made["rawInput"] = fragment
    if isinstance(made.get("input"), dict):
        return
    found = as_object(given)
    if found is None:
        found = as_object(made.get("rawInput"))
        # Only an errored part has room for arguments that are no object.
        if made["state"] == ERROR and given not in (None, "") and "rawInput" not in made:
            made["rawInput"] = given
        else:
            aside["input"] = given
    made["input"] = {} if found is None else found


def _give_answer(made: Message, aside: Message) -> None:
    state = made["state"]
    for key in REFUSED[state]:
        if key in made:
            aside[key] = made.pop(key)
    aside.pop("preliminary", None)
    if state == AVAILABLE:
        made.setdefault("output", None)
    elif state == ERROR and not says(made.get("errorText")):
        text = words(made.get("errorText")) or words(aside.pop("output", None))
        made["errorText"] = text or NO_TEXT


def _give_approval(made: Message, aside: Message) -> None:
    """Let an approval stand only where it agrees with the state; a denial must have one."""
    denied = made["state"] == DENIED
    said = approval_of(made)
    named = known_id(said.get("id"))
    agrees = said.get("approved") is (not denied)
    if not (agrees and named):
        aside["approval"] = made.get("approval")
    if denied or (agrees and named):
        made["approval"] = {
            **(_without_nulls(said) if agrees else {}),
            "id": named or str(made.get("toolCallId")),
            "approved": not denied,
        }
    else:
        made.pop("approval", None)


def _without_nulls(approval: Message) -> Message:
    # `inputSchemaInput` is the one key of an approval that may be null.
    return {k: v for k, v in approval.items() if v is not None or k == "inputSchemaInput"}


def _keep(made: Message, aside: Message) -> None:
    kept = {key: value for key, value in aside.items() if value not in (None, "")}
    if kept:
        metadata = made.get("callProviderMetadata") or {}
        mine = metadata.get(MARK)
        mine = {**(mine if isinstance(mine, dict) else {}), **kept}
        made["callProviderMetadata"] = {**metadata, MARK: mine}


def closed(part: Message, close: Close) -> Message:
    """Give an open part as an errored one."""
    made = {**part, "state": ERROR}
    aside: Message = {}
    _give_input(made, aside, cut=not close.call.complete)
    if part.get("preliminary") is True:
        aside["progress"] = made.pop("output", None)
    made.pop("inputEncoding", None)
    made.pop("preliminary", None)
    made["errorText"] = close.text
    metadata = made.get("callProviderMetadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    made["callProviderMetadata"] = {**metadata, MARK: mark(close)}
    _keep(made, aside)
    return mended(made)


def edit_part(part: Message, edits: Sequence[Edit]) -> Message:
    """Write the edits that keep a part."""
    for edit in edits:
        if isinstance(edit, SetId):
            part = {**part, "toolCallId": edit.id}
        elif isinstance(edit, Mend):
            part = mended(part)
        elif isinstance(edit, Close):
            part = closed(part, edit)
    return part
