"""Which call a Gemini response without an id belongs to: by name and order, where that is sure.

The responses of a run (the contents up to the model's next one) are told from one another here;
what is left without a call goes to the pairing as it is.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Any

from endmark.formats._base import History, Message, known_id
from endmark.model import At

CALLS = ("functionCall", "function_call")
RESPONSES = ("functionResponse", "function_response")
NO_NAME = "unknown_tool"
MARK = "endmark"  # in a response that was made up: it is a free object
Named = tuple[str | None, str]  # id and name
Given = tuple[At, Named]


def body_of(part: Message, keys: tuple[str, str]) -> Any:
    """Give the call, or the response, that a part holds; None where it holds none."""
    body = part.get(keys[0])
    return part.get(keys[1]) if body is None else body


def known_name(body: Message) -> str:
    """Give the name in a call or a response, or the one that stands for no name."""
    name = body.get("name")
    return name if isinstance(name, str) and name else NO_NAME


def is_made(body: Message) -> bool:
    """Tell of a response that was made up."""
    response = body.get("response")
    return isinstance(response, dict) and MARK in response


class Ids:
    """The ids and names that responses go by, asked for in the order of the contents."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.next = 0
        self.known: dict[At, Named] = {}

    def of(self, at: At) -> Named:
        """Give the id, None for none, and the name that this response goes by."""
        if at.message >= self.next:
            self._read_run(at.message)
        return self.known[at]

    def _read_run(self, index: int) -> None:
        """Read the run of this content: the model's content before it, and its responses."""
        start, stop = index, index + 1
        while start > 0 and self.history[start].get("role") != "model":
            start -= 1
        while stop < len(self.history) and self.history[stop].get("role") != "model":
            stop += 1
        self.next = stop
        calls = [named for _, named in _named(self.history[start], start, CALLS)]
        given = [
            found
            for place in range(start, stop)
            for found in _named(self.history[place], place, RESPONSES)
        ]
        self.known = dict(given)
        open_, rest = self._by_id(calls, given)
        for asked, answers in _by_name(open_, rest):
            if len(asked) == len(answers) and self._is_sure(asked, answers, start + 1):
                for call, (at, _) in zip(asked, answers, strict=True):
                    self.known[at] = call

    def _by_id(self, calls: list[Named], given: list[Given]) -> tuple[list[Named], list[Given]]:
        """Match what has the same id, best under the same name; give what is left over."""
        open_, rest = list(calls), []
        for at, (id_, name) in given:
            same = [call for call in open_ if call[0] == id_] if id_ else []
            if same:
                call = next((call for call in same if call[1] == name), same[0])
                open_.remove(call)
                self.known[at] = (id_, call[1] if name == NO_NAME else name)
            else:
                rest.append((at, (id_, name)))
        return open_, rest

    def _is_sure(self, calls: list[Named], given: list[Given], place: int) -> bool:
        """Tell whether order alone pairs these: on one side at least nothing has an id.

        An id that nothing on the other side of the history has is as good as none, where all the
        responses are in their place.
        """
        if all(id_ is None for _, (id_, _) in given):
            return not any(id_ in self.ids[1] for id_, _ in calls if id_)
        return all(id_ is None for id_, _ in calls) and not any(
            at.message != place or (id_ and id_ in self.ids[0]) for at, (id_, _) in given
        )

    @cached_property
    def ids(self) -> tuple[set[str | None], set[str | None]]:
        """All ids of calls, and all of responses that were not made up."""
        calls, given = (
            {
                known_id(body.get("id"))
                for message in self.history
                for part in message.get("parts") or ()
                if (body := body_of(part, keys)) is not None and not is_made(body)
            }
            for keys in (CALLS, RESPONSES)
        )
        return calls, given


def _by_name(calls: list[Named], given: list[Given]) -> list[tuple[list[Named], list[Given]]]:
    """Put together the calls and the responses of one name."""
    asked: dict[str, list[Named]] = defaultdict(list)
    found: dict[str, list[Given]] = defaultdict(list)
    lone = len(calls) == len(given) == 1 and NO_NAME in (calls[0][1], given[0][1][1])
    for call in calls:
        asked[given[0][1][1] if lone else call[1]].append(call)
    for answer in given:
        found[answer[1][1]].append(answer)
    return [(asked[name], answers) for name, answers in found.items()]


def _named(message: Message, index: int, keys: tuple[str, str]) -> list[Given]:
    bodies = [(k, body_of(part, keys)) for k, part in enumerate(message.get("parts") or ())]
    return [
        (At(index, k), (known_id(body.get("id")), known_name(body)))
        for k, body in bodies
        if body is not None
    ]
