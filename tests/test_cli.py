"""The commands: what they print, how they end, and what they say to bad input.

Every row of `cli/*.json` is one call; those of `bad_*.json` have to end with one sentence on
standard error and exit code 2, and never show content or a password (spelt SECRET there).
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from endmark import heal
from fix_cli import HERE, PROGRAMS, Cli, Demo, Ended, assert_one_sentence, rows


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


def test_a_dash_is_standard_output(cli: Cli, tmp_path: Path) -> None:
    source = str(HERE / "files" / "dangling.json")
    ended = cli("endmark", "repair", source, "-o", "-")
    assert ended.out == cli("endmark", "repair", source).out != b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_an_output_that_is_no_file_is_written_to(cli: Cli, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        source = HERE / "files" / "dangling.json"
        assert cli("endmark", "repair", str(source), "-o", "pipe").code == 0
        said = reader.communicate(timeout=60)[0]
    assert pipe.is_fifo()
    assert said == cli("endmark", "repair", str(source)).out


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_surprise(tmp_path: Path, closed: str) -> None:
    program = Path(sys.executable).parent / "endmark"
    source = HERE / "files" / "dangling.json"
    command = f"{program} check {source} --format openai-chat {closed}; echo $? > code"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (tmp_path / "code").read_text() == "1\n"
    assert "should not happen" not in done.stderr
    command = f"{program} check - --format openai-chat {closed} < /dev/null; echo $? > code"
    subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=False)
    assert (tmp_path / "code").read_text() == "2\n"


def test_the_programs_are_installed() -> None:
    home = Path(sys.executable).parent
    for name in PROGRAMS:
        done = subprocess.run([home / name, "--help"], capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert "Usage" in done.stdout


@pytest.mark.parametrize("command", ["repair", "check"])
@pytest.mark.parametrize("stream", ["", "2>&1 >/dev/null"])
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, command: str, stream: str) -> None:
    calls = [{"id": "a", "type": "function", "function": {"name": "f" * 99, "arguments": "{}"}}]
    call = {"role": "assistant", "content": None, "tool_calls": calls}
    history = [call, {"role": "user", "content": "x" * 1000}] * 2000
    (tmp_path / "long.json").write_text(json.dumps(history))
    program = Path(sys.executable).parent / "endmark"
    command = f"{program} {command} long.json --format openai-chat {stream} | head -c 10"
    command += "; echo ${PIPESTATUS[0]}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    whole = command.startswith(f"{program} check") and stream  # its findings go elsewhere
    assert done.stdout.endswith("1\n" if whole else "141\n")
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


def test_a_terminal_is_not_read(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fix_cli.Stream.isatty", lambda self: True, raising=False)
    assert_one_sentence(cli("endmark", "check"), "no file is named, and nothing is piped in")


def on_a_terminal(*argv: str) -> list[str]:
    """Run a program on a terminal of 80 columns; give what it printed."""
    ours, theirs = os.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    program = Path(sys.executable).parent / argv[0]
    with subprocess.Popen(
        [program, *argv[1:]], stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    ):
        os.close(theirs)
        seen = read_until(ours, b"")
    os.close(ours)
    return seen.decode().splitlines()


@pytest.mark.parametrize("command", ["stores", "runs"])
def test_tables_fit(command: str, cli: Cli, demo: Demo) -> None:
    url = demo.words["URL"]
    assert cli("heal-db", "apply", url, "--config", demo.words["CONFIG"], "--yes").code == 0
    argv = ["heal-db", command, *([url] if command == "runs" else [])]
    narrow = on_a_terminal(*argv)
    assert max(map(len, narrow)) <= 80
    piped = cli(*argv).out.decode().splitlines()
    assert piped == [line.rstrip() for line in piped]
    assert len(piped) <= len(narrow)
    assert not any("T" in word and ":" in word for line in piped for word in line.split())


@pytest.mark.parametrize("undo", [[], ["--undo"]])
def test_the_demo(undo: list[str], cli: Cli, tmp_path: Path) -> None:
    ended = cli("heal-db", "demo", "--keep", "kept", *undo)
    out = ended.out.decode()
    assert ended.code == 0, ended.err
    for said in (
        "did not have response messages: call_r2",
        "`tool_use` ids were found without `tool_result` blocks",
        "Tool result is missing for tool call call_v2.",
        "12 conversations, 8 poisoned",
        "8 healed",
        "12 of 12 threads are accepted",
    ):
        assert said in out
    assert ("identical, byte for byte" in out) == bool(undo)
    [line] = [line for line in out.splitlines() if "heal-db" in line]
    command = re.search(r"heal-db (apply|undo) (\S+) .*?(?=   |$)", line)
    assert command is not None
    assert cli(*command[0].split(), *([] if "--yes" in command[0] else ["--yes"])).code == 0


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Let Ctrl-C mean what it does in a terminal: a parent may have had it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_after_the_batch(cli: Cli, demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = heal.apply

    def interrupted(*given: Any, stop: Callable[[], bool], **more: Any) -> heal.Applied:
        signal.raise_signal(signal.SIGINT)
        return whole(*given, stop=stop, **more)

    monkeypatch.setattr(heal, "apply", interrupted)
    command = ["apply", demo.words["URL"], "--config", demo.words["CONFIG"], "--yes"]
    ended = cli("heal-db", *command)
    assert ended.code == 130
    assert "stopped after the batch; run the same command again" in ended.err
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    monkeypatch.undo()
    assert cli("heal-db", *command).code == 0


@pytest.mark.parametrize("command", ["scan", "undo"])
def test_ctrl_c_is_told(
    command: str, cli: Cli, demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(heal, command, interrupted)
    more = ["--yes"] if command == "undo" else ["--config", demo.words["CONFIG"]]
    ended = cli("heal-db", command, demo.words["URL"], *more)
    assert ended.code == 130
    assert "stopped; nothing more was written" in ended.err


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize(("answer", "code"), [(b"n\n", 2), (b"y\n", 0), (None, 130)])
def test_a_terminal_is_asked(answer: bytes | None, code: int, demo: Demo) -> None:
    before = demo.dump()
    program = Path(sys.executable).parent / "heal-db"
    command = [program, "apply", demo.words["URL"], "--config", demo.words["CONFIG"]]
    ours, theirs = os.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        assert b"Heal 8 of 12 conversations of chat (chat_messages), log" in read_until(
            ours, b"]: "
        )
        while answer is None and running.poll() is None:
            running.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                running.wait(2)  # one that came just before the prompt was read is sent again
        if answer is not None:
            os.write(ours, answer)
        seen = read_until(ours, b"")
    os.close(ours)
    assert running.returncode == code, seen
    assert (demo.dump() == before) == (code != 0)


def read_until(terminal: int, text: bytes) -> bytes:
    seen = b""
    while not text or text not in seen:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other side is gone
            break
        if not piece:
            break
        seen += piece
    return seen
