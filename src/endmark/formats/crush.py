"""Messages of Crush: a list of parts, each a type and its data.

Calls are parts of the assistant's messages; their results are parts of the tool messages behind
it, one a result since 0.13, all in one before. Since 0.59 Crush answers an open call itself when it
reads, in what it sends and not in what is stored. Shapes as crush 0.58 and 0.90 write them.
https://github.com/charmbracelet/crush/blob/main/internal/message/content.go
"""

from __future__ import annotations

from typing import Any, ClassVar

from endmark.formats._base import (
    ORPHAN_TEXT,
    Message,
    as_object,
    known_id,
    parses,
    text_of_orphan,
)
from endmark.formats._behind import Behind, Kind
from endmark.model import At, Call, Close, Result
from endmark.model import Kind as Finding
from endmark.policy import Policy

NO_NAME = "unknown_tool"
TYPES = frozenset(
    {
        "reasoning", "text", "image_url", "binary", "tool_call", "tool_result", "finish",
        "shell_command",
    }
)  # fmt: skip
KINDS: dict[str, Kind] = {"tool_call": "call", "tool_result": "result", "finish": "silent"}


class Crush(Behind):
    """Messages as Crush stores them in `crush.db`."""

    name = "crush"
    source = "https://github.com/charmbracelet/crush/blob/main/internal/message/content.go"
    refusal = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
    )
    body = "parts"
    said: ClassVar[Message] = {
        "role": "user",
        "parts": [{"type": "text", "data": {"text": "."}}],
    }
    roles = frozenset({"user", "assistant", "tool", "system"})
    answerer = "tool"

    def message(self, role: str, parts: list[Any]) -> Message:
        """Make a message that ends as Crush ends what is not the assistant's."""
        stop = {"type": "finish", "data": {"reason": "stop", "time": 0}}
        return {"role": role, "parts": [*parts, stop]}

    def kind(self, part: Any) -> Kind:
        return KINDS.get(part["type"], "said")

    def id_of(self, part: Any) -> Any:
        return part["data"].get("tool_call_id" if part["type"] == "tool_result" else "id")

    def is_plain(self, part: Any) -> bool:
        data = part["data"]
        if not known_id(self.id_of(part)):
            return False
        if part["type"] == "tool_result":
            return isinstance(data.get("content"), str)
        return bool(data.get("name")) and _flaws(data) == ()

    def call_of(self, part: Any, at: At, slot: int) -> Call:
        data = part["data"]
        flaws = _flaws(data)
        return Call(
            at,
            known_id(data.get("id")),
            known_id(data.get("name")),
            complete=Finding.INCOMPLETE not in flaws,
            arguments=data.get("input"),
            slot=slot,
            flaws=flaws,
        )

    def result_of(self, part: Any, at: At, after: int | None, policy: Policy) -> Result:
        data = part["data"]
        call_id, name = known_id(data.get("tool_call_id")), known_id(data.get("name"))
        content = data.get("content")
        return Result(
            at,
            call_id,
            name,
            synthesized=policy.is_marker(content, call_id, name),
            error=data.get("is_error") is True,
            after=after,
            value=content,
            flaw=not isinstance(content, str),
        )

    def result(self, close: Close, call_id: str | None) -> Any:
        data = {"tool_call_id": call_id, "name": close.call.name or NO_NAME, "content": close.text}
        unused = dict.fromkeys(("data", "mime_type", "metadata"), "")
        return {"type": "tool_result", "data": {**data, **unused, "is_error": True}}

    def with_id(self, part: Any, id_: str) -> Any:
        key = "tool_call_id" if part["type"] == "tool_result" else "id"
        return {**part, "data": {**part["data"], key: id_}}

    def mended(self, part: Any) -> Any:
        data = part["data"]
        if part["type"] == "tool_result":
            said = data.get("content")
            return {**part, "data": {**data, "content": "" if said is None else str(said)}}
        given = data.get("input")
        whole = given if as_object(given) is not None and isinstance(given, str) else "{}"
        lacks = {"name": data.get("name") or NO_NAME, "input": whole, "finished": True}
        return {**part, "data": {**data, **lacks}}

    def text(self, event: Call | Result, part: Any) -> Any:
        words = f"{ORPHAN_TEXT}\n{part['data'].get('content') or ''}"
        said = text_of_orphan(event) if isinstance(event, Call) else words
        return {"type": "text", "data": {"text": said}}

    def fits(self, message: Message) -> int:
        parts = message.get("parts")
        if message.get("role") not in self.roles or not isinstance(parts, list) or not parts:
            return -1
        ours = all(
            isinstance(part, dict)
            and part.get("type") in TYPES
            and isinstance(part.get("data"), dict)
            for part in parts
        )
        return 1 if ours else -1


def _flaws(data: Message) -> tuple[Finding, ...]:
    """Tell what is wrong with a call: its text of arguments has to be an object, and finished."""
    given = data.get("input")
    cut = isinstance(given, str) and given.strip() != "" and not parses(given)
    if cut or data.get("finished") is False:
        return (Finding.INCOMPLETE,)
    whole = isinstance(given, str) and as_object(given) is not None
    return () if whole and data.get("name") else (Finding.MALFORMED,)


FORMAT = Crush()
