"""The commands: what they print, how they end, and what they say to bad input.

Every row of `cli/*.json` is one call; those of `bad_*.json` have to end with one sentence on
standard error and exit code 2, and never show content or a password (spelt SECRET there).
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa

from endmark import heal
from endmark.cli import door
from endmark.cli.demo import make
from endmark.cli.mapping import Mapping

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


def test_heal_db_from_scan_to_undo(cli: Cli, demo: Demo) -> None:
    first = before = demo.dump()
    for row in json.loads((HERE / "heal_db.json").read_text("utf-8")):
        ended = cli("heal-db", *demo.argv(row))
        out, told = ended.out.decode(), f"{row['argv']}: {ended.err}"
        assert ended.code == row["exit"], told
        if "json" in row:
            assert json.loads(out) == row["json"], told
        if "has" in row:
            assert json.loads(out).items() >= row["has"].items(), told
        if "lines" in row:
            assert [json.loads(line) for line in out.splitlines()] == row["lines"], told
        assert re.search(row.get("stdout", ""), out), told
        assert re.search(row.get("stderr", ""), ended.err), told
        after = demo.dump()
        assert (after != before) == row.get("writes", False), told
        before = after
    assert [line for line in before if not re.search("endmark_(heal|version|made)", line)] == first


@pytest.mark.parametrize("row", rows("bad_heal"))
def test_bad_databases_and_mappings(row: dict[str, Any], cli: Cli, demo: Demo) -> None:
    before = demo.dump()
    assert_one_sentence(cli("heal-db", *demo.argv(row)), row["stderr"])
    assert demo.dump() == before


OWN = {
    "no type at all": ("", "6", 6),
    "numbers": ("INTEGER", "6", 6),
    "texts": ("TEXT", "wörk/6", "wörk/6"),
}


OWN_FLAGS = "--table own --conversation thread --order id --payload body --format openai-chat"


def own_table(path: Path, type_: str, rows: list[tuple[Any, str]]) -> list[str]:
    """Make a table of one's own; give the words that name it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE own (id INTEGER PRIMARY KEY, thread {type_}, body TEXT)")
        connection.executemany("INSERT INTO own (thread, body) VALUES (?, ?)", rows)
    return [f"sqlite:///{path}", *OWN_FLAGS.split()]


@pytest.mark.parametrize("name", OWN)
def test_show_finds_what_the_list_names(name: str, cli: Cli, tmp_path: Path) -> None:
    type_, said, stored = OWN[name]
    history = json.loads((HERE / "files" / "dangling.json").read_text())
    rows = [(stored, json.dumps(message)) for message in history]
    url, *flags = own_table(tmp_path / "own.db", type_, rows)
    listed = cli("heal-db", "scan", url, *flags, "--list")
    assert f'"conversation": "{said}"' in listed.out.decode()
    shown = cli("heal-db", "show", url, said, *flags)
    assert shown.code == 0, shown.err
    lines = shown.out.decode().splitlines()
    assert [line[0] for line in lines] == ["b", " ", " ", " ", "a", " ", " ", "+", " "]
    assert "café" in lines[1]
    assert shown.err == "store: custom; status: poisoned\n"
    assert_one_sentence(cli("heal-db", "show", url, "7", *flags), "no conversation 7")


WAITS: dict[str, tuple[str, list[str], str, str]] = {
    "no time": ("DEFAULT 1", [], "age unknown", "--age"),
    "just now": ("DEFAULT CURRENT_TIMESTAMP", ["--age", "at"], "younger than 1 h", "--min-age"),
    "another age": (
        "DEFAULT CURRENT_TIMESTAMP",
        ["--age", "at", "--min-age", "10m"],
        "younger than 10 min",
        "--min-age",
    ),
    "on purpose": (
        "DEFAULT 1",
        ["--pending-tool", "look_up"],
        "waits on purpose",
        "--include-frontier",
    ),
}


@pytest.mark.parametrize("name", WAITS)
def test_what_is_pending_says_why(name: str, cli: Cli, tmp_path: Path) -> None:
    default, more, why, way = WAITS[name]
    history = json.loads((HERE / "files" / "dangling.json").read_text())[:2]
    rows = [("a", json.dumps(message)) for message in history]
    url, *flags = own_table(tmp_path / "own.db", f"TEXT, at TIMESTAMP {default}", rows)
    listed = cli("heal-db", "scan", url, *flags, *more, "--list")
    assert json.loads(listed.out)["reason"] == why
    said = cli("heal-db", "scan", url, *flags, *more).err
    assert f"1 pending, left open: 1 {why} ({way}" in said
    assert cli("heal-db", "scan", url, *flags, *more, "--include-frontier").code == 1


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


def test_an_id_of_another_type(cli: Cli, database: Any) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE own (id INTEGER PRIMARY KEY, t INTEGER, body TEXT)"
        )
        insert = sa.text("INSERT INTO own VALUES (1, 6, :body)")
        connection.execute(insert, {"body": '{"role": "user", "content": "hello"}'})
    flags = OWN_FLAGS.replace("thread", "t").split()
    ended = cli("heal-db", "show", database.url, "6", *flags)
    assert (ended.code, ended.err) == (0, "store: custom; status: clean\n")
    assert_one_sentence(cli("heal-db", "show", database.url, "x", *flags), "no conversation x")


PATHS = {
    "flag": "thread.messages",
    "text in TOML": 'path = "thread.messages"',
    "list in TOML": 'path = ["thread", "messages"]',
    "with its layout": 'path = "thread.messages"\nlayout = "list"',
}


@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_spelt_one_way(name: str, cli: Cli, tmp_path: Path) -> None:
    history = json.loads((HERE / "files" / "dangling.json").read_text())
    body = json.dumps({"thread": {"messages": history}})
    url, *flags = own_table(tmp_path / "own.db", "TEXT", [("a", body)])
    if name == "flag":
        flags += ["--path", PATHS[name]]
    else:
        keys = [
            f'{key.strip("-")} = "{value}"'
            for key, value in zip(flags[::2], flags[1::2], strict=True)
        ]
        (tmp_path / "s.toml").write_text("\n".join(["[stores.lists]", *keys, PATHS[name]]))
        flags = ["--config", "s.toml", "--store", "lists"]
    ended = cli("heal-db", "scan", url, *flags, "--json")
    assert ended.code == 1, ended.err
    assert json.loads(ended.out)["findings"] == {"dangling": 1}


def test_what_is_skipped_is_said(cli: Cli, tmp_path: Path) -> None:
    call = '{"role": "assistant", "tool_calls": [{"id": "a", '
    url, *flags = own_table(tmp_path / "own.db", "TEXT", [("a", call), ("b", call)])
    why = "2 of 2 conversations skipped, the first because row id=1: .*check --format, --payload"
    for command in (["scan"], ["scan", "--list"], ["scan", "--json"], ["apply", "--yes"]):
        ended = cli("heal-db", command[0], url, *flags, *command[1:])
        assert ended.code == 2
        assert re.search(f"nothing could be read: {why}", ended.err.splitlines()[-1])
    shown = cli("heal-db", "show", url, "b", *flags)
    assert re.search("status: skipped \\(row id=2: .*JSON", shown.err)
    with closing(sqlite3.connect(tmp_path / "own.db")) as connection, connection:
        connection.execute("UPDATE own SET body = ? WHERE id = 1", ['{"role": "user"}'])
    for command in (["scan"], ["scan", "--list"], ["scan", "--json"]):
        ended = cli("heal-db", *command[:1], url, *flags, *command[1:])
        assert ended.code == 0
        assert "1 could not be read and are not counted as clean" in ended.err
    assert json.loads(ended.out)["skipped"] == 1
    assert cli("heal-db", "apply", url, *flags, "--yes").code == 0


def test_only_show_prints_content(cli: Cli, demo: Demo) -> None:
    words = ["Refund order", "umbrella", "brand colours", "39.9", "Basta"]
    for command in (["scan"], ["scan", "--list"], ["scan", "--json"], ["apply", "--yes"]):
        ended = cli(
            "heal-db", command[0], demo.words["URL"], "--config", demo.words["CONFIG"], *command[1:]
        )
        shown = ended.out.decode() + ended.err
        assert [word for word in words if word in shown] == []


def test_a_locked_database(cli: Cli, demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endmark.stores.database.BUSY_TIMEOUT", 0.05)
    command = ["apply", demo.words["URL"], "--config", demo.words["CONFIG"], "--yes"]
    with closing(sqlite3.connect(demo.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert_one_sentence(cli("heal-db", *command), "is locked by another program: try again")
    assert cli("heal-db", *command).code == 0


def test_a_database_that_can_only_be_read(cli: Cli, demo: Demo) -> None:
    url = f"sqlite:///file:{demo.path}?mode=ro&uri=true"
    config = ["--config", demo.words["CONFIG"]]
    before = demo.dump()
    assert cli("heal-db", "scan", url, *config).code == 1
    assert_one_sentence(
        cli("heal-db", "apply", url, *config, "--yes"), "can only be read: give write permission"
    )
    assert demo.dump() == before


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


def test_a_url_as_people_have_it(cli: Cli, database: Any) -> None:
    number = {"sqlite": "", "postgresql": "GENERATED BY DEFAULT AS IDENTITY"}[database.name]
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            f"CREATE TABLE chat (id INTEGER PRIMARY KEY {number}, t TEXT, body TEXT)"
        )
        for message in json.loads((HERE / "files" / "dangling.json").read_text()):
            values = {"body": json.dumps(message)}
            connection.execute(sa.text("INSERT INTO chat (t, body) VALUES ('a', :body)"), values)
    schemes = {
        "sqlite": ("sqlite", "sqlite+aiosqlite", "sqlite+pysqlite"),
        "postgresql": ("postgres", "postgresql", "postgresql+asyncpg", "postgresql+psycopg2"),
    }[database.name]
    mapping = ["--config", str(HERE / "files" / "chat.toml")]
    for scheme in schemes:
        url = scheme + database.url[database.url.index(":") :]
        ended = cli("heal-db", "scan", url, *mapping, "--json")
        assert ended.code == 1, ended.err
        assert json.loads(ended.out)["poisoned"] == 1
    assert cli("heal-db", "apply", url, *mapping, "--yes").code == 0
    assert cli("heal-db", "scan", url, *mapping).code == 0
    assert cli("heal-db", "undo", url, "--yes").code == 0


def test_a_schema_holds_for_described_stores_too(tmp_path: Path) -> None:
    path = tmp_path / "stores.toml"
    path.write_text(
        '[stores.chat]\nformat = "openai-chat"\ntable = "chat"\nconversation = "thread"\n'
        'order = "id"\npayload = "body"\n'
    )
    chosen = Mapping(config=path, schema="core")._chosen()
    assert chosen is not None
    assert [store.schema for store in chosen] == ["core"]
