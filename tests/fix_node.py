"""Packages of npm: those of a folder in `oracles` are installed once, outside the repository.

The published AI SDK among them is an oracle: one Node process that judges histories of UI messages.
Where Node, npm or the packages cannot be had the tests are skipped with the reason; in CI that is
a failure.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from fix_postgres import UnavailableError, required

ORACLES = Path(__file__).parent / "oracles"
SOURCE = ORACLES / "ai_sdk"
# No peers that nobody pinned: LangChain.js names every service there is.
INSTALL = (
    "install", "--no-audit", "--no-fund", "--no-package-lock", "--legacy-peer-deps",
    "--loglevel=error",
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What one major of the AI SDK says: `step` is where it failed, `name` the error's name."""

    ok: bool
    name: str | None
    error: str | None
    step: str | None


class Ask(Protocol):
    """Asks a major of the SDK about UI messages, or with `model=True` about model messages."""

    def __call__(
        self, major: int, messages: list[dict[str, Any]], *, model: bool = False
    ) -> Answer: ...


@pytest.fixture(scope="session")
def ai_sdk() -> Iterator[Ask]:
    """Return `ask(major, messages) -> Answer` for the majors 4, 5, 6 and 7."""
    with oracle(packages("ai_sdk")) as ask:
        yield ask


def packages(name: str) -> Path:
    """Return a copy of `oracles/NAME` with its packages, or skip the test where they cannot be had."""
    try:
        return installed(ORACLES / name)
    except UnavailableError as error:
        reason = f"no {name} of npm: {error}"
        if required("ENDMARK_REQUIRE_NODE"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


def installed(source: Path) -> Path:
    """Return a copy of a folder with its packages, made on first use of this very text."""
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        raise UnavailableError("node and npm are not both on PATH")
    folder = cache() / f"{source.name.replace('_', '-')}-{digest(source)}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as name:
            copy = Path(name) / "copy"
            shutil.copytree(source, copy)
            for package in sorted(copy.rglob("package.json")):
                install(npm, package.parent)
            publish(copy, folder)
    return folder


def cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    # A folder of the user's own: what lies in it is run.
    base = Path(home) if home else Path(tempfile.gettempdir()) / f"cache-{os.getuid()}"
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    if base.stat().st_uid != os.getuid():
        raise UnavailableError(f"the folder {base} belongs to somebody else")
    return base / "endmark-tests"


def digest(folder: Path) -> str:
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in {".mjs", ".json"}]
    text = b"".join(path.name.encode() + path.read_bytes() for path in files)
    return hashlib.sha256(text).hexdigest()[:12]


def install(npm: str, folder: Path) -> None:
    try:
        done = subprocess.run(
            [npm, *INSTALL],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError("npm install took over five minutes") from error
    if done.returncode:
        raise UnavailableError(f"npm install failed: {done.stderr[-300:].strip()}")


def publish(copy: Path, folder: Path) -> None:
    try:
        copy.rename(folder)
    except OSError:
        if not folder.exists():  # else another session was first, with the same text
            raise


@contextmanager
def oracle(folder: Path) -> Iterator[Ask]:
    """Run the oracle in `folder` and yield a function that asks it."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            ["node", "oracle.mjs"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        questions, answers = process.stdin, process.stdout

        def ask(major: int, messages: list[dict[str, Any]], *, model: bool = False) -> Answer:
            question = {"major": major, "messages": messages, "model": model}
            questions.write(json.dumps(question) + "\n")
            questions.flush()
            line = answers.readline()
            if not line:
                errors.seek(0)
                pytest.fail(f"the oracle has ended: {errors.read()[-500:]}", pytrace=False)
            return Answer(**json.loads(line))

        with process:  # leaving closes its stdin, which ends it
            yield ask
