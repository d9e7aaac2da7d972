"""The parts of pydantic-ai messages: what they say of a call, and what the library loads.

A part that the library does not load (a name or content missing, arguments that are no object and
no text) bricks the whole history; arguments cut off inside a text are wrapped as it does itself.
"""

from __future__ import annotations

import json
from typing import Any

from endmark.formats._base import ORPHAN_TEXT, Message, known_id, text_of_orphan
from endmark.model import At, Call, Close, Event, Kind, Owner, Result
from endmark.policy import Policy

MARK = "endmark"  # our namespace in metadata, which no model is sent
THEIRS = "pydantic_ai_synthesized_tool_return"  # the mark of `repair_messages`
RAW = "INVALID_JSON"  # how the library wraps what it cannot parse
NO_NAME = "unknown_tool"
HOSTED_CALL, HOSTED_RETURN = "builtin-tool-call", "builtin-tool-return"
ERRORS = frozenset({"failed", "retried", "denied", "interrupted"})


def is_result(part: Message) -> bool:
    """Tell whether a part answers a call: a retry does where it names the tool."""
    kind = part["part_kind"]
    return kind == "tool-return" or (kind == "retry-prompt" and part.get("tool_name") is not None)


def is_asked_soundly(part: Message) -> bool:
    """Tell whether the library loads a call; cut-off text is a matter of the answer."""
    given = part.get("args")
    return bool(part.get("tool_name")) and (given is None or isinstance(given, str | dict))


def is_said(part: Message) -> bool:
    return bool(part.get("tool_name")) and "content" in part


def call_of(part: Message, at: At, slot: int, *, answered: bool) -> Call:
    hosted = part["part_kind"] == HOSTED_CALL
    given, name = part.get("args"), part.get("tool_name")
    cut = is_cut(given)
    flaws: tuple[Kind, ...] = ()
    if not hosted and not is_asked_soundly(part):
        flaws = (Kind.MALFORMED,)
    elif not hosted and cut and not answered:
        flaws = (Kind.INCOMPLETE,)
    return Call(
        at,
        known_id(part.get("tool_call_id")),
        name or None,
        complete=not cut,
        owner=Owner.PROVIDER if hosted else Owner.SERVER,
        arguments=given,
        slot=slot,
        flaws=flaws,
    )


def result_of(part: Message, at: At, after: int | None, policy: Policy) -> Result:
    call_id, name = known_id(part.get("tool_call_id")), part.get("tool_name") or None
    content, metadata = part.get("content"), part.get("metadata")
    hosted = part["part_kind"] == HOSTED_RETURN
    marked = isinstance(metadata, dict) and (MARK in metadata or metadata.get(THEIRS) is True)
    return Result(
        at,
        call_id,
        name,
        synthesized=marked or policy.is_marker(content, call_id, name),
        error=part["part_kind"] == "retry-prompt" or part.get("outcome") in ERRORS,
        owner=Owner.PROVIDER if hosted else Owner.SERVER,
        after=after,
        value=content,
        flaw=Kind.MALFORMED if not hosted and not is_said(part) else False,
    )


def synthesized(close: Close, call_id: str | None, response: Message) -> Message:
    made = {
        "tool_name": close.call.name or NO_NAME,
        "content": close.text,
        "tool_call_id": call_id,
        "metadata": {THEIRS: True, MARK: {"outcome": close.outcome.value}},
        "timestamp": response.get("timestamp"),
        "outcome": "failed" if _is_old(response) else "interrupted",
        "part_kind": "tool-return",
    }
    if made["timestamp"] is None:
        del made["timestamp"]
    return made


def _is_old(response: Message) -> bool:
    """Tell of a whole dump of a version that may refuse `interrupted`, as 1.99 to 2.9 do.

    They cannot be told from 2.10 to 2.49, so the fields of 2.57 decide; all take `failed`.
    """
    return "usage" in response and "workspace_ref" not in response


def mended(event: Call | Result, part: Message) -> Message:
    part = {**part, "tool_name": part.get("tool_name") or event.name or NO_NAME}
    if isinstance(event, Result):
        return {**part, "content": part.get("content")}
    given = part.get("args")
    if isinstance(given, dict) or given is None:
        return part
    if isinstance(given, str):
        return {**part, "args": {RAW: given}} if is_cut(given) else part
    return {**part, "args": {}}


def as_text(event: Event, part: Message, *, in_request: bool) -> Message:
    if isinstance(event, Call):
        words = text_of_orphan(event)
    else:
        content = part.get("content")
        said = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        words = f"{ORPHAN_TEXT}\n{said}"
    if not in_request:
        return {"content": words, "part_kind": "text"}
    made = {"content": words, "timestamp": part.get("timestamp"), "part_kind": "user-prompt"}
    return made if made["timestamp"] is not None else text_prompt(words)


def text_prompt(words: str) -> Message:
    return {"content": words, "part_kind": "user-prompt"}


def is_cut(given: Any) -> bool:
    """Tell whether arguments, given as a text, end before they are complete."""
    if not isinstance(given, str) or not given.strip():
        return False
    try:
        json.loads(given)
    except (ValueError, RecursionError):
        return True
    return False
