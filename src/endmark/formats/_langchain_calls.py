"""Where a call hides in a LangChain AI message: up to four copies of it, read as one and kept in step.

`tool_calls` (what LangChain itself reads), `invalid_tool_calls` (arguments that did not parse, still
sent by some providers), `additional_kwargs.tool_calls` (the chat provider's own shape, and all that
old rows have) and blocks of the content. Shapes as in langchain-core 1.8.3, langchain-openai 1.7.4
and langchain-anthropic 1.7.10.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from endmark.formats._base import Message, known_id
from endmark.model import Kind

NO_NAME = "unknown_tool"


class Block(NamedTuple):
    """How a kind of content block spells a call."""

    id: str
    asked: str
    text: bool  # what was asked is a JSON text


BLOCKS = {
    "tool_use": Block("id", "input", text=False),
    "tool_call": Block("id", "args", text=False),
    "invalid_tool_call": Block("id", "args", text=False),
    "tool_call_chunk": Block("id", "args", text=False),
    "function_call": Block("call_id", "arguments", text=True),
}
# What the provider runs itself, and answers in a block of its own: it is sent as it stands.
HOSTED = frozenset({"server_tool_use", "mcp_tool_use", "server_tool_call"})
THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
UNFINISHED = frozenset({"invalid_tool_call", "tool_call_chunk"})


@dataclass(slots=True)
class Found:
    """One call: its id, name and arguments by the first copy that has some, and where each is."""

    id: str | None
    name: str | None
    asked: Any
    places: dict[str, int] = field(default_factory=dict)
    flawed: set[str] = field(default_factory=set)  # places whose copy cannot be sent as it stands

    def add(self, place: str, k: int, copy: Found, *, flawed: bool) -> None:
        """Take in what one copy says."""
        self.places[place] = k
        self.name = self.name or copy.name
        if not asked_object(self) and asked_object(copy):
            self.asked = copy.asked
        if flawed:
            self.flawed.add(place)

    @property
    def is_cut(self) -> bool:
        """Tell whether the arguments end before they are complete."""
        return (
            isinstance(self.asked, str) and self.asked.strip() != "" and _read(self.asked) is None
        )


def kwargs_calls(fields: Mapping[str, Any]) -> list[Any]:
    """Give the copies in the provider's own shape."""
    kwargs = fields.get("additional_kwargs")
    calls = kwargs.get("tool_calls") if isinstance(kwargs, dict) else None
    return calls if isinstance(calls, list) else []


def content_calls(content: Any) -> list[int]:
    """Give the places of calls among the blocks of a content."""
    if not isinstance(content, list):
        return []
    return [
        k
        for k, block in enumerate(content)
        if isinstance(block, dict) and block.get("type") in BLOCKS
    ]


def blocks_of(fields: Mapping[str, Any]) -> list[tuple[int, Message]]:
    """Give the blocks of the content, with their places."""
    content = fields.get("content")
    if not isinstance(content, list):
        return []
    return [(k, block) for k, block in enumerate(content) if isinstance(block, dict)]


def hosted_calls(fields: Mapping[str, Any]) -> list[tuple[int, Message]]:
    """Give the calls that the provider runs and does not answer in this very message."""
    calls = [(k, block) for k, block in blocks_of(fields) if block.get("type") in HOSTED]
    answered = hosted_answers(fields) if calls else set()
    return [(k, block) for k, block in calls if block.get("id") not in answered]


def hosted_answers(fields: Mapping[str, Any]) -> set[Any]:
    """Give the ids of the calls that the provider answers in this message."""
    return {
        block.get("tool_use_id") or block.get("tool_call_id")
        for _, block in blocks_of(fields)
        if str(block.get("type")).endswith("_tool_result")
    }


def calls_of(fields: Mapping[str, Any]) -> list[Found]:
    """Find the calls of an AI message: one each, by id and, where it repeats, by how often."""
    if not (
        fields.get("invalid_tool_calls")
        or kwargs_calls(fields)
        or fields.get("content").__class__ is list
    ):
        plain: list[Found] = []
        for k, entry in enumerate(fields.get("tool_calls") or ()):
            call = _call("tool_calls", entry)
            call.places["tool_calls"] = k
            if not (call.asked.__class__ is dict and call.name):
                call.flawed.add("tool_calls")
            plain.append(call)
        return plain
    found: dict[tuple[str | None, int], Found] = {}
    content: Any = fields.get("content")
    copies = [
        ("tool_calls", [*enumerate(fields.get("tool_calls") or ())]),
        ("invalid_tool_calls", [*enumerate(fields.get("invalid_tool_calls") or ())]),
        ("kwargs", [*enumerate(kwargs_calls(fields))]),
        ("content", [(k, content[k]) for k in content_calls(content)]),
    ]
    for place, entries in copies:
        seen: dict[str | None, int] = {}
        for k, entry in entries:
            call = _call(place, entry)
            times = seen[call.id] = seen.get(call.id, -1) + 1
            known = found.setdefault((call.id, times), call)
            known.add(place, k, call, flawed=_is_flawed(place, entry, call))
    return list(found.values())


def _call(place: str, entry: Any) -> Found:
    if place == "kwargs":
        function = entry.get("function") or {}
        return Found(known_id(entry.get("id")), function.get("name"), function.get("arguments"))
    if place == "content":
        block = BLOCKS[entry["type"]]
        name = known_id(entry.get(block.id)) or known_id(entry.get("id"))
        return Found(name, entry.get("name"), entry.get(block.asked))
    return Found(known_id(entry.get("id")), entry.get("name"), entry.get("args"))


def _is_flawed(place: str, entry: Any, copy: Found) -> bool:
    """Tell whether a copy lacks what it is sent with; most blocks are not sent beside `tool_calls`."""
    if place == "content":
        how = BLOCKS[entry["type"]]
        if not how.text:
            return False
        if not known_id(entry.get(how.id)):
            return True
    asked = copy.asked if place == "tool_calls" else _read(copy.asked)
    return not (isinstance(asked, dict) and copy.name)


def fragments(fields: Mapping[str, Any]) -> dict[tuple[str | None, int], str]:
    """Give the arguments of a stream that broke off in them, by id and how often it was there.

    A chunk's `tool_calls` have them as far as they came, closed as if they were whole.
    """
    cut: dict[tuple[str | None, int], str] = {}
    seen: dict[str | None, int] = {}
    for chunk in fields.get("tool_call_chunks") or ():
        id_, text = known_id(chunk.get("id")), chunk.get("args")
        times = seen[id_] = seen.get(id_, -1) + 1
        if isinstance(text, str) and text.strip() and _read(text, strict=False) is None:
            cut[id_, times] = text
    return cut


def flaws_of(call: Found, fields: Mapping[str, Any]) -> tuple[Kind, ...]:
    """Give what keeps a call from being sent: it has to be whole, and among `tool_calls`.

    Old rows have calls in the provider's shape alone: LangChain lifts them when it loads a message.
    """
    lifted = "kwargs" in call.places and not (
        fields.get("tool_calls") or fields.get("invalid_tool_calls")
    )
    sent = "kwargs" if lifted else "tool_calls"
    if call.is_cut:
        return (Kind.INCOMPLETE,)
    among = sent in call.places and "invalid_tool_calls" not in call.places
    return () if among and call.flawed.isdisjoint({sent, "content"}) else (Kind.MALFORMED,)


def _read(text: Any, *, strict: bool = True) -> Any:
    """Give the value of a JSON text, None where it is not one."""
    try:
        return json.loads(text, strict=strict)
    except (TypeError, ValueError, RecursionError):
        return None


def asked_object(call: Found) -> Message:
    """Give the arguments as an object, an empty one where they are none."""
    asked = _read(call.asked) if isinstance(call.asked, str) else call.asked
    return asked if isinstance(asked, dict) else {}


class Copies:
    """The copies of a message's calls while edits are written into all of them at once."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.fields = fields
        content = fields.get("content")
        self.lists: dict[str, list[Any]] = {
            "tool_calls": list(fields.get("tool_calls") or ()),
            "invalid_tool_calls": list(fields.get("invalid_tool_calls") or ()),
            "kwargs": list(kwargs_calls(fields)),
            "content": list(content) if isinstance(content, list) else [],
        }
        self.found = calls_of(fields)

    def replace_block(self, k: int, words: str | None) -> None:
        """Put a text, or nothing, in the place of a block of the content."""
        self.lists["content"][k] = None if words is None else {"type": "text", "text": words}

    def drop(self, call: Found) -> None:
        for place, k in call.places.items():
            self.lists[place][k] = None

    def rename(self, call: Found, made: str) -> None:
        call.id = made
        for place, k in call.places.items():
            entry = self.lists[place][k]
            key = BLOCKS[entry["type"]].id if place == "content" else "id"
            self.lists[place][k] = {**entry, key: made}

    def mend(self, call: Found, *, cut: bool = False) -> None:
        """Put a call among `tool_calls`, whole, and let its other copies say the same."""
        asked, name = {} if cut else asked_object(call), call.name or NO_NAME
        made = {"name": name, "args": asked, "id": call.id, "type": "tool_call"}
        whole = self.lists["tool_calls"]
        if "tool_calls" in call.places:
            k = call.places["tool_calls"]
            own = whole[k].get("args")
            args = own if isinstance(own, dict) and not cut else asked
            whole[k] = {**whole[k], "name": name, "args": args}
        else:
            call.places["tool_calls"] = len(whole)
            whole.append(made)
        if "invalid_tool_calls" in call.places:
            self.lists["invalid_tool_calls"][call.places.pop("invalid_tool_calls")] = None
        text = json.dumps(asked, separators=(",", ":"))
        if "kwargs" in call.places:
            self._mend_kwargs(call.places["kwargs"], name, text)
        if "content" in call.places:
            self._mend_block(call.places["content"], made, text, cut=cut)

    def _mend_block(self, k: int, made: Message, text: str, *, cut: bool) -> None:
        block = self.lists["content"][k]
        how = BLOCKS[block["type"]]
        if block["type"] in UNFINISHED:
            self.lists["content"][k] = made
            return
        given = block.get(how.asked)
        fits = isinstance(_read(given) if how.text else given, dict)
        fixed = {} if fits and not cut else {how.asked: text if how.text else made["args"]}
        self.lists["content"][k] = {**block, how.id: made["id"], "name": made["name"], **fixed}

    def _mend_kwargs(self, k: int, name: str, text: str) -> None:
        entry = self.lists["kwargs"][k]
        function = {**(entry.get("function") or {}), "name": name}
        if not isinstance(_read(function.get("arguments")), dict):
            function["arguments"] = text
        self.lists["kwargs"][k] = {**entry, "function": function}

    def written(self) -> Message:
        """Give the fields that changed."""
        gone = [call for call in self.found if all(self._is_gone(call, p) for p in call.places)]
        if self.lists["tool_calls"] and any(self.lists["tool_calls"]):
            # LangChain lifts calls in the provider's shape only where there are no others.
            for call in self.found:
                if "tool_calls" not in call.places and not any(call is other for other in gone):
                    self.mend(call)
        changed: Message = {}
        for place in ("tool_calls", "invalid_tool_calls", "content"):
            kept = [entry for entry in self.lists[place] if entry is not None]
            old = self.fields.get(place)
            if (kept or isinstance(old, list)) and kept != old:
                changed[place] = kept
        kwargs = self.fields.get("additional_kwargs")
        copies = [entry for entry in self.lists["kwargs"] if entry is not None]
        if copies != kwargs_calls(self.fields) and isinstance(kwargs, dict):
            rest = {key: value for key, value in kwargs.items() if key != "tool_calls"}
            changed["additional_kwargs"] = {**kwargs, "tool_calls": copies} if copies else rest
        return changed

    def _is_gone(self, call: Found, place: str) -> bool:
        return self.lists[place][call.places[place]] is None
