"""OpenAI Responses beyond its table: every kind of call, and what is no list of items."""

from __future__ import annotations

from typing import Any

import pytest

from endmark import Policy, check, is_synthesized, repair
from endmark.errors import UnreadableError

USER = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
MARKER = "gone"
SAID = {"stdout": "", "stderr": MARKER, "outcome": {"type": "exit", "exit_code": 1}}
CALLER = {"type": "program", "caller_id": "p1"}
# kind of call, its fields, the item that closes it
KINDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "function_call",
        {"name": "f", "arguments": "{}", "caller": CALLER},
        {"type": "function_call_output", "output": MARKER, "caller": CALLER},
    ),
    (
        "custom_tool_call",
        {"name": "f", "input": ""},
        {"type": "custom_tool_call_output", "output": MARKER},
    ),
    (
        "shell_call",
        {"action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "output": [SAID]},
    ),
    (
        "local_shell_call",
        {"action": {"type": "exec", "command": ["ls"], "env": {}}},
        {"type": "local_shell_call_output", "output": MARKER},
    ),
    (
        "apply_patch_call",
        {"operation": {"type": "delete_file", "path": "a"}},
        {"type": "apply_patch_call_output", "status": "failed", "output": MARKER},
    ),
    (
        "tool_search_call",
        {"arguments": {}, "execution": "client"},
        {"type": "tool_search_output", "execution": "client", "tools": [], "status": "incomplete"},
    ),
]


@pytest.mark.parametrize(("kind", "fields", "output"), KINDS)
def test_every_kind_of_call_is_closed_by_its_kind_of_output(
    kind: str, fields: dict[str, Any], output: dict[str, Any]
) -> None:
    call = {"type": kind, "call_id": "c1", **fields}

    repaired = repair([USER, call, USER], "openai-responses", policy=Policy(marker=MARKER))

    assert repaired == [USER, call, {**output, "call_id": "c1"}, USER]
    made = repaired[2]
    assert is_synthesized(made, "openai-responses", policy=Policy(marker=MARKER))
    real = [USER, call, made, {**made, "id": "late"}]
    assert check(real, "openai-responses")[-1].kind == "duplicate"


def test_a_computer_is_shown_a_blank_screen() -> None:
    call = {"type": "computer_call", "call_id": "c1", "id": "cu_1", "action": {"type": "wait"}}

    made = repair([USER, call, USER], "openai-responses")[2]

    assert made["output"]["type"] == "computer_screenshot"
    assert made["output"]["image_url"].startswith("data:image/png;base64,")
    assert is_synthesized(made, "openai-responses")


def test_an_approval_is_a_human_s_to_give() -> None:
    request = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}"}

    assert check([USER, request], "openai-responses") == ()
    made = repair([USER, request, USER], "openai-responses")[2]
    assert (made["approval_request_id"], made["approve"]) == ("mcpr_1", False)
    assert repair([USER, {**request, "id": ""}, USER], "openai-responses")[1:3] == [
        {**request, "id": "mcpr_e00000000"},
        {**made, "approval_request_id": "mcpr_e00000000"},
    ]


@pytest.mark.parametrize("held", ["previous_response_id", "conversation"])
def test_a_request_whose_history_the_provider_holds_is_said_to_be_one(held: str) -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
    request: Any = {held: "x_1", "input": [output]}

    with pytest.raises(UnreadableError, match="held by the provider"):
        check(request, "openai-responses")


@pytest.mark.parametrize("item", ["text", None, {"type": []}, {"type": "function_call", "id": []}])
def test_what_is_no_item_is_said_to_be_none(item: Any) -> None:
    with pytest.raises(
        UnreadableError, match=r"message 1: it is not an item|not a openai-responses history"
    ):
        check([USER, item], "openai-responses")
