"""Bedrock Converse: calls are `toolUse` blocks, results lead the user message behind them.

User and assistant take turns, so results are put in front of what a user says next, and a message
between two of the other role never goes without a note in its place. Shapes and ids as in botocore
1.44.8. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from endmark.formats._base import (
    ORPHAN_TEXT,
    History,
    Message,
    as_object,
    call_flaws,
    known_id,
    text_of_orphan,
    unreadable,
)
from endmark.formats._next_message import NextMessage
from endmark.model import (
    At,
    Blank,
    Call,
    Close,
    Drop,
    Edit,
    Event,
    Kind,
    Mend,
    Owner,
    Result,
    SetId,
    ToText,
)
from endmark.policy import Policy

NO_NAME = "unknown_tool"
NO_TEXT = "[no text]"
NO_OUTPUT = "(no output)"  # "The text field in the ContentBlock object at … is blank."
NO_ERROR_TEXT = "(no error text)"  # "… cannot be empty when status value is error."
ROLES = frozenset({"user", "assistant", "system"})
BLOCKS = frozenset(
    {
        "text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent",
        "cachePoint", "reasoningContent", "citationsContent", "searchResult",
    }
)  # fmt: skip
SILENT = frozenset({"cachePoint"})
UNSAID = frozenset({"cachePoint", "reasoningContent"})
_is_sound_id = re.compile(r"[a-zA-Z0-9_.:-]{1,64}").fullmatch


class Bedrock(NextMessage):
    """Messages of Amazon Bedrock's Converse API."""

    name = "bedrock"
    source = "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html"
    refusal = "Expected toolResult blocks at messages.{at}.content for the following Ids: {ids}"
    body = "content"
    joins = True
    alternates = frozenset({"user", "assistant"})

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        due: list[Any] = []
        start, dirty, lead, index = 0, False, False, -1
        try:
            for index, message in enumerate(history):
                role, content = message["role"], message["content"]
                if role == "assistant":
                    if dirty or due:
                        suspects += range(start, index)
                        due = []
                    start, lead, dirty = index, True, not content
                elif role not in ROLES:
                    raise unreadable(index, f"its role is {role!r}")
                elif not content or index > start + 1:
                    lead = False
                    dirty = dirty or not content
                for block in content:
                    if (text := block.get("text")) is not None:
                        if role != "assistant":
                            lead = False
                        if not text or text.isspace():
                            dirty = True
                    elif "toolUse" in block:
                        if role != "assistant":
                            raise unreadable(
                                index, "it holds a call, but it is not the assistant's"
                            )
                        call = block["toolUse"]
                        call_id = call.get("toolUseId")
                        if call_id in due or not _is_plainly_sound(call):
                            dirty = True
                        due.append(call_id)
                    elif "toolResult" in block:
                        result = block["toolResult"]
                        call_id = result.get("toolUseId")
                        if lead and role == "user" and call_id in due and is_said(result):
                            due.remove(call_id)
                        else:
                            dirty = True
                    elif role != "assistant" and "cachePoint" not in block:
                        lead = False
        except (AttributeError, KeyError, TypeError):
            raise unreadable(index, "it is no message of blocks") from None
        if dirty or due:
            suspects += range(start, len(history))
        return suspects

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        return [event for index in indexes for event in _read(history, index, policy)]

    def call_ids(self, message: Message) -> Sequence[str | None]:
        if message.get("role") != "assistant":
            return ()
        uses = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        return [known_id(use.get("toolUseId")) for use in uses]

    def block(self, history: History, index: int) -> range:
        stop = index + 1
        while stop < len(history) and history[stop]["role"] != "assistant":
            stop += 1
        return range(index, stop)

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user" and any(map(_is_speech, message["content"]))

    def parts(self, message: Message) -> list[Any]:
        parts: list[Any] = message["content"]
        return parts

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        return {**message, "content": parts}

    def message_of(self, parts: list[Any], old: Message) -> Message:
        return {**old, "role": "user", "content": parts}

    def note(self) -> list[Any]:
        return [{"text": NO_TEXT}]

    def result_part(self, close: Close, call_id: str | None, asked: Any) -> Any:
        content = [{"text": close.text}]
        return {"toolResult": {"toolUseId": call_id, "content": content, "status": "error"}}

    def edit_part(self, message: Message, part: Any, edits: Sequence[Edit]) -> list[Any]:
        for edit in edits:
            if isinstance(edit, ToText):
                return _as_text(edit, part, in_user=message["role"] == "user")
            key = "toolUse" if "toolUse" in part else "toolResult"
            if isinstance(edit, SetId):
                part = {**part, key: {**part[key], "toolUseId": edit.id}}
            elif isinstance(edit, Mend):
                mended = _mended_call if key == "toolUse" else _mended_result
                part = {**part, key: mended(part[key])}
        return [part]

    def settle(self, message: Message, parts: list[Any], edits: Sequence[Edit]) -> list[Any]:
        if all(SILENT.issuperset(part) for part in parts):
            return []
        if message["role"] != "assistant" or any(not UNSAID.issuperset(part) for part in parts):
            return parts
        lone = [e.event for e in edits if isinstance(e, Drop) and isinstance(e.event, Call)]
        return [*parts, {"text": text_of_orphan(lone[0]) if lone else NO_TEXT}]

    def fits(self, message: Message) -> int:
        content = message.get("content")
        if message.get("role") not in ROLES or not isinstance(content, list):
            return -1
        plain = all(isinstance(part, dict) and BLOCKS.issuperset(part) for part in content)
        return -1 if not plain else 1 if content else 0


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


def _is_plainly_sound(call: Message) -> bool:
    call_id = call.get("toolUseId")
    return bool(
        call_id.__class__ is str
        and _is_sound_id(call_id)
        and call.get("name")
        and call.get("input").__class__ is dict
        and "type" not in call
    )


def _is_blank(block: Message) -> bool:
    text = block.get("text")
    return text is not None and (not text or text.isspace())


def _is_speech(block: Message) -> bool:
    if SILENT.issuperset(block) or "toolResult" in block:
        return False
    return not _is_blank(block) and block.get("text") != NO_TEXT


def _read(history: History, index: int, policy: Policy) -> Iterator[Event]:
    """Read one message: its calls, its results and where they stand, and blanks."""
    message = history[index]
    asks = message["role"] == "assistant"
    before = index > 0 and message["role"] == "user" and history[index - 1]["role"] == "assistant"
    after = index - 1 if before else None
    served: set[Any] = set()
    if not message["content"]:
        yield Blank(At(index))
    for k, block in enumerate(message["content"]):
        at = At(index, k)
        if "toolUse" in block:
            call = _call(block["toolUse"], at)
            if call.owner is Owner.PROVIDER:
                served.add(call.id)
            yield call
        elif "toolResult" in block:
            mine = asks and known_id(block["toolResult"].get("toolUseId")) in served
            yield _result(block["toolResult"], at, index if mine else after, mine, policy)
        elif _is_blank(block):
            yield Blank(at)
        elif "cachePoint" not in block:
            after = None


def _call(use: Message, at: At) -> Call:
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


def _result(result: Message, at: At, after: int | None, mine: bool, policy: Policy) -> Result:
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


def _mended_call(use: Message) -> Message:
    return {
        **use,
        "name": use.get("name") or NO_NAME,
        "input": as_object(use.get("input")) or {},
    }


def _mended_result(result: Message) -> Message:
    given = result.get("content")
    blocks = given if isinstance(given, list) else [{"text": given}] if given else []
    content = [_with_object(block) for block in blocks if not _is_blank(block)]
    words = NO_ERROR_TEXT if result.get("status") == "error" else NO_OUTPUT
    return {**result, "content": content or [{"text": words}]}


def _with_object(block: Message) -> Message:
    """Give a value that is no object as text: "Provide a json object for the field"."""
    if "json" in block and not isinstance(block["json"], dict):
        return {"text": json.dumps(block["json"], ensure_ascii=False)}
    return block


def _as_text(edit: ToText, part: Any, *, in_user: bool) -> list[Any]:
    if isinstance(edit.event, Call):
        return [{"text": text_of_orphan(edit.event)}]
    blocks = _mended_result(part["toolResult"])["content"]
    words = [_words(block) for block in blocks if "text" in block or "json" in block]
    media = [block for block in blocks if "text" not in block and "json" not in block]
    return [{"text": "\n".join([ORPHAN_TEXT, *words])}, *(media if in_user else [])]


def _words(block: Message) -> str:
    return block["text"] if "text" in block else json.dumps(block["json"], ensure_ascii=False)


FORMAT = Bedrock()
