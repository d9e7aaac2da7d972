"""CPU of Endmark in every format, beside the functions that published libraries repair with.

For each format: µs a message of `check` on 10,000 clean messages and of `repair` on as many with
1 % of the calls open. A library that reads the format does the same in the same process, round by
round in turn, on what it takes (its own objects, or rows), and answers every scenario and every
reported case of the tests, judged as Endmark is: the calls answered right, no words lost, nothing
that the provider refuses. The libraries run in the environment that the oracles of the tests use.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measure import medians
from endmark import check, formats, repair

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from abstract import OPEN, Message, Step, Turn  # noqa: E402
from building import BUILDERS, builder  # noqa: E402
from fix_oracles import SOURCE, installed  # noqa: E402
from judging import judge, load, violations  # noqa: E402
from scenarios import MADE, REAL, SCENARIOS, Answers, Asks, Heals, Scenario, cannot, tell  # noqa: E402

Messages = list[dict[str, Any]]
BLOCKS, EVERY, ROUNDS = 2_500, 100, 9
SIZES = (10_000, 100_000, 1_000_000)
TEXT = "The quick brown fox jumps over the lazy dog and comes back for more. " * 4


class Peer(NamedTuple):
    """Whose function is asked, by what name `driver_peers` knows it, and in which format."""

    format: str
    driver: str
    name: str
    objects: bool = False  # Endmark is given the library's objects too, not rows
    gives: str = ""  # the format of what it makes, where that is another


PEERS = [
    Peer("openai-chat", "litellm", "LiteLLM `sanitize_messages_for_tool_calling`"),
    Peer("openai-chat", "litellm_anthropic", "LiteLLM `anthropic_messages_pt`", gives="anthropic"),
    Peer("openai-chat", "tool_call_repair", "tool-call-repair"),
    Peer("anthropic", "tool_call_repair", "tool-call-repair"),
    Peer("openai-responses", "openai_agents", "openai-agents, reading a session"),
    Peer("langchain", "deepagents", "deepagents `PatchToolCallsMiddleware`"),
    Peer("langchain", "deepagents", "deepagents, Endmark on its objects", objects=True),
    Peer("pydantic-ai", "pydantic_ai", "pydantic-ai `repair_messages`"),
    Peer("adk", "google_adk", "google-adk, building a request"),
    Peer("bedrock", "strands", "strands `_fix_broken_tool_use`"),
]
ABOUT = """µs of CPU a message, of 10,000: `check` of clean ones and `repair` of as many with 1 % of the
calls open; medians, in one process and in turn with the library's own function on what that takes
(its reading of rows into objects is not counted). Right: the calls are answered as the scenario or
the reported case says (one that is dropped is lost), no words are lost and nothing is left that the
provider refuses. The functions know of no policy, so a call that is to stay open (`pending live`) is closed by most."""
ABOUT_LENGTH = """µs of CPU a message: `check` of clean ones / `repair` of as many with 1 % of the calls
open."""
SPEED = (
    "| format | Endmark: `check` clean | `repair`, 1 % broken | beside | its µs, clean / broken "
    "| faster by | scenarios right, its / ours | cases right, its / ours |\n"
    "|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True)
class Line:
    """What was measured of a format: µs clean and broken of ours, and of a peer and its answers."""

    format: str
    ours: tuple[float, float]
    peer: Peer | None = None
    theirs: tuple[float, float] = (0, 0)
    told: tuple[tuple[str, str], ...] = ()  # scenario, what the peer made of it
    ours_told: int = 0
    cases: str = ""

    def line(self) -> str:
        cells = [self.format, *(f"{took:.2f}" for took in self.ours)]
        if self.peer is None:
            return f"| {' | '.join([*cells, *['-'] * 5])} |"
        ratios = [t / o for t, o in zip(self.theirs, self.ours, strict=True)]
        right = [verdict for _, verdict in self.told].count("ok")
        cells += [
            self.peer.name,
            " / ".join(f"{took:.2f}" for took in self.theirs),
            " / ".join(f"{ratio:.1f}x" for ratio in ratios),
            f"{right} / {self.ours_told} of {len(self.told)}",
            self.cases,
        ]
        return f"| {' | '.join(cells)} |"


def history(format: str, every: int, blocks: int = BLOCKS) -> Messages:
    """Make turns of about four messages; every `every`-th call is open."""
    turns = [
        Turn(
            TEXT,
            (Step(((f"call_{k}", "look", None if every and k % every == 0 else TEXT),)),),
            TEXT,
        )
        for k in range(blocks)
    ]
    return list(BUILDERS[format].build(turns))


def alone(format: str, *, blocks: int = BLOCKS, rounds: int = ROUNDS) -> tuple[float, float]:
    """Measure a format without a peer: µs of `check` clean, of `repair` broken."""
    name = formats.get(format).name
    gc.disable()
    clean, broken = history(format, 0, blocks), history(format, EVERY, blocks)
    gc.freeze()  # a million messages are not to be looked through between the rounds
    gc.enable()
    assert check(clean, name) == ()
    assert repair(broken, name) is not broken
    took = medians(
        lambda: check(clean, name),
        lambda: repair(broken, name),
        rounds=rounds,
        clock=time.process_time,
    )
    gc.unfreeze()
    return took[0] / len(clean) * 1e6, took[1] / len(broken) * 1e6


def beside(peer: Peer) -> Line:
    """Measure a peer and Endmark in one process, and let both answer scenarios and cases."""
    said = [s for s in SCENARIOS if cannot(peer.format, s.name) is None]
    cases = [c for c in load() if c["turn_over"] and formats.get(c["format"]).name == peer.format]
    tries = [segments(peer.format, scenario) for scenario in said]
    answer = asked(peer, tries + [[case["history"]] for case in cases])
    theirs = [
        verdict(peer.gives or peer.format, scenario, after)
        for scenario, after in zip(said, answer["tries"], strict=False)
    ]
    ours = [
        verdict(peer.format, scenario, healed(peer.format, scenario, told))
        for scenario, told in zip(said, tries, strict=False)
    ]
    mended = [repair(case["history"], case["format"]) for case in cases]
    counts = (right(cases, answer["tries"][len(said) :]), right(cases, mended))
    known = f"{counts[0]} / {counts[1]} of {len(cases)}"
    return Line(
        peer.format,
        tuple(answer["ours"]),
        peer,
        tuple(answer["theirs"]),
        tuple(zip((scenario.name for scenario in said), theirs, strict=True)),
        ours.count("ok"),
        "-" if peer.gives else known,
    )


def asked(peer: Peer, tries: list[list[Messages]]) -> dict[str, Any]:
    """Let the driver measure and try. Gives None for a try at which the peer failed."""
    question = {
        "peer": peer.driver,
        "format": peer.format,
        "objects": peer.objects,
        "tries": tries,
        "clean": history(peer.format, 0),
        "broken": history(peer.format, EVERY),
        "rounds": ROUNDS,
    }
    done = subprocess.run(
        [installed("libraries.txt"), SOURCE / "driver_peers.py", ROOT / "src"],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


# -- who is right --------------------------------------------------------------------------------


def segments(format: str, scenario: Scenario) -> list[Messages]:
    """Tell a scenario in pieces, between which whoever is judged repairs what was said so far."""
    pieces: list[list[Any]] = [[]]
    for move in scenario.moves:
        if isinstance(move, Heals):
            pieces.append([])
        else:
            pieces[-1].append(move)
    return [tell(format, replace(scenario, moves=tuple(moves))) for moves in pieces]


def healed(format: str, scenario: Scenario, told: list[Messages]) -> Messages:
    """Give what Endmark makes of a scenario."""
    messages: Messages = []
    for more in told:
        messages = list(repair([*messages, *more], format, policy=scenario.policy))
    return messages


def verdict(format: str, scenario: Scenario, after: Messages | None) -> str:
    """Say, by the format of what was made, what became of a scenario: `ok`, `wrong`, or `fails` where nothing did."""
    if after is None:
        return "fails"
    try:
        return "ok" if _is_right(format, scenario, after) else "wrong"
    except (KeyError, TypeError, AttributeError, IndexError, ValueError):
        return "wrong"


def _is_right(format: str, scenario: Scenario, after: Messages) -> bool:
    told = tell(format, replace(scenario, moves=tuple(_spoken(scenario))))
    before, seen = list(builder(format).calls(told)), list(builder(format).calls(after))
    if scenario.after is not None:
        answered = sum(call.result is not OPEN for call in seen)
        if len(seen) != len(scenario.after) or len(builder(format).result_ids(after)) != answered:
            return False
        if not all(
            _is_answered(call.result, want, old.result)
            for call, want, old in zip(seen, scenario.after, before, strict=True)
        ):
            return False
    text = json.dumps(after)
    kept = all(word in text for word in _words(scenario))
    return kept and violations(after, format, turn=scenario.turn) == ()


def _spoken(scenario: Scenario) -> Iterator[Any]:
    return (move for move in scenario.moves if not isinstance(move, Heals))


def _is_answered(result: Any, want: Any, before: Any) -> bool:
    if want is OPEN or result is OPEN:
        return want is result
    text = json.dumps(result)
    if want is MADE:
        return "real-" not in text
    return bool(result == before if want is REAL else want in text)


def _words(scenario: Scenario) -> set[str]:
    said: set[str] = set()
    for move in _spoken(scenario):
        if isinstance(move, Asks):
            said |= {move.words, move.thought}
        elif not isinstance(move, Answers):
            said.add(move.words)
    return said - {""}


def right(cases: list[dict[str, Any]], mended: list[Messages | None]) -> int:
    """Count the cases that the judge and the rules find right."""
    return sum(
        after is not None and _case(case, after) for case, after in zip(cases, mended, strict=True)
    )


def _case(case: dict[str, Any], after: list[Message]) -> bool:
    try:
        judge({**case, "expect": {**case["expect"], "interrupted_after": []}}, after)
    except (AssertionError, KeyError, TypeError, AttributeError):
        return False
    return not violations(after, case["format"])


# -- the tables ----------------------------------------------------------------------------------


def measured() -> Iterator[Line]:
    """Measure every format, with each of its peers."""
    for name in sorted(BUILDERS):
        peers = [peer for peer in PEERS if peer.format == name]
        yield from map(beside, peers)
        if not peers:
            yield Line(name, alone(name))


def lines() -> Iterator[str]:
    """Give the tables of the peers, each line as soon as it is known."""
    yield SPEED
    found = []
    for line in measured():
        found.append(line)
        yield line.line()
    yield from ["", "Which scenarios each gets right (`-`: its format cannot say it):", ""]
    asked_ = [line for line in found if line.peer is not None and not line.peer.objects]
    heads = [f"{line.peer.name}, {line.format}" for line in asked_ if line.peer is not None]
    yield f"| scenario | {' | '.join(heads)} |\n|---{'|---' * len(heads)}|"
    for scenario in SCENARIOS:
        cells = [dict(line.told).get(scenario.name, "-") for line in asked_]
        yield f"| {scenario.name} | {' | '.join(cells)} |"


def growing(sizes: tuple[int, ...] = SIZES) -> Iterator[str]:
    """Give the table of ever longer histories: the time a message is to stay the same."""
    yield f"| format, µs a message | {' | '.join(f'{size:,}' for size in sizes)} |"
    yield f"|---{'|---' * len(sizes)}|"
    for name in sorted(BUILDERS):
        cells = []
        for size in sizes:
            each = len(history(name, 0, 100)) / 100
            took = alone(name, blocks=round(size / each), rounds=ROUNDS if size < 100_000 else 3)
            cells.append(f"{took[0]:.2f} / {took[1]:.2f}")
        yield f"| {name} | {' | '.join(cells)} |"
