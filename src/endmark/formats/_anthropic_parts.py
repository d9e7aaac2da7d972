"""The content blocks of Anthropic Messages: looked over, read into events, and edited.

What a block means among its neighbours (runs, turns, order) is decided in `anthropic`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from endmark.formats._base import ORPHAN_TEXT, Message, known_id, text_of_orphan, unreadable
from endmark.model import At, Call, Kind, Owner, Result, ToText
from endmark.policy import Policy

NO_NAME = "unknown_tool"
NO_ERROR_TEXT = "(no error text)"  # "content cannot be empty if `is_error` is true"
OWNERS = {
    "tool_use": Owner.SERVER,
    "server_tool_use": Owner.PROVIDER,
    "mcp_tool_use": Owner.PROVIDER,
}
# What the API says an id should match; none is published for MCP.
IDS = {
    "tool_use": re.compile(r"[a-zA-Z0-9_-]+"),
    "server_tool_use": re.compile(r"srvtoolu_[a-zA-Z0-9_]+"),
    "mcp_tool_use": re.compile(r".+", re.DOTALL),
}
THINKING = frozenset({"thinking", "redacted_thinking"})
_is_sound_id = IDS["tool_use"].fullmatch
# Blocks of other formats whose messages look the same otherwise.
NOT_OURS = frozenset(
    {
        "image_url", "input_audio", "file", "refusal", "input_text", "input_image", "input_file",
        "output_text", "reasoning", "redacted-reasoning", "tool-call", "tool-result",
        "tool-approval-request", "tool-approval-response",
        "toolRequest", "toolResponse",
    }
)  # fmt: skip


def is_blank(content: Any) -> bool:
    if isinstance(content, list):
        return all(part.get("type") == "text" and is_blank(part.get("text")) for part in content)
    return content is None or (isinstance(content, str) and not content.strip())


def is_provider_result(kind: Any) -> bool:
    return isinstance(kind, str) and kind.endswith("_tool_result")


def is_mcp(kind: str) -> bool:
    """Tell apart what MCP servers run and say and what the provider's own tools do."""
    return kind.startswith("mcp_")


def asks_soundly(content: list[Any], due: list[Any], seen: set[Any], index: int) -> bool:
    """Look at an assistant's blocks once; its calls become due."""
    sound, odd = bool(content), False
    try:
        for part in content:
            kind = part.get("type")
            if kind == "text":
                if not (text := part.get("text")) or text.isspace():
                    sound = False
            elif kind == "tool_use":
                call_id = part.get("id")
                if (
                    call_id.__class__ is not str
                    or call_id in seen
                    or not _is_sound_id(call_id)
                    or not known_id(part.get("name"))
                    or not isinstance(part.get("input"), dict)
                ):
                    sound = False
                due.append(call_id)
                if call_id.__class__ is str:
                    seen.add(call_id)
            elif kind not in THINKING:
                odd = True
    except AttributeError:
        raise unreadable(index, "a part of its content is not what its type says") from None
    return sound and not (odd and not _is_provider_sound(content, seen))


def _is_provider_sound(content: list[Any], seen: set[Any]) -> bool:
    """Tell whether what the provider runs is called and answered in this very message."""
    sound, waiting = True, []
    for part in content:
        kind = part.get("type")
        if kind in OWNERS and kind != "tool_use":
            call_id = part.get("id")
            if call_id in seen or flaws_of(part):
                sound = False
            waiting.append((call_id, is_mcp(kind)))
            seen.add(call_id)
        elif is_provider_result(kind) and (part.get("tool_use_id"), is_mcp(kind)) in waiting:
            waiting.remove((part.get("tool_use_id"), is_mcp(kind)))
        elif is_provider_result(kind) or kind == "tool_result":
            sound = False
    return sound and not waiting


def answers_soundly(
    content: list[Any], due: list[Any], lead: bool, index: int
) -> tuple[bool, bool]:
    """Look at a user's blocks once: whether results may still follow, and whether all is well."""
    sound = bool(content)
    try:
        for part in content:
            kind = part.get("type")
            if kind == "tool_result":
                call_id = part.get("tool_use_id")
                if lead and call_id in due:
                    due.remove(call_id)
                else:
                    sound = False
                if part.get("is_error") is True and is_blank(part.get("content")):
                    sound = False
                continue
            lead = False
            if kind == "text":
                if not (text := part.get("text")) or text.isspace():
                    sound = False
            elif kind in OWNERS:
                raise unreadable(index, "it holds a call, but it is a user's")
    except AttributeError:
        raise unreadable(index, "a part of its content is not what its type says") from None
    return lead, sound


def call_of(part: Any, at: At, slot: int) -> Call:
    given = part.get("input")
    cut = isinstance(given, str) and given.strip() != "" and _parsed(given) is None
    return Call(
        at,
        known_id(part.get("id")),
        known_id(part.get("name")),
        complete=not cut,
        owner=OWNERS[part["type"]],
        arguments=given,
        slot=slot,
        flaws=flaws_of(part, cut=cut),
    )


def flaws_of(part: Any, *, cut: bool = False) -> tuple[Kind, ...]:
    flaws = []
    if cut:
        flaws.append(Kind.INCOMPLETE)
    elif not isinstance(part.get("input"), dict) or not known_id(part.get("name")):
        flaws.append(Kind.MALFORMED)
    call_id = known_id(part.get("id"))
    if call_id is not None and not IDS[part["type"]].fullmatch(call_id):
        flaws.append(Kind.BAD_ID)
    return tuple(flaws)


def result_of(part: Any, at: At, after: int | None, owner: Owner, policy: Policy) -> Result:
    content = part.get("content")
    call_id = known_id(part.get("tool_use_id"))
    text = content
    if isinstance(content, list) and len(content) == 1 and content[0].get("type") == "text":
        text = content[0].get("text")
    error = part.get("is_error") is True
    return Result(
        at,
        call_id,
        synthesized=policy.is_marker(text, call_id, None),
        error=error,
        owner=owner,
        after=after,
        value=content,
        flaw=error and owner is not Owner.PROVIDER and is_blank(content),
    )


def block_fits(part: Any) -> int:
    """Tell how a block looks, as `fits` does of a message."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind in NOT_OURS or isinstance(part.get("thinking"), list):
        return -1
    ours = kind in OWNERS or kind in THINKING or kind == "tool_result" or is_provider_result(kind)
    return 1 if ours or isinstance(part.get("source"), dict) else 0


def _parsed(text: str) -> Any:
    """Give the value of a JSON text, None where it is not one."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def text_block(words: str) -> Message:
    return {"type": "text", "text": words}


def with_id(part: Any, made: str) -> Any:
    kind = part["type"]
    key = "id" if kind in OWNERS else "tool_use_id"
    if is_mcp(kind):
        made = f"mcptoolu_{made}"
    elif kind not in {"tool_use", "tool_result"}:
        made = f"srvtoolu_{made}"
    return {**part, key: made}


def mended(part: Any) -> Any:
    if part["type"] == "tool_result":
        return {**part, "content": NO_ERROR_TEXT}
    given = part.get("input")
    if isinstance(given, str):
        given = _parsed(given)
    return {
        **part,
        "name": known_id(part.get("name")) or NO_NAME,
        "input": given if isinstance(given, dict) else {},
    }


def as_text(edit: ToText, part: Any, *, in_user: bool) -> list[Any]:
    if isinstance(edit.event, Call):
        return [text_block(text_of_orphan(edit.event))]
    content = part.get("content")
    blocks = content if isinstance(content, list) else [text_block(str(content or ""))]
    words = [block["text"] for block in blocks if block.get("type") == "text"]
    # An assistant's message may hold no media.
    media = [block for block in blocks if block.get("type") != "text"] if in_user else []
    return [text_block("\n".join([ORPHAN_TEXT, *words])), *media]
