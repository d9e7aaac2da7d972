"""Bedrock Converse: calls are `toolUse` blocks, results lead the user message behind them.

User and assistant take turns, so results are put in front of what a user says next, and a message
between two of the other role never goes without a note in its place. Shapes and ids as in botocore
1.44.8. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from endmark.formats._base import (
    History,
    Message,
    known_id,
    not_a_role,
    text_of_orphan,
    unlike,
    unreadable,
)
from endmark.formats._bedrock_parts import (
    NO_TEXT,
    SILENT,
    as_text,
    call_of,
    is_blank,
    is_plainly_sound,
    is_said,
    is_speech,
    mended_call,
    mended_result,
    result_of,
)
from endmark.formats._next_message import NextMessage
from endmark.model import At, Blank, Call, Close, Drop, Edit, Event, Mend, Owner, SetId, ToText
from endmark.policy import Policy

ROLES = frozenset({"user", "assistant", "system"})
BLOCKS = frozenset(
    {
        "text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent",
        "cachePoint", "reasoningContent", "citationsContent", "searchResult",
    }
)  # fmt: skip
UNSAID = frozenset({"cachePoint", "reasoningContent"})


class Bedrock(NextMessage):
    """Messages of Amazon Bedrock's Converse API."""

    name = "bedrock"
    source = "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html"
    refusal = "Expected toolResult blocks at messages.{at}.content for the following Ids: {ids}"
    body = "content"
    said: ClassVar[Message] = {"role": "user", "content": [{"text": "."}]}
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
                    raise not_a_role(index, role)
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
                        if call_id in due or not is_plainly_sound(call):
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
            raise unlike(index, message, "it is no message of blocks") from None
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
        return message.get("role") == "user" and any(map(is_speech, message["content"]))

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
                return as_text(edit, part, in_user=message["role"] == "user")
            key = "toolUse" if "toolUse" in part else "toolResult"
            if isinstance(edit, SetId):
                part = {**part, key: {**part[key], "toolUseId": edit.id}}
            elif isinstance(edit, Mend):
                mended = mended_call if key == "toolUse" else mended_result
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
            call = call_of(block["toolUse"], at)
            if call.owner is Owner.PROVIDER:
                served.add(call.id)
            yield call
        elif "toolResult" in block:
            mine = asks and known_id(block["toolResult"].get("toolUseId")) in served
            yield result_of(block["toolResult"], at, index if mine else after, mine, policy)
        elif is_blank(block):
            yield Blank(at)
        elif "cachePoint" not in block:
            after = None


FORMAT = Bedrock()
