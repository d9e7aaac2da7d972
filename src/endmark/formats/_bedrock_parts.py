"""The blocks of Bedrock Converse: looked over, read into events, and edited.

Where a block stands, and whose turn it is, is decided in `bedrock`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from endmark.formats._base import (
    ORPHAN_TEXT,
    Message,
    as_object,
    call_flaws,
    known_id,
    text_of_orphan,
)
from endmark.model import At, Call, Kind, Owner, Result, ToText
from endmark.policy import Policy

NO_NAME = "unknown_tool"
NO_TEXT = "[no text]"
NO_OUTPUT = "(no output)"  # "The text field in the ContentBlock object at … is blank."
NO_ERROR_TEXT = "(no error text)"  # "… cannot be empty when status value is error."
SILENT = frozenset({"cachePoint"})
_is_sound_id = re.compile(r"[a-zA-Z0-9_.:-]{1,64}").fullmatch


def is_said(result: Message) -> bool:
    """Tell whether a result holds what Converse takes: no blank text, no error without words."""
    content = result.get("content")
    if not isinstance(content, list) or (not content and result.get("status") == "error"):
        return False
    for block in content:
        text = block.get("text")
        if text is None:
            if "json" in block and not isinstance(block["json"], dict):
                return False
        elif not text or text.isspace():
            return False
    return True


def is_plainly_sound(call: Message) -> bool:
    call_id = call.get("toolUseId")
    return bool(
        call_id.__class__ is str
        and _is_sound_id(call_id)
        and call.get("name")
        and call.get("input").__class__ is dict
        and "type" not in call
    )


def is_blank(block: Message) -> bool:
    text = block.get("text")
    return text is not None and (not text or text.isspace())


def is_speech(block: Message) -> bool:
    if SILENT.issuperset(block) or "toolResult" in block:
        return False
    return not is_blank(block) and block.get("text") != NO_TEXT


def call_of(use: Message, at: At) -> Call:
    given, name = use.get("input"), use.get("name")
    flaws = call_flaws(name, given)
    call_id = known_id(use.get("toolUseId"))
    if call_id is not None and not _is_sound_id(call_id):
        flaws = (*flaws, Kind.BAD_ID)
    return Call(
        at,
        call_id,
        name or None,
        complete=Kind.INCOMPLETE not in flaws,
        owner=Owner.PROVIDER if use.get("type") == "server_tool_use" else Owner.SERVER,
        arguments=given,
        slot=at.message,
        flaws=flaws,
    )


def result_of(result: Message, at: At, after: int | None, mine: bool, policy: Policy) -> Result:
    content = result.get("content")
    call_id = known_id(result.get("toolUseId"))
    lone = content[0] if isinstance(content, list) and len(content) == 1 else {}
    return Result(
        at,
        call_id,
        synthesized=policy.is_marker(lone.get("text"), call_id, None),
        error=result.get("status") == "error",
        owner=Owner.PROVIDER if mine else Owner.SERVER,
        after=after,
        value=content,
        flaw=not mine and not is_said(result),
    )


def mended_call(use: Message) -> Message:
    return {
        **use,
        "name": use.get("name") or NO_NAME,
        "input": as_object(use.get("input")) or {},
    }


def mended_result(result: Message) -> Message:
    given = result.get("content")
    blocks = given if isinstance(given, list) else [{"text": given}] if given else []
    content = [_with_object(block) for block in blocks if not is_blank(block)]
    words = NO_ERROR_TEXT if result.get("status") == "error" else NO_OUTPUT
    return {**result, "content": content or [{"text": words}]}


def _with_object(block: Message) -> Message:
    """Give a value that is no object as text: "Provide a json object for the field"."""
    if "json" in block and not isinstance(block["json"], dict):
        return {"text": json.dumps(block["json"], ensure_ascii=False)}
    return block


def as_text(edit: ToText, part: Any, *, in_user: bool) -> list[Any]:
    if isinstance(edit.event, Call):
        return [{"text": text_of_orphan(edit.event)}]
    blocks = mended_result(part["toolResult"])["content"]
    words = [_words(block) for block in blocks if "text" in block or "json" in block]
    media = [block for block in blocks if "text" not in block and "json" not in block]
    return [{"text": "\n".join([ORPHAN_TEXT, *words])}, *(media if in_user else [])]


def _words(block: Message) -> str:
    return block["text"] if "text" in block else json.dumps(block["json"], ensure_ascii=False)
