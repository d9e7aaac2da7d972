"""The published Python libraries as oracles: one process each that reads histories and sends them.

They are installed once, from the pins in `oracles/python`, into an environment outside the
repository, for their dependencies are many and none of ours. Where they cannot be had the tests
are skipped with the reason; in CI that is a failure.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TextIO

import pytest

from fix_node import cache
from fix_postgres import UnavailableError, required
from oracle_ways import Way

SOURCE = Path(__file__).parent / "oracles" / "python"
INSTALLER = "pip.txt"  # the one that Python brings may take three times as long to find the pins


@dataclass(frozen=True)
class Answer:
    """What a library did: the error it refused with and its words, and the requests it sent."""

    error: str | None
    said: str | None
    sent: list[tuple[str, list[dict[str, Any]]]]


Ask = Callable[[Way, list[dict[str, Any]]], Answer]


@pytest.fixture(scope="session")
def libraries() -> Iterator[Ask]:
    """Return `ask(way, history) -> Answer`."""
    with ExitStack() as running:
        drivers: dict[str, Driver] = {}

        def ask(way: Way, history: list[dict[str, Any]]) -> Answer:
            if way.driver not in drivers:
                drivers[way.driver] = running.enter_context(
                    Driver(environment(way.pins), way.driver)
                )
            return drivers[way.driver].ask(way.asks, history)

        yield ask


def environment(pins: str) -> Path:
    """Return the Python of an environment, or skip the test where it cannot be had."""
    try:
        return installed(pins)
    except UnavailableError as error:
        if required("ENDMARK_REQUIRE_ORACLES"):
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))


def installed(pins: str) -> Path:
    """Return the Python of an environment with exactly the packages of this list of pins."""
    lines = (SOURCE / pins).read_bytes()
    major = "{}.{}".format(*sys.version_info)
    name = f"{Path(pins).stem}-{major}-{hashlib.sha256(lines).hexdigest()[:12]}"
    folder = cache() / name
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)  # left behind by an install that was ended
        python = folder / "bin" / "python"
        venv.create(folder, with_pip=pins == INSTALLER)
        _install(python if pins == INSTALLER else installed(INSTALLER), python, SOURCE / pins)
        (folder / "ready").touch()
    return folder / "bin" / "python"


def _install(installer: Path, python: Path, pins: Path) -> None:
    command = [installer, "-m", "pip", "--python", python, "install", "-q", "--no-deps"]
    command += ["--no-compile", "-r", pins]  # most of it is never imported
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError("no libraries: pip took over 15 minutes") from error
    if done.returncode:
        raise UnavailableError(f"no libraries: pip failed: {done.stderr[-300:].strip()}")


class Driver:
    """A process that has loaded one library and answers questions about histories."""

    def __init__(self, python: Path, name: str) -> None:
        self._errors: TextIO = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed in __exit__
        self._process = subprocess.Popen(
            [python, SOURCE / f"driver_{name}.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.__exit__(None, None, None)  # closes its stdin, which ends it
        self._errors.close()

    def ask(self, asks: str, history: list[dict[str, Any]]) -> Answer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"way": asks, "history": history}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            pytest.fail(f"the oracle has ended: {self._errors.read()[-800:]}", pytrace=False)
        return Answer(**json.loads(line))
