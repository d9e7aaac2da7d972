"""Judge what becomes of a scenario in a format: what is found, what answers, what is kept."""

from __future__ import annotations

import copy
import json

from abstract import OPEN, Message, Seen
from building import builder
from endmark import check, formats, repair
from endmark.model import At, Call, Finding
from endmark.policy import DEFAULT
from judging import is_marker, violations
from scenarios import MADE, REAL, Answers, Asks, Found, Scenario, tell


def judge_scenario(format: str, scenario: Scenario) -> None:
    """Assert all that a scenario demands of a format."""
    history, policy, turn = tell(format, scenario), scenario.policy, scenario.turn
    before = copy.deepcopy(history)

    findings = check(history, format, policy=policy)
    repaired = repair(history, format, policy=policy)

    strict = scenario.strict if formats.get(format).unique_ids else frozenset()
    assert found(scenario, findings, history, format) == scenario.finds | strict
    assert len(findings) == len(scenario.finds | strict)
    assert history == before
    assert repair(repaired, format, policy=policy) is repaired
    assert violations(repaired, format, turn=turn) == ()
    if not findings:
        assert repaired is history
    assert_answered(scenario, list(builder(format).calls(repaired)))
    assert_kept(scenario, repaired, findings)


def found(
    scenario: Scenario, findings: tuple[Finding, ...], history: list[Message], format: str
) -> set[Found]:
    """Give the kind of each finding, and which call it is about, counted from the first."""
    asked = [call.id for move in scenario.moves if isinstance(move, Asks) for call in move.calls]
    events = formats.get(format).events(history, range(len(history)), DEFAULT)
    places = sorted(event.at for event in events if isinstance(event, Call))
    return {
        (
            str(finding.kind),
            asked.index(finding.call_id or "")
            if asked.count(finding.call_id or "") == 1
            else places.index(At(finding.message, finding.part))
            if asked
            else None,
        )
        for finding in findings
    }


def assert_answered(scenario: Scenario, seen: list[Seen]) -> None:
    if scenario.after is None:
        return
    assert len(seen) == len(scenario.after)
    for call, after in zip(seen, scenario.after, strict=True):
        if after is OPEN or after is MADE:
            assert is_marker(call) is (after is MADE)
            assert (call.result is OPEN) is (after is OPEN)
        else:
            assert not is_marker(call)
            assert call.result is not OPEN
            assert after is REAL or after in json.dumps(call.result)


def assert_kept(scenario: Scenario, repaired: list[Message], findings: tuple[Finding, ...]) -> None:
    """Every word is there still, every real result is, or is told in a finding."""
    said = json.dumps(repaired)
    told = said + json.dumps([finding.dropped for finding in findings])
    for move in scenario.moves:
        if isinstance(move, Answers):
            assert all(str(value) in told for _, value in move.results if isinstance(value, str))
        elif isinstance(move, Asks):
            assert move.words in said
            assert move.thought in said
        else:
            assert getattr(move, "words", "") in said
