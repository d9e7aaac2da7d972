"""What we write, judged by the published AI SDK at majors 4, 5, 6 and 7.

The oracle itself comes first: a table of stored parts and what each major says to them, so that
its word on our repairs counts for something.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import endmark
from fix_node import Ask
from oracle_ways import READERS

CASES = Path(__file__).parent / "cases" / "ai-sdk"

MISSING = "AI_MissingToolResultsError"
INVALID = "AI_TypeValidationError"
REFUSED = "ProviderRefusal"  # the SDK lets it through, a provider would not

STATIC: dict[str, Any] = {"type": "tool-dimLamps", "toolCallId": "call_1"}
DYNAMIC: dict[str, Any] = {"type": "dynamic-tool", "toolName": "dimLamps", "toolCallId": "call_1"}
CALL = STATIC | {"input": {}}


def history(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    """An assistant message of `parts`, with a later user message behind it."""

    def message(name: str, role: str, content: list[dict[str, Any]]) -> dict[str, Any]:
        return {"id": name, "role": role, "content": "", "parts": content}

    return [
        message("u1", "user", [{"type": "text", "text": "Dim the lamps."}]),
        message("a1", "assistant", [{"type": "step-start"}, *parts]),
        message("u2", "user", [{"type": "text", "text": "And now?"}]),
    ]


def v4(**invocation: Any) -> dict[str, Any]:
    known = {"toolCallId": "call_1", "toolName": "dimLamps", "args": {}}
    return {"type": "tool-invocation", "toolInvocation": known | invocation}


def approval(*, approved: bool) -> dict[str, Any]:
    return {"approval": {"id": "approval_1", "approved": approved}}


# One stored part -> what each major says: None, or the error's name.
VERDICTS: list[tuple[str, dict[str, Any], dict[int, str | None]]] = [
    ("v4 call", v4(state="call"), {4: "AI_MessageConversionError"}),
    ("v4 partial-call", v4(state="partial-call"), {4: "AI_MessageConversionError"}),
    ("v4 result", v4(state="result", result="done"), {4: None}),
    ("v4 result null", v4(state="result", result=None), {4: None}),
    ("v4 result without the key", v4(state="result"), {4: "AI_MessageConversionError"}),
    ("v4 part read later", v4(state="result", result=1), {5: INVALID, 6: INVALID, 7: INVALID}),
    ("input-streaming", CALL | {"state": "input-streaming"}, {5: None, 6: None, 7: None}),
    (
        "input-available",
        CALL | {"state": "input-available"},
        {5: REFUSED, 6: MISSING, 7: MISSING},
    ),
    (
        "input-available dynamic",
        DYNAMIC | {"input": {}, "state": "input-available"},
        {5: REFUSED, 6: MISSING, 7: MISSING},
    ),
    (
        "output-available",
        CALL | {"state": "output-available", "output": 0},
        {5: None, 6: None, 7: None},
    ),
    (
        "output-available null",
        CALL | {"state": "output-available", "output": None},
        {5: None, 6: None, 7: None},
    ),
    (
        "output-available without the key",
        CALL | {"state": "output-available"},
        {5: INVALID, 6: INVALID, 7: INVALID},
    ),
    (
        "output-error",
        CALL | {"state": "output-error", "errorText": "cut"},
        {5: None, 6: None, 7: None},
    ),
    (
        "output-error with output null",
        CALL | {"state": "output-error", "errorText": "cut", "output": None},
        {5: INVALID, 6: INVALID, 7: INVALID},
    ),
    (
        "output-error without errorText",
        CALL | {"state": "output-error"},
        {5: INVALID, 6: INVALID, 7: INVALID},
    ),
    (
        "output-error not approved",
        CALL | {"state": "output-error", "errorText": "cut"} | approval(approved=False),
        {5: INVALID, 6: INVALID, 7: INVALID},
    ),
    (
        "approval never executed",
        CALL | {"state": "approval-responded"} | approval(approved=True),
        {5: REFUSED, 6: MISSING, 7: MISSING},
    ),
    (
        "output-denied",
        CALL | {"state": "output-denied"} | approval(approved=False),
        {5: REFUSED, 6: None, 7: None},
    ),
    ("unknown state", CALL | {"state": "paused"}, {5: INVALID, 6: INVALID, 7: INVALID}),
    ("no state", CALL, {5: INVALID, 6: INVALID, 7: INVALID}),
]


@pytest.mark.parametrize(
    ("part", "major", "name"),
    [
        pytest.param(part, major, name, id=f"{title} in {major}")
        for title, part, verdicts in VERDICTS
        for major, name in verdicts.items()
    ],
)
def test_the_oracle_tells_good_from_bad(
    ai_sdk: Ask, part: dict[str, Any], major: int, name: str | None
) -> None:
    answer = ai_sdk(major, history(part))
    assert (answer.ok, answer.name) == (name is None, name), answer


def read_cases() -> list[Any]:
    """Each case whose last turn is over, once for each major that can read it."""
    cases = [json.loads(path.read_text()) for path in sorted(CASES.glob("*.json"))]
    return [
        pytest.param(case["history"], major, id=f"{case['id']} in {major}")
        for case in cases
        if case["turn_over"]
        for major in READERS[case["format"]]
    ]


@pytest.mark.parametrize(("messages", "major"), read_cases())
def test_a_repaired_case_streams(ai_sdk: Ask, messages: list[dict[str, Any]], major: int) -> None:
    answer = ai_sdk(major, repaired(messages))
    assert answer.ok, answer


def repaired(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = endmark.repair(messages, "ai-sdk")
    return result


# What a dead turn may leave in a part, and what may stand beside it.
STATES: dict[str, dict[str, Any]] = {
    "input-streaming": {},
    "input-streaming raw": {"state": "input-streaming", "rawInput": '{"lamp": "ki'},
    "input-streaming text": {"state": "input-streaming", "input": '{"lamp": "ki'},
    "input-available": {"input": {"lamp": "kitchen"}},
    "input-available null": {"state": "input-available", "input": None},
    "preliminary": {
        "state": "output-available",
        "input": {},
        "output": "half",
        "preliminary": True,
    },
    "output missing": {"state": "output-available", "input": {}},
    "error without text": {"state": "output-error", "input": {}},
    "error with output": {"state": "output-error", "input": {}, "errorText": "x", "output": None},
    "approval-requested": {"input": {}, "approval": {"id": "approval_1"}},
    "approved": {"state": "approval-responded", "input": {}} | approval(approved=True),
    "refused": {"state": "approval-responded", "input": {}} | approval(approved=False),
    "paused": {"input": {}},
    "no state": {"state": None, "input": {}},
}
BESIDE: dict[str, dict[str, Any]] = {
    "plain": {},
    "metadata": {"callProviderMetadata": {"openai": {"itemId": "fc_1"}}, "title": "Lamps"},
    "provider": {"providerExecuted": True},
    "null approval": {"approval": None},
}


@pytest.mark.parametrize("base", [STATIC, DYNAMIC], ids=["static", "dynamic"])
@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("state", STATES)
def test_a_repaired_part_is_valid_in_every_major(
    ai_sdk: Ask, base: dict[str, Any], state: str, beside: str
) -> None:
    part = base | {"state": state} | BESIDE[beside] | STATES[state]
    result = repaired(
        history({key: value for key, value in part.items() if key != "state" or value})
    )
    answers = {major: ai_sdk(major, result) for major in (5, 6, 7)}
    assert all(answer.ok for answer in answers.values()), answers
