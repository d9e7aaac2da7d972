"""The parts of AI SDK model messages: what they say of a call, and what the SDK wants in them.

Major 4 spells arguments `args` and an answer `result` with `isError`; later majors `input` and a
typed `output`. The major is told by the part.
"""

from __future__ import annotations

import json

from endmark.formats._ai_sdk_parts import MARK, NO_NAME, is_marked, mark, says
from endmark.formats._base import (
    ORPHAN_TEXT,
    Message,
    as_object,
    call_flaws,
    known_id,
    text_of_orphan,
)
from endmark.model import At, Call, Close, Event, Kind, Owner, Result
from endmark.policy import Policy

NO_ERROR_TEXT = "(no error text)"  # "content cannot be empty if `is_error` is true"
ERRORS = frozenset({"error-text", "error-json", "execution-denied"})
OPTIONS = "providerOptions"


def _spelled(part: Message) -> str:
    return "args" if "args" in part and "input" not in part else "input"


def _known_name(part: Message) -> str | None:
    name = part.get("toolName")
    return name if isinstance(name, str) and name not in ("", NO_NAME) else None


def is_asked_soundly(part: Message) -> bool:
    """Tell whether nothing is wrong with a call, whoever runs it."""
    call_id = part.get("toolCallId")
    return bool(
        call_id.__class__ is str
        and call_id
        and part.get("toolName")
        and part.get(_spelled(part)).__class__ is dict
    )


def is_said(part: Message) -> bool:
    """Tell whether a result holds an answer of its major, and words where it is an error."""
    output = part.get("output")
    if not part.get("toolName"):
        return False
    if output is None:
        return "result" in part and not (
            part.get("isError") is True and part["result"] in ("", None)
        )
    if not isinstance(output, dict) or not isinstance(output.get("type"), str):
        return False
    return output["type"] != "error-text" or says(output.get("value"))


def call_of(part: Message, at: At, owner: Owner, slot: int, *, asked: bool, denied: bool) -> Call:
    given, name = part.get(_spelled(part)), part.get("toolName")
    flaws = call_flaws(name, given)
    return Call(
        at,
        known_id(part.get("toolCallId")),
        _known_name(part),
        complete=Kind.INCOMPLETE not in flaws,
        owner=owner,
        arguments=given,
        denied=denied,
        asked=asked,
        slot=slot,
        flaws=flaws,
    )


def result_of(part: Message, at: At, owner: Owner, after: int | None, policy: Policy) -> Result:
    call_id, name = known_id(part.get("toolCallId")), _known_name(part)
    output = part.get("output")
    typed = output if isinstance(output, dict) else {}
    value = part.get("result") if output is None else output
    text = typed.get("value", value)
    return Result(
        at,
        call_id,
        name,
        synthesized=is_marked(part.get(OPTIONS)) or policy.is_marker(text, call_id, name),
        error=typed.get("type") in ERRORS or part.get("isError") is True,
        owner=owner,
        after=after,
        value=value,
        flaw=owner is not Owner.PROVIDER and not is_said(part),
    )


def synthesized(close: Close, call_id: str | None, asked: Message) -> Message:
    made: Message = {
        "type": "tool-result",
        "toolCallId": call_id,
        "toolName": close.call.name or NO_NAME,
    }
    if _spelled(asked) == "args":
        made |= {"result": close.text, "isError": True}
    else:
        made |= {"output": {"type": "error-text", "value": close.text}}
    return made | {OPTIONS: {MARK: mark(close)}}


def mended(part: Message) -> Message:
    named = {**part, "toolName": part.get("toolName") or NO_NAME}
    if part["type"] == "tool-call":
        key = _spelled(part)
        return {**named, key: as_object(part.get(key)) or {}}
    output = part.get("output")
    if output is None and "result" in part:
        silent = part.get("isError") is True and part["result"] in ("", None)
        return {**named, "result": NO_ERROR_TEXT} if silent else named
    if not isinstance(output, dict) or not isinstance(output.get("type"), str):
        kind = "text" if isinstance(output, str) else "json"
        return {**named, "output": {"type": kind, "value": output}}
    if output["type"] == "error-text" and not says(output.get("value")):
        return {**named, "output": {**output, "value": NO_ERROR_TEXT}}
    return named


def as_text(event: Event, part: Message) -> str:
    if isinstance(event, Call):
        return text_of_orphan(event)
    output = part.get("output")
    value = output.get("value") if isinstance(output, dict) else part.get("result", output)
    words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{ORPHAN_TEXT}\n{words}"
