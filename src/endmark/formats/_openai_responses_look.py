"""Looking over Responses items: the quick look, and what a history tells of its names and turns."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from endmark.formats._base import History, Message, parses
from endmark.formats._openai_responses_items import (
    HOSTED,
    LISTS,
    LONGEST_ID,
    NO_ITEM_ID,
    OUTPUTS,
    PAIRS,
    PEOPLE,
    call_name,
    is_call,
    is_provider_s,
    is_result,
    item_id,
    lacks,
    thinks,
)


def runs(item: Message) -> bool:
    """Tell whether a run of calls goes on with this item."""
    return is_call(item) or item.get("type") in HOSTED


def run_end(history: History, index: int) -> int:
    """Find the last item of the run that this one is in; reasoning may stand within."""
    end = index
    while index + 1 < len(history):
        index += 1
        if runs(history[index]):
            end = index
        elif not thinks(history[index]):
            break
    return end


class Look:
    """One pass over the items that keeps in mind which outputs are due."""

    def __init__(self) -> None:
        self.suspects: set[int] = set()
        self.due: list[tuple[str, Any]] = []
        self.ids: set[Any] = set()
        self.start = -1  # where the run began
        self.dirty = False
        self.zone = False  # outputs have begun
        self.led = -1  # where reasoning began whose follower is still to come

    def asked(self, index: int, kind: str, item: Message) -> None:
        if kind in _PROVIDED and is_provider_s(item):
            self._aside(index)
            return
        if self.zone or self.start < 0:
            self._close(index)
            self.start = index
        self.led = -1
        pair = PAIRS[kind]
        name, own = item.get(pair.id), item.get("id")
        if (
            name.__class__ is not str
            or not 0 < len(name) <= LONGEST_ID
            or name in self.ids
            or (own is not None and own != name and own != NO_ITEM_ID and own in self.ids)  # noqa: PLR1714
            or (_is_hurt(item, own) if kind == "function_call" else lacks(item))
        ):
            self.dirty = True
        self.ids.add(name)
        if own is not None:
            self.ids.add(own)
        self.due.append((pair.output, name))

    def answered(self, index: int, kind: str, item: Message) -> None:
        if kind in _PROVIDED and is_provider_s(item):
            self._aside(index)
            return
        due = (kind, item.get(OUTPUTS[kind].by))
        if self.start < 0:
            self.start, self.dirty = index, True
        elif self.led >= 0 or due not in self.due:
            self.dirty = True
        else:
            self.due.remove(due)
            if kind in LISTS and item.get("output") is None:
                self.dirty = True
        self.zone = True

    def thought(self, index: int, item: Message) -> None:
        if self.zone:
            self._close(index)
        if self.led < 0:
            self.led = index
        own = item.get("id")
        if own is not None and own != NO_ITEM_ID:
            if own in self.ids:
                self.suspects.add(index)
            self.ids.add(own)

    def went_on(self, index: int) -> None:
        """See a call that the provider ran and answered itself."""
        if self.zone:
            self._close(index)
        self.led = -1

    def end(self, index: int, *, follows: bool) -> None:
        """See what no run goes on with; `follows`: reasoning may stand before it."""
        self._close(index)
        if self.led >= 0 and not follows:
            self.suspects.update(range(self.led, index))
        self.led = -1

    def _aside(self, index: int) -> None:
        """See what the provider called, or answered, in an item of its own: always looked at."""
        self._close(index)
        if self.led >= 0:
            self.suspects.update(range(self.led, index))
        self.suspects.add(index)
        self.led = -1

    def _close(self, index: int) -> None:
        if self.start >= 0:
            if self.dirty or self.due:
                self.suspects.update(range(self.start, index))
                self.due = []
            self.start, self.dirty, self.zone = -1, False, False


def _is_hurt(item: Message, own: Any) -> bool:
    """Tell what `lacks` tells of the commonest call, at a look."""
    asked = item.get("arguments")
    if not item.get("name") or (asked != "{}" and not parses(asked)):
        return True
    return own is not None and (own[:2] != "fc" or len(own) > LONGEST_ID) and own != NO_ITEM_ID


_OWNING = frozenset({*PAIRS, "reasoning"})
_NAMES = ("id", "call_id", "approval_request_id")
_PROVIDED = frozenset({"program", "program_output", "tool_search_call", "tool_search_output"})


class Names:
    """What the whole history tells of some items: who owns an id, what is answered, what is blank.

    Only what these items name is looked for.
    """

    def __init__(self, history: History, indexes: Iterable[int]) -> None:
        self.history = history
        self.owners: dict[str, tuple[int, str | None]] = {}  # item id: first item, its call's name
        self.other: dict[str, str] = {}  # a call's other id: the one that its output must name
        self.wanted: dict[str, set[str]] = {}  # a call's id: the kinds of output that answer it
        self._skipped = (0, 0)  # the follower of all that stands from here is there
        named = {history[index].get(key) for index in indexes for key in _NAMES} - {None}
        for index, item in enumerate(history):
            kind = item.get("type")
            if kind in _OWNING and (item.get("id") in named or item.get("call_id") in named):
                self._owns(index, item, kind)

    def _owns(self, index: int, item: Message, kind: str) -> None:
        own = item_id(item)
        name = call_name(item) if kind in PAIRS else None
        if isinstance(own, str):
            self.owners.setdefault(own, (index, name))
            if name is not None:
                self.other.setdefault(own, name)
        if name is not None and not is_provider_s(item):
            self.wanted.setdefault(name, set()).add(PAIRS[kind].output)

    def is_blank(self, index: int) -> bool:
        """Tell of reasoning that nothing follows, results left aside, or that is there already."""
        return self._is_again(index) or not self._is_followed(index)

    def waits(self, index: int) -> bool:
        """Tell of blank reasoning that may still get a follower."""
        return not self._is_again(index) and self._follower(index) == len(self.history)

    def _is_again(self, index: int) -> bool:
        own = item_id(self.history[index])
        return isinstance(own, str) and self.owners.get(own, (index, None))[0] != index

    def _is_followed(self, index: int) -> bool:
        follower = self._follower(index)
        return follower < len(self.history) and self.history[follower].get("role") not in PEOPLE

    def _follower(self, index: int) -> int:
        """Give the place of what reasoning leads to: the next item that is not more of it."""
        start, stop = self._skipped
        if not start <= index < stop:
            stop = index + 1
            while stop < len(self.history) and self._is_passed_by(stop):
                stop += 1
            self._skipped = (index, stop)
        return stop

    def _is_passed_by(self, index: int) -> bool:
        item = self.history[index]
        return (
            thinks(item) or is_result(item) or (item.get("type") in OUTPUTS and index in self.lone)
        )

    @cached_property
    def referenced(self) -> bool:
        """Tell whether items that are held by the provider stand for calls."""
        return any(
            item.get("type") == "item_reference" or not item.keys() & {"type", "role"}
            for item in self.history
        )

    @cached_property
    def approved(self) -> set[str]:
        """The requests that were granted: their call was made."""
        calls = (i for i in self.history if i.get("type") == "mcp_call")
        responses = (i for i in self.history if i.get("type") == "mcp_approval_response")
        return {i.get("approval_request_id") or "" for i in calls} - {
            i.get("approval_request_id") for i in responses
        }

    @cached_property
    def lone(self) -> set[int]:
        """What the provider called and never answered, or answered to no call."""
        lone: set[int] = set()
        programs: dict[Any, int] = {}
        searches: list[int] = []
        used: set[Any] = set()
        for index, item in enumerate(self.history):
            kind = item.get("type")
            caller = item.get("caller")
            if isinstance(caller, dict):
                used.add(caller.get("caller_id"))
            if kind == "program":
                programs[item.get("call_id")] = index
            elif kind == "program_output":
                if item.get("call_id") not in programs:
                    lone.add(index)
                used.add(item.get("call_id"))
            elif kind in _PROVIDED and is_provider_s(item):
                _search(index, kind, searches, lone)
            elif item.get("role") == "user":
                searches.clear()
        lone.update(index for name, index in programs.items() if name not in used)
        return lone


def _search(index: int, kind: str, searches: list[int], lone: set[int]) -> None:
    """Pair the provider's searches with what they found, in order within a turn."""
    if kind == "tool_search_call":
        searches.append(index)
        lone.add(index)
    elif searches:
        lone.discard(searches.pop(0))
    else:
        lone.add(index)
