"""CPU of `repair` beside the functions that published libraries repair their own histories with.

`python -m benchmarks.peers` prints a table: µs a message of 10,000 clean messages and of as many
with 1 % of the calls open, what reading the messages into the library's objects takes beside it,
and how many of the reported cases each gets right by the judge of the tests, for whom a call that
is dropped is lost. The libraries run in the environment that the oracles of the tests use.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, medians
from endmark import formats, repair

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from abstract import Step, Turn  # noqa: E402
from building import BUILDERS  # noqa: E402
from fix_oracles import SOURCE, installed  # noqa: E402
from judging import judge, load, violations  # noqa: E402

Messages = list[dict[str, Any]]
BLOCKS, EVERY, ROUNDS = 2_500, 100, 7
READS = 0.5  # µs above which reading is more than handing over a list
TEXT = "The quick brown fox jumps over the lazy dog and comes back for more. " * 4
PEERS = [
    ("openai-chat", "litellm", "LiteLLM `sanitize_messages_for_tool_calling`"),
    ("openai-chat", "tool_call_repair", "tool-call-repair"),
    ("anthropic", "tool_call_repair", "tool-call-repair"),
    ("openai-responses", "openai_agents", "openai-agents, reading a session"),
    ("langchain", "deepagents", "deepagents `PatchToolCallsMiddleware`"),
    ("pydantic-ai", "pydantic_ai", "pydantic-ai `repair_messages`"),
    ("adk", "google_adk", "google-adk, building a request"),
    ("bedrock", "strands", "strands `_fix_broken_tool_use`"),
]


@dataclass(frozen=True)
class Beside:
    """A peer and what was measured, of it and of us: µs clean, µs broken, cases right."""

    format: str
    name: str
    cases: int
    theirs: tuple[float, float, int]
    ours: tuple[float, float, int]
    reading: float  # µs of making the peer's objects of the plain messages that we take

    def line(self) -> str:
        ours, theirs = (f"{c:.2f} / {b:.2f}" for c, b, _ in (self.ours, self.theirs))
        clean, broken = (t / o for t, o in zip(self.theirs[:2], self.ours[:2], strict=True))
        right = f"{self.theirs[2]} / {self.ours[2]} of {self.cases}"
        reading = f"{self.reading:.2f}" if self.reading > READS else ""
        cells = [
            self.format,
            self.name,
            theirs,
            reading,
            ours,
            f"{clean:.1f}x / {broken:.1f}x",
            right,
        ]
        return f"| {' | '.join(cells)} |"

    def rows(self) -> Iterator[Row]:
        """Give the ratios as rows of the table of all benchmarks."""
        for k, how in enumerate(("clean", "1 % broken")):
            ours, theirs = self.ours[k], self.theirs[k]
            what = f"`repair` / {self.name}, {how}, {self.format}"
            yield Row(what, ours / theirs, 1, 0.2, "x", f"{ours:.2f} µs / {theirs:.2f} µs")


HEAD = (
    "| format | peer | its µs, clean / broken | reading | ours | faster by | cases right, its / ours |\n"
    "|---|---|---|---|---|---|---|"
)


def history(format: str, every: int) -> Messages:
    """Make 2,500 turns, about 10,000 messages; every `every`-th call is open."""
    turns = [
        Turn(
            TEXT,
            (Step(((f"call_{k}", "look", None if every and k % every == 0 else TEXT),)),),
            TEXT,
        )
        for k in range(BLOCKS)
    ]
    return BUILDERS[format].build(turns)


def beside(format: str, peer: str, name: str) -> Beside:
    """Measure a peer and us on the same histories, one right after the other."""
    cases = [c for c in load() if c["turn_over"] and formats.get(c["format"]).name == format]
    clean, broken = history(format, 0), history(format, EVERY)
    tries = [case["history"] for case in cases]
    question = {"peer": peer, "tries": tries, "clean": clean, "broken": broken, "rounds": ROUNDS}
    done = subprocess.run(
        [installed("libraries.txt"), SOURCE / "driver_peers.py"],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    ours = medians(
        lambda: repair(clean, format),
        lambda: repair(broken, format),
        rounds=ROUNDS,
        clock=time.process_time,
    )
    took = [seconds / len(each) * 1e6 for seconds, each in zip(ours, (clean, broken), strict=True)]
    mended = [repair(case["history"], case["format"]) for case in cases]
    return Beside(
        format,
        name,
        len(cases),
        (*answer["micros"], right(cases, answer["tries"])),
        (took[0], took[1], right(cases, mended)),
        answer["reading"],
    )


def right(cases: list[dict[str, Any]], mended: list[Messages | None]) -> int:
    """Count the cases that the judge and the rules find right."""
    return sum(
        after is not None and _right(case, after) for case, after in zip(cases, mended, strict=True)
    )


def _right(case: dict[str, Any], after: Messages) -> bool:
    try:
        judge({**case, "expect": {**case["expect"], "interrupted_after": []}}, after)
    except (AssertionError, KeyError, TypeError, AttributeError):
        return False
    return not violations(after, case["format"])


def measured() -> Iterator[Beside]:
    yield from (beside(*peer) for peer in PEERS)


def main() -> None:
    """Print the table, a line as soon as it is measured."""
    sys.stdout.write(HEAD + "\n")
    for found in measured():
        sys.stdout.write(found.line() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
