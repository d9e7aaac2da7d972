"""Messages of goose: requests and responses are parts, a response in a user message behind.

Responses stand one a message, or all in one; messages of the assistant in a row are one turn. A
request that goose shows to a person, or gives to the frontend, waits. goose leaves a half pair out
of what it sends, and what is stored as it is. Shapes as goose 1.52.0 writes them.
https://github.com/block/goose/blob/main/crates/goose/src/conversation/message.rs
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from endmark.formats._base import (
    ORPHAN_TEXT,
    History,
    Message,
    known_id,
    text_of_orphan,
)
from endmark.formats._behind import Behind, Kind
from endmark.model import At, Call, Close, Owner, Result
from endmark.model import Kind as Finding
from endmark.policy import Policy

NO_NAME = "unknown_tool"
OWN = frozenset(
    {
        "toolRequest", "toolResponse", "toolConfirmationRequest", "frontendToolRequest",
        "actionRequired", "redactedThinking", "systemNotification", "conversationCompacted",
    }
)  # fmt: skip
KINDS: dict[str, Kind] = {
    "toolRequest": "call",
    "toolResponse": "result",
    **dict.fromkeys(
        ("toolConfirmationRequest", "frontendToolRequest", "actionRequired"),
        "silent",
    ),
    "systemNotification": "silent",
    "conversationCompacted": "silent",
}
TYPES = OWN | {"text", "image", "thinking", "reasoning"}


class Goose(Behind):
    """Messages as goose stores them in `sessions.db`."""

    name = "goose"
    source = "https://github.com/block/goose/blob/main/crates/goose/src/conversation/message.rs"
    refusal = (
        "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
        "`tool_use` block must have a corresponding `tool_result` block in the next message."
    )
    body = "content"
    said: ClassVar[Message] = {"role": "user", "content": [{"type": "text", "text": "."}]}
    roles = frozenset({"user", "assistant"})
    answerer = "user"
    runs = True

    def asked(self, history: History, last_user: int) -> dict[Any, Any]:
        asked: dict[Any, Callable[[Call], Call]] = {}
        for message in history[last_user + 1 :]:
            for part in self.parts(message):
                if part["type"] == "frontendToolRequest":
                    asked[part.get("id")] = _of_client
                elif part["type"] == "toolConfirmationRequest":
                    asked[part.get("id")] = _of_human
                elif part["type"] == "actionRequired":
                    asked[part["data"].get("id")] = _of_human
        return asked

    def kind(self, part: Any) -> Kind:
        return KINDS.get(part["type"], "said")

    def id_of(self, part: Any) -> Any:
        return part.get("id")

    def is_plain(self, part: Any) -> bool:
        if not known_id(part.get("id")):
            return False
        return _is_said(part) if part["type"] == "toolResponse" else _flaws(part) == ()

    def call_of(self, part: Any, at: At, slot: int) -> Call:
        value = _asked_for(part)
        return Call(
            at,
            known_id(part.get("id")),
            known_id(value.get("name")),
            arguments=value.get("arguments"),
            slot=slot,
            flaws=_flaws(part),
        )

    def result_of(self, part: Any, at: At, after: int | None, policy: Policy) -> Result:
        call_id, given = known_id(part.get("id")), part.get("toolResult")
        told = given if isinstance(given, dict) else {}
        value = told.get("value")
        flagged = isinstance(value, dict) and value.get("isError") is True
        return Result(
            at,
            call_id,
            synthesized=policy.is_marker(_said(value), call_id, None),
            error=told.get("status") == "error" or flagged,
            after=after,
            value=given,
            flaw=not _is_said(part),
        )

    def result(self, close: Close, call_id: str | None) -> Any:
        # Not the status `error`: goose tells the model of a code then, that nobody has given.
        value = {"content": [{"type": "text", "text": close.text}], "isError": True}
        told = {"status": "success", "value": value}
        return {"type": "toolResponse", "id": call_id, "toolResult": told}

    def with_id(self, part: Any, id_: str) -> Any:
        return {**part, "id": id_}

    def mended(self, part: Any) -> Any:
        if part["type"] == "toolResponse":
            words = json.dumps(part.get("toolResult"), ensure_ascii=False)
            value = {"content": [{"type": "text", "text": words}], "isError": False}
            return {**part, "toolResult": {"status": "success", "value": value}}
        value = _asked_for(part)
        given = value.get("arguments")
        lacks = {
            "name": value.get("name") or NO_NAME,
            "arguments": given if isinstance(given, dict) else {},
        }
        return {**part, "toolCall": {"status": "success", "value": {**value, **lacks}}}

    def text(self, event: Call | Result, part: Any) -> Any:
        words = json.dumps(part.get("toolResult"), ensure_ascii=False)
        said = text_of_orphan(event) if isinstance(event, Call) else f"{ORPHAN_TEXT}\n{words}"
        return {"type": "text", "text": said}

    def fits(self, message: Message) -> int:
        content = message.get("content")
        if message.get("role") not in self.roles or not isinstance(content, list) or not content:
            return -1
        types = {part.get("type") if isinstance(part, dict) else None for part in content}
        return -1 if not types <= TYPES else 1 if types & OWN else 0


def _asked_for(part: Message) -> Message:
    told = part.get("toolCall")
    value = told.get("value") if isinstance(told, dict) else None
    return value if isinstance(value, dict) else {}


def _flaws(part: Message) -> tuple[Finding, ...]:
    """Tell what is wrong with a request; one that goose could not read is sent as an error."""
    told = part.get("toolCall")
    if isinstance(told, dict) and told.get("status") == "error":
        return ()
    value = _asked_for(part)
    sound = value.get("name") and isinstance(value.get("arguments") or {}, dict)
    return () if sound else (Finding.MALFORMED,)


def _said(value: Any) -> Any:
    """Give the text of a response of one text, else nothing."""
    content = value.get("content") if isinstance(value, dict) else None
    [one] = content if isinstance(content, list) and len(content) == 1 else [None]
    return one.get("text") if isinstance(one, dict) else None


def _is_said(part: Message) -> bool:
    """Tell whether a response is one of the two that goose reads: a value, or an error."""
    told = part.get("toolResult")
    if not isinstance(told, dict):
        return False
    return isinstance(told.get("error"), str) or isinstance(told.get("value"), dict | list)


def _of_client(call: Call) -> Call:
    return replace(call, owner=Owner.CLIENT, asked=True)


def _of_human(call: Call) -> Call:
    return replace(call, owner=Owner.HUMAN)


FORMAT = Goose()
