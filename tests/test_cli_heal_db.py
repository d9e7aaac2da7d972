"""heal-db: from a scan to an undo, bad databases and mappings, what is said of what."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark.cli.mapping import Mapping
from fix_cli import HERE, Cli, Demo, assert_one_sentence, rows


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
    Path("own.toml").write_text(row.get("toml", ""))
    assert_one_sentence(cli("heal-db", *demo.argv(row)), row["stderr"])
    assert demo.dump() == before


SOUND = {
    "format": "openai-chat",
    "table": "chat_messages",
    "conversation": "thread_id",
    "order": "seq",
    "payload": "message",
}


@pytest.mark.parametrize("row", rows("bad_values"))
def test_a_wrong_value_is_told_by_its_kind(row: dict[str, Any], cli: Cli, demo: Demo) -> None:
    sound = SOUND if row["of"] == "store" else {}
    key = row["toml"].split()[0]
    lines = [f'{name} = "{value}"' for name, value in sound.items() if name != key]
    Path("own.toml").write_text(
        "\n".join([*(["[stores.own]"] if sound else []), *lines, row["toml"]])
    )
    option = "--config" if sound else "--policy"
    assert_one_sentence(
        cli("heal-db", "scan", demo.words["URL"], option, "own.toml"), row["stderr"]
    )


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


def test_show_says_where_else_it_is(cli: Cli, tmp_path: Path) -> None:
    url, *_ = own_table(tmp_path / "own.db", "TEXT", [("t", '{"role": "user", "content": "a"}')])
    described = [
        f'[stores.{name}]\nformat = "openai-chat"\ntable = "{table}"\nconversation = "thread"\n'
        'order = "id"\npayload = "body"\n'
        for name, table in {"one": "own", "two": "own", "gone": "gone"}.items()
    ]
    (tmp_path / "own.toml").write_text("".join(described[:2]))
    command = ["heal-db", "show", url, "t", "--config", str(tmp_path / "own.toml")]
    assert "store: one; status: clean\nt is in two (own) too; --store shows" in cli(*command).err
    assert cli(*command, "--store", "two").err == "store: two; status: clean\n"
    assert json.loads(cli(*command, "--json").out)["also_in"] == ["two (own)"]
    (tmp_path / "own.toml").write_text(described[0] + described[2])
    assert cli(*command).err == "store: one; status: clean\n"  # another's fault is not told here


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
    assert re.fullmatch("before:\n! row id=2: .*JSON.*\n", shown.out.decode())
    told = json.loads(cli("heal-db", "show", url, "b", *flags, "--json").out)
    assert (told["status"], told["unread"]) == ("skipped", [{"at": 0, "reason": told["reason"]}])
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


def test_an_undo_says_what_it_left_and_how_to_try_it_again(cli: Cli, tmp_path: Path) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    half = [{"role": "assistant", "tool_calls": [call]}, {"role": "user", "content": "?"}]
    rows = [(thread, json.dumps(message)) for thread in (7, 8) for message in half]
    url, *flags = own_table(tmp_path / "own.db", "INTEGER", rows)
    assert cli("heal-db", "apply", url, *flags, "--yes").code == 0
    [run] = json.loads(cli("heal-db", "runs", url, "--json").out)
    with closing(sqlite3.connect(tmp_path / "own.db")) as connection, connection:
        connection.execute("UPDATE own SET body = '{}' WHERE id = 2")

    ended = cli("heal-db", "undo", url, "--yes")

    assert ended.code == 0
    assert "left alone: own id=2: changed since" in ended.err
    assert f"once they are as the heal left them: heal-db undo URL {run['run']}\n" in ended.err
    assert b"all but 2" in cli("heal-db", "runs", url).out
    [run] = json.loads(cli("heal-db", "runs", url, "--json").out)
    assert (run["undone"], run["rows_left"]) == (None, 2)


def test_a_schema_holds_for_described_stores_too(tmp_path: Path) -> None:
    path = tmp_path / "stores.toml"
    path.write_text(
        '[stores.chat]\nformat = "openai-chat"\ntable = "chat"\nconversation = "thread"\n'
        'order = "id"\npayload = "body"\n'
    )
    chosen = Mapping(config=path, schema="core")._chosen()
    assert chosen is not None
    assert [store.schema for store in chosen] == ["core"]


ELSEWHERE = """
    CREATE TABLE public.notes (id INT PRIMARY KEY, text TEXT);
    CREATE SCHEMA "my app"; CREATE SCHEMA secret; CREATE SCHEMA kept;
    CREATE TABLE "my app".chat (id SERIAL PRIMARY KEY, thread TEXT, body JSONB);
    INSERT INTO "my app".chat (thread, body) VALUES ('t', '%s');
    CREATE TABLE secret.chat (LIKE "my app".chat INCLUDING ALL);
    INSERT INTO secret.chat SELECT * FROM "my app".chat;
    CREATE TABLE kept.message_store (id SERIAL PRIMARY KEY, session_id TEXT, message TEXT);
    GRANT USAGE ON SCHEMA kept, "my app" TO pg_monitor;
    GRANT SELECT ON ALL TABLES IN SCHEMA kept, "my app", public TO pg_monitor;
"""


def test_what_the_database_refuses_is_said(cli: Cli, tmp_path: Path) -> None:
    history = json.loads((HERE / "files" / "dangling.json").read_text())
    rows = [(thread, json.dumps(message)) for thread in "ab" for message in history]
    url, *flags = own_table(tmp_path / "own.db", "TEXT", rows)
    with closing(sqlite3.connect(tmp_path / "own.db")) as connection, connection:
        refuse = "BEGIN SELECT RAISE(ABORT, 'not today'); END"
        connection.execute(f"CREATE TRIGGER keep BEFORE INSERT ON own {refuse}")
        connection.execute(f"CREATE TRIGGER stay BEFORE UPDATE ON own {refuse}")
    ended = cli("heal-db", "apply", url, *flags, "--include-frontier", "--yes")
    assert ended.code == 2
    why = "nothing could be healed: 2 of 2 conversations skipped, the first because .*not today"
    assert re.search(why, ended.err.splitlines()[-1])


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_what_other_schemas_hold_is_named(cli: Cli, database: Any) -> None:
    with database.engine.begin() as connection:
        connection.execute(sa.text(re.sub("(?=:)", r"\\", ELSEWHERE % CALLING)))
    url = f"{database.url}?options=-crole%3Dpg_monitor"  # who may not read all of it
    ended = cli("heal-db", "scan", url)
    assert ended.code == 2
    said, *commands = ended.err.splitlines()
    assert re.search("no known store is here; seen: notes.*by the looks of it", said)
    assert [command.strip() for command in commands] == [
        "heal-db scan URL --schema kept (langchain in message_store)",
        f"heal-db scan URL --table chat --schema 'my app' {OWN_FLAGS.partition('own ')[2]}",
    ]
    flags = shlex.split(commands[1])[3:]
    assert cli("heal-db", "scan", url, *flags, "--include-frontier").code == 1
    assert_one_sentence(
        cli("heal-db", "scan", url, *flags[:2], *flags[4:]),
        "no table chat; the tables there are: notes; there is one in schema my app, secret: name it",
    )
    assert_one_sentence(
        cli("heal-db", "scan", url, "--schema", "nope"),
        "no schema nope; the schemas are information_schema, kept, my app, public, secret",
    )


CALLING = '{"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}'
OTHERWISE: dict[str, tuple[str, str, str]] = {
    "another format": (
        "body",
        "--payload body --format anthropic",
        "own.body are not of anthropic: by the looks of them they are of openai-chat",
    ),
    "calls in a column of their own": (
        "tool_calls",
        "--payload words --role role --format openai-chat",
        "keeps tool_calls in columns of their own.*`fields` in a --config",
    ),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_mapping_that_reads_otherwise_is_not_clean(name: str, cli: Cli, tmp_path: Path) -> None:
    column, flags, said = OTHERWISE[name]
    url = with_messages(tmp_path, column)
    mapping = f"--table own --conversation thread --order id {flags}".split()
    for command in ("scan", "apply"):
        yes = ["--yes"] if command == "apply" else []
        assert_one_sentence(cli("heal-db", command, url, *mapping, *yes), said)


def test_messages_beside_a_known_store_are_not_passed_over(cli: Cli, tmp_path: Path) -> None:
    url = with_messages(tmp_path, "body")
    assert cli("heal-db", "migrate", url, "--yes").code == 0
    scanned = cli("heal-db", "scan", url)
    assert re.search(
        "not read, though it looks like messages: heal-db scan URL --table own", scanned.err
    )


def with_messages(folder: Path, column: str) -> str:
    """Make a table with a call that is open, in a column of this name."""
    with closing(sqlite3.connect(folder / "own.db")) as connection:
        connection.execute(
            f"CREATE TABLE own (id INTEGER PRIMARY KEY, thread, role, words TEXT, {column} TEXT)"
        )
        insert = f"INSERT INTO own (thread, role, words, {column}) VALUES ('t', ?, '', ?)"
        connection.execute(insert, ("assistant", CALLING))
        connection.execute(insert, ("user", '{"role": "user", "content": "so?"}'))
        connection.commit()
    return f"sqlite:///{folder / 'own.db'}"
