"""Two copies of one call that disagree, in `parts` and in `toolInvocations`: every way they can.

What is judged here is read off the copies by the test's own eyes: which of them holds a real
result, and whether any of them says that the call was ever complete.
"""

from __future__ import annotations

import copy
import json
from itertools import product
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import check, heal, repair, stores
from endmark.heal import Item
from endmark.model import At, Call, Outcome, Turn
from endmark.policy import DEFAULT, DEFAULT_TEXTS, KNOWN
from endmark.stores import Store, custom
from fix_databases import Database
from judging import violations

pytestmark = pytest.mark.slow

Copy = dict[str, Any]
SAID = DEFAULT.text(Call(At(0), "a", "f"), Outcome.UNKNOWN)
MARK = {"error": SAID, "endmark": {"synthesized": True, "outcome": "unknown"}}
REFUSED, GRANTED = ({"id": "p", "approved": approved} for approved in (False, True))
CALL, RESULT = {"state": "call"}, {"state": "result", "result": "dim"}
# What a copy says of its answer. "void" is what is stored for a tool that gives nothing back.
PLAIN: list[tuple[str, Copy]] = [
    ("partial", {"state": "partial-call"}),
    ("open", CALL),
    ("open", {"state": "call", "result": None}),
    ("open", {}),
    ("void", {"state": "result"}),
    *(("real", {"state": "result", "result": value}) for value in ("dim", "dark", None)),
    ("real", {"state": "call", "result": "dusk"}),
    ("real", {"state": "partial-call", "result": ""}),
]
SAYS: dict[str, list[tuple[str, Copy]]] = {
    "ai-sdk": [*PLAIN, ("made", {"state": "result", "result": MARK})],
    "mastra": [
        *PLAIN,
        ("made", {"state": "result", "result": SAID, "isError": True}),
        ("real", {"state": "result", "result": "no", "isError": True}),
        ("real", {"state": "output-error", "errorText": "no"}),
        ("real", {"state": "output-denied", "approval": REFUSED}),
        ("open", {"state": "approval-requested", "approval": {"id": "p"}}),
        ("open", {"state": "approval-requested", "approval": {"id": "p"}, "result": None}),
        ("refused", {"state": "approval-responded", "approval": REFUSED}),
        ("granted", {"state": "approval-responded", "approval": GRANTED}),
    ],
}
USUAL: Copy = {"toolCallId": "a", "toolName": "f", "args": {"q": 1}}
NAMES: list[Copy] = [{"toolName": name} for name in ("f", "g", "")]
ARGS: list[Copy] = [{"args": args} for args in ({"q": 1}, {"q": 2}, None, '{"q": 1}', "{")]
OTHERS = [pair for table in (NAMES, ARGS) for pair in product(table, table)]
ROWS = [
    pytest.param(name, *says, id=f"{name}: {json.dumps([said for _, said in says])}")
    for name, answers in SAYS.items()
    for says in product(answers, answers)
]
USER = {"role": "user", "parts": [{"type": "text", "text": "?"}]}
SCENES: list[tuple[int, Turn]] = [(1, "over"), (0, "open")]


def history_of(format: str, part: Copy, listed: Copy, users: int = 1) -> list[Any]:
    parts = [{"type": "tool-invocation", "toolInvocation": part}]
    message = {"role": "assistant", "content": "", "parts": parts, "toolInvocations": [listed]}
    history = [USER, message, *([USER] * users)]
    return [{"format": 2, **told} for told in history] if format == "mastra" else history


def copies_in(history: list[Any]) -> list[Copy]:
    parts = [part["toolInvocation"] for part in history[1]["parts"]]
    return parts + history[1]["toolInvocations"]


def as_v4(history: list[Any]) -> list[Any]:
    """Give Mastra's messages as the SDK that it asks is given them."""
    made = copy.deepcopy(history)
    for told in copies_in(made):
        if str(told.get("state")).startswith("output-"):
            told |= {"state": "result", "result": told.get("errorText", "denied")}
    return [{key: value for key, value in m.items() if key != "format"} for m in made]


def answer(told: Copy) -> Copy:
    """Give what a copy answers, a result under an open state as what it is."""
    keys = ("result", "isError", "errorText")
    said = {key: told[key] for key in keys if key in told}
    state = told.get("state")
    if str(state).startswith("output-"):
        return {"state": state, **said}
    return {"state": "result", "result": None, **said}


def assert_sound(format: str, history: list[Any], turn: Turn) -> list[Any]:
    before = copy.deepcopy(history)
    repaired = repair(history, format, turn=turn)
    assert history == before
    assert check(repaired, format, turn=turn) == ()
    assert repair(repaired, format, turn=turn) is repaired
    return repaired


@pytest.mark.parametrize(("format", "part", "listed"), ROWS)
def test_what_one_copy_knows_both_say(
    format: str, part: tuple[str, Copy], listed: tuple[str, Copy]
) -> None:
    says = [part[1], listed[1]]
    kinds = [part[0], listed[0]]

    repaired = assert_sound(format, history_of(format, *(USUAL | said for said in says)), "over")

    assert violations(as_v4(repaired), "ai-sdk") == ()
    told = copies_in(repaired)
    if kinds == ["real", "real"]:  # neither is ours to lose
        assert [answer(one) for one in told] == [answer(said) for said in says]
        return
    stands = next((kind for kind in ("real", "void", "made") if kind in kinds), None)
    if stands:
        said = answer(says[kinds.index(stands)])
        assert [answer(one) for one in told] == [said, said]
        return
    texts = {json.dumps(answer(one)) for one in told}
    assert len(texts) == 1
    [text] = texts
    assert sum(json.dumps(known)[1:-1] in text for known in DEFAULT_TEXTS) == 1
    assert (KNOWN[Outcome.NOT_RUN] in text) == (set(kinds) == {"partial"})
    assert (KNOWN[Outcome.DENIED] in text) == ("refused" in kinds and "granted" not in kinds)


@pytest.mark.parametrize(("format", "part", "listed"), ROWS)
def test_whatever_else_the_copies_say(
    format: str, part: tuple[str, Copy], listed: tuple[str, Copy]
) -> None:
    for (mine, yours), (users, turn) in product(OTHERS, SCENES):
        given = [USUAL | mine | part[1], USUAL | yours | listed[1]]
        repaired = assert_sound(format, history_of(format, *given, users), turn)
        if users:
            assert violations(as_v4(repaired), "ai-sdk") == ()


@pytest.mark.parametrize(("format", "part", "listed"), ROWS)
def test_a_copy_of_another_id_is_another_call(
    format: str, part: tuple[str, Copy], listed: tuple[str, Copy]
) -> None:
    for mine, yours in product(("a", "b", "", None), repeat=2):
        given = [USUAL | part[1] | {"toolCallId": mine}, USUAL | listed[1] | {"toolCallId": yours}]
        repaired = assert_sound(format, history_of(format, *given), "over")
        assert violations(as_v4(repaired), "ai-sdk") == ()
        if len({mine or "", yours or ""}) == 2:
            for (kind, said), told in zip((part, listed), copies_in(repaired), strict=True):
                assert kind != "real" or answer(told) == answer(said)


def test_two_parts_are_no_copies_where_one_has_a_second_real_result() -> None:
    dim, dark = (USUAL | {"state": "result", "result": said} for said in ("dim", "dark"))
    history = history_of("ai-sdk", dim, dim)
    history[1] |= {"parts": history[1]["parts"] * 2, "toolInvocations": [dim, dark]}

    repaired = assert_sound("ai-sdk", history, "over")

    assert [told["result"] for told in copies_in(repaired)] == ["dim", "dim", "dim", "dark"]


TABLES = {
    "ai-sdk": "CREATE TABLE msg (id TEXT PRIMARY KEY, thread TEXT, payload TEXT)",
    "mastra": """CREATE TABLE mastra_messages (id TEXT NOT NULL PRIMARY KEY,
        thread_id TEXT NOT NULL, content TEXT NOT NULL, role TEXT NOT NULL, type TEXT NOT NULL,
        "createdAt" TEXT NOT NULL, "resourceId" TEXT)""",
}
INSERTS = {
    "ai-sdk": "INSERT INTO msg VALUES (:id, :thread, :payload)",
    "mastra": """INSERT INTO mastra_messages VALUES
        (:id, :thread, :payload, :role, 'v2', :at, 'u')""",
}


def filled(database: Database, format: str, histories: dict[str, list[Any]]) -> Store:
    rows = [
        {
            "id": f"{thread}-{k}",
            "thread": thread,
            "role": message["role"],
            "payload": json.dumps(
                {key: v for key, v in message.items() if format == "ai-sdk" or key != "role"},
                separators=(",", ":"),
            ),
            "at": f"2026-01-01T12:00:0{k}.000Z",
        }
        for thread, history in histories.items()
        for k, message in enumerate(history)
    ]
    with database.engine.begin() as connection:
        connection.exec_driver_sql(TABLES[format])
        connection.execute(sa.text(INSERTS[format]), rows)
    if format == "mastra":
        return stores.get("mastra")
    return custom.from_flags(
        table="msg", conversation="thread", order="id", payload="payload", format=format
    )


@pytest.mark.parametrize("format", SAYS)
def test_what_is_found_among_copies_is_healed(format: str, database: Database) -> None:
    says = [said for _, said in SAYS[format]]
    rest = [(CALL | mine, RESULT | yours) for mine, yours in OTHERS]
    told = {
        str(k): history_of(format, USUAL | part, USUAL | listed)
        for k, (part, listed) in enumerate([*product(says, says), *rest])
    }
    store = filled(database, format, told)
    broken = {name for name, history in told.items() if check(history, format)}
    found: list[Item] = []
    heal.scan(database.engine, [store], on_item=found.append)
    assert {item.conversation for item in found} == broken
    assert {item.status for item in found} == {"poisoned"}

    done = heal.apply(database.engine, [store])

    assert (done.healed, done.skipped) == (len(broken), 0)
    found.clear()
    heal.scan(database.engine, [store], on_item=found.append)
    assert found == []
