"""The formats as tables: histories, what is found in them, and what a repair makes of them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from endmark import Policy, check, formats, is_synthesized, repair
from endmark.errors import UnreadableError
from endmark.guard._tail import answers
from endmark.model import Kind, Shape
from endmark.policy import DEFAULT_TEXTS
from judging import violations

TABLES = Path(__file__).parent / "formats"
ROWS = [
    pytest.param(path.parent.name, row, id=f"{path.parent.name}: {row['why']}")
    for path in sorted(TABLES.glob("*/*.json"))
    for row in json.loads(path.read_text())
    if {"why", "history", "findings"} <= row.keys()
]
# What a result is called in a format that says so; else what its type ends in.
RESULTS = {"tool", "mcp_approval_response"}


@pytest.mark.parametrize(("format", "row"), ROWS)
def test_table(format: str, row: dict[str, Any]) -> None:
    history, turn = row["history"], row.get("turn", "over")
    before, policy = copy.deepcopy(history), Policy(**row.get("policy", {}))

    found = check(history, format, policy=policy, turn=turn)
    repaired = repair(history, format, policy=policy, turn=turn)

    assert [str(finding.kind) for finding in found] == row["findings"]
    assert history == before
    if "expect" in row:
        assert shortened(repaired) == row["expect"]
        assert repair(repaired, format, policy=policy, turn=turn) is repaired
    else:
        assert repaired is history
    assert violations(repaired, format, turn=turn) == ()


@pytest.mark.parametrize(("format", "row"), ROWS)
def test_a_message_needs_what_follows_it_only_where_its_format_says_so(
    format: str, row: dict[str, Any]
) -> None:
    """`leading` spares every write of the others a look."""
    format_ = formats.get(format)
    if format_.shape is Shape.INLINE:
        return
    alone = [
        [message]
        for message in row["history"]
        if not format_.call_ids(message) and not answers(format_, message)
    ]
    needy = [
        one
        for one in alone
        if {f.kind for f in check(one, format, turn="over")} == {Kind.EMPTY}
        and not check(one, format, turn="open")
    ]
    assert format_.leading or not needy


def shortened(history: list[Any]) -> Any:
    """Stand `MARKER` for the text of a result that was made up, so that a table stays short."""
    text = json.dumps(history)
    for marker in sorted(DEFAULT_TEXTS, key=len, reverse=True):
        text = text.replace(json.dumps(marker)[1:-1], "MARKER")
    return json.loads(text)


@pytest.mark.parametrize("format", ["openai-responses", "langchain"])
def test_what_was_made_up_is_recognised_and_nothing_else(format: str) -> None:
    told = []
    for _, row in (param.values for param in ROWS if param.values[0] == format):
        repaired = repair(row["history"], format, policy=Policy(**row.get("policy", {})))
        given = [json.dumps(message) for message in row["history"]]
        for message in repaired:
            kind = str(message.get("type"))
            if kind in RESULTS or kind.endswith("_output"):
                made = json.dumps(message) not in given and "MARKER" in json.dumps(
                    shortened([message])
                )
                told.append((row["why"], is_synthesized(message, format) is made or not made))
    assert [why for why, right in told if not right] == []
    assert len(told) > 20


@pytest.mark.parametrize(
    ("format", "message"),
    [
        ("gemini", "text"),
        ("gemini", {"role": "model", "parts": "text"}),
        ("gemini", {"role": "model", "parts": ["text"]}),
        ("gemini", {"role": "assistant", "parts": [{"text": "hi"}]}),
        ("gemini", {"role": "user", "parts": [{"functionCall": {"name": "f"}}]}),
        ("gemini", {"role": "model", "parts": [{"functionCall": "f"}]}),
        ("openai-responses", {"content": "ok"}),
        ("openai-responses", {}),
        ("bedrock", "text"),
        ("bedrock", {"role": "user"}),
        ("bedrock", {"role": "user", "content": "text"}),
        ("bedrock", {"role": "tool", "content": [{"text": "hi"}]}),
        ("bedrock", {"role": "user", "content": [{"toolUse": {"toolUseId": "a"}}]}),
        ("bedrock", {"role": "assistant", "content": [{"toolUse": None}]}),
        ("lobechat", "text"),
        ("lobechat", {"role": "assistant", "content": "", "tools": "text"}),
        ("lobechat", {"role": "assistant", "content": "", "tools": ["text"]}),
        ("lobechat", {"role": "assistant", "content": "", "tool_calls": []}),
        ("open-webui", "text"),
        ("open-webui", {"role": "tool", "content": "ok"}),
        ("open-webui", {"role": "assistant", "output": "text"}),
        ("open-webui", {"role": "assistant", "output": ["text"]}),
        ("open-webui", {"role": "assistant", "tool_calls": []}),
        ("ai-sdk-model", "text"),
        ("ai-sdk-model", {"role": "assistant"}),
        ("ai-sdk-model", {"role": "function", "content": "ok"}),
        ("ai-sdk-model", {"role": "assistant", "content": ["text"]}),
        ("ai-sdk-model", {"role": "tool", "content": [{"toolCallId": "a"}]}),
    ],
)
def test_what_is_not_of_the_format_is_refused(format: str, message: Any) -> None:
    with pytest.raises(UnreadableError, match="othing was changed"):
        check([message], format)
