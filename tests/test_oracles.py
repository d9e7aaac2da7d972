"""What `repair` gives, handed to the published libraries; what they do stands in `docs/oracles.md`.

A request that a library sends without a word is caught and judged by the provider's rules.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from building import BUILDERS, damaged
from endmark import formats, repair, rules
from fix_oracles import SOURCE, Answer, Ask
from judging import load
from oracle_ways import WAYS, Way

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "oracles.md"
CASES = [case for case in load() if case["turn_over"]]
pytestmark = pytest.mark.oracle


def cases(way: Way) -> list[dict[str, Any]]:
    return [case for case in CASES if formats.get(case["format"]).name == way.format]


def codes(answer: Answer) -> set[str]:
    """Give `refused` where the library did, else the rules that its requests break."""
    if answer.error:
        return {"refused"}
    return {broken.code for api, sent in answer.sent for broken in rules.validate(sent, api)}


def known(name: str) -> bool:
    return name in formats.names() and name in BUILDERS


@pytest.mark.parametrize("way", [way for way in WAYS if known(way.format)], ids=lambda w: w.name)
@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_repaired_history_is_taken(libraries: Ask, way: Way, data: st.DataObject) -> None:
    history = data.draw(damaged(way.format))
    answer = libraries(way, repair(history, way.format))
    assert codes(answer) <= set(way.beyond), answer
