"""UI messages of the AI SDK: tables of parts and of messages, before and after the repair."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import endmark
from endmark import formats
from endmark.errors import UnreadableError
from endmark.formats.ai_sdk import FORMAT
from endmark.model import At, Call, Outcome
from endmark.policy import DEFAULT, Policy

Part = dict[str, Any]
TABLES = Path(__file__).parent / "formats" / "ai-sdk"
FORMS: dict[str, Part] = {
    "typed": {"type": "tool-dimLamps", "toolCallId": "call_1"},
    "dynamic": {"type": "dynamic-tool", "toolName": "dimLamps", "toolCallId": "call_1"},
}
TEXT = {"type": "text", "text": "One moment."}
USER = {"id": "u", "role": "user", "content": "?", "parts": [{"type": "text", "text": "?"}]}
SCENES = {"passed": (True, "over"), "over": (False, "over"), "open": (False, "open")}


def table(name: str) -> list[Any]:
    rows = json.loads((TABLES / f"{name}.json").read_text())
    return [pytest.param(row, id=f"{k}-{row['why']}") for k, row in enumerate(rows)]


def spelled(value: Any) -> Any:
    """Put what we say of an outcome, and the ids we make, where a table names them."""
    text = json.dumps(value)
    for outcome in Outcome:
        said = DEFAULT.text(Call(At(0), "call_1", "dimLamps"), outcome)
        text = text.replace(f"<{outcome.value}>", json.dumps(said)[1:-1])
    for part in range(3):
        text = text.replace(f"<new {part}>", f"e0000000{part}")
    return json.loads(text)


def assert_repaired(
    before: list[Part],
    after: list[Part],
    kinds: list[str],
    *,
    turn: Any = "over",
    policy: Any = None,
) -> list[Part]:
    """Check findings, result, idempotence, what is shared, and that the input is as it was."""
    given = copy.deepcopy(before)
    repaired = endmark.repair(before, "ai-sdk", turn=turn, policy=policy)
    found = endmark.check(before, "ai-sdk", turn=turn, policy=policy)
    assert sorted(finding.kind for finding in found) == sorted(kinds)
    assert repaired == after
    assert json.dumps(before) == json.dumps(given)
    assert (repaired is before) == (not kinds)
    assert endmark.repair(repaired, "ai-sdk", turn=turn, policy=policy) is repaired
    for old, new in zip(before, repaired, strict=True):
        assert (old is new) == (old == new)
        shared = [part for part in old.get("parts", ()) if part in new.get("parts", ())]
        assert all(any(part is kept for kept in new["parts"]) for part in shared)
    return repaired


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("row", table("parts"))
def test_a_part(row: dict[str, Any], form: str, scene: str) -> None:
    passed, turn = SCENES[scene]
    part = FORMS[form] | row["part"]
    expect = row[scene]
    made = [] if expect and expect["part"] is None else [FORMS[form] | row["part"]]
    if expect and expect["part"] is not None:
        made = [FORMS[form] | spelled(expect["part"])]
    history = [USER, message([TEXT, part])] + [USER] * passed
    after = [USER, message([TEXT, *made])] + [USER] * passed
    for major in row["majors"]:
        assert formats.get(f"ai-sdk-v{major}") is FORMAT
    assert_repaired(history, after, expect["findings"] if expect else [], turn=turn)


def message(parts: list[Part] | None, **more: Any) -> dict[str, Any]:
    held = {} if parts is None else {"parts": parts}
    return {"id": "m", "role": "assistant", "content": "", **held, **more}


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("row", table("invocations"))
def test_an_invocation_of_major_4(row: dict[str, Any], scene: str) -> None:
    passed, turn = SCENES[scene]
    expect = row[scene]
    histories = [
        [USER, invoked(side), *([USER] * passed)]
        for side in (row, spelled(expect) if expect else row)
    ]
    assert_repaired(*histories, expect["findings"] if expect else [], turn=turn)


def invoked(row: dict[str, Any]) -> dict[str, Any]:
    more = {"toolInvocations": row["legacy"]} if "legacy" in row else {}
    if "part" not in row:
        return message(None, **more)
    return message([TEXT, {"type": "tool-invocation", "toolInvocation": row["part"]}], **more)


@pytest.mark.parametrize("row", table("messages"))
def test_a_message(row: dict[str, Any]) -> None:
    policy = Policy(**row["policy"]) if "policy" in row else None
    made = row["parts"] if row["expect"] is None else spelled(row["expect"])
    assert_repaired(
        [USER, message(row["parts"]), USER],
        [USER, message(made), USER],
        row["findings"],
        policy=policy,
    )


@pytest.mark.parametrize("row", table("parts"))
def test_is_synthesized_says_what_is_ours(row: dict[str, Any]) -> None:
    before = message([FORMS["typed"] | row["part"]])
    ours = row["why"] in {"what we wrote before", "what an older guard wrote"}
    assert endmark.is_synthesized(before, "ai-sdk") == ours
    if row["passed"] and "dangling" in row["passed"]["findings"] and row["over"]:
        assert endmark.is_synthesized(endmark.finalize(before, "ai-sdk"), "ai-sdk")


def test_an_open_invocation_keeps_the_order_of_its_keys() -> None:
    part = {"state": "call", "step": 1, "toolCallId": "a", "toolName": "f", "args": {}}
    made = endmark.finalize(
        message([{"type": "tool-invocation", "toolInvocation": part}]), "ai-sdk"
    )
    assert list(made["parts"][0]["toolInvocation"]) == [*part, "result"]


def test_an_open_part_keeps_the_order_of_its_keys() -> None:
    part = FORMS["typed"] | {"state": "input-available", "input": {}, "title": "Lamps"}
    made = endmark.finalize(message([part]), "ai-sdk")["parts"][0]
    assert list(made) == [*part, "errorText", "callProviderMetadata"]


# What has no word of its own in the stored text: see the comment at `needles`.
WORDLESS = (
    "a state nobody knows",
    "no state",
    "no state, but a result",
    "a void tool, whose output was never stored",
    "open, and the input",
    "an open state over",
    "an output, and the input is a list",
    "nulls the schema refuses",
)


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("name", ["parts", "invocations"])
def test_a_finding_has_a_needle(name: str, separators: tuple[str, str]) -> None:
    for parameter in table(name):
        row = parameter.values[0]
        part = FORMS["typed"] | row["part"] if name == "parts" else invoked(row)
        text = json.dumps(part, separators=separators)
        found = any(needle in text for needle in FORMAT.needles)
        assert found or not row["passed"] or row["why"].startswith(WORDLESS), row["why"]


@pytest.mark.parametrize(
    "broken",
    [
        "text",
        {"role": "assistant", "parts": "text"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}]},
        {"role": "tool", "tool_call_id": "a", "content": "ok"},
        {"role": "user", "parts": ["text"]},
        {"role": "assistant", "parts": [{"text": "no type"}]},
        {"role": "assistant", "toolInvocations": {"state": "call"}},
    ],
)
def test_what_is_no_ui_message_is_refused(broken: Any) -> None:
    with pytest.raises(UnreadableError, match="message 1: "):
        endmark.check([USER, broken], "ai-sdk")


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        (USER, 1),
        ({"role": "assistant", "content": "", "toolInvocations": []}, 1),
        ({"role": "system", "content": "Be brief."}, 0),
        ({"role": "assistant", "parts": []}, 0),
        ({"role": "user", "parts": [{"text": "Gemini"}]}, -1),
        ({"role": "model", "parts": [{"type": "text", "text": "x"}]}, -1),
        ({"role": "user", "content": [{"type": "text", "text": "x"}]}, -1),
        ({"role": "tool", "content": "x"}, -1),
    ],
)
def test_fits(given: dict[str, Any], fits: int) -> None:
    assert FORMAT.fits(given) == fits
