"""Measure everything and write `docs/benchmarks.md`: `python -m benchmarks [--rows N] [--only ...]`.

PostgreSQL comes from where the tests take it; without one its rows are left out, and said.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy
from sqlalchemy import Engine, create_engine

from benchmarks import core, guard, heal, scale
from benchmarks.measure import HEAD, Row

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
PARTS = ("core", "guard", "heal", "memory", "scale")
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
    with databases() as engines:
        if "guard" in parts:
            yield from guard.rows(engines)
        if "heal" in parts:
            yield from heal.rows(engines, size)
        if "scale" in parts and "postgresql" in engines:
            yield from scale.rows(engines["postgresql"], size)
    if "memory" in parts:
        yield from heal.growth()


def main() -> None:
    """Print each row as it comes, and write the page when all were measured."""
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
    if not given.only:
        machine = (
            f"Python {platform.python_version()}, SQLAlchemy {sqlalchemy.__version__}, SQLite "
            f"{sqlite3.sqlite_version}, {os.cpu_count()} cores, {given.rows:,} rows."
        )
        PAGE.write_text(INTRO.format(machine=machine, table="\n".join([HEAD, *lines])))


if __name__ == "__main__":
    main()
