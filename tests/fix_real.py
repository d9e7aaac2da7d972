"""The real libraries at work on a database: the programs of `stores/real`, in the oracles' environments.

Those in JavaScript run from a folder beside the packages, for Node looks for these where a program is.

One process for each program and session, for what takes time is to load the library.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TextIO

import pytest

from fix_node import packages
from fix_oracles import environment

PROGRAMS = Path(__file__).parent / "stores" / "real"
SOURCE = Path(__file__).parents[1] / "src"


@dataclass(frozen=True)
class Real:
    """A library and its store: its program, the pins or packages it needs, how it spells a URL.

    `url` has {path} for a SQLite file and {server} for what follows `postgresql` in a URL; `also`
    are conversations that it goes on with beside those of the talk, `takes` those that it goes on
    with though they are broken. A library without a guard when it reads is asked `alone`: what is
    refused is what it sent.
    """

    program: str
    pins: str
    url: str
    also: frozenset[str] = frozenset()
    takes: frozenset[str] = frozenset()
    alone: bool = False


Work = Callable[..., list[str]]


@pytest.fixture(scope="session")
def real() -> Iterator[Work]:
    """Return `work(real, action, url, guard=False)`, which gives the lines that were said."""
    with ExitStack() as running:
        programs: dict[tuple[str, str], Program] = {}

        def work(of: Real, action: str, url: str, *, guard: bool = False) -> list[str]:
            key = of.program, of.pins
            if key not in programs:
                folder = Path(running.enter_context(tempfile.TemporaryDirectory()))
                program = Program(command(of, folder), folder)
                programs[key] = running.enter_context(program)
            asked = {"action": action, "url": url, "guard": guard, "alone": of.alone}
            return programs[key].ask(asked)

        yield work


def command(of: Real, folder: Path) -> list[str | Path]:
    """Return how the program of a library is started; one in JavaScript from `folder`."""
    if of.pins.endswith(".txt"):
        return [environment(of.pins), "-W", "ignore", PROGRAMS / of.program, "serve"]
    home = packages(f"node/{of.pins}")
    if of.program.endswith(".py"):  # a binary from npm
        return ["env", f"PACKAGES={home}", sys.executable, PROGRAMS / of.program, "serve"]
    for there in home.iterdir():
        (folder / there.name).symlink_to(there)
    for name in (of.program, "talk.mjs", "talk.json"):
        shutil.copy(PROGRAMS / name, folder)
    return ["node", folder / of.program]


class Program:
    """A process that has loaded one library and works on the databases that it is told."""

    def __init__(self, command: list[str | Path], folder: Path) -> None:
        self._errors: TextIO = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in __exit__
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=folder,  # it leaves there what it likes
            env=os.environ | {"PYTHONPATH": str(SOURCE), "TMPDIR": str(folder)},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.__exit__(None, None, None)  # closes its stdin, which ends it
        self._errors.close()

    def ask(self, asked: dict[str, object]) -> list[str]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            pytest.fail(f"the program has ended: {self._errors.read()[-800:]}", pytrace=False)
        said: str = json.loads(line)
        assert "Traceback" not in said, said
        return said.splitlines()
