"""LlamaIndex chat messages: calls in blocks or `additional_kwargs`, each result a `tool` message.

Where a call hides is read in `_llamaindex_calls`. Rows of older versions have a `content` text in
place of blocks, and what is written is in the clothes of the message that it answers. Shapes as in
llama-index-core 0.14.25. https://developers.llamaindex.ai/python/framework/module_guides/storing/chat_stores/
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endmark.formats._base import ORPHAN_TEXT, History, Message, as_object, known_id, unlike
from endmark.formats._llamaindex_calls import Place, calls_of, copies_in, flaws_of, mended
from endmark.formats._own_message import OwnMessage
from endmark.model import At, Call, Close, Drop, Edit, Event, Kind, Mend, Result, SetId, ToText
from endmark.policy import Policy

ROLES = frozenset(
    {"system", "developer", "user", "assistant", "function", "tool", "chatbot", "model"}
)
RESULTS = frozenset({"tool", "function"})
ASSISTANTS = frozenset({"assistant", "chatbot", "model"})


class LlamaIndex(OwnMessage):
    """Chat messages as LlamaIndex's chat stores keep them."""

    name = "llamaindex"
    source = "https://developers.llamaindex.ai/python/framework/module_guides/storing/chat_stores/"
    refusal = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
    )
    body = "blocks"
    told_by = ("blocks",)

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        due: list[Any] = []
        start, dirty, index = -1, False, -1
        try:
            for index, message in enumerate(history):
                role = message["role"]
                if role in RESULTS:
                    call_id = _answered(message)
                    if role == "function" and call_id is None:
                        continue
                    if start < 0:
                        start, dirty = index, True
                    elif call_id in due:
                        due.remove(call_id)
                        dirty = dirty or _is_flawed(message)
                    else:
                        dirty = True
                    continue
                if start >= 0:
                    if dirty or due:
                        suspects += range(start, index)
                    start, dirty, due = -1, False, []
                if role in ASSISTANTS:
                    due, dirty = _due(message)
                    if due:
                        start = index
        except (AttributeError, KeyError, TypeError):
            raise unlike(index, message, "it is not a LlamaIndex chat message") from None
        if start >= 0 and (dirty or due):
            suspects += range(start, index + 1)
        return suspects

    def is_result(self, message: Message) -> bool:
        role = message["role"]
        return role == "tool" or (role == "function" and _answered(message) is not None)

    def is_user(self, message: Message) -> bool:
        return bool(message["role"] == "user")

    def is_assistant(self, message: Message) -> bool:
        return message["role"] in ASSISTANTS

    def call_ids(self, message: Message) -> Sequence[str | None]:
        if message["role"] not in ASSISTANTS:
            return ()
        return [call[0].id for call in calls_of(message)]

    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        if self.is_result(message):
            return [_result(message, index, after, policy)]
        if message["role"] not in ASSISTANTS:
            return []
        return [_call(call, At(index, k)) for k, call in enumerate(calls_of(message))]

    def result(self, close: Close, call_id: str | None) -> Message:
        return self.result_to({"blocks": []}, close, call_id)

    def result_to(self, message: Message, close: Close, call_id: str | None) -> Message:
        # No mark of ours: what else stands in additional_kwargs, older integrations send as it is.
        return _said(message, "tool", close.text, {"tool_call_id": call_id})

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        if self.is_result(message):
            for edit in edits:
                message = _edit_result(message, edit)
            return message
        calls: list[list[Place]] = calls_of(message)
        gone: list[Place] = []
        for edit in edits:
            if isinstance(edit, Drop):
                gone += calls[edit.event.at.part]
            elif isinstance(edit, SetId):
                call = calls[edit.event.at.part]
                calls[edit.event.at.part] = [p._replace(entry=p.renamed(edit.id)) for p in call]
            elif isinstance(edit, Mend):
                calls[edit.call.at.part] = mended(calls[edit.call.at.part])
        return _rewritten(message, [place for call in calls for place in call], gone)

    def fits(self, message: Message) -> int:
        kwargs, blocks = message.get("additional_kwargs"), message.get("blocks")
        if message.get("role") not in ROLES or "type" in message:
            return -1
        if isinstance(blocks, list):
            typed = all(isinstance(block, dict) and "block_type" in block for block in blocks)
            return 1 if typed else -1
        return 1 if isinstance(kwargs, dict) and "content" in message else -1


def _answered(message: Message) -> Any:
    kwargs = message.get("additional_kwargs") or {}
    call_id = kwargs.get("tool_call_id")
    return kwargs.get("call_id") if call_id is None else call_id


def _due(message: Message) -> tuple[list[Any], bool]:
    """Give the ids that are due, and whether anything about the calls wants a closer look."""
    due: list[Any] = []
    dirty = False
    if copies_in(message):
        calls = calls_of(message)
        due = [call[0].id for call in calls]
        return due, None in due or len(set(due)) < len(due) or any(map(flaws_of, calls))
    for block in message.get("blocks") or ():
        if block.get("block_type") == "tool_call":
            call_id, given = block.get("tool_call_id"), block.get("tool_kwargs")
            sound = call_id.__class__ is str and call_id and call_id not in due
            if (
                not sound
                or not block.get("tool_name")
                or (given.__class__ is not dict and as_object(given) is None)
            ):
                dirty = True
            due.append(call_id)
    return due, dirty


def _is_flawed(message: Message) -> bool:
    return "blocks" in message and not isinstance(message["blocks"], list)


def _call(call: list[Place], at: At) -> Call:
    flaws = flaws_of(call)
    name = next((place.name for place in call if place.name), None)
    return Call(
        at,
        call[0].id,
        name,
        complete=Kind.INCOMPLETE not in flaws,
        arguments=call[0].asked,
        slot=at.message,
        flaws=flaws,
    )


def _words(message: Message) -> str | None:
    """Give the text of a message, as LlamaIndex's own `content` does; None where it has none."""
    blocks = message.get("blocks")
    if not isinstance(blocks, list):
        content = message.get("content")
        return content if isinstance(content, str) else None
    texts = [block.get("text") or "" for block in blocks if block.get("block_type") == "text"]
    return "\n".join(texts) if texts else None


def _result(message: Message, index: int, after: int | None, policy: Policy) -> Result:
    call_id = known_id(_answered(message))
    name = (message.get("additional_kwargs") or {}).get("name")
    words = _words(message)
    blocks = message.get("blocks")
    plain = not blocks or all(block.get("block_type") == "text" for block in blocks)
    return Result(
        At(index),
        call_id,
        name if isinstance(name, str) else None,
        synthesized=plain and policy.is_marker(words, call_id, None),
        after=after,
        value=words if plain else blocks,
        flaw=Kind.MALFORMED if _is_flawed(message) else False,
    )


def _said(like: Message, role: str, words: str, kwargs: Message) -> Message:
    """Make a message in the clothes of another: with blocks, or with the text of older rows."""
    if "blocks" in like or "content" not in like:
        blocks = [{"block_type": "text", "text": words}]
        return {"role": role, "additional_kwargs": kwargs, "blocks": blocks}
    return {"role": role, "content": words, "additional_kwargs": kwargs}


def _edit_result(message: Message, edit: Edit) -> Message:
    kwargs = message.get("additional_kwargs") or {}
    if isinstance(edit, SetId):
        rest = {key: value for key, value in kwargs.items() if key != "call_id"}
        return {**message, "additional_kwargs": {**rest, "tool_call_id": edit.id}}
    if isinstance(edit, Mend):
        return {**message, "blocks": []}
    if isinstance(edit, ToText):
        said = _said(message, "user", f"{ORPHAN_TEXT}\n{_words(message) or ''}", {})
        media = [b for b in message.get("blocks") or () if b.get("block_type") != "text"]
        return {**said, "blocks": [*said["blocks"], *media]} if media else said
    return message


def _rewritten(message: Message, places: list[Place], gone: list[Place]) -> Message | None:
    """Give a message with its calls as they are now; None when nothing is left of it."""
    lists: dict[str, list[Any]] = {
        "blocks": list(message.get("blocks") or ()),
        "copies": list(copies_in(message)),
    }
    sizes = {where: len(entries) for where, entries in lists.items()}
    dropped = {(place.where, place.at) for place in gone}
    for place in sorted(places, key=lambda place: place.at):
        entry = None if (place.where, place.at) in dropped else place.entry
        if place.at < sizes[place.where]:
            lists[place.where][place.at] = entry
        elif entry and place.name:  # one that its list lacked, and that was mended
            lists[place.where].append(entry)
    kept = {where: [e for e in entries if e is not None] for where, entries in lists.items()}
    changed = dict(message)
    if "blocks" in message:
        changed["blocks"] = kept["blocks"]
    if lists["copies"]:
        kwargs = message["additional_kwargs"]
        rest = {key: value for key, value in kwargs.items() if key != "tool_calls"}
        copies = {"tool_calls": kept["copies"]} if kept["copies"] else {}
        changed["additional_kwargs"] = {**kwargs, **copies} if copies else rest
    empty = not (kept["blocks"] or kept["copies"] or changed.get("content"))
    return None if empty else changed


FORMAT = LlamaIndex()
