"""Anthropic Messages: calls are `tool_use` blocks, results lead the user message behind them.

Messages of one role in a row are one turn to the API, so calls and results are read by runs of
messages. https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from endmark.formats._anthropic_parts import (
    OWNERS,
    THINKING,
    answers_soundly,
    as_text,
    asks_soundly,
    block_fits,
    call_of,
    is_blank,
    is_mcp,
    is_provider_result,
    mended,
    result_of,
    text_block,
    with_id,
)
from endmark.formats._base import (
    History,
    Latest,
    Message,
    known_id,
    not_a_role,
    text_of_orphan,
    unlike,
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
    Mend,
    Owner,
    SetId,
    ToText,
)
from endmark.policy import Policy

NO_TEXT = "[no text]"  # a message may not end with thinking
ROLES = frozenset({"user", "assistant", "system"})


class Anthropic(NextMessage):
    """Messages of the Anthropic Messages API."""

    name = "anthropic"
    source = "https://platform.claude.com/docs/en/api/messages"
    refusal = (
        "`tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
        "`tool_use` block must have a corresponding `tool_result` block in the next message."
    )
    unique_ids = True
    body = "content"

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        seen: set[Any] = set()
        due: list[Any] = []
        start, dirty, lead, last = 0, False, False, "user"
        for index, message in enumerate(history):
            try:
                role, content = message["role"], message["content"]
            except (KeyError, TypeError):
                raise unlike(index, message, "it has no content") from None
            if role == "assistant":
                if last != role:
                    if dirty or due:
                        suspects += range(start, index)
                        due = []
                    start, dirty, lead = index, False, True
            elif role not in ROLES:
                raise not_a_role(index, role)
            last = role
            if isinstance(content, str):
                if not content or content.isspace():
                    dirty = True
                elif role != "assistant":
                    lead = False
            elif not isinstance(content, list):
                raise unreadable(index, "its content is neither a text nor a list")
            elif role == "assistant":
                dirty = not asks_soundly(content, due, seen, index) or dirty
            else:
                lead, sound = answers_soundly(content, due, lead, index)
                dirty = dirty or not sound
        if dirty or due:
            suspects += range(start, len(history))
        return suspects

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        events: list[Event] = []
        turns = Latest(history, _begins_turn)
        last, slot, lead = -2, -1, None
        for index in indexes:
            message = history[index]
            if message["role"] == "assistant":
                if slot < index:
                    slot = _run_end(history, index)
                turn = turns.upto(index)
                events += _asked(history, index, slot, turn, policy)
                lead = index
            else:
                if last != index - 1:
                    lead = _slot_before(history, index)
                events += _answered(history, index, lead, policy)
                if _says(message):
                    lead = None
            last = index
        return events

    def call_ids(self, message: Message) -> Sequence[str | None]:
        content = message.get("content")
        if message.get("role") != "assistant" or not isinstance(content, list):
            return ()
        return [known_id(part.get("id")) for part in content if part.get("type") in OWNERS]

    def calling(self, history: History, ids: AbstractSet[str | None]) -> list[int]:
        return [
            index
            for index, message in enumerate(history)
            if message["role"] == "assistant" and (content := message["content"]).__class__ is list
            for part in content
            if (call_id := part.get("id")).__class__ is str and call_id in ids
        ]

    def block(self, history: History, index: int) -> range:
        start = index
        while start > 0 and history[start - 1]["role"] == "assistant":
            start -= 1
        stop = _run_end(history, index) + 1
        while stop < len(history) and history[stop]["role"] != "assistant":
            stop += 1
        return range(start, stop)

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user" and _says(message)

    def parts(self, message: Message) -> list[Any]:
        content = message["content"]
        return [text_block(content)] if isinstance(content, str) else content

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        return {**message, "content": parts}

    def message_of(self, parts: list[Any], old: Message) -> Message:
        return {**old, "role": "user", "content": parts}

    def result_part(self, close: Close, call_id: str | None, asked: Any) -> Any:
        return {
            "type": "tool_result",
            "tool_use_id": call_id,
            "content": close.text,
            "is_error": True,
        }

    def edit_part(self, message: Message, part: Any, edits: Sequence[Edit]) -> list[Any]:
        for edit in edits:
            if isinstance(edit, SetId):
                part = with_id(part, edit.id)
            elif isinstance(edit, Mend):
                part = mended(part)
            elif isinstance(edit, ToText):
                return as_text(edit, part, in_user=message["role"] != "assistant")
        return [part]

    def settle(self, message: Message, parts: list[Any], edits: Sequence[Edit]) -> list[Any]:
        if message["role"] != "assistant" or any(p.get("type") not in THINKING for p in parts):
            return parts
        lone = (e.event for e in edits if isinstance(e, Drop) and isinstance(e.event, Call))
        words = [text_of_orphan(call) for call in lone if call.owner is Owner.PROVIDER]
        if words or parts:
            return [*parts, text_block(words[0] if words else NO_TEXT)]
        return []

    def fits(self, message: Message) -> int:
        content = message.get("content")
        if message.get("role") not in ROLES or not isinstance(content, str | list):
            return -1
        if message.get("tool_calls") or {"parts", "output"} & message.keys():
            return -1
        scores = [] if isinstance(content, str) else [block_fits(part) for part in content]
        return -1 if -1 in scores else max(scores, default=0)


def _run_end(history: History, index: int) -> int:
    while index + 1 < len(history) and history[index + 1]["role"] == "assistant":
        index += 1
    return index


def _run_calls(history: History, index: int) -> bool:
    """Tell whether the messages of the assistant right before this one hold a call."""
    while index > 0 and history[index - 1]["role"] == "assistant":
        index -= 1
        content = history[index]["content"]
        if isinstance(content, list) and any(part.get("type") == "tool_use" for part in content):
            return True
    return False


def _slot_before(history: History, index: int) -> int | None:
    """Find the assistant message whose results may still stand here."""
    before = index - 1
    while before >= 0 and history[before]["role"] != "assistant":
        if _says(history[before]):
            return None
        before -= 1
    return before if before >= 0 else None


def _begins_turn(message: Message) -> bool:
    """The provider answers its own calls until something other than a result is said to it."""
    return message["role"] != "assistant" and _says(message)


def _says(message: Message) -> bool:
    """Tell whether a message holds more than results and blanks."""
    content = message["content"]
    if isinstance(content, str):
        return not is_blank(content)
    return any(part.get("type") != "tool_result" and not is_blank([part]) for part in content)


def _asked(history: History, index: int, slot: int, turn: int, policy: Policy) -> Iterator[Event]:
    """Read an assistant's message: its calls, and what the provider answered."""
    content = history[index]["content"]
    if not content:
        # The last message of all may be empty, but results would come behind one that calls.
        if index < len(history) - 1 or _run_calls(history, index):
            yield Blank(At(index))
        return
    for k, part in enumerate([text_block(content)] if isinstance(content, str) else content):
        kind, at = part.get("type"), At(index, k)
        if kind in OWNERS:
            yield call_of(part, at, slot if kind == "tool_use" else _provider_slot(turn, kind))
        elif kind == "tool_result":
            yield result_of(part, at, None, Owner.SERVER, policy)
        elif is_provider_result(kind):
            yield result_of(part, at, _provider_slot(turn, kind), Owner.PROVIDER, policy)
        elif is_blank([part]):
            yield Blank(at)


def _provider_slot(turn: int, kind: str) -> int:
    """Name where the provider answers within a turn: MCP servers and its own tools do so apart."""
    return 2 * turn + is_mcp(kind)


def _answered(history: History, index: int, lead: int | None, policy: Policy) -> Iterator[Event]:
    """Read a user's message: the results that lead, those that do not, and blanks."""
    content = history[index]["content"]
    if not content:
        yield Blank(At(index))
    for k, part in enumerate([text_block(content)] if isinstance(content, str) else content):
        if part.get("type") == "tool_result":
            yield result_of(part, At(index, k), lead, Owner.SERVER, policy)
        elif not is_blank([part]):
            lead = None
        elif content:
            yield Blank(At(index, k))


FORMAT = Anthropic()
