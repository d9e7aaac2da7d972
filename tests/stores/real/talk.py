"""The conversations that every library writes for the tests of the known stores, and its refusal.

Run with the library installed: `python with_langchain.py write|go-on URL [guard]`.
`write` leaves half pairs as a crash does; `go-on` reads what is stored and continues it; behind
`guard` both have Endmark's guard on the engine of the library.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

# user: says; call: asks with these ids; result: answers this id; says: the assistant's words.
TALK: dict[str, list[tuple[str, Any]]] = {
    "middle": [("user", "Weather?"), ("call", ["c1", "c2"]), ("result", "c1"), ("user", "Hello?")],
    "late": [("user", "Weather?"), ("call", ["c3"]), ("user", "Hello?"), ("result", "c3")],
    "end": [("user", "Weather?"), ("call", ["c4"])],
    "sound": [
        ("user", "Weather?"),
        ("call", ["c5"]),
        ("result", "c5"),
        ("says", "Sunny."),
        ("user", "Thanks."),
    ],
}


def in_turn(names: Callable[[str], str] = str) -> list[tuple[str, str, Any]]:
    """Give conversation, kind and content of every message, the conversations side by side."""
    told = [[(names(name), *step) for step in steps] for name, steps in TALK.items()]
    return [step for turn in zip_longest(*told) for step in turn if step]


def require_pairs(calls: list[list[str]], results: list[list[str]]) -> None:
    """Refuse as providers do: `calls` and `results` are those of each message, in order."""
    due: list[str] = []
    for called, answered in zip(calls, results, strict=True):
        if any(id_ not in due for id_ in answered):
            raise ValueError(f"tool_call_id {answered} answers no call right before it")
        due = [id_ for id_ in due if id_ not in answered]
        if due and not answered:
            raise ValueError(f"tool_call_ids without response messages: {due}")
        due += called
    if due:
        raise ValueError(f"tool_call_ids without response messages: {due}")


@functools.cache
def guarded(engine: Any, store: str) -> Any:
    """Put the guard on an engine where that was asked for."""
    if "guard" in sys.argv[3:]:
        from endmark.guard import guard

        guard(engine, store)
    return engine


def main(write: Callable[[str], None], go_on: Callable[[str], None]) -> None:
    action, url = sys.argv[1:3]
    {"write": write, "go-on": go_on}[action](url)
