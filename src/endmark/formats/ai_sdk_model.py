"""Model messages of the AI SDK, majors 4 to 7: results are parts of the tool messages that follow.

A tool message holds results and answers to approvals; tool messages in a row are one to the SDK.
What the provider ran itself is answered inside the assistant's own content, as late as in a later
message of its turn. Shapes as in `ai` 4.3.19, 5.0.277, 6.0.326 and 7.0.173.
https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from endmark.formats._ai_sdk_model_parts import (
    as_text,
    call_of,
    is_asked_soundly,
    is_said,
    mended,
    result_of,
    synthesized,
)
from endmark.formats._base import (
    History,
    Latest,
    Message,
    known_id,
    not_a_role,
    text_of_orphan,
    unlike,
)
from endmark.formats._next_message import NextMessage
from endmark.model import At, Blank, Call, Close, Drop, Edit, Event, Mend, Owner, SetId, ToText
from endmark.policy import Policy

NO_TEXT = "[no text]"  # a message may not end with thinking
ROLES = frozenset({"system", "user", "assistant", "tool"})
OURS = frozenset(
    {
        "tool-call", "tool-result", "tool-approval-request", "tool-approval-response", "reasoning",
        "redacted-reasoning",
    }
)  # fmt: skip
UNSAID = frozenset({"reasoning", "redacted-reasoning", "tool-approval-request"})
NOT_OURS = frozenset(
    {
        "tool_use", "tool_result", "server_tool_use", "thinking", "redacted_thinking", "image_url",
        "input_audio", "refusal", "input_text", "input_image", "input_file", "output_text",
        "toolRequest", "toolResponse",
    }
)  # fmt: skip


class AISDKModel(NextMessage):
    """Messages as `generateText` and `streamText` take and give them."""

    name = "ai-sdk-model"
    source = "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message"
    refusal = "AI_MissingToolResultsError: Tool results are missing for tool calls {ids}."
    body = "content"
    joins = True
    plain: ClassVar[Mapping[str, str]] = {
        '{"role":"user","content":': '{"role":"user","content":""}'
    }

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        due: list[Any] = []
        hosted: list[Any] = []  # what the provider runs itself
        start, dirty, lead, index = 0, False, False, -1
        try:
            for index, message in enumerate(history):
                role, content = message["role"], message["content"]
                if role == "assistant":
                    if dirty or due or hosted:
                        suspects += range(start, index)
                        due, hosted = [], []
                    start, lead, dirty = index, True, not content
                elif role != "tool":
                    lead = False
                    if role not in ROLES:
                        raise not_a_role(index, role)
                    continue
                if content.__class__ is str:
                    continue
                for part in content:
                    kind = part["type"]
                    if kind == "tool-call":
                        call_id = part.get("toolCallId")
                        if call_id in due or call_id in hosted or not is_asked_soundly(part):
                            dirty = True
                        mine = part.get("providerExecuted") is True
                        (hosted if mine else due).append(call_id)
                    elif kind == "tool-result":
                        call_id = part.get("toolCallId")
                        waiting = hosted if role == "assistant" else due if lead else []
                        if call_id in waiting and (role == "assistant" or is_said(part)):
                            waiting.remove(call_id)
                        else:
                            dirty = True
        except (AttributeError, KeyError, TypeError):
            raise unlike(index, message, "it is no message of parts") from None
        if dirty or due or hosted:
            suspects += range(start, len(history))
        return suspects

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        seen = _Seen(history)
        return [event for index in indexes for event in _read(history, index, seen, policy)]

    def call_ids(self, message: Message) -> Sequence[str | None]:
        if message.get("role") != "assistant":
            return ()
        parts = [part for part in self.parts(message) if part.get("type") == "tool-call"]
        return [known_id(part.get("toolCallId")) for part in parts]

    def block(self, history: History, index: int) -> range:
        stop = index + 1
        while stop < len(history) and history[stop]["role"] != "assistant":
            stop += 1
        return range(index, stop)

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user" and bool(message.get("content"))

    def answers_in(self, message: Message) -> bool:
        return message.get("role") == "tool"

    def parts(self, message: Message) -> list[Any]:
        content = message["content"]
        return [_text(content)] if isinstance(content, str) else content or []

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        return {**message, "content": parts}

    def message_of(self, parts: list[Any], old: Message) -> Message:
        return {**old, "role": "tool", "content": parts}

    def result_part(self, close: Close, call_id: str | None, asked: Any) -> Any:
        return synthesized(close, call_id, asked)

    def split(self, message: Message) -> list[Message]:
        """A tool message holds no text: what was kept as text is said behind it."""
        parts = self.parts(message)
        words = [part for part in parts if part["type"] == "text"]
        if message["role"] != "tool" or not words:
            return [message]
        rest = [part for part in parts if part["type"] != "text"]
        said = {"role": "user", "content": words}
        return [self.with_parts(message, rest), said] if rest else [said]

    def edit_part(self, message: Message, part: Any, edits: Sequence[Edit]) -> list[Any]:
        for edit in edits:
            if isinstance(edit, SetId):
                part = {**part, "toolCallId": edit.id}
            elif isinstance(edit, Mend):
                part = mended(part)
            elif isinstance(edit, ToText):
                return [_text(as_text(edit.event, part))]
        return [part]

    def settle(self, message: Message, parts: list[Any], edits: Sequence[Edit]) -> list[Any]:
        if message["role"] != "assistant" or any(part["type"] not in UNSAID for part in parts):
            return parts
        lone = [e.event for e in edits if isinstance(e, Drop) and isinstance(e.event, Call)]
        words = [text_of_orphan(call) for call in lone if call.owner is Owner.PROVIDER]
        return [*parts, _text(words[0] if words else NO_TEXT)] if words or parts else []

    def fits(self, message: Message) -> int:
        content, role = message.get("content"), message.get("role")
        if role not in ROLES or {"tool_calls", "parts", "output"} & message.keys():
            return -1
        if isinstance(content, str):
            return -1 if role == "tool" else 0
        if not isinstance(content, list):
            return -1
        if not all(isinstance(p, dict) and isinstance(p.get("type"), str) for p in content):
            return -1
        kinds = {part["type"] for part in content}
        if kinds & NOT_OURS:
            return -1
        media = any({"image", "mediaType", "mimeType"} & part.keys() for part in content)
        return 1 if kinds & OURS or media else 0 if role != "tool" else -1


def _text(words: str) -> Message:
    return {"type": "text", "text": words}


class _Seen:
    """What stands elsewhere in the history and tells of a call or a result."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.turns = Latest(history, _begins_turn)
        self.holders = Latest(history, _is_no_result)

    def holder(self, index: int) -> int | None:
        """Give the message whose results the tool message at this place may hold."""
        before = self.holders.upto(index - 1)
        asks = before >= 0 and self.history[before]["role"] == "assistant"
        return before if asks and self.history[index]["role"] == "tool" else None

    @cached_property
    def approved(self) -> dict[Any, Any]:
        """What was answered, by approval."""
        return {
            part.get("approvalId"): part.get("approved")
            for message in self.history
            for part in _parts(message)
            if part.get("type") == "tool-approval-response"
        }

    @cached_property
    def hosted(self) -> set[tuple[int, Any]]:
        """Turn and id of what the provider runs."""
        turns = Latest(self.history, _begins_turn)
        return {
            (turns.upto(index), part.get("toolCallId"))
            for index, message in enumerate(self.history)
            for part in _parts(message)
            if part.get("type") == "tool-call" and part.get("providerExecuted") is True
        }


def _begins_turn(message: Message) -> bool:
    return message["role"] in ("user", "system")


def _is_no_result(message: Message) -> bool:
    return bool(message["role"] != "tool")


def _parts(message: Message) -> list[Any]:
    content = message["content"]
    return content if isinstance(content, list) else []


def _read(history: History, index: int, seen: _Seen, policy: Policy) -> Iterator[Event]:
    """Read one message: its calls, what the provider answered, and the results behind it."""
    message, turn = history[index], seen.turns.upto(index)
    if message["role"] == "assistant":
        if not message["content"]:
            yield Blank(At(index))
    elif message["role"] != "tool":
        return
    parts = _parts(message)
    asked = {
        part.get("toolCallId"): part.get("approvalId")
        for part in parts
        if part["type"] == "tool-approval-request"
    }
    after = seen.holder(index)
    for k, part in enumerate(parts):
        at, call_id = At(index, k), part.get("toolCallId")
        if part["type"] == "tool-call":
            hosted = part.get("providerExecuted") is True
            own = Owner.HUMAN if call_id in asked else Owner.SERVER
            owner, slot = (Owner.PROVIDER, turn) if hosted else (own, index)
            refused = call_id in asked and seen.approved.get(asked[call_id]) is False
            yield call_of(part, at, owner, slot, asked=call_id in asked, denied=refused)
        elif part["type"] == "tool-result":
            mine = message["role"] == "assistant" and (turn, call_id) in seen.hosted
            owner, place = (Owner.PROVIDER, turn) if mine else (Owner.SERVER, after)
            yield result_of(part, at, owner, place, policy)


FORMAT = AISDKModel()
