"""The format of a history is told from its messages, or the candidates are."""

from __future__ import annotations

from typing import Any

import pytest

from abstract import Step, Turn
from building import BUILDERS, builder
from endmark import formats
from endmark.errors import FormatError
from judging import load
from scenarios import SCENARIOS, TELLERS, Scenario, cannot, tell

TALK = [Turn("hi", (Step((("call-1", "look", "ok"), ("call-2", "save", "ok")), "so"),), "done")]


@pytest.mark.parametrize("format", sorted(BUILDERS))
@pytest.mark.parametrize("length", range(2, 6))
def test_a_history_with_a_call_is_of_its_format(format: str, length: int) -> None:
    history = builder(format).build(TALK)[:length]

    found = _candidates(history)

    assert formats.get(format).name in found
    if length == len(builder(format).build(TALK)) or _calls(format, history):
        assert found == {formats.get(format).name}


def _calls(format: str, history: list[Any]) -> bool:
    return bool(list(builder(format).calls(history)))


@pytest.mark.parametrize("case", load(), ids=lambda case: case["id"])
def test_a_reported_history_is_of_its_format(case: dict[str, Any]) -> None:
    assert formats.get(case["format"]).name in _candidates(case["history"])


PLAIN = ["ai-sdk", "ai-sdk-model", "anthropic", "openai-chat", "openai-responses"]
TYPED = ["ai-sdk-model", "anthropic", "openai-chat"]
KNOWN = list(formats.names())
U: dict[str, Any] = {"role": "user", "content": "hi"}
SAID: dict[str, Any] = {"role": "assistant", "content": "done"}
USE = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
FUNCTION = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
REQUEST = {"type": "toolRequest", "id": "a", "toolCall": {}}
LC = ["langchain", "schema", "messages", "HumanMessage"]


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(parts)}


def assistant(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts) or None, **more}


# A history, and what it could be: one is that format, several are listed, none is said to be none.
TABLE: list[tuple[list[Any], list[str]]] = [
    # words alone
    ([U, SAID], PLAIN),
    ([{"role": "system", "content": "s"}, U], PLAIN),
    ([{"role": "developer", "content": "s"}, U], ["openai-chat", "openai-responses"]),
    ([{"id": "1", **U}, {"id": "2", **SAID, "createdAt": "2026-03-02"}], PLAIN),
    ([U, {**SAID, "reasoning_content": "hm"}], PLAIN),
    ([user({"type": "text", "text": "hi"}), SAID], TYPED),
    ([user({"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}), SAID], TYPED),
    ([U, assistant({"type": "mystery"})], TYPED),
    ([user(), SAID], [*TYPED, "openai-responses"]),
    ([user(), user()], [*TYPED, "bedrock", "openai-responses"]),
    ([{"role": "user", "parts": []}, {"role": "user", "parts": []}], ["ai-sdk", "gemini"]),
    ([], KNOWN),
    # OpenAI chat
    ([U, assistant(tool_calls=[FUNCTION])], ["openai-chat"]),
    ([U, assistant({"type": "text", "text": "so"}, tool_calls=[FUNCTION])], ["openai-chat"]),
    ([U, assistant(tool_calls=[{"id": "a", "type": "custom", "custom": {}}])], ["openai-chat"]),
    ([U, {**SAID, "tool_calls": None}], ["openai-chat"]),
    ([U, {**SAID, "refusal": None}], ["openai-chat"]),
    ([U, assistant(refusal="no")], ["openai-chat"]),
    ([U, assistant(audio={"id": "a"})], ["openai-chat"]),
    ([U, {"role": "tool", "tool_call_id": "a", "content": "ok"}], ["openai-chat"]),
    ([U, {"role": "tool", "content": [{"type": "text", "text": "ok"}]}], ["openai-chat"]),
    ([U, assistant(function_call={"name": "f", "arguments": "{}"})], ["openai-chat"]),
    ([U, {"role": "function", "name": "f", "content": "ok"}], ["openai-chat"]),
    ([user({"type": "image_url", "image_url": {"url": "x"}}), SAID], ["openai-chat"]),
    ([user({"type": "file", "file": {"file_id": "x"}}), SAID], ["openai-chat"]),
    ([U, assistant({"type": "thinking", "thinking": [{"type": "text"}]})], ["openai-chat"]),
    ([user({"type": "input_audio", "input_audio": {}}), SAID], ["openai-chat", "openai-responses"]),
    # OpenAI Responses
    ([{"type": "message", **U}, SAID], ["openai-responses"]),
    ([user({"type": "input_text", "text": "hi"}), SAID], ["openai-responses"]),
    ([U, assistant({"type": "output_text", "text": "x"})], ["openai-responses"]),
    ([U, {"type": "function_call", "call_id": "a"}], ["openai-responses"]),
    ([U, {"type": "function_call_output", "call_id": "a"}], ["openai-responses"]),
    ([U, {"type": "reasoning", "id": "rs_1", "summary": []}], ["openai-responses"]),
    ([U, {"type": "web_search_call", "id": "ws_1"}], ["openai-responses"]),
    # Anthropic
    ([U, assistant(USE)], ["anthropic"]),
    ([U, assistant(USE, tool_calls=None)], ["anthropic"]),
    ([{"role": "system", "content": "s"}, assistant(USE)], ["anthropic"]),
    ([user({"type": "tool_result", "tool_use_id": "a"}), SAID], ["anthropic"]),
    ([U, assistant({"type": "thinking", "thinking": "hm", "signature": "s"})], ["anthropic"]),
    ([U, assistant({"type": "server_tool_use", "id": "a", "name": "f"})], ["anthropic"]),
    ([user({"type": "image", "source": {"type": "base64"}}), SAID], ["anthropic"]),
    ([user({"type": "document", "source": {"type": "text"}}), SAID], ["anthropic"]),
    # Bedrock, Gemini
    ([user({"text": "hi"}), assistant({"text": "done"})], ["bedrock"]),
    ([user({"text": "hi"}), assistant({"toolUse": {"toolUseId": "a"}})], ["bedrock"]),
    ([user({"toolResult": {"toolUseId": "a"}}), assistant({"text": "done"})], ["bedrock"]),
    ([{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": []}], ["gemini"]),
    ([{"role": "user", "parts": [{"text": "hi"}]}] * 2, ["gemini"]),
    ([{"parts": [{"text": "hi"}]}, {"parts": [{"functionResponse": {}}]}], ["gemini"]),
    ([{"role": "user", "parts": [{"function_response": {"name": "f"}}]}], ["gemini"]),
    # AI SDK
    ([U, assistant({"type": "tool-call", "toolCallId": "a"})], ["ai-sdk-model"]),
    ([U, {"role": "tool", "content": [{"type": "tool-result"}]}], ["ai-sdk-model"]),
    ([U, {"role": "tool", "content": [{"type": "tool-approval-response"}]}], ["ai-sdk-model"]),
    ([U, assistant({"type": "reasoning", "text": "hm"})], ["ai-sdk-model"]),
    ([user({"type": "image", "image": "x"}), SAID], ["ai-sdk-model"]),
    ([user({"type": "file", "data": "x", "mediaType": "image/png"}), SAID], ["ai-sdk-model"]),
    ([U, {"role": "assistant", "parts": [{"type": "tool-f"}]}], ["ai-sdk"]),
    ([{**U, "parts": [{"type": "text", "text": "hi"}]}, SAID], ["ai-sdk"]),
    ([U, {**SAID, "toolInvocations": []}], ["ai-sdk"]),
    # agents on a desk
    ([{"role": "user", "parts": [{"type": "text", "data": {"text": "hi"}}]}], ["crush"]),
    ([{"role": "assistant", "parts": [{"type": "tool_call", "data": {"id": "a"}}]}], ["crush"]),
    ([{"role": "tool", "parts": [{"type": "tool_result", "data": {}}]}], ["crush"]),
    ([user({"type": "toolResponse", "id": "a", "toolResult": {}})], ["goose"]),
    ([user({"type": "text", "text": "hi"}), assistant(REQUEST)], ["goose"]),
    ([{"role": "user", "time": {}, "parts": [{"type": "tool", "state": {}}]}], ["opencode"]),
    # libraries
    ([{"type": "human", "content": "hi"}, {"type": "ai", "content": "done"}], ["langchain"]),
    ([{"type": "human", "data": {"content": "hi"}}] * 2, ["langchain"]),
    ([{"lc": 1, "type": "constructor", "id": LC, "kwargs": {"content": "hi"}}] * 2, ["langchain"]),
    ([{"kind": "request", "parts": []}, {"kind": "response", "parts": []}], ["pydantic-ai"]),
    ([{"author": "user", "invocation_id": "e-1", "content": {"parts": []}}] * 2, ["adk"]),
    ([{"author": "bot", "invocationId": "e-1", "actions": {"stateDelta": {}}}] * 2, ["adk"]),
    ([{"role": "user", "blocks": [{"block_type": "text", "text": "hi"}]}] * 2, ["llamaindex"]),
    ([{**U, "additional_kwargs": {}}, {**SAID, "additional_kwargs": {}}], ["llamaindex"]),
    ([U, {"role": "tool", "content": "ok", "additional_kwargs": {}}], []),
    ([{"author": "user", "content": {"parts": []}, "invocation_id": "e"}] * 2, ["adk"]),
    ([{"author": "bot", "content": {"parts": []}, "invocationId": "e"}] * 2, ["adk"]),
    ([{"author": "bot", "content": None, "actions": {}}] * 2, ["adk"]),
    ([{**U, "additional_kwargs": {}}, {**SAID, "additional_kwargs": {}}], ["llamaindex"]),
    ([{"role": "tool", "content": "ok", "additional_kwargs": {}}], ["llamaindex"]),
    ([{"role": "user", "additional_kwargs": {}, "blocks": []}] * 2, ["llamaindex"]),
    ([{"role": "user", "blocks": [{"block_type": "text", "text": "hi"}]}] * 2, ["llamaindex"]),
    # nothing known, or two formats in one history
    ([{"nothing": "known"}, U], []),
    (["hi", "done"], []),
    ([{"role": "user", "text": "hi"}, {"role": "assistant", "text": "done"}], []),
    ([U, {**SAID, "tool_calls": [{"id": "a", "name": "f", "args": {}}]}], []),
    ([user({"type": "text", "text": "hi"}), {"type": "function_call", "call_id": "a"}], []),
    ([assistant(tool_calls=[FUNCTION]), assistant(USE)], []),
    ([{"role": "assistant", "parts": [{"type": "tool-f"}]}, {"role": "tool", "content": "ok"}], []),
]


@pytest.mark.parametrize(("history", "candidates"), TABLE, ids=lambda value: str(value)[:60])
def test_what_is_not_plain_is_not_guessed(history: list[Any], candidates: list[str]) -> None:
    assert sorted(_candidates(history)) == sorted(candidates)


TOLD = [
    pytest.param(name, scenario, id=f"{name}: {scenario.name}")
    for name in TELLERS
    for scenario in SCENARIOS
    if cannot(name, scenario.name) is None and scenario.moves
]


@pytest.mark.parametrize(("format", "scenario"), TOLD)
def test_a_scenario_is_of_its_format(format: str, scenario: Scenario) -> None:
    """Also its beginnings and its ends; plainly so where a call or a result is in them."""
    history, own = tell(format, scenario), formats.get(format).name
    for k in range(len(history)):
        for told in (history[: k + 1], history[k:]):
            found = _candidates(told)
            assert own in found
            if _calls(format, told) or builder(format).result_ids(told):
                assert found == {own}


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_the_messages_does_not_matter(order: int) -> None:
    for history, candidates in TABLE:
        assert sorted(_candidates(history[::order])) == sorted(candidates)


class Held:
    """A message object of a library."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


@pytest.mark.parametrize(
    ("history", "candidates"),
    [
        ([Held(type="human", content="hi"), Held(type="ai", content="")], {"langchain"}),
        ([Held(type="tool", content="ok", tool_call_id="a"), Held(type="ai", content="")], {"langchain"}),
        ([Held(type="human", content="hi"), {"type": "ai", "content": "done"}], {"langchain"}),
        ([Held(type="human", content="hi"), U], set()),
        ([Held(role="user", content="hi")], set()),
        ([Held(type="message", content="hi")], set()),
        ([object()], set()),
        (["text"], set()),
    ],
)  # fmt: skip
def test_a_library_s_objects(history: list[Any], candidates: set[str]) -> None:
    assert _candidates(history) == candidates


def _candidates(history: list[Any]) -> set[str]:
    """Give the format that is detected, or all that the error says it could be."""
    try:
        return {formats.detect(history).name}
    except FormatError as error:
        said = str(error).partition("could be ")[2].partition(";")[0]
        return set(said.split(", ")) - {""}
