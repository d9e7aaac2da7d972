"""`heal-db demo`: a small chat database with dead threads, healed before your eyes.

The threads are in `demo.json`, the tables as a user describes them in `demo.toml`; everything
else is what the commands do.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from rich.console import Console

from endmark import heal, rules
from endmark.stores import Source, Store, custom
from endmark.stores.database import opened

__all__ = ["make", "perform"]

DDL = """
CREATE TABLE chat_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id TEXT NOT NULL, seq INTEGER NOT NULL,
    message TEXT NOT NULL, UNIQUE (thread_id, seq)
);
CREATE TABLE assistant_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
    content TEXT NOT NULL, created_at TIMESTAMP NOT NULL
);
CREATE TABLE "Message_v2" (
    id TEXT PRIMARY KEY, "chatId" TEXT NOT NULL, role TEXT NOT NULL, parts JSON NOT NULL,
    attachments JSON NOT NULL, "createdAt" TIMESTAMP NOT NULL
);
"""
INSERTS = {
    "chat_messages": "INSERT INTO chat_messages (thread_id, seq, message) VALUES (:thread, :seq, :message)",
    "assistant_log": (
        "INSERT INTO assistant_log (session_id, role, content, created_at) "
        "VALUES (:thread, :role, :body, :time)"
    ),
    "Message_v2": "INSERT INTO \"Message_v2\" VALUES (:thread || '-' || :seq, :thread, :role, :body, '[]', :time)",
}


class Thread(NamedTuple):
    """A conversation as it is stored now, and what its provider says of it."""

    id: str
    format: str
    history: list[Any]
    answer: str | None


def perform(*, undo: bool, keep: Path | None) -> None:
    """Make the database, show it dead, heal it, show it alive; undo on request."""
    out = Console(highlight=False, soft_wrap=True)
    folder = Path(tempfile.mkdtemp(prefix="endmark-demo-")) if keep is None else keep
    folder.mkdir(parents=True, exist_ok=True)
    script = json.loads(_data("demo.json"))
    told = script["threads"]
    path, config = make(folder, told)
    chosen = custom.from_toml(config)
    before = _dump(path)
    with opened(f"sqlite:///{path}") as engine:
        dead = _read(engine, chosen, told)
        _show_answers(out, dead, {thread["id"]: thread["why"] for thread in told})
        _show_scan(out, heal.scan(engine, chosen))
        run = _apply(out, engine, chosen)
        healed = _read(engine, chosen, told)
        _show_thread(out, script["shown"], dead, healed)
        refused = [thread for thread in healed if thread.answer]
        out.print(
            f"\n[bold]Now[/]: {len(healed) - len(refused)} of {len(healed)} threads are accepted."
        )
        if undo:
            heal.undo(engine, run)
    if undo:
        same = "identical, byte for byte" if _dump(path) == before else "NOT the same"
        out.print(f"[bold]undo[/]: the dump of the tables is {same}.")
    out.print(_goodbye(path, config, run, undone=undo))


def _data(name: str) -> str:
    return (files("endmark.cli") / name).read_text("utf-8")


def make(folder: Path, threads: Iterable[dict[str, Any]]) -> tuple[Path, Path]:
    """Write the database and the description of its tables; give where they are."""
    path, config = folder / "chat.db", folder / "stores.toml"
    path.unlink(missing_ok=True)
    config.write_text(_data("demo.toml"), "utf-8")
    connection = sqlite3.connect(path)
    connection.executescript(DDL)
    clock = 0
    for thread in threads:
        for seq, message in enumerate(thread["messages"], 1):
            clock += 17
            values = {
                "thread": thread["id"],
                "seq": seq,
                "message": json.dumps(message),
                "role": message["role"],
                "body": json.dumps(message.get("parts", message.get("content"))),
                "time": f"2025-05-07 09:{clock // 60:02}:{clock % 60:02}.000000",
            }
            connection.execute(INSERTS[thread["table"]], values)
    connection.commit()
    connection.close()
    return path, config


def _dump(path: Path) -> str:
    """Give the SQL of all tables but Endmark's own."""
    connection = sqlite3.connect(path)
    lines = [line for line in connection.iterdump() if "endmark_" not in line]
    connection.close()
    return "\n".join(lines)


def _read(engine: sa.Engine, chosen: Iterable[Store], script: list[dict[str, Any]]) -> list[Thread]:
    threads = []
    with engine.connect() as connection:
        for store in chosen:
            ids = [(thread["id"],) for thread in script if thread["table"] == store.table]
            for conversation in Source(connection, store).load(connection, ids):
                waits = "approval-requested" in str(conversation.history[-1])
                found = rules.validate(
                    conversation.history, store.format, turn="open" if waits else "over"
                )
                name = str(conversation.id[0])
                answer = found[0].message if found else None
                threads.append(Thread(name, store.format, conversation.history, answer))
    return threads


def _show_answers(out: Console, threads: list[Thread], why: dict[str, str]) -> None:
    out.print("[bold]A chat database, three formats.[/] What the provider answers today:")
    for thread in threads:
        out.print(f"\n[bold]{thread.id}[/] ({thread.format}): {why[thread.id]}")
        if thread.answer:
            out.print(f"  {thread.answer}", style="red", markup=False)
        else:
            out.print("  accepted", style="green")


def _show_scan(out: Console, found: heal.Scan) -> None:
    kinds = ", ".join(f"{count} {kind}" for kind, count in found.findings.items())
    out.print(
        f"\n[bold]scan[/]: {found.conversations} conversations, {found.poisoned} poisoned ({kinds}), "
        f"{found.pending} pending on purpose, {found.skipped} skipped"
    )


def _apply(out: Console, engine: sa.Engine, chosen: list[Store]) -> str | None:
    done = heal.apply(engine, chosen)
    out.print(
        f"[bold]apply[/]: {done.healed} healed; {done.rows_changed} rows changed, "
        f"{done.rows_inserted} inserted, {done.rows_deleted} deleted; all in the journal"
    )
    return done.run


def _show_thread(out: Console, name: str, dead: list[Thread], healed: list[Thread]) -> None:
    for title, threads in (("before", dead), ("after", healed)):
        thread = next(thread for thread in threads if thread.id == name)
        out.print(f"\n[bold]{name}[/], {title}:")
        for message in thread.history:
            out.print(f"  {_short(message)}", markup=False)


def _short(message: dict[str, Any]) -> str:
    said = message.get("content") or ""
    calls = ", ".join(
        f"{call['function']['name']}({call['function']['arguments']}) as {call['id']}"
        for call in message.get("tool_calls", ())
    )
    answered = f" ({message['tool_call_id']})" if "tool_call_id" in message else ""
    return f"{message['role'] + answered:<20} {said}{'calls ' + calls if calls else ''}"


def _goodbye(path: Path, config: Path, run: str | None, *, undone: bool) -> str:
    url = f"sqlite:///{path}"
    called = sys.argv[0]
    away = Path(called).stem == "heal-db" and shutil.which("heal-db") is None
    program = called if away else "heal-db"
    if undone:
        return f"Heal it yourself: {program} apply {url} --config {config}"
    return f"Undo it: {program} undo {url} {run} --yes   ({program} demo --undo shows it on a database of its own)"
