"""The scenarios, each written once: what is said, what is found, what answers each call after.

A builder of a format tells a scenario in that format's words (`user`, `media`, `assistant`,
`answers`, `system`); what a format cannot say is declared beside its builder, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from abstract import OPEN, Ask, Message
from building import BUILDERS, builder
from endmark import Policy, formats, repair
from endmark.model import Shape, Turn

MADE = object()  # a call answered by a result that was made up
REAL = object()  # a call answered by whatever the scenario says of it
PICTURE = "iVBORw0KGgo="


@dataclass(frozen=True)
class Says:
    """Words of someone; a user's may be a picture."""

    who: str
    words: str = ""


@dataclass(frozen=True)
class Asks:
    """An assistant's message with calls."""

    calls: tuple[Ask, ...]
    words: str = ""
    thought: str = ""


@dataclass(frozen=True)
class Answers:
    """Results that stand in a row."""

    results: tuple[tuple[Ask, Any], ...]


@dataclass(frozen=True)
class Heals:
    """What was said so far was repaired, and the conversation went on from there."""


Move = Says | Asks | Answers | Heals
Found = tuple[str, int | None]  # the kind, and which call it is about


@dataclass(frozen=True)
class Scenario:
    """One thing that happens to a conversation."""

    name: str
    moves: tuple[Move, ...]
    finds: frozenset[Found] = frozenset()
    after: tuple[Any, ...] | None = ()  # call by call: a value, MADE, REAL or OPEN; None: see finds
    strict: frozenset[Found] = frozenset()  # found too where an id may be used only once
    turn: Turn = "over"
    policy: Policy = field(default_factory=Policy)


def finds(*found: Found) -> frozenset[Found]:
    return frozenset(found)


HI, MORE, DONE = Says("user", "user-1 hi"), Says("user", "user-2 and?"), Says("assistant", "done-1")
BUSY = Says("assistant", "busy-1 one moment")
PHOTO = Says("media")
A, B, C = Ask("call-a"), Ask("call-b", "save"), Ask("call-c", "find")
ASK_A, ASK_AB = Asks((A,)), Asks((A, B), "both-1")
GOT_A, GOT_B = Answers(((A, "real-a"),)), Answers(((B, "real-b"),))
FALSY = tuple(Ask(f"call-{k}", f"tool_{k}") for k in range(6))
WAITS = Policy(pending_tools=frozenset({"look"}))


def _of(call: Ask, **changed: Any) -> Ask:
    return replace(call, **changed)


TWIN = (_of(A, id="call-x"), _of(B, id="call-x"))
NAMELESS = (_of(A, id=""), _of(B, id=""))
SEARCH = (
    Ask("srvtoolu_1", "web_search", hosted=True),
    Ask("srvtoolu_2", "web_search", hosted=True),
)

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "complete",
        (HI, ASK_AB, Answers(((A, "real-a"), (B, "real-b"))), DONE, MORE),
        after=("real-a", "real-b"),
    ),
    Scenario("single open", (HI, ASK_A, MORE), finds(("dangling", 0)), (MADE,)),
    Scenario("partial batch", (HI, ASK_AB, GOT_A, MORE), finds(("dangling", 1)), ("real-a", MADE)),
    Scenario("late", (HI, ASK_A, MORE, BUSY, GOT_A, DONE), finds(("misplaced", 0)), ("real-a",)),
    Scenario("early", (HI, GOT_A, ASK_A, MORE), finds(("misplaced", 0)), ("real-a",)),
    Scenario(
        "split",
        (HI, ASK_AB, GOT_A, BUSY, GOT_B, DONE),
        finds(("misplaced", 1)),
        ("real-a", "real-b"),
    ),
    Scenario(
        "duplicate",
        (HI, ASK_A, Answers(((A, "real-a"), (A, "real-again"))), DONE),
        finds(("duplicate", 0)),
        ("real-a",),
    ),
    Scenario(
        "reused id",
        (HI, Asks(TWIN), Answers(((TWIN[0], "real-a"), (TWIN[1], "real-b"))), DONE),
        finds(("reused_id", 1)),
        ("real-a", "real-b"),
    ),
    Scenario(
        "reused id, next turn",
        (HI, ASK_A, GOT_A, DONE, MORE, Asks((_of(B, id=A.id),)), MORE),
        finds(("dangling", 1)),
        ("real-a", MADE),
        strict=finds(("reused_id", 1)),
    ),
    Scenario(
        "empty id",
        (HI, Asks(NAMELESS), Answers(((NAMELESS[0], "real-a"), (NAMELESS[1], "real-b"))), DONE),
        finds(("no_id", 0), ("no_id", 1)),
        ("real-a", "real-b"),
    ),
    Scenario(
        "media between",
        (HI, ASK_AB, GOT_A, PHOTO, GOT_B, DONE),
        finds(("misplaced", 1)),
        ("real-a", "real-b"),
    ),
    Scenario("pending live", (HI, ASK_A), after=(OPEN,), turn="open", policy=WAITS),
    Scenario("pending passed", (HI, ASK_A, MORE), finds(("dangling", 0)), (MADE,), policy=WAITS),
    Scenario(
        "provider-executed",
        (HI, Asks((_of(SEARCH[0], value="real-s"),)), MORE, Asks((SEARCH[1],)), MORE),
        finds(("lone", 1)),
        None,
    ),
    Scenario(
        "truncated arguments",
        (HI, Asks((A, _of(B, cut=True))), GOT_A, MORE),
        finds(("dangling", 1), ("incomplete", 1)),
        ("real-a", MADE),
    ),
    Scenario(
        "reasoning beside the call",
        (HI, Asks((A, B), thought="thought-1"), GOT_A, MORE),
        finds(("dangling", 1)),
        ("real-a", MADE),
    ),
    Scenario(
        "real falsy results",
        (
            HI,
            Asks(FALSY),
            Answers(tuple(zip(FALSY, ("", None, 0, False, [], {}), strict=True))),
            DONE,
        ),
        after=(REAL,) * 6,
    ),
    Scenario(
        "synthesized, then real",
        (HI, ASK_A, MORE, Heals(), BUSY, GOT_A, DONE),
        finds(("duplicate", 0), ("misplaced", 0)),
        ("real-a",),
    ),
    Scenario("orphan", (HI, GOT_A, DONE), finds(("orphan", None))),
    Scenario("empty history", ()),
    Scenario("nothing but system", (Says("system", "Be brief."),)),
)


TELLERS = list(BUILDERS)


def cannot(format: str, scenario: str) -> str | None:
    """Give the reason why a format cannot say a scenario, None where it can."""
    reasons: dict[str, str] = builder(format).CANNOT
    return reasons.get(scenario)


def tell(format: str, scenario: Scenario) -> list[Message]:
    """Build the history of a scenario in a format."""
    told = builder(format)
    join: Callable[[list[Message], list[Message]], None] = getattr(told, "join", list.extend)
    moves = scenario.moves
    if formats.get(format).shape is Shape.INLINE:
        moves = _folded(moves)
    history: list[Message] = []
    for move in moves:
        if isinstance(move, Heals):
            history = list(repair(history, format, policy=scenario.policy))
        else:
            join(history, _messages(told, move))
    return history


def _messages(told: ModuleType, move: Says | Asks | Answers) -> list[Message]:
    if isinstance(move, Asks):
        return list(told.assistant(move.words, move.thought, move.calls))
    if isinstance(move, Answers):
        return list(told.answers(move.results))
    if move.who == "media":
        return list(told.media(PICTURE))
    return list(getattr(told, move.who)(move.words))


def _folded(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Let each call hold its own result, as it does where they are one part."""
    made: list[Move] = []
    for move in moves:
        if not isinstance(move, Answers):
            made.append(move)
            continue
        asked = made[-1]
        assert isinstance(asked, Asks), "a result can only be in its call"
        values = {id(call): value for call, value in move.results}
        calls = [replace(call, value=values.get(id(call), call.value)) for call in asked.calls]
        made[-1] = replace(asked, calls=tuple(calls))
    return tuple(made)
