"""LangChain messages: rows nested and flat, `dumpd` constructors, and the message objects.

The four are one message in different clothes (`_langchain_clothes`); what an AI message holds is
read in `_langchain_calls`. Shapes as in langchain-core 1.8.3 and in n8n's and LangChain.js' message tables.

https://python.langchain.com/docs/concepts/messages/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from endmark.formats._base import (
    ORPHAN_TEXT,
    History,
    Message,
    known_id,
    text_of_orphan,
)
from endmark.formats._langchain_calls import (
    THOUGHTS,
    Copies,
    blocks_of,
    calls_of,
    flaws_of,
    fragments,
    hosted_answers,
    hosted_calls,
)
from endmark.formats._langchain_clothes import KINDS, dress, make, undress, with_fields
from endmark.formats._langchain_look import hides, is_flawed, suspects_in
from endmark.formats._own_message import OwnMessage
from endmark.model import (
    At,
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

MARK = "endmark"  # our namespace in additional_kwargs, which no provider is sent
NO_ERROR_TEXT = "(no error text)"  # Anthropic: "content cannot be empty if `is_error` is true"


class LangChain(OwnMessage):
    """Messages of LangChain and LangGraph, in Python and JavaScript."""

    name = "langchain"
    source = "https://python.langchain.com/docs/concepts/messages/"
    refusal = (
        "Found AIMessages with tool_calls that do not have a corresponding ToolMessage. Here are "
        "the first few of those tool calls: {ids}"
    )
    body = "data"
    objects = True
    said: ClassVar[Message] = {"type": "human", "content": "."}

    def skim(self, history: History) -> list[int]:
        return suspects_in(history)

    def is_result(self, message: Message) -> bool:
        return undress(message)[0] == "tool"

    def is_user(self, message: Message) -> bool:
        kind, fields = undress(message)
        return kind == "human" or (kind == "chat" and fields.get("role") in {"user", "human"})

    def is_assistant(self, message: Message) -> bool:
        return undress(message)[0] == "ai"

    def call_ids(self, message: Message) -> Sequence[str | None]:
        kind, fields = undress(message)
        if kind != "ai":
            return ()
        if hides(fields):
            return [call.id for call in calls_of(fields)]
        return [known_id(call.get("id")) for call in fields.get("tool_calls") or ()]

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        indexes = list(indexes)
        events = super().events(history, indexes, policy)
        for index in indexes:
            if undress(history[index])[1].get("tool_call_chunks"):
                self._cut(history, index, events)
        lists = [i for i in indexes if undress(history[i])[1].get("content").__class__ is list]
        lone = [event for index in lists for event in _lone(history, index)]
        return sorted([*events, *lone], key=lambda event: event.at) if lone else events

    def _cut(self, history: History, index: int, events: list[Event]) -> None:
        """Know the calls whose stream broke off; one that was answered was run as it stands."""
        cut = fragments(undress(history[index])[1])
        seen: dict[str | None, int] = {}
        for call in events:
            if isinstance(call, Call) and call.at.message == index:
                times = seen[call.id] = seen.get(call.id, -1) + 1
                text = cut.get((call.id, times))
                if text is not None and not self._is_answered(history, index, call.id):
                    call.complete, call.arguments, call.flaws = False, text, (Kind.INCOMPLETE,)

    def _is_answered(self, history: History, index: int, call_id: str | None) -> bool:
        """Tell whether a result follows, before another call has the id."""
        for later in range(index + 1, len(history)):
            kind, fields = undress(history[later])
            if kind == "tool" and known_id(fields.get("tool_call_id")) == call_id:
                return True
            if call_id in self.call_ids(history[later]):
                return False
        return False

    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        kind, fields = undress(message)
        if kind == "tool":
            return [_result(fields, index, after, policy)]
        if kind != "ai":
            return []
        return [
            Call(
                At(index, k),
                call.id,
                call.name or None,
                complete=not call.is_cut,
                arguments=call.asked,
                slot=index,
                flaws=flaws_of(call, fields),
            )
            for k, call in enumerate(calls_of(fields))
        ]

    def result(self, close: Close, call_id: str | None) -> Message:
        return self.result_to({"type": "ai", "data": {}}, close, call_id)

    def result_to(self, message: Any, close: Close, call_id: str | None) -> Message:
        name, mark = close.call.name, {MARK: {"outcome": close.outcome.value}}
        if not isinstance(message, dict):
            return make("tool", close.text, mark, name=name, tool_call_id=call_id, status="error")
        said = {"tool_call_id": call_id, "artifact": None, "status": "error"}
        return dress(message, "tool", close.text, mark, name=name, **said)

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        kind, fields = undress(message)
        if kind == "tool":
            for edit in edits:
                message = _edit_result(message, edit)
            return message
        copies = Copies(fields)
        calls = list(copies.found)
        for edit in edits:
            if isinstance(edit, Drop | ToText) and edit.event.at.part >= len(calls):
                assert isinstance(edit.event, Call)
                words = text_of_orphan(edit.event) if isinstance(edit, ToText) else None
                copies.replace_block(edit.event.at.part - len(calls), words)
            elif isinstance(edit, Drop):
                copies.drop(calls[edit.event.at.part])
            elif isinstance(edit, SetId):
                copies.rename(calls[edit.event.at.part], edit.id)
            elif isinstance(edit, Mend):
                cut = isinstance(edit.call, Call) and not edit.call.complete
                copies.mend(calls[edit.call.at.part], cut=cut)
        changed = copies.written()
        if edits and fields.get("tool_call_chunks"):
            # A chunk's calls are read from these, if there are any.
            changed["tool_call_chunks"] = []
        left = {**fields, **changed}
        if not left.get("content") and not calls_of(left):
            return None
        return with_fields(message, changed)

    def fits(self, message: Any) -> int:
        if not isinstance(message, dict):
            held = getattr(message, "__dict__", {})
            return 1 if held.get("type") in KINDS and "content" in held else -1
        if message.get("type") == "constructor":
            names = message.get("id")
            return 1 if isinstance(names, list) and names and names[-1] in KINDS else -1
        if message.get("type") not in KINDS or ("role" in message and message["type"] != "chat"):
            return -1
        fields = message.get("data", message)
        return 1 if isinstance(fields, dict) and "content" in fields else -1


def _lone(history: History, index: int) -> Iterator[Call]:
    """Read the calls of the provider that nothing answers before a person speaks again."""
    kind, fields = undress(history[index])
    waiting = hosted_calls(fields) if kind == "ai" else []
    if not waiting:
        return
    later = index + 1
    while waiting and later < len(history):
        kind, more = undress(history[later])
        if kind == "human":
            break
        answered = hosted_answers(more) if kind == "ai" else set()
        waiting = [(k, block) for k, block in waiting if block.get("id") not in answered]
        later += 1
    blocks = dict(blocks_of(fields))
    shift = len(calls_of(fields))  # behind the calls that tools answer
    for k, block in waiting:
        yield Call(
            At(index, shift + k),
            known_id(block.get("id")),
            block.get("name") or None,
            owner=Owner.PROVIDER,
            arguments=block.get("input"),
            slot=index,
            led=blocks.get(k - 1, {}).get("type") in THOUGHTS,
        )


def _result(fields: Mapping[str, Any], index: int, after: int | None, policy: Policy) -> Result:
    call_id, name = known_id(fields.get("tool_call_id")), fields.get("name")
    content, artifact = fields.get("content"), fields.get("artifact")
    kwargs = fields.get("additional_kwargs")
    marked = isinstance(kwargs, dict) and MARK in kwargs
    return Result(
        At(index),
        call_id,
        name if isinstance(name, str) else None,
        synthesized=marked or policy.is_marker(content, call_id, name),
        error=fields.get("status") == "error",
        after=after,
        value=content if artifact is None else {"content": content, "artifact": artifact},
        flaw=is_flawed(fields),
    )


def _edit_result(message: Message, edit: Edit) -> Message:
    fields = undress(message)[1]
    if isinstance(edit, SetId):
        return with_fields(message, {"tool_call_id": edit.id})
    if isinstance(edit, Mend):
        words = NO_ERROR_TEXT if fields.get("status") == "error" else ""
        return with_fields(message, {"content": words})
    if isinstance(edit, ToText):
        content = fields.get("content")
        if isinstance(content, list):
            return dress(message, "human", [{"type": "text", "text": ORPHAN_TEXT}, *content], {})
        return dress(message, "human", f"{ORPHAN_TEXT}\n{content or ''}", {})
    return message


FORMAT = LangChain()
