"""The conversations that every library writes for the tests of the known stores, and its refusal.

Run with the library installed: `python with_langchain.py write|go-on URL [guard|alone]`, or `serve`
for many of them, a JSON object a line. `write` leaves half pairs as a crash does; `go-on` reads what
is stored and continues it, first as its other readers do, with `alone` through the library alone;
behind `guard` both have Endmark's guard on the engine of the library.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any

# user: says; call: asks with these ids; result: answers this id; says: the assistant's words.
TALK: dict[str, list[tuple[str, Any]]] = json.loads(
    (Path(__file__).parent / "talk.json").read_text()
)


def in_turn(names: Callable[[str], str] = str) -> list[tuple[str, str, Any]]:
    """Give conversation, kind and content of every message, the conversations side by side."""
    told = [[(names(name), *step) for step in steps] for name, steps in TALK.items()]
    return [step for turn in zip_longest(*told) for step in turn if step]


class RefusedError(ValueError):
    """What the model says to half a pair, as providers do."""


def require_pairs(calls: list[list[str]], results: list[list[str]]) -> None:
    """Refuse as providers do: `calls` and `results` are those of each message, in order."""
    due: list[str] = []
    for called, answered in zip(calls, results, strict=True):
        if any(id_ not in due for id_ in answered):
            raise RefusedError(f"tool_call_id {answered} answers no call right before it")
        due = [id_ for id_ in due if id_ not in answered]
        if due and not answered:
            raise RefusedError(f"tool_call_ids without response messages: {due}")
        due += called
    if due:
        raise RefusedError(f"tool_call_ids without response messages: {due}")


GUARDED: dict[Any, str] = {}
ASKED = {"guard": False, "alone": False}


def others_read() -> bool:
    """Say whether what other readers of the history send is tried first: the library may mend it."""
    return not any(ASKED.values())


def guarded(engine: Any, store: str) -> Any:
    """Put the guard on an engine where that was asked for."""
    if ASKED["guard"] and engine not in GUARDED:
        from endmark.guard import guard

        guard(engine, store, on_repair=lambda made: print("repaired", made.conversation_id))
        GUARDED[engine] = store
    return engine


def main(write: Callable[[str], None], go_on: Callable[[str], None]) -> None:
    actions = {"write": write, "go-on": go_on}
    if sys.argv[1:] != ["serve"]:
        ASKED.update({word: word in sys.argv[3:] for word in ASKED})
        actions[sys.argv[1]](sys.argv[2])
        return
    for line in sys.stdin:
        asked = json.loads(line)
        ASKED.update({word: asked[word] for word in ASKED})
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            try:
                actions[asked["action"]](asked["url"])
            except Exception:  # noqa: BLE001 - whatever it is, the test has to hear of it
                traceback.print_exc(file=said)
        print(json.dumps(said.getvalue()), flush=True)
