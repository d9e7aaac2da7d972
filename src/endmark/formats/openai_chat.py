"""OpenAI Chat Completions: calls in `tool_calls`, each result a message of role `tool`.

https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from endmark.formats._base import (
    ORPHAN_TEXT,
    History,
    Message,
    known_id,
    not_a_role,
    parses,
    unreadable,
)
from endmark.formats._own_message import OwnMessage
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
    Result,
    SetId,
    ToText,
)
from endmark.policy import Policy

LONGEST_ID = 40  # "string too long. Expected a string with maximum length 40"
NO_NAME = "unknown_tool"
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


class OpenAIChat(OwnMessage):
    """Messages of the Chat Completions API."""

    name = "openai-chat"
    source = "https://platform.openai.com/docs/api-reference/chat/create"
    refusal = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
    )
    body = "content"
    told_by = ("tool_calls", "tool_call_id", "function_call")
    slim = (
        "CASE {0} ->> 'role'"
        " WHEN 'tool' THEN CASE WHEN jsonb_typeof({0} -> 'content') = 'string' THEN"
        """ '{{"role":"tool","content":"-","tool_call_id":'"""
        " || coalesce(CAST({0} -> 'tool_call_id' AS TEXT), 'null') || '}}'"
        " ELSE CAST({0} AS TEXT) END"
        " WHEN 'assistant' THEN CASE WHEN jsonb_typeof({0} -> 'tool_calls') = 'array' THEN"
        """ '{{"role":"assistant","tool_calls":' || CAST({0} -> 'tool_calls' AS TEXT) || '}}'"""
        " WHEN jsonb_exists({0}, 'tool_calls') OR jsonb_typeof({0} -> 'content') <> 'string'"
        " OR coalesce({0} ->> 'content', '') = '' THEN CAST({0} AS TEXT)"
        """ ELSE '{{"role":"user"}}' END"""
        """ WHEN 'user' THEN '{{"role":"user"}}' WHEN 'system' THEN '{{"role":"user"}}'"""
        """ WHEN 'developer' THEN '{{"role":"user"}}' ELSE CAST({0} AS TEXT) END"""
    )
    plain: ClassVar[Mapping[str, str]] = {'{"role":"user",': '{"role":"user"}'}

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        due: list[Any] = []
        start, dirty = -1, False
        index = -1
        for index, message in enumerate(history):
            try:
                role = message.get("role")
            except AttributeError:
                raise unreadable(index, "it is not an object") from None
            if role == "tool":
                if start < 0:
                    start, dirty = index, True
                elif (call_id := message.get("tool_call_id")) in due:
                    due.remove(call_id)
                    dirty = dirty or message.get("content") is None
                else:
                    dirty = True
                continue
            if start >= 0:
                if dirty or due:
                    suspects += range(start, index)
                start, dirty, due = -1, False, []
            if role == "assistant":
                calls = message.get("tool_calls")
                if calls:
                    start = index
                    due, dirty = _skim_calls(calls, index)
                elif calls is not None or (not message.get("content") and _is_empty(message)):
                    suspects.append(index)
            elif role not in ROLES:
                raise not_a_role(index, role)
        if start >= 0 and (dirty or due):
            suspects += range(start, index + 1)
        return suspects

    def is_result(self, message: Message) -> bool:
        return message.get("role") == "tool"

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user"

    def call_ids(self, message: Message) -> Sequence[str | None]:
        if message.get("role") != "assistant":
            return ()
        return [known_id(call.get("id")) for call in message.get("tool_calls") or ()]

    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        role = message.get("role")
        if role == "tool":
            return [_result(message, index, after, policy)]
        if role != "assistant":
            return []
        calls = message.get("tool_calls")
        if not calls:
            if calls is None and not _is_empty(message):
                return []
            return [Blank(At(index, 0))]
        return [_call(call, index, k) for k, call in enumerate(calls)]

    def result(self, close: Close, call_id: str | None) -> Message:
        return {"role": "tool", "tool_call_id": call_id, "content": close.text}

    def answered(self, message: Message) -> str | None:
        return known_id(message.get("tool_call_id"))

    def recorded(self, message: Message, value: Any, error: bool) -> Message:
        return {**message, "content": value if isinstance(value, str) else json.dumps(value)}

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        if message.get("role") == "tool":
            for edit in edits:
                message = _edit_result(message, edit)
            return message
        calls: list[Any] = list(message.get("tool_calls") or ())
        dropped = set()
        for edit in edits:
            if isinstance(edit, Drop):
                dropped.add(edit.event.at.part)
            elif isinstance(edit, SetId | Mend):
                part = (edit.call if isinstance(edit, Mend) else edit.event).at.part
                calls[part] = _edit_call(calls[part], edit)
        calls = [call for k, call in enumerate(calls) if k not in dropped]
        rest = {key: value for key, value in message.items() if key != "tool_calls"}
        if calls:
            return {**message, "tool_calls": calls}
        return None if _is_empty(rest) or rest.get("content") == "" else rest

    def fits(self, message: Message) -> int:
        role, content = message.get("role"), message.get("content")
        calls = message.get("tool_calls") or []
        if role not in ROLES or _NOT_OURS & message.keys():
            return -1
        if not isinstance(calls, list) or not isinstance(content, str | list | None):
            return -1
        if not all(
            isinstance(call, dict) and {"function", "custom"} & call.keys() for call in calls
        ):
            return -1
        score = max(map(_part_fits, content), default=0) if isinstance(content, list) else 0
        if isinstance(content, list) and any(_part_fits(part) < 0 for part in content):
            return -1
        if _OURS & message.keys() or (role in {"tool", "function"} and "content" in message):
            return 1
        return score if "content" in message else -1


_OURS = frozenset({"tool_calls", "tool_call_id", "function_call", "refusal", "audio"})
_NOT_OURS = frozenset(
    {"parts", "blocks", "additional_kwargs", "toolInvocations", "tools", "plugin", "from_history"}
)
_OTHERS_PARTS = frozenset(
    {
        "tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use",
        "tool-call", "tool-result", "tool-approval-request", "tool-approval-response", "reasoning",
        "redacted-reasoning", "input_text", "input_image", "input_file", "output_text",
    }
)  # fmt: skip


def _part_fits(part: Any) -> int:
    """Tell how a part of the content looks, as `fits` does."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind in _OTHERS_PARTS:
        return -1
    if kind == "thinking":  # Mistral's, in the shape of this API, is a list
        return 1 if isinstance(part.get(kind), list) else -1
    # An audio and a refusal look the same in the Responses API; a file does not.
    if kind in ("input_audio", "refusal"):
        return 0
    return 1 if kind.endswith("_url") or isinstance(part.get("file"), dict) else 0


def _skim_calls(calls: Any, index: int) -> tuple[list[Any], bool]:
    """Give the ids that are due, and whether anything about the calls wants a closer look."""
    due = []
    dirty = False
    try:
        for call in calls:
            call_id = call.get("id")
            function = call.get("function")
            sound = (
                call_id.__class__ is str
                and 0 < len(call_id) <= LONGEST_ID
                and call_id not in due
                and function
                and (name := function.get("name"))
                and name.__class__ is str
                and ((text := function.get("arguments")) == "{}" or parses(text))
            )
            if not sound:
                dirty = True
            due.append(call_id)
    except (AttributeError, TypeError):
        raise unreadable(index, "an entry of tool_calls is not an object") from None
    return due, dirty


def _is_empty(message: Message) -> bool:
    """Tell whether an assistant message says nothing at all, which the API refuses."""
    return message.get("content") in (None, []) and not any(
        message.get(key) for key in ("tool_calls", "refusal", "audio", "function_call")
    )


def _call(call: Any, index: int, k: int) -> Call:
    function = call.get("function")
    if call.get("type") == "custom" or (function is None and call.get("custom") is not None):
        custom = call.get("custom") or {}
        name, arguments, whole, cut = custom.get("name"), custom.get("input"), True, False
    else:
        function = function or {}
        name, arguments = function.get("name"), function.get("arguments")
        whole = parses(arguments)
        cut = isinstance(arguments, str) and arguments.strip() != "" and not whole
    raw = call.get("id")
    flaws = []
    if cut:
        flaws.append(Kind.INCOMPLETE)
    elif not whole or not known_id(name):
        flaws.append(Kind.MALFORMED)
    if known_id(raw) and len(raw) > LONGEST_ID:
        flaws.append(Kind.BAD_ID)
    return Call(
        At(index, k),
        known_id(raw),
        known_id(name),
        complete=not cut,
        arguments=arguments,
        slot=index,
        flaws=tuple(flaws),
    )


def _result(message: Message, index: int, after: int | None, policy: Policy) -> Result:
    call_id = known_id(message.get("tool_call_id"))
    name = message.get("name")
    content = message.get("content")
    return Result(
        At(index),
        call_id,
        name if isinstance(name, str) else None,
        synthesized=policy.is_marker(content, call_id, name),
        after=after,
        value=content,
        flaw=content is None,  # "Invalid value for 'content': expected a string, got null."
    )


def _edit_call(call: Message, edit: SetId | Mend) -> Message:
    if isinstance(edit, SetId):
        return {**call, "id": edit.id}
    key = "custom" if call.get("type") == "custom" else "function"
    function = dict(call.get(key) or {})
    if not known_id(function.get("name")):
        function["name"] = NO_NAME
    arguments = function.get("arguments")
    if key == "function" and not parses(arguments):
        function["arguments"] = (
            json.dumps(arguments, separators=(",", ":")) if isinstance(arguments, dict) else "{}"
        )
    return {"type": key, **call, key: function} if "type" not in call else {**call, key: function}


def _edit_result(message: Message, edit: Edit) -> Message:
    if isinstance(edit, SetId):
        return {**message, "tool_call_id": edit.id}
    if isinstance(edit, Mend):
        return {**message, "content": ""}
    if isinstance(edit, ToText):
        content = message.get("content")
        if isinstance(content, list):
            return {"role": "user", "content": [{"type": "text", "text": ORPHAN_TEXT}, *content]}
        return {"role": "user", "content": f"{ORPHAN_TEXT}\n{content or ''}"}
    return message


FORMAT = OpenAIChat()
