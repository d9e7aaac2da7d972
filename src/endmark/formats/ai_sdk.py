"""UI messages of the AI SDK, majors 4 to 7: each call and its result are one part.

The major is told by the part. `_ai_sdk_parts` and `_ai_sdk_v4` know what a part must look like;
here they are found in their message and put back.

https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

from endmark.formats._ai_sdk_parts import (
    NAMELESS,
    OPEN,
    edit_part,
    is_plainly_sound,
    is_tool,
    read_part,
)
from endmark.formats._ai_sdk_stale import edit_stale, read_stale, tells_of
from endmark.formats._ai_sdk_v4 import edit_copies, is_plainly_sound_v4, is_v4, read_copies
from endmark.formats._base import (
    History,
    Message,
    known_id,
    text_of_orphan,
    unreadable,
)
from endmark.formats._inline import Inline
from endmark.model import Arrange, At, Call, Close, Drop, Edit, Event, Mend, ToText, Within
from endmark.policy import DEFAULT, Policy

ROLES = frozenset({"system", "user", "assistant", "data"})
PLAIN = frozenset(
    {
        "text",
        "reasoning",
        "step-start",
        "file",
        "source",
        "source-url",
        "source-document",
        "custom",
        "reasoning-file",
        "steering-message",
    }
)
NOT_OURS = frozenset({"tool", "tool_call", "tool_result", "finish", "step-finish"})
MODEL_PARTS = frozenset({"tool-call", "tool-result"})  # with a toolName: of a model message
SILENT = ("step-start", "source", "data-")  # parts that become nothing in the prompt


class Tool(NamedTuple):
    """Where a call stands in its message, and what tells of it."""

    part: int  # behind the last part for a call that only major 4's second list has
    told: list[Message]  # the part or major 4's invocation; then its copy in the second list
    flat: bool  # majors 5 to 7
    legacy: int | None = None  # its place in major 4's second list


class AISDK(Inline):
    """UI messages, as `useChat` and its servers store them."""

    name = "ai-sdk"
    aliases = tuple(f"ai-sdk-v{major}" for major in (4, 5, 6, 7))
    source = "https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message"
    refusal = "AI_MissingToolResultsError: Tool results are missing for tool calls {ids}."
    body = "parts"
    told_by = ("parts", "toolInvocations")
    said: ClassVar[Message] = {"role": "user", "parts": [{"type": "text", "text": "."}]}
    id_field = "id"
    # Every open state, every errored or denied part, all of major 4, and what else a word tells;
    # what is missing tips the balance. Neither tells that two finished typed parts share an id:
    # that is what `ids_path` and `ids_key` are for.
    needles: ClassVar[tuple[str, ...]] = (
        '"input-',  # also a healthy "input-..." in a user's own JSON: rare
        '"approval',
        '"preliminary"',
        '"output-error"',
        '"output-denied"',
        '"errorText"',
        '"dynamic-tool"',
        '"tool-"',
        '"tool-invocation"',
        '"toolInvocations"',
        '"input":null',
        '"input": null',
        '"toolCallId":null',
        '"toolCallId": null',
        '"toolCallId":""',
        '"toolCallId": ""',
    )
    balanced: ClassVar[tuple[tuple[str, ...], ...]] = (
        ('"output-available"',),
        ('"toolCallId":"', '"toolCallId": "'),
        ('"input":{', '"input": {'),
        ('"output":',),
    )
    besides: ClassVar[tuple[str, ...]] = (
        '"approval',
        '"preliminary"',
        '"errorText"',
        '"dynamic-tool"',
        '"tool-"',
        '"toolInvocation',
        '"toolCallId":""',
        '"toolCallId": ""',
    )
    gate = '"tool'
    jsonpaths: ClassVar[tuple[str, ...]] = (
        (
            '{0}.parts[*] ? ((@.type starts with "tool-" || @.type == "dynamic-tool") &&'
            ' !(@.type starts with "tool-" && @.type != "tool-"'
            ' && @.toolCallId.type() == "string" && @.toolCallId != ""'
            ' && @.state.type() == "string" && @.state == "output-available" && exists(@.output)'
            ' && @.input.type() == "object" && !exists(@.preliminary) && !exists(@.errorText)'
            " && !exists(@.approval)))"
        ),
        "{0}.toolInvocations[*]",
    )
    ids_path = "{0}.parts[*].toolCallId"
    ids_key = "toolCallId"

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        seen: dict[str, int] = {}
        index = -1
        try:
            for index, message in enumerate(history):
                parts = message.get("parts")
                if parts.__class__ is not list or "toolInvocations" in message:
                    if parts is None and ("tool_calls" in message or message.get("role") == "tool"):
                        raise unreadable(index, "its calls or results are of another format")
                    if not self._is_sound(message):
                        suspects.append(index)
                    continue
                for part in parts:
                    kind = part["type"]
                    if kind in PLAIN:
                        continue
                    # Five keys, and these five: a typed part of a finished call needs no other.
                    call_id = part.get("toolCallId")
                    if (
                        len(part) == 5
                        and kind not in NAMELESS
                        and part.get("state") == "output-available"
                        and part.get("input").__class__ is dict
                        and "output" in part
                        and call_id.__class__ is str
                        and call_id
                    ) or is_plainly_sound(part):
                        if seen.get(call_id) != index:
                            seen[call_id] = index
                            continue
                    elif not is_tool(part):
                        continue
                    if part.get("state") in OPEN or not self._is_sound(message):
                        suspects.append(index)
                    break
        except (AttributeError, KeyError, TypeError):
            raise unreadable(index, "it is no UI message, or one of its parts is none") from None
        return suspects

    def _is_sound(self, message: Message) -> bool:
        if is_plainly_sound_v4(*_lists(message)):
            return True
        events = self.read(message, 0, DEFAULT)
        calls = [event for event in events if isinstance(event, Call)]
        ids = {call.id for call in calls}
        return (
            2 * len(calls) == len(events)
            and len(ids) == len(calls)
            and None not in ids
            and not any(call.flaws for call in calls)
        )

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        last_user = self.last(history, self.is_user)
        return [
            event
            for index in indexes
            for event in self.read(history[index], index, policy, passed=index < last_user)
        ]

    def read(
        self, message: Message, index: int, policy: Policy, *, passed: bool = False
    ) -> list[Event]:
        events: list[Event] = []
        for tool in _tools(*_lists(message)):
            at = At(index, tool.part)
            if not tool.flat:
                events += self.read_copies(tool.told, at, policy)
            elif tool.legacy is None:
                events += read_part(tool.told[0], at, policy, passed=passed)
            else:
                part, entry = tool.told
                events += read_stale(part, entry, at, policy, passed=passed)
        return events

    def read_copies(self, copies: Sequence[Message], at: At, policy: Policy) -> list[Event]:
        """Read the copies of one invocation of major 4."""
        return read_copies(copies, at, policy)

    def edit_copies(self, copies: Sequence[Message], edits: Sequence[Edit]) -> list[Message]:
        """Write the edits of one invocation of major 4 into all its copies."""
        return edit_copies(copies, edits)

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        work: dict[int, list[Edit]] = {}
        for edit in edits:
            assert not isinstance(edit, Arrange | Within)
            call = edit.call if isinstance(edit, Close | Mend) else edit.event
            work.setdefault(call.at.part, []).append(edit)
        parts, legacy = _lists(message)
        made: list[Any] = list(parts)
        made_legacy: list[Any] = list(legacy)
        for tool in _tools(parts, legacy):
            if tool.part in work:
                _edit_tool(made, made_legacy, tool, work[tool.part], self.edit_copies)
        if parts and all(part is None or part["type"].startswith(SILENT) for part in made):
            gone = [e.event for e in edits if isinstance(e, Drop) and e.event.at.part < len(parts)]
            if gone:
                made[gone[-1].at.part] = _text(gone[-1])
        edited = dict(message)
        for key, old, new in (("parts", parts, made), ("toolInvocations", legacy, made_legacy)):
            if any(a is not b for a, b in zip(old, new, strict=True)):
                edited[key] = [item for item in new if item is not None]
        return edited

    def call_ids(self, message: Message) -> Sequence[str | None]:
        return [known_id(tool.told[0].get("toolCallId")) for tool in _tools(*_lists(message))]

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user" and bool(
            message.get("parts") or message.get("content")
        )

    def fits(self, message: Message) -> int:
        parts = message.get("parts")
        if message.get("role") not in ROLES or "format" in message:
            return -1
        if isinstance(message.get("toolInvocations"), list):
            return 1
        if isinstance(parts, list):
            typed = all(
                isinstance(p, dict)
                and isinstance(p.get("type"), str)
                and p["type"] not in NOT_OURS
                and not (p["type"] in MODEL_PARTS and "toolName" in p)
                for p in parts
            )
            if not typed or not all(_is_known(p) or "_" not in p["type"] for p in parts):
                return -1
            return int(bool(parts) and all(map(_is_known, parts)))
        plain = parts is None and "tool_calls" not in message
        return 0 if plain and isinstance(message.get("content"), str) else -1


def _is_known(part: Message) -> bool:
    """Tell whether a part is one of the SDK's own, as far as its type and its main key say."""
    if part["type"] == "text":
        return isinstance(part.get("text"), str)
    if is_tool(part):
        return "toolCallId" in part or isinstance(part.get("toolInvocation"), dict)
    return part["type"] in PLAIN or part["type"].startswith("data-")


def _lists(message: Message) -> tuple[list[Message], list[Message]]:
    """Give the parts and the invocations of major 4's second list.

    Raises `TypeError` where one of them is no list.
    """
    parts, legacy = message.get("parts"), message.get("toolInvocations")
    for given in (parts, legacy):
        if given is not None and not isinstance(given, list):
            msg = "neither a list nor missing"
            raise TypeError(msg)
    return parts or [], legacy or []


def _tools(parts: list[Message], legacy: list[Message]) -> list[Tool]:
    """Find the calls of a message; the second list's copies go with the parts of their id."""
    copies: dict[str | None, list[int]] = {}
    for k, entry in enumerate(legacy):
        copies.setdefault(known_id(entry.get("toolCallId")), []).append(k)
    tools = []
    for k, part in enumerate(parts):
        if not is_tool(part):
            continue
        flat = not is_v4(part)
        told = [part if flat else part["toolInvocation"]]
        call_id = known_id(told[0].get("toolCallId"))
        twins = copies.get(call_id, []) if call_id or not flat else []
        twin = next((t for t in twins if not flat or tells_of(legacy[t], part)), None)
        if twin is not None:
            twins.remove(twin)
            told.append(legacy[twin])
        tools.append(Tool(k, told, flat, twin))
    left = sorted(k for places in copies.values() for k in places)
    return tools + [Tool(len(parts) + k, [legacy[k]], flat=False, legacy=k) for k in left]


def _edit_tool(
    parts: list[Any],
    legacy: list[Any],
    tool: Tool,
    edits: Sequence[Edit],
    edit_copies: Callable[[Sequence[Message], Sequence[Edit]], list[Message]],
) -> None:
    """Write the edits of one call into these lists; what is dropped becomes None there."""
    first = edits[0]
    told: list[Any]
    if isinstance(first, Drop | ToText):
        told = [_text(first.event) if isinstance(first, ToText) and tool.flat else None, None]
    elif not tool.flat:
        told = edit_copies(tool.told, edits)
    elif tool.legacy is None:
        told = [edit_part(tool.told[0], edits)]
    else:
        part, entry = tool.told
        told = edit_stale(part, entry, edits)
    if tool.part < len(parts) and told[0] is not tool.told[0]:
        nested = not tool.flat and told[0] is not None
        parts[tool.part] = {**parts[tool.part], "toolInvocation": told[0]} if nested else told[0]
    if tool.legacy is not None:
        legacy[tool.legacy] = told[-1]


def _text(call: Event) -> Message:
    assert isinstance(call, Call)
    return {"type": "text", "text": text_of_orphan(call)}


FORMAT = AISDK()
