"""The programs called in this process, and the demo's database for them."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from endmark.cli import door
from endmark.cli.demo import make

HERE = Path(__file__).parent / "cli"
PROGRAMS = {"endmark": "endmark.cli.endmark", "heal-db": "endmark.cli.heal_db"}


class Ended(NamedTuple):
    code: int
    out: bytes
    err: str


Cli = Callable[..., Ended]


class Stream(io.TextIOWrapper):
    """Standard input or output as a program sees it, with bytes below."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", newline="")

    def taken(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Run a program in this process, in a folder of its own, without a terminal."""
    monkeypatch.chdir(tmp_path)

    def call(program: str, *arguments: str, stdin: bytes = b"") -> Ended:
        given, out, err = Stream(stdin), Stream(), Stream()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", given)
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            code = door.run(import_module(PROGRAMS[program]).app, program, arguments)
        return Ended(code, out.taken(), err.taken().decode())

    return call


def rows(name: str) -> list[Any]:
    found = json.loads((HERE / f"{name}.json").read_text("utf-8"))
    return [pytest.param(row, id=row["name"]) for row in found]


def assert_one_sentence(ended: Ended, pattern: str) -> None:
    lines = [line for line in ended.err.splitlines() if not line.startswith("format: ")]
    assert ended.code == 2
    assert ended.out == b""
    assert len(lines) == 1, ended.err
    assert re.search(pattern, lines[0]), lines[0]
    assert "SECRET" not in ended.err
    assert "Traceback" not in ended.err


class Demo(NamedTuple):
    """The demo's database and the description of its tables; EMPTY has a table, no chat."""

    path: Path
    words: dict[str, str]

    def argv(self, row: dict[str, Any]) -> list[str]:
        pattern = re.compile("|".join(self.words))
        return [pattern.sub(lambda m: self.words[m[0]], word) for word in row["argv"]]

    def dump(self) -> list[str]:
        with closing(sqlite3.connect(self.path)) as connection:
            return list(connection.iterdump())


@pytest.fixture
def demo(cli: Cli, tmp_path: Path) -> Demo:
    script = json.loads((files("endmark.cli") / "demo.json").read_text("utf-8"))
    path, config = make(tmp_path, script["threads"])
    empty = tmp_path / "empty.db"
    with closing(sqlite3.connect(empty)) as connection:
        connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
        connection.execute("CREATE TABLE endmark_heal_change (id)")  # ours is not shown
    words = {"URL": f"sqlite:///{path}", "CONFIG": str(config), "EMPTY": str(empty)}
    return Demo(path, words)
