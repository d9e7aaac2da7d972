"""Model messages that we repaired, streamed by the published AI SDK at majors 5, 6 and 7."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from building import damaged
from endmark import repair
from fix_node import Ask
from judging import load

MAJORS = (5, 6, 7)
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
