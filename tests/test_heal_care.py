"""The heal's care: what it leaves alone, what goes wrong around it, and that nothing is lost by it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import Policy, heal, repair
from endmark.errors import HealError
from endmark.heal import Item, Options, stamps
from endmark.stores import Store, changes, write
from fix_databases import Database
from healing import PAYLOADS, Chat, dump

FOLDER = Path(__file__).parent / "heal"
FRONTIER = json.loads((FOLDER / "frontier.json").read_text())
HOSTILE = json.loads((FOLDER / "hostile.json").read_text())
NOW = 1_800_000_000.0

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASK = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USER = {"role": "user", "content": "go on"}
OPEN = {"type": "tool-f", "toolCallId": "a", "state": "input-available", "input": {}}
HALF = {
    "openai-chat": [USER, ASK],
    "anthropic": [
        USER,
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}],
        },
    ],
    "ai-sdk": [
        {"id": "u", "role": "user", "parts": [{"type": "text", "text": "go on"}]},
        {"id": "m", "role": "assistant", "parts": [OPEN]},
    ],
}


def apply(database: Database, store: Store, **options: Any) -> tuple[heal.Applied, list[Item]]:
    items: list[Item] = []
    applied = heal.apply(
        database.engine, [store], options=Options(now=NOW, **options), on_item=items.append
    )
    return applied, items


@pytest.mark.parametrize("format_", HALF)
@pytest.mark.parametrize("case", FRONTIER, ids=lambda case: case["case"])
def test_the_frontier(database: Database, case: dict[str, Any], format_: str) -> None:
    chat = Chat(database, "sequence" if case["age"] is None else "time", "TEXT", format_)
    history = HALF[format_] + ([HALF[format_][0]] if case.get("then") else [])
    chat.fill({"x": history})
    if case["age"] is not None:
        at = datetime.fromtimestamp(NOW - case["age"], UTC).replace(tzinfo=None)
        with database.engine.begin() as connection:
            # Only the last row is of that age, or of a little less.
            for k in range(1, len(history)):
                connection.execute(
                    sa.text("UPDATE chat SET at = :at WHERE id = :id"),
                    {"at": str(at.replace(microsecond=k)), "id": f"x-{k:03}"},
                )
    before = chat.dump()
    policy, options = Policy(**case.get("policy", {})), Options(now=NOW, **case["options"])
    items: list[Item] = []
    heal.scan(database.engine, [chat.store], policy=policy, options=options, on_item=items.append)
    assert [item.status for item in items] == [case["status"]]
    applied = heal.apply(database.engine, [chat.store], policy=policy, options=options)
    assert applied.healed == (case["status"] == "poisoned")
    assert applied.pending == (case["status"] == "pending")
    assert (chat.dump() == before) == (case["status"] == "pending")


@pytest.mark.parametrize("format_", HALF)
def test_shards_do_what_one_process_does(database: Database, format_: str) -> None:
    chat = Chat(database, "shared", "TEXT", format_)
    histories = {f"c{k}": [*HALF[format_], HALF[format_][0]] for k in range(40)}
    chat.fill(histories)
    seen: list[str] = []
    counts = []
    for shard in range(1, 4):
        scanned = heal.scan(database.engine, [chat.store], options=Options(shard=(shard, 3)))
        applied, items = apply(database, chat.store, shard=(shard, 3))
        counts.append((scanned.conversations, scanned.poisoned, applied.healed))
        seen += [item.conversation for item in items]
    assert sorted(seen) == sorted(histories)
    assert [sum(column) for column in zip(*counts, strict=True)] == [40, 40, 40]
    assert all(count[0] > 0 for count in counts)
    assert chat.histories() == {n: repair(h, format_) for n, h in histories.items()}


@pytest.mark.parametrize("format_", HALF)
@pytest.mark.parametrize("times", [1, 2, 9])
def test_a_row_that_changes_meanwhile(
    database: Database, format_: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = Chat(database, "sequence", "TEXT", format_)
    chat.fill({name: [*HALF[format_], HALF[format_][0]] for name in ("x", "y")})
    left = iter(range(times))

    def meddling(connection: sa.Connection, *rest: Any, **more: Any) -> list[changes.Change]:
        touches_x = any("x-00" in str(change.key) for change in rest[1])
        if touches_x and next(left, None) is not None:
            raise changes.RowChanged(rest[1][0])
        return write.execute(connection, *rest, **more)

    monkeypatch.setattr(stamps, "execute", meddling)
    applied, items = apply(database, chat.store, include_frontier=True)
    skipped = [item for item in items if item.status == "skipped"]
    assert applied.healed == (2 if times < 3 else 1)
    assert [item.conversation for item in skipped] == (["x"] if times == 9 else [])
    assert all("changed" in (item.reason or "") for item in skipped)
    with database.engine.connect() as connection:
        [run] = heal.runs(database.engine)
        assert run.healed == applied.healed, connection


KILLED = """
import os, signal, sys
import sqlalchemy as sa
from endmark import heal, stores
engine = sa.create_engine(sys.argv[1])
def after(done, known):
    if done >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
[store] = stores.custom.from_toml(sys.argv[2])
heal.apply(engine, [store], options=heal.Options(batch=2, include_frontier=True), on_progress=after)
"""


@pytest.mark.parametrize("batches", [1, 3])
@pytest.mark.parametrize("format_", HALF)
def test_a_killed_run_goes_on(
    database: Database, format_: str, batches: int, tmp_path: Path
) -> None:
    chat = Chat(database, "shared", "TEXT", format_)
    histories = {f"c{k}": [*HALF[format_], HALF[format_][0]] for k in range(10)}
    chat.fill(histories)
    before = chat.dump()
    toml = tmp_path / "stores.toml"
    columns = {"table": "chat", "conversation": "thread", "order": "id", "payload": "body"}
    lines = [f'{name} = "{value}"' for name, value in {**columns, "format": format_}.items()]
    toml.write_text("\n".join(["[stores.custom]", *lines]))
    script = "from endmark.stores import custom\n" + KILLED
    command = [sys.executable, "-c", script, database.url, str(toml), str(2 * batches)]
    killed = subprocess.run(command, capture_output=True, check=False, env=os.environ)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    [cut] = heal.runs(database.engine)
    assert (cut.healed, cut.finished) == (2 * batches, None)

    applied, _ = apply(database, chat.store, include_frontier=True)

    assert applied.run == cut.run
    assert applied.healed == 10 - 2 * batches
    [run] = heal.runs(database.engine)
    assert run.healed == 10
    assert run.finished is not None
    assert chat.histories() == {n: repair(h, format_) for n, h in histories.items()}
    heal.undo(database.engine)
    assert chat.dump() == before


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_rows(database: Database, name: str) -> None:
    row = HOSTILE[name]
    text = row.get("text")
    if text is None:
        head, inner, outer, tail, times = row["repeat"]
        text = head + inner * times + outer * times + tail
    for payload in set(row["payloads"]) & set(PAYLOADS[database.name]):
        chat = Chat(database, "sequence", payload, "openai-chat")
        chat.fill({"sound": [USER], "half": [*HALF["openai-chat"], USER]})
        chat.fill({"odd": [text, ASK, USER]})
        before = chat.dump()
        applied, items = apply(database, chat.store)
        status = {item.conversation: item.status for item in items}
        read = bool(row.get("reads"))
        assert status == {"half": "poisoned", "odd": "poisoned" if read else "skipped"}
        reasons = [item.reason for item in items if item.status == "skipped"]
        assert all(reason and "x-00" not in reason and len(reason) < 300 for reason in reasons)
        assert all(re.search(row.get("says", ""), reason or "") for reason in reasons)
        if read:
            odd = [line for line in before if "odd-000" in line]
            assert [line for line in chat.dump() if "odd-000" in line] == odd
        assert applied.skipped == (not read)
        heal.undo(database.engine)
        assert chat.dump() == before
        with database.engine.begin() as connection:
            connection.exec_driver_sql("DROP TABLE chat")


def test_an_empty_table(database: Database) -> None:
    chat = Chat(database, "sequence", "TEXT", "openai-chat")
    scanned = heal.scan(database.engine, [chat.store])
    assert (scanned.conversations, scanned.poisoned) == (0, 0)
    assert apply(database, chat.store)[0].run is None
    assert sa.inspect(database.engine).get_table_names() == ["chat"]


def test_a_row_that_others_refer_to_stays(database: Database) -> None:
    chat = Chat(database, "sequence", "TEXT", "openai-chat")
    orphan = {"role": "tool", "tool_call_id": "gone", "content": "late"}
    chat.fill({"x": [USER, orphan], "y": [USER, orphan]})
    with database.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE vote (message VARCHAR(90) REFERENCES chat (id) ON DELETE CASCADE)"
        )
        connection.exec_driver_sql("INSERT INTO vote VALUES ('x-001')")
    applied, items = apply(database, chat.store, include_frontier=True)
    assert (applied.rows_deleted, applied.skipped) == (1, 1)
    [reason] = [item.reason for item in items if item.conversation == "x"]
    assert reason is not None
    assert "vote" in reason
    assert len(chat.histories()["x"]) == 2


@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_on_one_connection(database: Database, end: str) -> None:
    chat = Chat(database, "shared", "TEXT", "openai-chat")
    chat.fill({"x": [*HALF["openai-chat"], USER]})
    before = chat.dump()
    with database.engine.connect() as connection:
        applied = heal.heal_in(connection, [chat.store])
        getattr(connection, end)()
    assert applied.healed == 1
    assert (chat.dump() == before) == (end == "rollback")
    if end == "commit":
        with database.engine.connect() as connection:
            heal.undo_in(connection)
            connection.commit()
        assert chat.dump() == before


def test_stop(database: Database) -> None:
    chat = Chat(database, "sequence", "TEXT", "openai-chat")
    chat.fill({f"c{k}": [*HALF["openai-chat"], USER] for k in range(6)})
    asked = iter([False, False, True])
    options = Options(batch=2)
    first = heal.apply(database.engine, [chat.store], options=options, stop=lambda: next(asked))
    assert (first.healed, first.stopped) == (4, True)
    second = heal.apply(database.engine, [chat.store], options=options)
    assert (second.run, second.healed, second.stopped) == (first.run, 2, False)


def test_a_journal_of_a_newer_version_is_refused(database: Database) -> None:
    chat = Chat(database, "sequence", "TEXT", "openai-chat")
    chat.fill({"x": [*HALF["openai-chat"], USER]})
    apply(database, chat.store)
    table = "endmark_heal_run" if database.name == "sqlite" else "endmark.run"
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {table} SET version = 99")
    before = dump(database)
    with pytest.raises(HealError, match="newer version"):
        apply(database, chat.store)
    assert dump(database) == before
