"""Every scenario in every format: the same findings, the same outcome, a page that shows it."""

from __future__ import annotations

from collections import Counter

import pytest

import formats_page
from building import builder
from judging_scenarios import judge_scenario
from scenarios import SCENARIOS, TELLERS, Scenario, cannot

PAIRS = [
    (name, scenario)
    for name in TELLERS
    for scenario in SCENARIOS
    if cannot(name, scenario.name) is None
]


@pytest.mark.parametrize(
    ("format", "scenario"),
    [pytest.param(*pair, id=f"{pair[0]}: {pair[1].name}") for pair in PAIRS],
)
def test_scenario(format: str, scenario: Scenario) -> None:
    judge_scenario(format, scenario)


def test_every_scenario_is_told_in_several_formats() -> None:
    """What no format but one can say would prove nothing across formats."""
    told = Counter(scenario.name for _, scenario in PAIRS)
    assert min(told[scenario.name] for scenario in SCENARIOS) >= 5


@pytest.mark.parametrize("format", TELLERS)
def test_what_a_format_cannot_say_is_a_scenario(format: str) -> None:
    assert set(builder(format).CANNOT) <= {scenario.name for scenario in SCENARIOS}


def test_the_page_of_the_formats_is_what_they_do() -> None:
    """Written anew by `python tests/formats_page.py`."""
    assert formats_page.PAGE.read_text("utf-8") == formats_page.page()
