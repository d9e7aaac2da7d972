"""Copies of one call in two places of its message, where results are messages of their own.

LangChain and LlamaIndex each send what some of the places say: repaired, all that are sent are
whole, and no reader finds a result without its call.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from itertools import combinations, product
from typing import Any, NamedTuple

import pytest

from endmark import check, repair
from endmark.model import Outcome
from endmark.policy import KNOWN
from judging import violations

pytestmark = pytest.mark.slow

Message = dict[str, Any]
CUT = '{"q'


class Said(NamedTuple):
    """What one copy says of its call."""

    id: str | None
    name: str
    asked: Any

    @property
    def text(self) -> Any:
        return json.dumps(self.asked) if isinstance(self.asked, dict) else self.asked


SAID = [Said(*told) for told in product(("a", "b", None), ("f", ""), ({"q": 1}, {}, CUT, None))]
ANSWERED = [(), ("a",), ("a", "b")]


def function(said: Said) -> Message:
    body = {"name": said.name, "arguments": said.text}
    return {"id": said.id, "type": "function", "function": body}


def item(said: Said) -> Message:
    told = {"call_id": said.id, "name": said.name, "arguments": said.text}
    return {"type": "function_call", "id": "fc_1", **told}


def tool_use(said: Said) -> Message:
    return {"type": "tool_use", "id": said.id, "name": said.name, "input": said.asked}


def tool_call(said: Said) -> Message:
    return {"type": "tool_call", "id": said.id, "name": said.name, "args": said.asked}


def invalid(said: Said) -> Message:
    told = {"id": said.id, "name": said.name, "args": said.text}
    return {"type": "invalid_tool_call", "error": None, **told}


def asked_of(text: Any) -> Any:
    return json.loads(text) if isinstance(text, str) else text


def as_chat(calls: list[tuple[Any, str, Any]], results: list[tuple[Any, Any]]) -> list[Message]:
    """Give what a chat provider is sent; arguments that are no object end the test here."""
    assert all(isinstance(asked, dict) for _, _, asked in calls)
    sent = [function(Said(*call)) for call in calls]
    asked: Message = {"role": "assistant", "content": None, "tool_calls": sent}
    told = [{"role": "tool", "tool_call_id": id_, "content": said} for id_, said in results]
    return [{"role": "user", "content": "?"}, asked, *told, {"role": "user", "content": "?"}]


def assert_repaired(history: list[Any], format: str) -> list[Any]:
    before = copy.deepcopy(history)
    repaired = repair(history, format)
    assert history == before
    assert check(repaired, format) == ()
    assert repair(repaired, format) is repaired
    return repaired


def assert_nothing_false(said: tuple[Said, Said], answered: tuple[str, ...], made: str) -> None:
    ids = {one.id for one in said}
    if ids & set(answered):
        assert '"ok"' in made
    known = len(ids) == 1 and None not in ids  # an item has an id of its own to fall back on
    if known and any(isinstance(one.asked, dict) and one.asked for one in said):
        assert KNOWN[Outcome.NOT_RUN] not in made


# --- LangChain ---------------------------------------------------------------------------------

PLACES: dict[str, Callable[[Said], Message]] = {
    "tool_calls": tool_call,
    "invalid_tool_calls": invalid,
    "kwargs": function,
    "tool_use": tool_use,
    "function_call": item,
}
# Two blocks of one content are two calls, not two copies of one.
PAIRS = [pair for pair in combinations(PLACES, 2) if pair != ("tool_use", "function_call")]
HUMAN = {"type": "human", "data": {"content": "?", "type": "human"}}


def langchain(told: dict[str, Said], answered: tuple[str, ...]) -> list[Any]:
    entries = {place: PLACES[place](said) for place, said in told.items()}
    fields: Message = {"content": "", "additional_kwargs": {}, "type": "ai"}
    fields |= {"tool_calls": [], "invalid_tool_calls": []}
    for place, entry in entries.items():
        if place == "kwargs":
            fields["additional_kwargs"] = {"tool_calls": [entry]}
        else:
            fields["content" if place in {"tool_use", "function_call"} else place] = [entry]
    results = [
        {"type": "tool", "data": {"content": "ok", "type": "tool", "tool_call_id": id_}}
        for id_ in answered
    ]
    return [HUMAN, {"type": "ai", "data": fields}, *results, HUMAN]


@pytest.mark.parametrize("answered", ANSWERED)
@pytest.mark.parametrize("places", PAIRS)
def test_langchain(places: tuple[str, str], answered: tuple[str, ...]) -> None:
    for said in product(SAID, SAID):
        history = langchain(dict(zip(places, said, strict=True)), answered)
        made = assert_repaired(history, "langchain")
        assert_nothing_false(said, answered, json.dumps(made))
        fields = made[1]["data"]
        assert fields["invalid_tool_calls"] == []
        calls = [(c["id"], c["name"], c["args"]) for c in fields["tool_calls"]]
        calls = calls or [copied("chat", c) for c in fields["additional_kwargs"]["tool_calls"]]
        results = [
            (m["data"]["tool_call_id"], m["data"]["content"]) for m in made if m["type"] == "tool"
        ]
        assert violations(as_chat(calls, results), "openai-chat") == ()
        # The Responses API is sent the blocks as they stand, and the calls that have none.
        blocks = [b for b in fields["content"] or () if b["type"] == "function_call"]
        items = [(b["call_id"], b["name"], asked_of(b["arguments"])) for b in blocks]
        known = [id_ for id_, _, _ in items]
        sent = {id_: (id_, *more) for id_, *more in [*calls, *items]}
        assert set(known) <= {id_ for id_, _, _ in calls}
        assert violations(as_chat([*sent.values()], results), "openai-chat") == ()


# --- LlamaIndex --------------------------------------------------------------------------------

COPIES = {"chat": function, "responses": item, "anthropic": tool_use}
USER: Message = {
    "role": "user",
    "additional_kwargs": {},
    "blocks": [{"block_type": "text", "text": "?"}],
}


def llamaindex(shape: str, block: Said, other: Said, answered: tuple[str, ...]) -> list[Any]:
    told = {"tool_call_id": block.id, "tool_name": block.name, "tool_kwargs": block.asked}
    message = {
        "role": "assistant",
        "additional_kwargs": {"tool_calls": [COPIES[shape](other)]},
        "blocks": [{"block_type": "tool_call", **told}],
    }
    results = [
        {
            "role": "tool",
            "additional_kwargs": {"tool_call_id": id_},
            "blocks": [{"block_type": "text", "text": "ok"}],
        }
        for id_ in answered
    ]
    return [USER, message, *results, USER]


def copied(shape: str, entry: Message) -> tuple[Any, str, Any]:
    body = entry.get("function", entry)
    id_ = entry["call_id" if shape == "responses" else "id"]
    return id_, body["name"], asked_of(body.get("arguments", body.get("input")))


@pytest.mark.parametrize("answered", ANSWERED)
@pytest.mark.parametrize("shape", COPIES)
def test_llamaindex(shape: str, answered: tuple[str, ...]) -> None:
    for said in product(SAID, SAID):
        made = assert_repaired(llamaindex(shape, *said, answered), "llamaindex")
        assert_nothing_false(said, answered, json.dumps(made))
        blocks = [
            (b["tool_call_id"], b["tool_name"], asked_of(b["tool_kwargs"]))
            for b in made[1]["blocks"]
        ]
        copies = [copied(shape, e) for e in made[1]["additional_kwargs"]["tool_calls"]]
        results = [
            (m["additional_kwargs"]["tool_call_id"], m["blocks"][0]["text"])
            for m in made
            if m["role"] == "tool"
        ]
        for calls in (blocks, copies):  # each is all that some integration sends
            assert violations(as_chat(calls, results), "openai-chat") == ()
