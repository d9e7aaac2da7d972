"""What a user may decide, as tables, in every format: the words, what is kept, what waits, views."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.orm import Session

from abstract import OPEN, Ask, Message
from building import builder
from endmark import Cause, Marker, Policy, check, formats, is_synthesized, repair
from endmark.guard import ChatRepository, tables
from endmark.model import Outcome
from endmark.policy import ADVICE, CAUSES, FRAGMENT, KNOWN, PRESETS, Hint
from judging import violations
from judging_scenarios import judge_scenario
from scenarios import (
    ASK_AB,
    HI,
    MADE,
    MORE,
    SCENARIOS,
    TELLERS,
    A,
    Answers,
    Asks,
    Scenario,
    cannot,
    finds,
    tell,
)

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
EVERY = pytest.mark.parametrize("format", TELLERS)
CUT = pytest.mark.parametrize(
    "format", [name for name in TELLERS if cannot(name, "truncated arguments") is None]
)


def told(*names: str) -> pytest.MarkDecorator:
    """Run over these scenarios in every format that can say them."""
    pairs = [
        pytest.param(format_, BY_NAME[name], id=f"{format_}: {name}")
        for format_ in TELLERS
        for name in names or BY_NAME
        if cannot(format_, name) is None
    ]
    return pytest.mark.parametrize(("format", "scenario"), pairs)


def under(scenario: Scenario, **changed: Any) -> Scenario:
    """Give a scenario under a policy that says this too."""
    return replace(scenario, policy=scenario.policy.model_copy(update=changed))


def repaired(format: str, scenario: Scenario) -> list[Message]:
    return list(repair(tell(format, scenario), format, policy=scenario.policy))


def words(value: Any) -> str:
    """Give the text of a result that was made up, wherever its format keeps it."""
    if isinstance(value, dict):
        return str(value["error"])
    return str(value[0]["text"]) if isinstance(value, list) else str(value)


def made_up(format: str, scenario: Scenario, call: int) -> str:
    return words(list(builder(format).calls(repaired(format, scenario)))[call].result)


# -- the words ---------------------------------------------------------------------------------

WORDINGS = [
    ("not-run", "not run: the turn was interrupted"),
    ("not run: the turn was interrupted", "not run: the turn was interrupted"),
    ("interrupted", "Tool execution was interrupted."),
    ("Tool execution was interrupted.", "Tool execution was interrupted."),
    ("interrompu", "[interrompu]"),
    ("[interrompu]", "[interrompu]"),
    ("gone away", "gone away"),
]


@pytest.mark.parametrize(("marker", "text"), WORDINGS)
@EVERY
def test_a_marker_is_written_as_it_is_given(format: str, marker: str, text: str) -> None:
    policy = Policy(marker=marker)
    for name in ("single open", "pending passed"):
        assert made_up(format, under(BY_NAME[name], marker=marker), 0) == text
    cut = under(BY_NAME["truncated arguments"], marker=marker)
    assert made_up(format, cut, 1).partition(FRAGMENT)[0] == text
    closed = repaired(format, under(BY_NAME["single open"], marker=marker))
    told = [message for message in closed if is_synthesized(message, format, policy=policy)]
    assert len(told) == 1
    if marker in PRESETS:
        assert is_synthesized(told[0], format)


@pytest.mark.parametrize("marker", sorted(PRESETS))
@told()
def test_every_scenario_under_every_preset(format: str, scenario: Scenario, marker: str) -> None:
    judge_scenario(format, under(scenario, marker=marker))


def asked_for(marker: Marker) -> str:
    return f"{marker.tool_name} {marker.call_id} {marker.outcome} {marker.cause}"


ASKED = {"marker": asked_for, "cause": Cause.CRASHED}


@EVERY
def test_a_callable_is_told_of_the_call(format: str) -> None:
    assert made_up(format, under(BY_NAME["single open"], **ASKED), 0) == (
        "look call-a unknown crashed"
    )


@CUT
def test_a_callable_is_told_of_a_call_that_was_cut(format: str) -> None:
    cut = made_up(format, under(BY_NAME["truncated arguments"], **ASKED), 1)
    assert cut.partition(FRAGMENT)[0] == "save call-b not_run crashed"


@told("synthesized, then real")
def test_a_real_result_beats_the_marker_of_a_callable(format: str, scenario: Scenario) -> None:
    judge_scenario(format, under(scenario, marker=asked_for))


@pytest.mark.parametrize("said", ["", " \n", None])
@EVERY
def test_a_callable_that_says_nothing_blocks_no_thread(format: str, said: Any) -> None:
    judge_scenario(format, under(BY_NAME["single open"], marker=lambda _: said))


@pytest.mark.parametrize("wrong", [{"marker": ""}, {"marker": " "}, {"cause": "bored"}, {"x": 1}])
def test_what_a_policy_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Policy(**wrong)


@pytest.mark.parametrize("cause", list(Cause))
@EVERY
def test_the_cause_is_said_and_changes_nothing_else(format: str, cause: Cause) -> None:
    scenario = under(BY_NAME["single open"], cause=cause)
    text = made_up(format, scenario, 0)
    assert text == KNOWN[Outcome.UNKNOWN] + CAUSES[cause] + ADVICE[None]
    assert same_but_for(text, format, scenario)


# A hint, in our words or MCP's, and the advice that it comes to.
HINTS: list[tuple[Any, Hint | None]] = [
    ("read_only", Hint.READ_ONLY),
    ("readOnlyHint", Hint.READ_ONLY),
    (["idempotent"], Hint.IDEMPOTENT),
    (["idempotentHint"], Hint.IDEMPOTENT),
    ({"destructiveHint": True}, Hint.DESTRUCTIVE),
    ({"destructive": True}, Hint.DESTRUCTIVE),
    ({"readOnlyHint": True, "idempotentHint": False}, Hint.READ_ONLY),
    ({"readOnlyHint": False, "destructiveHint": False}, None),
    ({"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True}, Hint.DESTRUCTIVE),
    # as a server lists a tool
    ({"title": "Look", "readOnlyHint": True, "openWorldHint": True}, Hint.READ_ONLY),
    ({"title": None, "readOnlyHint": None, "openWorldHint": False}, None),
    ([], None),
]


@pytest.mark.parametrize(("given", "hint"), HINTS)
@EVERY
def test_a_hint_changes_the_advice_alone(format: str, given: Any, hint: Hint | None) -> None:
    policy = Policy(tools={A.name: given})
    scenario = under(BY_NAME["single open"], tools=policy.tools)
    text = made_up(format, scenario, 0)
    assert text == KNOWN[Outcome.UNKNOWN] + ADVICE[hint]
    assert same_but_for(text, format, scenario)
    judge_scenario(format, scenario)


@pytest.mark.parametrize("hint", list(Hint))
@CUT
def test_what_did_not_run_needs_no_advice(format: str, hint: Hint) -> None:
    cut = BY_NAME["truncated arguments"]
    hinted = under(cut, tools=Policy(tools={"save": frozenset({hint})}).tools)
    assert repaired(format, hinted) == repaired(format, cut)


@pytest.mark.parametrize("given", ["readonly", {"readonly": True}, ["writes"]])
def test_a_hint_that_is_none_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        Policy(tools={"look": given})


def same_but_for(text: str, format: str, scenario: Scenario) -> bool:
    """Tell whether a repair is the default one, the text aside: outcome, marks and place."""
    plain = json.dumps(repaired(format, replace(scenario, policy=Policy())))
    default = json.dumps(KNOWN[Outcome.UNKNOWN] + ADVICE[None])[1:-1]
    said = json.dumps(repaired(format, scenario)).replace(json.dumps(text)[1:-1], default)
    return said == plain


# -- what is kept ------------------------------------------------------------------------------


@told("orphan", "provider-executed")
def test_orphans_to_text(format: str, scenario: Scenario) -> None:
    scenario = under(scenario, orphans="text")
    judge_scenario(format, scenario)
    after = repaired(format, scenario)
    word = "real-a" if scenario.name == "orphan" else "was requested; no result was recorded"
    assert word in json.dumps(after)
    assert "call-a" not in builder(format).result_ids(after)


@told("synthesized, then real")
def test_late_keep(format: str, scenario: Scenario) -> None:
    """The marker stays, and the real result is said as text, where it came."""
    kept = under(replace(scenario, finds=finds(("duplicate", 0)), after=(MADE,)), late="keep")
    judge_scenario(format, kept)
    said = json.dumps(repaired(format, kept))
    assert said.count("real-a") == 1
    assert said.index("busy-1") < said.index("real-a") < said.index("done-1")


@told("late", "early", "split", "media between", "duplicate")
def test_late_keep_leaves_other_results_to_their_calls(format: str, scenario: Scenario) -> None:
    judge_scenario(format, under(scenario, late="keep"))


# -- what waits --------------------------------------------------------------------------------

WAITING: list[dict[str, Any]] = [
    {"pending_tools": {"look"}},
    {"pending_ids": {"call-a"}},
    {"pending": lambda call: call.name == "look" and call.id == "call-a"},
]
HALF = Scenario(
    "one of two waits",
    (HI, ASK_AB),
    finds(("dangling", 1)),
    (OPEN, MADE),
    turn="open",
)


@pytest.mark.parametrize("waits", WAITING, ids=lambda waits: next(iter(waits)))
@told("pending live", "pending passed")
def test_pending(format: str, scenario: Scenario, waits: dict[str, Any]) -> None:
    judge_scenario(format, replace(scenario, policy=Policy(**waits)))


@pytest.mark.parametrize("waits", WAITING, ids=lambda waits: next(iter(waits)))
@EVERY
def test_one_of_two_waits(format: str, waits: dict[str, Any]) -> None:
    judge_scenario(format, replace(HALF, policy=Policy(**waits)))


@EVERY
def test_what_others_wait_for_is_closed(format: str) -> None:
    other = frozenset({"save", "call-b"})
    policy = Policy(pending_tools=other, pending_ids=other, pending=lambda _: False)
    after = replace(BY_NAME["single open"], moves=(HI, Asks((A,))), policy=policy)
    judge_scenario(format, after)


# -- views -------------------------------------------------------------------------------------

FIRST = Ask("call-first", "find")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    engine = sa.create_engine("sqlite://")
    tables.metadata.create_all(engine)
    with Session(engine) as session:
        yield session
    engine.dispose()


@told()
def test_a_view_starts_at_a_user(format: str, scenario: Scenario, session: Session) -> None:
    """What stands before the user goes, with the results that then have no call."""
    before = (Asks((FIRST,), "busy-0"), Answers(((FIRST, "real-0"),)))
    history = tell(format, replace(scenario, moves=(*before, *scenario.moves)))
    view = viewed(session, format, history, scenario.policy)

    form = formats.get(format)
    assert check(view, format, policy=scenario.policy) == ()
    assert violations(view, format, turn=scenario.turn) == ()
    assert not re.search("busy-0|real-0|call-first", json.dumps(view))
    if MORE in scenario.moves or HI in scenario.moves:
        assert form.is_user(view[0])
        first = next(k for k, message in enumerate(history) if form.is_user(message))
        assert view == repair(history[first:], format, policy=scenario.policy)
    else:
        assert view == []


def viewed(session: Session, format: str, history: list[Message], policy: Policy) -> list[Message]:
    """Store a history as it is, and give the view on it."""
    session.add(tables.Conversation(id="c"))
    for seq, message in enumerate(history, 1):
        session.add(tables.Message(conversation_id="c", seq=seq, payload=message))
    repository = ChatRepository(session, format, policy=policy)
    view = repository.history("c", start_at_user=True)
    session.rollback()
    return view
