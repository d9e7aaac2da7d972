"""A tool part of AI SDK 5 to 7 and a stale entry of its call in `toolInvocations`: every way.

Majors 5 to 7 read the part alone. What is judged here is read by the test's own eyes: which of the
two holds a real result, and whether any of them says that the call was ever complete.
"""

from __future__ import annotations

import copy
import json
from itertools import product
from typing import Any

import pytest

from endmark import check, heal, repair
from endmark.heal import Item
from endmark.model import Outcome
from endmark.policy import DEFAULT_TEXTS, KNOWN
from fix_databases import Database
from fix_node import Ask
from judging import violations
from test_copies import MARK, PLAIN, SAID, SCENES, USER, USUAL, Copy, filled

pytestmark = pytest.mark.slow

FORMS: list[Copy] = [{"type": "tool-f"}, {"type": "dynamic-tool", "toolName": "f"}]
NAMELESS: list[Copy] = [
    {"type": "dynamic-tool"},
    {"type": "dynamic-tool", "toolName": ""},
    {"type": "tool-"},
]
REFUSED, GRANTED = ({"id": "p", "approved": approved} for approved in (False, True))
PARTS: list[tuple[str, Copy]] = [
    ("partial", {"state": "input-streaming"}),
    ("partial", {"state": "input-streaming", "input": {"q": "mo"}, "rawInput": '{"q": "mo'}),
    ("open", {"state": "input-available"}),
    ("open", {"state": "input-available", "input": None, "output": None}),
    ("open", {"state": "output-available", "output": "half", "preliminary": True}),
    ("lone", {"state": "input-available", "providerExecuted": True}),
    ("open", {"state": "approval-requested", "approval": {"id": "p"}}),
    ("granted", {"state": "approval-responded", "approval": GRANTED}),
    ("refused", {"state": "approval-responded", "approval": REFUSED}),
    *(("real", {"state": "output-available", "output": value}) for value in ("dim", "dark", None)),
    ("real", {"state": "input-available", "output": "dusk"}),
    ("real", {"state": "output-error", "errorText": "no"}),
    ("real", {"state": "output-denied", "approval": REFUSED}),
    ("made", {"state": "output-error", "errorText": SAID,
              "callProviderMetadata": {"openai": {"itemId": "i"}, "endmark": MARK["endmark"]}}),
]  # fmt: skip
ENTRIES = [*PLAIN, ("made", {"state": "result", "result": MARK})]
ARGS: list[Copy] = [{"args": args} for args in ({"q": 1}, {"q": 2}, None, '{"q": 1}', "{")]
ROWS = [
    pytest.param(*says, id=json.dumps([said for _, said in says]))
    for says in product(PARTS, ENTRIES)
]


def history_of(parts: list[Copy], listed: list[Copy], users: int = 1) -> list[Any]:
    message = {"role": "assistant", "content": "", "parts": parts, "toolInvocations": listed}
    return [USER, message, *([USER] * users)]


def part_of(form: Copy, said: Copy) -> Copy:
    return {**form, "toolCallId": "a", "input": {"q": 1}, **said}


def answer(part: Copy) -> Any:
    keys = ("output", "errorText", "approval")
    state = part["state"] if part["state"].startswith("output-") else "output-available"
    return {"state": state} | {key: part[key] for key in keys if part.get(key) is not None}


def assert_repaired(history: list[Any], turn: Any = "over") -> tuple[list[Copy], list[Copy]]:
    before = copy.deepcopy(history)
    repaired = repair(history, "ai-sdk", turn=turn)
    assert history == before
    assert check(repaired, "ai-sdk", turn=turn) == ()
    assert repair(repaired, "ai-sdk", turn=turn) is repaired
    if turn == "over":
        assert violations(repaired, "ai-sdk") == ()
    return repaired[1]["parts"], repaired[1]["toolInvocations"]


@pytest.mark.parametrize("form", FORMS, ids=["typed", "dynamic"])
@pytest.mark.parametrize(("part", "entry"), ROWS)
def test_nothing_false_is_said_and_nothing_real_is_lost(
    part: tuple[str, Copy], entry: tuple[str, Copy], form: Copy
) -> None:
    kinds, given = (part[0], entry[0]), part_of(form, part[1])

    [made], listed = assert_repaired(history_of([given], [USUAL | entry[1]]))

    if kinds[0] == "real":
        assert answer(made) == answer(given)
    elif kinds[1] in {"real", "void"}:
        assert made["state"] == "output-available"
        assert made["output"] == entry[1].get("result")
    elif kinds[0] == "lone":
        assert (made["type"], listed) == ("text", [])
        return
    else:
        assert_ours(made, kinds)
    if kinds[1] in {"real", "made" if kinds[0] != "real" else "", "void"}:
        assert listed == [USUAL | entry[1]]
    else:
        assert listed[0]["state"] == "result"
        said = json.dumps(listed[0]["result"])
        assert json.dumps(made.get("output", made.get("errorText", "approval")))[1:-1] in said
    assert listed[0]["toolCallId"] == made["toolCallId"] == "a"


def assert_ours(made: Copy, kinds: tuple[str, str]) -> None:
    text = made["errorText"]
    assert made["state"] == "output-error"
    assert sum(known in text for known in DEFAULT_TEXTS) == 1
    if kinds[0] != "made":
        whole = kinds[0] != "partial" or kinds[1] != "partial"
        assert (KNOWN[Outcome.NOT_RUN] in text) == (not whole)
        assert (KNOWN[Outcome.DENIED] in text) == (kinds[0] == "refused")


@pytest.mark.parametrize(("part", "entry"), ROWS)
def test_whatever_arguments_and_names_the_two_have(
    part: tuple[str, Copy], entry: tuple[str, Copy]
) -> None:
    inputs: list[Copy] = [{}, {"input": None}, {"input": '{"q": 1}'}, {"input": "{"}]
    names: list[Copy] = [{}, {"toolName": ""}, {"toolName": "g"}]
    for mine, args, name in product(inputs, ARGS, names):
        given = part_of(FORMS[0], part[1] | mine)
        for users, turn in SCENES:
            history = history_of([given], [USUAL | entry[1] | args | name], users)
            parts, listed = assert_repaired(history, turn)
            real = entry[1].get("result") if entry[0] == "real" else None
            assert not real or json.dumps(real) in json.dumps([parts, listed])


@pytest.mark.parametrize(("part", "entry"), ROWS)
def test_a_part_without_a_name_has_that_of_its_entry(
    part: tuple[str, Copy], entry: tuple[str, Copy]
) -> None:
    names: list[Copy] = [{}, {"toolName": ""}, {"toolName": "g"}]
    for form, name, (users, turn) in product(NAMELESS, names, SCENES):
        given, told = part_of(form, part[1]), USUAL | entry[1] | name
        [made], listed = assert_repaired(history_of([given], [told], users), turn)
        if made != given and listed:
            called = made.get("toolName") or made["type"].removeprefix("tool-")
            assert called == (told["toolName"] or "unknown_tool")
        twice = [given, part_of({"type": "tool-f"}, part[1])]
        assert_repaired(history_of(twice, [told, USUAL | {"toolName": "h"}], users), turn)


@pytest.mark.parametrize(("part", "entry"), ROWS)
def test_ids_that_come_again_in_one_message(
    part: tuple[str, Copy], entry: tuple[str, Copy]
) -> None:
    told, other = (USUAL | said for said in (entry[1], {"state": "result", "result": "other"}))
    lists = [[told], [told, told], [told, other]]
    if part[0] == "lone":  # a provider's id is never ours to change, whatever it answers to
        lists.pop()
    for forms, listed in product(product(FORMS, repeat=2), lists):
        parts, kept = assert_repaired(
            history_of([part_of(form, part[1]) for form in forms], listed)
        )
        said = json.dumps([parts, kept])
        assert entry[0] != "real" or json.dumps(entry[1]["result"]) in said
        assert other not in listed or '"other"' in said


def test_what_is_found_is_healed(database: Database) -> None:
    told = {
        f"{k} {n}": history_of([part_of(form, part)], [USUAL | entry])
        for n, form in enumerate(FORMS)
        for k, ((_, part), (_, entry)) in enumerate(product(PARTS, ENTRIES))
    }
    store = filled(database, "ai-sdk", told)
    broken = {name for name, history in told.items() if check(history, "ai-sdk")}
    assert 0 < len(broken) < len(told)
    found: list[Item] = []
    heal.scan(database.engine, [store], on_item=found.append)
    assert {item.conversation for item in found} == broken

    done = heal.apply(database.engine, [store])

    assert (done.healed, done.skipped) == (len(broken), 0)
    found.clear()
    heal.scan(database.engine, [store], on_item=found.append)
    assert found == []


@pytest.mark.oracle
@pytest.mark.parametrize("major", [5, 6, 7])
@pytest.mark.parametrize(("part", "entry"), ROWS)
def test_the_sdk_streams_what_was_repaired(
    ai_sdk: Ask, part: tuple[str, Copy], entry: tuple[str, Copy], major: int
) -> None:
    history = history_of([part_of(FORMS[0], part[1])], [USUAL | entry[1]])
    named = [{"id": str(k), **message} for k, message in enumerate(history)]
    alone = [{k: v for k, v in message.items() if k != "toolInvocations"} for message in named]
    # The entry changes nothing for these majors, whatever it says.
    said, said_alone = ai_sdk(major, named), ai_sdk(major, alone)
    assert (said.name, said.step) == (said_alone.name, said_alone.step)
    answer = ai_sdk(major, repair(named, "ai-sdk"))
    assert answer.ok or (major, part[1]["state"]) == (5, "output-denied"), answer
