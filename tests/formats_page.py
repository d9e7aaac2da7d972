"""Write `docs/formats.md` from what the formats say of themselves and what they do.

Run as a program it writes the page; a test compares the page with what would be written.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from building import builder
from endmark import formats, repair
from endmark.formats import Format
from endmark.model import Shape
from judging_scenarios import judge_scenario
from scenarios import SCENARIOS, TELLERS, Found, Scenario, cannot, tell

PAGE = Path(__file__).parents[1] / "docs" / "formats.md"
SINGLE = next(scenario for scenario in SCENARIOS if scenario.name == "single open")
WHERE = {
    Shape.INLINE: "call and result are one part of one message",
    Shape.OWN_MESSAGE: "each result is a message of its own behind the message of its call",
    Shape.NEXT_MESSAGE: "results are parts that lead the message behind the calls",
}
HEAD = """# The formats

Each format is one file in `src/endmark/formats/`. This page is written by
`python tests/formats_page.py` from those files and from what they do; a test compares the two.
"""
TABLE = """## What happens, in every format

The same conversations, told in every format: the same is found, and the same stands afterwards.
Where a provider reads the format, its rules accept what was repaired; a second repair changes
nothing; every real result is there or in the finding that tells of it. A call is counted from 0.
"""


def page() -> str:
    """Give the page as it should be."""
    names = [name for name in formats.names() if name in TELLERS]
    return "\n".join([HEAD, _overview(names), *map(_section, names), TABLE, _table(), ""])


def _overview(names: list[str]) -> str:
    rows = ["| format | where results are | ids |", "|---|---|---|"]
    for name in names:
        form = formats.get(name)
        rows.append(f"| [`{name}`](#{name}) | {form.shape} | {_ids(form)} |")
    return "\n".join([*rows, ""])


def _ids(form: Format) -> str:
    if form.unique_ids:
        return "used once in a history"
    return "optional" if form.optional_ids else "may come again in a later message"


def _section(name: str) -> str:
    form = formats.get(name)
    prose = re.sub(r"\s*https?://\S+", "", sys.modules[type(form).__module__].__doc__ or "")
    lines = [f"## {name}", "", prose.strip(), ""]
    lines += [f"- Shape: {form.shape}; {WHERE[form.shape]}."]
    lines += [f"- Ids: {_ids(form)}."]
    if form.aliases:
        lines += [f"- Also called {', '.join(f'`{alias}`' for alias in form.aliases)}."]
    lines += [f"- Source: <{form.source}>"]
    lines += ["- Without a repair:", "", "  ```text", f"  {form.refusal}", "  ```", ""]
    return "\n".join([*lines, *_example(name)])


def _example(name: str) -> list[str]:
    """Show an open call, and what a repair writes for it."""
    history = tell(name, SINGLE)
    repaired = repair(history, name)
    asked = [message for message in history if list(builder(name).calls([message]))]
    made = [message for message in repaired if all(message is not old for old in history)]
    words = "becomes" if formats.get(name).shape is Shape.INLINE else "is followed by"
    return [_json(asked), f"{words}\n", _json(made)]


def _json(messages: list[Any]) -> str:
    lines = [json.dumps(message, ensure_ascii=False) for message in messages]
    return "\n".join(["```json", *lines, "```", ""])


def _table() -> str:
    reasons: list[str] = []
    rows = ["| scenario | found | " + " | ".join(f"`{name}`" for name in TELLERS) + " |"]
    rows += ["|---" * (len(TELLERS) + 2) + "|"]
    for scenario in SCENARIOS:
        cells = [_cell(name, scenario, reasons) for name in TELLERS]
        rows.append("| " + " | ".join([scenario.name, _found(scenario), *cells]) + " |")
    notes = [f"{k}. {reason}" for k, reason in enumerate(reasons, 1)]
    return "\n".join([*rows, "", "What a format cannot say, and why:", "", *notes])


def _found(scenario: Scenario) -> str:
    def said(found: Found) -> str:
        kind, call = found
        return kind if call is None else f"{kind} {call}"

    where_once = [f"{said(found)} (where ids are used once)" for found in sorted(scenario.strict)]
    return ", ".join([*map(said, sorted(scenario.finds)), *where_once]) or "nothing"


def _cell(name: str, scenario: Scenario, reasons: list[str]) -> str:
    reason = cannot(name, scenario.name)
    if reason is None:
        try:
            judge_scenario(name, scenario)
        except AssertionError:
            return "fails"
        return "ok"
    if reason not in reasons:
        reasons.append(reason)
    return f"cannot say ({reasons.index(reason) + 1})"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
