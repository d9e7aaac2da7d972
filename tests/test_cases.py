"""Every reported history: what it demands, the laws, and the provider's rules."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from endmark import check, formats, repair
from endmark.model import Turn
from judging import judge, load, violations

CASES = [case for case in load() if formats.get(case["format"])]


def turn_of(case: dict[str, Any]) -> Turn:
    return "over" if case["turn_over"] else "open"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    history, format_, turn = case["history"], case["format"], turn_of(case)
    untouched = copy.deepcopy(history)

    repaired = repair(history, format_, turn=turn)

    assert history == untouched, "the input was changed"
    judge(case, repaired)
    assert repair(repaired, format_, turn=turn) is repaired
    assert check(repaired, format_, turn=turn) == ()
    assert violations(repaired, format_, turn=turn) == ()
    if case["expect"]["clean"]:
        assert repaired is history


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_findings_name_the_open_calls(case: dict[str, Any]) -> None:
    found = check(case["history"], case["format"], turn=turn_of(case))
    dangling = [finding.call_id for finding in found if finding.kind == "dangling"]

    closed = [id_.partition("#")[0] or None for id_ in case["expect"]["interrupted_after"]]
    assert [id_ for id_ in closed if id_ not in dangling] == []


def test_every_format_has_cases() -> None:
    assert {formats.get(case["format"]).name for case in CASES} == set(formats.names())
