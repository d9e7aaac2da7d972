"""The commands: what they print, how they end, and what they say to bad input.

Every row of `cli/*.json` is one call; those of `bad_*.json` have to end with one sentence on
standard error and exit code 2, and never show content or a password (spelt SECRET there).
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from endmark.cli import door

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


def called(row: dict[str, Any], cli: Cli, folder: Path) -> tuple[bytes, Ended]:
    """Call the program of a row: FILE and POLICY stand for files that the row describes."""
    places = {"FILE": HERE / "files" / row.get("file", ""), "POLICY": folder / "policy.toml"}
    places["POLICY"].write_text(row.get("policy", ""))
    given = bytes.fromhex(row["stdin_hex"]) if "stdin_hex" in row else row.get("stdin", "").encode()
    argv = [str(places.get(word, word)) for word in row["argv"]]
    source = places["FILE"].read_bytes() if "file" in row else given
    return source, cli(*argv, stdin=given)


@pytest.mark.parametrize("row", rows("files"))
def test_files(row: dict[str, Any], cli: Cli, tmp_path: Path) -> None:
    source, ended = called(row, cli, tmp_path)
    assert ended.code == row["exit"], ended.err
    if row.get("same"):
        assert ended.out == source
    if "out" in row:
        assert ended.out.decode() == row["out"]
    if "json" in row:
        assert json.loads(ended.out) == row["json"]
    assert re.search(row.get("stdout", ""), ended.out.decode())
    assert re.search(row.get("stderr", ""), ended.err)


@pytest.mark.parametrize("row", rows("bad_files"))
def test_bad_input_gets_one_sentence(row: dict[str, Any], cli: Cli, tmp_path: Path) -> None:
    _, ended = called(row, cli, tmp_path)
    assert_one_sentence(ended, row["stderr"])


def assert_one_sentence(ended: Ended, pattern: str) -> None:
    lines = [line for line in ended.err.splitlines() if not line.startswith("format: ")]
    assert ended.code == 2
    assert ended.out == b""
    assert len(lines) == 1, ended.err
    assert re.search(pattern, lines[0]), lines[0]
    assert "SECRET" not in ended.err
    assert "Traceback" not in ended.err


def test_the_output_file_is_written_whole_or_not_at_all(cli: Cli, tmp_path: Path) -> None:
    given = (HERE / "files" / "dangling.json").read_bytes()
    target = tmp_path / "chat.json"
    target.write_bytes(given)
    target.chmod(0o640)
    ended = cli("endmark", "repair", "chat.json", "-o", "chat.json")
    assert ended.code == 0
    assert ended.out == b""
    assert target.stat().st_mode & 0o777 == 0o640
    again = target.read_bytes()
    assert again != given
    assert cli("endmark", "check", "chat.json").code == 0
    # The target is a folder: nothing is left behind.
    (tmp_path / "folder").mkdir()
    assert cli("endmark", "repair", "chat.json", "-o", "folder").code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chat.json", "folder"]


def test_the_programs_are_installed() -> None:
    home = Path(sys.executable).parent
    for name in PROGRAMS:
        done = subprocess.run([home / name, "--help"], capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert "Usage" in done.stdout


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    history = [{"role": "user", "content": "x" * 1000}] * 2000
    (tmp_path / "long.json").write_text(json.dumps(history))
    program = Path(sys.executable).parent / "endmark"
    command = (
        f"{program} repair long.json --format openai-chat | head -c 10; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("0\n")
    assert "Traceback" not in done.stderr


def test_the_unforeseen_leaves_no_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("SECRET")

    monkeypatch.setattr("endmark.cli.endmark.files.read", fail)
    assert_one_sentence(
        cli("endmark", "check", "-"), "should not happen.*RuntimeError.*ENDMARK_DEBUG"
    )
    monkeypatch.setitem(os.environ, "ENDMARK_DEBUG", "1")
    with pytest.raises(RuntimeError):
        cli("endmark", "check", "-")
