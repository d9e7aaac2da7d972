"""What is not a history of its format is said to be none: never clean, never guessed at."""

from __future__ import annotations

import re
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from abstract import Step, Turn
from building import BUILDERS, builder
from endmark import Policy, UnreadableError, check, formats, repair
from endmark.guard import ChatRepository, tables
from endmark.testing import assert_sendable

HI = {"role": "user", "content": "hi"}
CHAT = [
    [{"content": "x"}],  # the role is in a column of its own, and was not named
    [HI, {"role": "wizard", "content": "x"}],
    [{"role": None, "content": "x"}],
    [{"role": ["user"], "content": "x"}],
    [{"role": "assistant", "tool_calls": ["call_1"]}],
    [{"role": "assistant", "tool_calls": {"id": "call_1"}}],
]
ANY: list[list[Any]] = [["text"], [None], [[HI]], [HI, 7]]


@pytest.mark.parametrize("history", CHAT, ids=str)
def test_chat(history: list[Any]) -> None:
    with pytest.raises(UnreadableError):
        check(history, "openai-chat")


@pytest.mark.parametrize("format", formats.names())
@pytest.mark.parametrize("history", ANY, ids=str)
def test_any_format(format: str, history: list[Any]) -> None:
    with pytest.raises(UnreadableError):
        repair(history, format)


NO_LIST = {
    "a generator": (lambda: (message for message in [HI]), "of type generator; give list"),
    "an iterator": (lambda: iter([HI]), "of type list_iterator; give list"),
    "a request": (lambda: {"messages": [HI]}, "of type dict; give its messages"),
    "text": (lambda: "[]", "of type str; give list"),
    "nothing": (lambda: None, "of type NoneType; give list"),
}


@pytest.mark.parametrize("format", formats.names())
@pytest.mark.parametrize("given", NO_LIST)
def test_what_is_no_list_is_refused_before_it_is_read(format: str, given: str) -> None:
    make, says = NO_LIST[given]
    for work in (check, repair):
        with pytest.raises(UnreadableError, match=says):
            work(make(), format)


CALLS_BY_NAME = {"type": "ai", "content": "", "additional_kwargs": {}, "tool_calls": ["f"]}


def test_the_first_odd_message_is_named() -> None:
    call = {"id": "a", "name": "f", "args": {}}
    human = {"type": "human", "content": "x"}
    odd = {**CALLS_BY_NAME, "invalid_tool_calls": []}
    for behind in ([], [{**odd, "tool_calls": [call]}, 5]):
        with pytest.raises(UnreadableError, match="message 1: it is not a LangChain message"):
            check([human, odd, human, *behind], "langchain")


LC_HUMAN = {"type": "human", "content": "hi"}
LC_CALL = {"type": "ai", "content": "", "tool_calls": [{"id": "a", "name": "f", "args": {}}]}
SHORT: list[tuple[list[Any], int]] = [
    ([("human", "hi")], 0),
    ([["human", "hi"]], 0),
    (["hi"], 0),
    ([HI], 0),
    ([LC_HUMAN, ("ai", "hi")], 1),
    ([LC_HUMAN, HI], 1),
    ([LC_CALL, ("human", "hi")], 1),
    ([LC_CALL, HI], 1),
    ([SimpleNamespace(**LC_HUMAN), ("ai", "hi")], 1),
    ([SimpleNamespace(**LC_CALL), HI], 1),
]


@pytest.mark.parametrize(("history", "at"), SHORT, ids=str)
def test_what_langchain_takes_for_messages_is_told_how_to_become_some(
    history: list[Any], at: int
) -> None:
    says = rf"message {at}: .*langchain_core\.messages\.convert_to_messages"
    for work in (check, repair):
        with pytest.raises(UnreadableError, match=says):
            work(history, "langchain")


SPEAKER = {"langchain": "type", "pydantic-ai": "kind"}  # elsewhere it is the role
BOTH = "agno ai-sdk-model anthropic bedrock crush goose lobechat open-webui openai-chat pydantic-ai"
NOBODY: list[tuple[str, str]] = [
    *((told, "left out") for told in f"{BOTH} langchain llamaindex openai-responses".split()),
    *((told, "wizard") for told in f"{BOTH} gemini".split()),
]


@pytest.mark.parametrize(("format", "name"), NOBODY)
def test_the_field_of_who_speaks_is_named_where_that_is_nobody(format: str, name: str) -> None:
    field = SPEAKER.get(format, "role")
    [message] = builder(format).user("hi")
    odd = {key: value for key, value in message.items() if key != field}
    odd |= {} if name == "left out" else {field: name}
    engine = sa.create_engine("sqlite://")
    tables.metadata.create_all(engine)
    with Session(engine) as session:
        add = ChatRepository(session, format).add_message
        for work in (lambda: check([odd], format), lambda: add("c", odd)):
            with pytest.raises(UnreadableError, match=rf"message 0: .*\b{field}\b"):
                work()
    engine.dispose()


@pytest.mark.parametrize("message", [HI, {"type": "function_call", "call_id": "a", "name": "f"}])
def test_messages_without_parts_are_not_taken_for_empty_ones(message: dict[str, Any]) -> None:
    with pytest.raises(UnreadableError):
        repair([message], "gemini")
    assert repair([{"role": "model"}], "gemini") == []


# Two calls answered and one open.
TALK = [
    Turn("user-1", (Step((("call-1", "look", "result-1"),), "step-1"),), "answer-1"),
    Turn("user-2", (Step((("call-2", "look", "result-2"),), ""),), ""),
    Turn("user-3", (Step((("call-3", "look", None),), "step-2"),), ""),
    Turn("user-4", (), "answer-2"),
]


@pytest.mark.parametrize("orphans", ["drop", "text"])
@pytest.mark.parametrize(("told", "named"), list(permutations(sorted(BUILDERS), 2)))
def test_nothing_is_taken_out_of_a_history_of_another_format(
    told: str, named: str, orphans: Any
) -> None:
    history = builder(told).build(TALK)
    try:
        repaired = repair(history, named, policy=Policy(orphans=orphans))
    except UnreadableError:
        return
    assert names_in(history) <= names_in(repaired)


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
STRAY = {"role": "tool", "tool_call_id": "zz", "content": "stray"}
ANTHROPIC = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "zz", "content": "stray"}]},
]
UI = [
    {"role": "assistant", "parts": [{"type": "tool-f", "toolCallId": "a", "input": {}, **state}]}
    for state in (
        {"state": "input-available", "providerExecuted": True},
        {"state": "output-available", "output": 1},
    )
]
OWN_KEYS: list[tuple[str, list[Any], dict[str, Any]]] = [
    *(
        ("openai-chat", history, keys)
        for history in ([HI, ASKED, STRAY, HI], [HI, STRAY, HI])
        for keys in (
            {"additional_kwargs": {}}, {"blocks": []}, {"from_history": False}, {"plugin": None},
        )
    ),
    ("anthropic", ANTHROPIC, {"parts": [{"type": "text", "text": "hi"}]}),
    ("anthropic", ANTHROPIC, {"output": [{"type": "message"}]}),
    ("ai-sdk", [*UI, {"role": "user", "parts": [{"type": "text", "text": "hi"}]}], {"format": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("format", "history", "keys"), OWN_KEYS)
def test_keys_of_an_application_make_no_other_format(
    format: str, history: list[Any], keys: dict[str, Any]
) -> None:
    kept = [{**message, **keys} for message in history]
    assert check(kept, format) == check(history, format) != ()
    assert check(repair(kept, format), format) == ()


def test_keys_of_an_application_make_no_history_unsendable() -> None:
    result = {"role": "tool", "tool_call_id": "a", "content": "r"}
    assert_sendable([{**m, "additional_kwargs": {}} for m in (HI, ASKED, result)], "openai-chat")


def test_results_that_only_another_format_reads_are_not_lost() -> None:
    asked = {**ASKED, "tool_calls": [CALL, CALL | {"id": "b"}]}
    entries = [{"tool_call_id": id_, "content": id_} for id_ in "ab"]
    several = {"role": "tool", "content": ["a", "b"], "tool_calls": entries}
    told = [{**message, "from_history": False} for message in (HI, asked, several, HI)]
    assert check(told, "agno") == ()
    with pytest.raises(UnreadableError, match="agno"):
        repair(told, "openai-chat")


def names_in(history: list[Any]) -> set[str]:
    return set(re.findall(r"(?:user|step|call|result|answer)-\d", str(history)))
