"""Model messages that we repaired, streamed by the published AI SDK at majors 4 to 7.

Major 4 spells a call's `input` as `args`, its result as a bare `result`, and, unlike those after
it, sends tool messages in a row as they are, so that the results of a step stand in one.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from building import damaged
from endmark import repair
from fix_node import Ask
from judging import load

MAJORS = (5, 6, 7)
SPELLED = {"input": "args", "output": "result"}
CASES = [case for case in load() if case["format"] == "ai-sdk-model"]


def refusal(case: dict[str, Any], major: int) -> str:
    """The SDK itself refuses a missing result, from major 6 on; the rest a provider has to."""
    missing = case["shape"] == "missing result"
    return "AI_MissingToolResultsError" if missing and major > 5 else "ProviderRefusal"


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_streams_once_it_is_repaired(ai_sdk: Ask, case: dict[str, Any], major: int) -> None:
    broken = ai_sdk(major, case["history"], model=True)
    assert broken.name == refusal(case, major)

    answer = ai_sdk(major, repair(case["history"], "ai-sdk-model"), model=True)
    assert answer.ok, answer


@pytest.mark.parametrize("major", MAJORS)
@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_repaired_history_streams(ai_sdk: Ask, major: int, data: st.DataObject) -> None:
    repaired = repair(data.draw(damaged("ai-sdk-model")), "ai-sdk-model")
    assume(repaired)  # the SDK takes no empty prompt
    answer = ai_sdk(major, repaired, model=True)
    assert answer.ok, answer


def spelled_v4(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give messages in the words of major 4."""

    def part(given: Any) -> Any:
        if not isinstance(given, dict) or given.get("type") not in ("tool-call", "tool-result"):
            return given
        said = {SPELLED.get(key, key): value for key, value in given.items()}
        output = given.get("output")
        return said | {"result": output["value"]} if isinstance(output, dict) else said

    told: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        parts = [part(given) for given in content] if isinstance(content, list) else content
        if message["role"] == "tool" and told and told[-1]["role"] == "tool":
            told[-1] = {**told[-1], "content": told[-1]["content"] + parts}
        else:
            told.append({**message, "content": parts})
    return told


def test_a_case_streams_in_major_4(ai_sdk: Ask) -> None:
    case = next(case for case in CASES if case["shape"] == "missing result")
    history = spelled_v4(case["history"])
    assert ai_sdk(4, history, model=True).name == "ProviderRefusal"

    repaired = repair(history, "ai-sdk-model")
    assert ai_sdk(4, repaired, model=True).ok
    assert '"output"' not in json.dumps(repaired)


@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_repaired_history_streams_in_major_4(ai_sdk: Ask, data: st.DataObject) -> None:
    repaired = repair(spelled_v4(data.draw(damaged("ai-sdk-model"))), "ai-sdk-model")
    assume(repaired)
    answer = ai_sdk(4, repaired, model=True)
    assert answer.ok, answer
