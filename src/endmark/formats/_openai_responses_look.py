"""Looking over Responses items: the quick look, and what a history tells of its names and turns."""

from __future__ import annotations

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


_PROVIDED = frozenset({"program", "program_output", "tool_search_call", "tool_search_output"})


class Names:
    """What the whole history tells: who owns an id, what is answered, which reasoning is blank."""

    def __init__(self, history: History) -> None:
        self.owners: dict[str, tuple[int, str | None]] = {}  # item id: first item, its call's name
        self.other: dict[str, str] = {}  # a call's other id: the one that its output must name
        self.wanted: dict[str, set[str]] = {}  # a call's id: the kinds of output that answer it
        self.approved: set[str] = set()  # requests that were granted: their call was made
        self.lone: set[int] = set()  # what the provider called and never answered, or vice versa
        self.referenced = False  # items that are held by the provider stand for calls
        self.blank: set[int] = set()  # reasoning without a follower, or that is there already
        self.waiting: set[int] = set()  # of these, what may still get a follower
        programs: dict[Any, int] = {}
        searches: list[int] = []
        used: set[Any] = set()
        for index, item in enumerate(history):
            kind = item.get("type")
            if kind in PAIRS or kind == "reasoning":
                self._owns(index, item, kind)
            caller = item.get("caller")
            if isinstance(caller, dict):
                used.add(caller.get("caller_id"))
            if kind == "item_reference":
                self.referenced = True
            elif kind == "mcp_call":
                self.approved.add(item.get("approval_request_id") or "")
            elif kind == "program":
                programs[item.get("call_id")] = index
            elif kind == "program_output":
                if item.get("call_id") not in programs:
                    self.lone.add(index)
                used.add(item.get("call_id"))
            elif kind in _PROVIDED and is_provider_s(item):
                self._searched(index, kind, searches)
            elif item.get("role") == "user":
                searches.clear()
        responses = (i for i in history if i.get("type") == "mcp_approval_response")
        self.approved -= {i.get("approval_request_id") for i in responses}
        self.lone.update(index for name, index in programs.items() if name not in used)
        self._look_back(history)

    def _owns(self, index: int, item: Message, kind: str) -> None:
        own = item_id(item)
        name = call_name(item) if kind in PAIRS else None
        if isinstance(own, str):
            if self.owners.setdefault(own, (index, name))[0] != index and kind == "reasoning":
                self.blank.add(index)
            if name is not None:
                self.other.setdefault(own, name)
        if name is not None and not is_provider_s(item):
            self.wanted.setdefault(name, set()).add(PAIRS[kind].output)

    def _searched(self, index: int, kind: str, searches: list[int]) -> None:
        """Pair the provider's searches with what they found, in order within a turn."""
        if kind == "tool_search_call":
            searches.append(index)
            self.lone.add(index)
        elif searches:
            self.lone.discard(searches.pop(0))
        else:
            self.lone.add(index)

    def _look_back(self, history: History) -> None:
        """Find the reasoning that nothing follows, results left aside."""
        follows, last = False, True
        for index in range(len(history) - 1, -1, -1):
            item = history[index]
            if thinks(item):
                if index in self.blank:
                    continue
                if not follows:
                    self.blank.add(index)
                    if last:
                        self.waiting.add(index)
            elif not (is_result(item) or (item.get("type") in OUTPUTS and index in self.lone)):
                follows = item.get("role") not in PEOPLE
                last = False
