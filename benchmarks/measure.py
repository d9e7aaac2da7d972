"""Take medians of interleaved rounds, and hold them as rows of one table."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, the value, and what it must be."""

    what: str
    value: float
    must: float
    aim: float
    unit: str = ""
    detail: str = ""

    @property
    def verdict(self) -> str:
        if self.value <= self.aim:
            return "aim"
        return "must" if self.value <= self.must else "**missed**"

    def line(self) -> str:
        value = f"{self.value:.2f}{self.unit}"
        return f"| {self.what} | {value} | {self.must:g} | {self.aim:g} | {self.verdict} | {self.detail} |"


HEAD = "| what | measured | must | aim | | in absolute terms |\n|---|---|---|---|---|---|"


def medians(
    *works: Callable[[], object], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Run the works in turn, round by round, and give the median seconds of each."""
    taken: list[list[float]] = [[] for _ in works]
    for number in range(rounds):
        order = range(len(works)) if number % 2 else reversed(range(len(works)))
        for k in order:
            gc.collect()
            start = clock()
            works[k]()
            taken[k].append(clock() - start)
    return [statistics.median(times) for times in taken]
