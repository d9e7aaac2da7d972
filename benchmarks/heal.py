"""`apply` on a million rows beside what the database, or a plain loop, needs to look at them."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from sqlalchemy import Engine, create_engine, text

from benchmarks import chats
from benchmarks.measure import Row
from endmark import check, heal
from endmark.heal.slim import has_words
from endmark.stores import Source
from endmark.stores.json_text import read

ROUNDS = 5
GROWTH = (100_000, 1_000_000)
COLUMNS = {"postgresql": ("jsonb", "text"), "sqlite": ("text",)}


def rows(engines: dict[str, Engine], size: int) -> Iterator[Row]:
    """Measure both families on every database and column type."""
    for name, engine in engines.items():
        for column in COLUMNS[name]:
            where = f"{name} {column}"
            chats.load(engine, "ai-sdk", size, column)
            yield _ratio(
                engine, "ai-sdk", _count, f"`apply` / `count(*)`, inline, {where}", (2.5, 1.5)
            )
            chats.load(engine, "openai-chat", size, column)
            goal = (0.5, 0.25) if name == "postgresql" else (1.0, 0.6)
            yield _ratio(
                engine,
                "openai-chat",
                _stream,
                f"`apply` / streaming all, own message, {where}",
                goal,
            )


def _ratio(
    engine: Engine,
    format: str,
    base: Callable[[Engine, str], object],
    what: str,
    goal: tuple[float, float],
) -> Row:
    applied, based = [], []
    for _ in range(ROUNDS):
        based.append(_seconds(lambda: base(engine, format)))
        applied.append(_seconds(lambda: _apply(engine, format)))
        heal.undo(engine)
    took, floor = statistics.median(applied), statistics.median(based)
    return Row(what, took / floor, *goal, "x", f"{took:.2f} s / {floor:.2f} s")


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _apply(engine: Engine, format: str) -> None:
    applied = heal.apply(engine, [chats.store(format)])
    if not applied.healed or applied.skipped:
        raise AssertionError(applied)


def _count(engine: Engine, format: str) -> None:
    """Count what the predicate finds. PostgreSQL plans this without workers; the heal asks in two
    steps, which it does plan with them.
    """
    with engine.connect() as connection:
        condition, values = has_words(Source(connection, chats.store(format)))
        connection.execute(
            text(f"SELECT count(*) FROM chat WHERE {condition}"), values
        ).scalar_one()


def _stream(engine: Engine, format: str) -> None:
    """Read every row in order, parse it and check its conversation: what a script would do."""
    sql = "SELECT conversation, CAST(payload AS TEXT) FROM chat ORDER BY conversation, position"
    with engine.connect().execution_options(yield_per=2_000) as connection:
        found = connection.execute(text(sql))
        for _, group in groupby(found, key=lambda row: row[0]):
            check([read(row[1]) for row in group], format)


def growth(size: tuple[int, int] = GROWTH) -> Iterator[Row]:
    """Measure how much more memory heal takes for ten times the rows, each in its own process."""
    for name in ("ai-sdk", "openai-chat"):
        peaks = [_peak(name, rows) for rows in size]
        more = (peaks[1] - peaks[0]) / 1024
        detail = f"{peaks[0] / 1024:.0f} MB / {peaks[1] / 1024:.0f} MB"
        yield Row(f"memory of heal, 100,000 to 1,000,000 rows, {name}", more, 64, 8, " MB", detail)


def _peak(format: str, rows: int) -> int:
    """Give the peak of resident memory in KB."""
    command = [sys.executable, "-m", "benchmarks.heal", format, str(rows)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout)


def _child(format: str, rows: int) -> None:
    """Heal one SQLite database, loaded by another process, and print the peak."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chat.db"
        loading = (
            "from sqlalchemy import create_engine; from benchmarks import chats; "
            f"chats.load(create_engine('sqlite:///{path}'), {format!r}, {rows}, 'text')"
        )
        subprocess.run([sys.executable, "-c", loading], check=True)
        engine = create_engine(f"sqlite:///{path}")
        heal.apply(engine, [chats.store(format)])
    # Not getrusage: its peak is that of the process before exec, too.
    status = Path("/proc/self/status").read_text()
    sys.stdout.write(next(line for line in status.splitlines() if "VmHWM" in line).split()[1])


if __name__ == "__main__":
    _child(sys.argv[1], int(sys.argv[2]))
