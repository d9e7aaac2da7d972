"""Measure everything and write `docs/benchmarks.md`: `python -m benchmarks [--rows N] [--only ...]`.

`--only` leaves the other lines of the page as they are. PostgreSQL comes from where the tests take
it; without one its rows are left out, and said.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy
from sqlalchemy import Engine, create_engine

from benchmarks import core, guard, heal, peers, scale
from benchmarks.measure import HEAD, Row

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
PARTS = ("core", "guard", "heal", "memory", "scale", "peers", "length")
# The tables that stand by themselves on the page: part, heading, what is said of it, its lines.
TABLES: list[tuple[str, str, str, Callable[[], Iterator[str]]]] = [
    ("peers", "Every format, beside what published libraries do", peers.ABOUT, peers.lines),
    ("length", "Ever longer histories", peers.ABOUT_LENGTH, peers.growing),
]
INTRO = """# Benchmarks

`python -m benchmarks` writes this page. Every figure is a ratio of medians within one run, or CPU
time; the rounds of what is compared are interleaved. Absolute times are of the machine below.

{machine}

{table}
"""


@contextmanager
def databases() -> Iterator[dict[str, Engine]]:
    """Give SQLite, and PostgreSQL where there is one."""
    sys.path.insert(0, str(ROOT / "tests"))
    from fix_postgres import UnavailableError, any_server

    with tempfile.TemporaryDirectory() as folder:
        engines = {"sqlite": create_engine(f"sqlite:///{folder}/chat.db")}
        try:
            with any_server() as server:
                engines["postgresql"] = create_engine(server.url)
                yield engines
                engines["postgresql"].dispose()
        except UnavailableError as error:
            sys.stderr.write(f"no PostgreSQL: {error}\n")
            yield engines


def measured(parts: list[str], size: int) -> Iterator[Row]:
    """Measure the parts that were asked for."""
    if "core" in parts:
        yield from core.rows()
    if {"guard", "heal", "scale"} & set(parts):
        with databases() as engines:
            if "guard" in parts:
                yield from guard.rows(engines)
            if "heal" in parts:
                yield from heal.rows(engines, size)
            if "scale" in parts and "postgresql" in engines:
                yield from scale.rows(engines["postgresql"], size)
    if "memory" in parts:
        yield from heal.growth()


def sections(parts: list[str]) -> Iterator[tuple[str, str]]:
    """Measure the tables that were asked for; give their headings and texts."""
    for part, heading, about, lines in TABLES:
        if part in parts:
            told = []
            for line in lines():
                told.append(line)
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
            machine = f"Python {platform.python_version()}, {os.cpu_count()} cores. "
            yield heading, "\n".join([machine + about, "", *told, ""])


def write(rows: list[str], tables: dict[str, str], machine: str | None) -> None:
    """Write the page; what was not measured stays as it is on it. `machine`: all was."""
    head, *old = PAGE.read_text("utf-8").split("\n## ")
    known = dict(section.split("\n\n", 1) for section in old) | tables
    if machine is not None:
        head = INTRO.format(machine=machine, table="\n".join([HEAD, *rows]))
    fresh = {_what(row): row for row in rows}
    lines = [fresh.pop(_what(line), line) for line in head.strip().split("\n")]
    head = "\n".join([*lines, *fresh.values()])
    text = [f"## {name}\n\n{known[name].strip()}\n" for _, name, _, _ in TABLES if name in known]
    PAGE.write_text("\n".join([head + "\n", *text]), "utf-8")


def _what(line: str) -> str:
    """Name what a line of the first table tells of."""
    return line.partition(" | ")[0]


def main() -> None:
    """Print each line as it comes, and write what was measured to the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of a table to heal")
    parser.add_argument("--only", choices=PARTS, action="append", help="measure just this part")
    given = parser.parse_args()
    parts = given.only or list(PARTS)
    lines = []
    for row in measured(parts, given.rows):
        lines.append(row.line())
        sys.stdout.write(row.line() + "\n")
        sys.stdout.flush()
    machine = (
        f"Python {platform.python_version()}, SQLAlchemy {sqlalchemy.__version__}, SQLite "
        f"{sqlite3.sqlite_version}, {os.cpu_count()} cores, {given.rows:,} rows."
    )
    write(lines, dict(sections(parts)), None if given.only else machine)


if __name__ == "__main__":
    main()
