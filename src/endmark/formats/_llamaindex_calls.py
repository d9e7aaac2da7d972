"""Where a LlamaIndex message keeps its calls: in blocks, in `additional_kwargs`, or in both.

The integrations do not agree on what they send (OpenAI chat: blocks, else the copies; Responses: the
copies; Anthropic: both, by id and name), so the copies are read as one call and kept in step: where a
message has both, each call has to be in both. The copies are in the provider's own shape.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from endmark.formats._base import Message, as_object, known_id
from endmark.model import Kind

NO_NAME = "unknown_tool"


class Spelling(NamedTuple):
    """The keys of a call; `inner` is the object that holds name and arguments, '' for itself."""

    id: str
    name: str
    asked: str
    inner: str = ""
    text: bool = True  # what was asked is a JSON text


BLOCK = Spelling("tool_call_id", "tool_name", "tool_kwargs", text=False)
# A key that tells the shape of a copy → how it is spelled.
COPIES = {
    "function": Spelling("id", "name", "arguments", inner="function"),
    "call_id": Spelling("call_id", "name", "arguments"),
    "input": Spelling("id", "name", "input", text=False),
    "tool_kwargs": Spelling("tool_id", "tool_name", "tool_kwargs", text=False),
}
DEFAULT = COPIES["function"]


class Place(NamedTuple):
    """One copy of a call: the list that it is in, its place there, and what it is."""

    where: str
    at: int
    entry: Message
    spelled: Spelling

    @property
    def id(self) -> str | None:
        return known_id(self.entry.get(self.spelled.id))

    @property
    def body(self) -> Message:
        inner = self.entry.get(self.spelled.inner) if self.spelled.inner else self.entry
        return inner if isinstance(inner, dict) else {}

    @property
    def name(self) -> Any:
        return self.body.get(self.spelled.name)

    @property
    def asked(self) -> Any:
        return self.body.get(self.spelled.asked)

    def flaws(self) -> tuple[Kind, ...]:
        """Tell what keeps the copy from being loaded, or sent."""
        asked = self.asked
        if isinstance(asked, str) and asked.strip() and as_object(asked) is None:
            return (Kind.INCOMPLETE,) if _is_cut(asked) else (Kind.MALFORMED,)
        return () if self.name and as_object(asked) is not None else (Kind.MALFORMED,)

    def renamed(self, made: str) -> Message:
        return {**self.entry, self.spelled.id: made}

    def mended(self, name: str, asked: Message) -> Message:
        text = self.spelled.text and not isinstance(self.asked, dict)
        given = json.dumps(asked, separators=(",", ":")) if text else asked
        right = as_object(self.asked) is not None
        fixed = {self.spelled.name: name, self.spelled.asked: self.asked if right else given}
        inner = self.spelled.inner
        return {**self.entry, **({inner: {**self.body, **fixed}} if inner else fixed)}


def _is_cut(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


def copies_in(message: Message) -> list[Any]:
    """Give the copies in the provider's own shape."""
    kwargs = message.get("additional_kwargs")
    copies = kwargs.get("tool_calls") if kwargs else None
    return copies if isinstance(copies, list) else []


def _places(message: Message) -> Iterator[Place]:
    for k, block in enumerate(message.get("blocks") or ()):
        if block.get("block_type") == "tool_call":
            yield Place("blocks", k, block, BLOCK)
    for k, copy in enumerate(copies_in(message)):
        entry = copy if isinstance(copy, dict) else copy.model_dump()
        spelled = next((COPIES[key] for key in COPIES if key in entry), DEFAULT)
        yield Place("copies", k, entry, spelled)


def calls_of(message: Message) -> list[list[Place]]:
    """Find the calls, each with all its copies: by id and, where it repeats, by how often."""
    found: dict[tuple[str | None, int], list[Place]] = {}
    seen: dict[tuple[str, str | None], int] = {}
    places = list(_places(message))
    for place in places:
        times = seen[place.where, place.id] = seen.get((place.where, place.id), -1) + 1
        found.setdefault((place.id, times), []).append(place)
    calls = list(found.values())
    if any(len(call) < 2 for call in calls):
        _add_missing(calls, places, message)
    return calls


def _add_missing(calls: list[list[Place]], places: list[Place], message: Message) -> None:
    """Give calls that one of both lists lacks a place behind the others there: an empty copy."""
    lists: dict[str, list[Any]] = {
        "blocks": message.get("blocks") or [],
        "copies": copies_in(message),
    }
    for where, entries in lists.items():
        like = next((place for place in places if place.where == where), None)
        lacking = [call for call in calls if all(place.where != where for place in call)]
        if like is not None:
            for k, call in enumerate(lacking, len(entries)):
                call.append(Place(where, k, _empty(like, call[0].id), like.spelled))


def _empty(like: Place, call_id: str | None) -> Message:
    inner: Message = {like.spelled.inner: {}} if like.spelled.inner else {}
    kinds: Message = {k: like.entry[k] for k in ("block_type", "type") if k in like.entry}
    return {**kinds, like.spelled.id: call_id, **inner}


def flaws_of(call: list[Place]) -> tuple[Kind, ...]:
    """Tell what is wrong with a call; it was cut off only where no copy of it is whole."""
    flaws = [flaw for place in call for flaw in place.flaws()]
    if Kind.INCOMPLETE not in flaws:
        return tuple(flaws[:1])
    whole = any(as_object(place.asked) for place in call)
    return (Kind.MALFORMED,) if whole else (Kind.INCOMPLETE,)


def mended(call: list[Place]) -> list[Place]:
    """Give the copies of a call with the name and arguments that any of them has."""
    name = next((place.name for place in call if place.name), NO_NAME)
    read = [given for place in call if (given := as_object(place.asked)) is not None]
    asked = next((given for given in read if given), {})
    return [place._replace(entry=place.mended(name, asked)) for place in call]
