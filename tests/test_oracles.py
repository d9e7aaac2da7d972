"""What `repair` gives, handed to the published libraries; what they do stands in `docs/oracles.md`.

A request that a library sends without a word is caught and judged by the provider's rules. To
write the page anew after a pin was changed: `ENDMARK_WRITE_DOCS=1 pytest -m oracle -k page`.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import fix_node
from building import BUILDERS, damaged
from endmark import formats, repair, rules
from fix_oracles import SOURCE, Answer, Ask
from judging import load
from oracle_ways import READERS, WAYS, Way

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "oracles.md"
TABLES = re.compile(r"(?<=<!-- written by tests/test_oracles.py -->\n).*", re.DOTALL)
CASES = [case for case in load() if case["turn_over"]]
SDK = {
    name: pin.removeprefix("npm:ai@")
    for path in sorted(fix_node.SOURCE.glob("*/package.json"))
    for name, pin in json.loads(path.read_text())["dependencies"].items()
}


def cases(way: Way) -> list[dict[str, Any]]:
    return [case for case in CASES if formats.get(case["format"]).name == way.format]


def codes(answer: Answer) -> set[str]:
    """Give `refused` where the library did, else the rules that its requests break."""
    if answer.error:
        return {"refused"}
    return {broken.code for api, sent in answer.sent for broken in rules.validate(sent, api)}


def no_two(values: list[Any]) -> bool:
    return len(values) == len(set(values))


@pytest.mark.oracle
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_repaired_history_is_taken(libraries: Ask, way: Way, data: st.DataObject) -> None:
    repaired = repair(data.draw(damaged(way.format)), way.format)
    text = json.dumps(repaired)
    if "duplicate-id" in way.beyond:
        assume(no_two([call.id for call in BUILDERS[way.format].calls(repaired)]))
    if "identical-calls" in way.beyond:
        assume(no_two(re.findall(r"of\W+([\w-]*)", text)))  # what each drawn call asks for
    assume(not any(words in text for words in way.unlike))
    answer = libraries(way, repaired)
    assert codes(answer) <= set(way.beyond), answer


@pytest.mark.oracle
def test_the_page_says_what_the_libraries_do(libraries: Ask, ai_sdk: fix_node.Ask) -> None:
    text = "\n".join([*tables(libraries), *sdk_tables(ai_sdk), ""])
    if os.environ.get("ENDMARK_WRITE_DOCS"):
        PAGE.write_text(TABLES.sub(lambda _: text, PAGE.read_text("utf-8")), "utf-8")
    found = TABLES.search(PAGE.read_text("utf-8"))
    assert found
    assert found.group() == text


def tables(libraries: Ask) -> Iterator[str]:
    """Give a table a format: each case, what each library did with it before and after."""
    for name, group in groupby(WAYS, key=lambda way: way.format):
        ways = [way for way in group if cases(way)]
        if not ways:
            continue
        heads = [f"{way.package} {version(way)}<br>{way.does}" for way in ways]
        yield f"\n## {name}\n\n| case | {' | '.join(heads)} |\n|---|{'---|' * len(ways)}"
        for case in cases(ways[0]):
            cells = [cell(libraries, way, case) for way in ways]
            yield f"| {case['id']} | {' | '.join(cells)} |"


def sdk_tables(ask: fix_node.Ask) -> Iterator[str]:
    """Give the same of the AI SDK: nothing where a major does not read what another wrote."""
    for name in ("ai-sdk", "ai-sdk-model"):
        asked = [case for case in CASES if formats.get(case["format"]).name == name]
        majors = sorted({major for case in asked for major in READERS[case["format"]]})
        heads = [f"ai {SDK[f'ai{major}']}<br>`streamText`" for major in majors]
        yield f"\n## {name}\n\n| case | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}"
        for case in asked:
            cells = [
                sdk_cell(ask, case, major) if major in READERS[case["format"]] else ""
                for major in majors
            ]
            yield f"| {case['id']} | {' | '.join(cells)} |"


def sdk_cell(ask: fix_node.Ask, case: dict[str, Any], major: int) -> str:
    before, after = (
        ask(major, history, model=case["format"] == "ai-sdk-model")
        for history in (case["history"], repair(case["history"], case["format"]))
    )
    said = f"`{before.name}`" if before.name else "taken"
    return said if after.ok else f"{said} → **`{after.name}`**"


def cell(libraries: Ask, way: Way, case: dict[str, Any]) -> str:
    """Say what was wrong before the repair, and after `→` what still is."""
    before, after = (
        libraries(way, history)
        for history in (case["history"], repair(case["history"], case["format"]))
    )
    left = words(after) if codes(after) else ""
    return f"{words(before)} → **{left}**" if left else words(before)


def words(answer: Answer) -> str:
    return f"`{answer.error}`" if answer.error else ", ".join(sorted(codes(answer))) or "taken"


def pins(text: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)(?:\[.*?\])?==([\w.]+)", text, re.MULTILINE))


def version(way: Way) -> str:
    return pins((SOURCE / way.pins).read_text())[way.package]


def test_the_extras_name_the_pins_that_are_tested() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    for extra, file_name in [
        ("oracles", "libraries.txt"),
        ("oracles-langgraph", "langgraph.txt"),
        ("oracles-older", "older.txt"),
        ("oracles-applications", "applications.txt"),
        ("oracles-open-webui", "applications.txt"),
        ("oracles-open-webui-older", "older.txt"),
        ("oracles-dask", "dask.txt"),
        ("oracles-llama-index", "llama_index.txt"),
    ]:
        tested = pins((SOURCE / file_name).read_text())
        assert pins("\n".join(extras[extra])).items() <= tested.items()
