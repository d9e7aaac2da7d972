"""Read the calls of a sound history, each with what answers it: the tests' own eyes.

Shares no code with the package: it knows only where each provider wants a result, and what a
part looks like. A call that is not answered there counts as open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

OPEN = object()


@dataclass
class Seen:
    """A call as a provider would see it; `result` is OPEN where nothing answers it."""

    id: Any
    name: str
    result: Any = OPEN
    error: bool = False


def calls(history: list[dict[str, Any]], format: str) -> list[Seen]:
    """Give every call in order."""
    reader = {"openai-chat": _chat, "anthropic": _anthropic}.get(format, _ai_sdk)
    return list(reader(history))


def result_ids(history: list[dict[str, Any]], format: str) -> list[Any]:
    """Give the id of every result that stands on its own, answered call or not."""
    if format == "openai-chat":
        return [m.get("tool_call_id") for m in history if m["role"] == "tool"]
    if format == "anthropic":
        return [b.get("tool_use_id") for m in history for b in _blocks(m) if b["type"] == "tool_result"]
    return []


def _claim(open_: list[Seen], id_: Any, value: Any, error: bool) -> None:
    for call in open_:
        if call.id == id_ and call.result is OPEN:
            call.result, call.error = value, error
            return


def _chat(history: list[dict[str, Any]]) -> Iterator[Seen]:
    open_: list[Seen] = []
    found: list[Seen] = []
    for message in history:
        if message["role"] == "tool":
            _claim(open_, message.get("tool_call_id"), message.get("content"), False)
            continue
        open_ = []
        for call in message.get("tool_calls") or []:
            body = call.get("function") or call.get("custom") or {}
            open_.append(Seen(call.get("id"), body.get("name")))
        found += open_
    return iter(found)


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _anthropic(history: list[dict[str, Any]]) -> Iterator[Seen]:
    found: list[Seen] = []
    open_: list[Seen] = []
    before = ""
    leading = True
    for message in history:
        if message["role"] == "assistant" and before != "assistant":
            open_ = []
        if message["role"] == "user" and before != "user":
            leading = True
        before = message["role"]
        for block in _blocks(message):
            kind = block["type"]
            if kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
                open_.append(Seen(block.get("id"), block["name"]))
                found.append(open_[-1])
            elif kind == "tool_result":
                if leading and message["role"] == "user":
                    error = block.get("is_error", False)
                    _claim(open_, block.get("tool_use_id"), block.get("content"), error)
            elif kind.endswith("_tool_result"):
                _claim(found, block.get("tool_use_id"), block.get("content"), False)
            else:
                leading = False
    return iter(found)


def _ai_sdk(history: list[dict[str, Any]]) -> Iterator[Seen]:
    for message in history:
        for part in message.get("parts", []):
            if part["type"] == "tool-invocation" and "toolInvocation" in part:
                invocation = part["toolInvocation"]
                seen = Seen(invocation["toolCallId"], invocation["toolName"])
                if "result" in invocation and invocation["state"] == "result":
                    seen.result = invocation["result"]
                    marked = isinstance(seen.result, dict) and "endmark" in seen.result
                    seen.error = marked
                yield seen
            elif part["type"] == "dynamic-tool" or part["type"].startswith("tool-"):
                name = part.get("toolName") or part["type"].partition("-")[2]
                seen = Seen(part.get("toolCallId"), name)
                if part.get("state") == "output-available" and not part.get("preliminary"):
                    seen.result = part.get("output")
                elif part.get("state") == "output-error":
                    seen.result, seen.error = part.get("errorText"), True
                elif part.get("state") == "output-denied":
                    seen.result, seen.error = "denied", True
                yield seen
