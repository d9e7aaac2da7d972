"""The rules are data tables: small histories and the codes of what a provider refuses in them.

Beside the tables stand the reported cases, the proof that the rules know nothing of the repair, and
the examples of their docstrings.
"""

from __future__ import annotations

import ast
import copy
import doctest
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from endmark import rules
from endmark.errors import FormatError, UnreadableError
from endmark.rules import Violation, validate

HERE = Path(__file__).parent
FILES = sorted(Path(rules.__file__).parent.glob("*.py"))
MODULES = sorted({f"endmark.rules.{name}" for name in rules.PROVIDERS.values()})
# cases which their provider takes as they are; the repair tidies them all the same
TOLERATED = {
    "009-chat-same-id-two-turns-both-answered": "Chat Completions lets an id come again in a later"
    " turn",
    "035-responses-developer-note-splits-pair": "OpenAI takes an output anywhere behind its call",
}


def _rows() -> list[Any]:
    tables = {path.stem: json.loads(path.read_text()) for path in (HERE / "rules").glob("*.json")}
    return [
        pytest.param({"provider": provider, **row}, id=f"{provider}: {row['name']}")
        for provider, table in sorted(tables.items())
        for row in table
    ]


def _cases() -> list[Any]:
    paths = [
        path
        for folder in rules.PROVIDERS
        for path in sorted((HERE / "cases" / folder).glob("*.json"))
    ]
    return [pytest.param(json.loads(path.read_text()), id=path.stem) for path in paths]


ROWS, CASES = _rows(), _cases()


def _judge(row: dict[str, Any]) -> tuple[Violation, ...]:
    return validate(row["history"], row["provider"], turn=row.get("turn", "over"))


@pytest.mark.parametrize("row", ROWS)
def test_a_history_breaks_just_these_rules(row: dict[str, Any]) -> None:
    before = copy.deepcopy(row["history"])
    found = _judge(row)
    assert [violation.code for violation in found] == row["codes"]
    assert [violation.message for violation in found] == row.get(
        "messages", [violation.message for violation in found]
    )
    assert row["history"] == before


def test_every_rule_is_broken_by_some_row() -> None:
    broken = {(found.code, found.source) for row in ROWS for found in _judge(row.values[0])}
    known = {(r.code, r.source) for name in MODULES for r in import_module(name).RULES}
    assert known == broken


def test_at_least_half_of_every_table_is_sound() -> None:
    for path in (HERE / "rules").glob("*.json"):
        table = json.loads(path.read_text())
        assert 2 * sum(not row["codes"] for row in table) >= len(table), path.name


@pytest.mark.parametrize("case", CASES)
def test_a_reported_case_is_refused_or_sound_as_it_was(case: dict[str, Any]) -> None:
    expected_sound = case["expect"]["clean"] or case["id"] in TOLERATED
    turn = "over" if case["turn_over"] else "open"
    for provider in {case["format"], case["format"].rsplit("-v", 1)[0]}:
        found = validate(case["history"], provider, turn=turn)
        assert (not found) == expected_sound, found


@pytest.mark.parametrize("row", ROWS)
def test_a_message_is_filled_in_and_says_nothing_of_the_content(row: dict[str, Any]) -> None:
    for found in _judge(row):
        assert "{at}" not in found.message
        assert found.source.startswith("https://")
        assert 0 <= found.at < len(row["history"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_rules_import_nothing_of_the_package_but_the_errors(path: Path) -> None:
    tree = ast.parse(path.read_text())
    names = [
        f"{'.' * node.level}{node.module or ''}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    ]
    names += [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    ]
    ours = {name for name in names if name.startswith((".", "endmark"))}
    assert {name for name in ours if name.split(".")[:2] != ["endmark", "rules"]} <= {
        "endmark.errors"
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_examples_run(path: Path) -> None:
    name = "endmark.rules" if path.stem == "__init__" else f"endmark.rules.{path.stem}"
    result = doctest.testmod(import_module(name))
    assert (result.failed, bool(result.attempted)) == (0, True)


def test_an_unknown_provider_is_told_the_known_ones() -> None:
    with pytest.raises(FormatError, match=r"openai-chat, .*anthropic, .*ai-sdk"):
        validate([], "nobody")


@pytest.mark.parametrize(
    ("history", "provider"),
    [
        ("text", "openai-chat"),
        (None, "anthropic"),
        ({"role": "user"}, "ai-sdk"),
        (["text"], "openai-chat"),
        ([{"role": "user", "content": [1]}], "anthropic"),
        ([{"role": "user", "content": {"type": "text"}}], "anthropic"),
        ([{"role": "assistant", "tool_calls": {}}], "openai-chat"),
        ([{"role": "assistant", "tool_calls": ["c"]}], "openai-chat"),
        ([{"role": "assistant", "parts": "text"}], "ai-sdk"),
        ([{"role": "assistant", "parts": [None]}], "ai-sdk"),
    ],
)
def test_what_is_no_history_is_said_to_be_none(history: object, provider: str) -> None:
    with pytest.raises(UnreadableError, match="Cannot judge"):
        validate(history, provider)
