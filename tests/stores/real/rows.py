"""crush, a program that no package brings: `python rows.py > DUMP`.

The tables are as its migrations leave them, triggers too; the rows have the shapes of crush 0.90
(internal/message).
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import talk

T0 = 1772445600

SCHEMA = """
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    parent_session_id TEXT,
    title TEXT NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    prompt_tokens  INTEGER NOT NULL DEFAULT 0 CHECK (prompt_tokens >= 0),
    completion_tokens  INTEGER NOT NULL DEFAULT 0 CHECK (completion_tokens>= 0),
    cost REAL NOT NULL DEFAULT 0.0 CHECK (cost >= 0.0),
    updated_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL
, summary_message_id TEXT, todos TEXT);
CREATE TABLE messages (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    role TEXT NOT NULL,
    parts TEXT NOT NULL default '[]',
    model TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL,
    FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX idx_messages_session_id ON messages (session_id);
CREATE INDEX idx_messages_created_at ON messages (created_at);
CREATE INDEX idx_sessions_created_at ON sessions (created_at);
"""
TRIGGERS = """
CREATE TRIGGER update_sessions_updated_at
AFTER UPDATE ON sessions
BEGIN
UPDATE sessions SET updated_at = strftime('%s', 'now')
WHERE id = new.id;
END;
CREATE TRIGGER update_messages_updated_at
AFTER UPDATE ON messages
BEGIN
UPDATE messages SET updated_at = strftime('%s', 'now')
WHERE id = new.id;
END;
CREATE TRIGGER update_session_message_count_on_insert
AFTER INSERT ON messages
BEGIN
UPDATE sessions SET
    message_count = message_count + 1
WHERE id = new.session_id;
END;
CREATE TRIGGER update_session_message_count_on_delete
AFTER DELETE ON messages
BEGIN
UPDATE sessions SET
    message_count = message_count - 1
WHERE id = old.session_id;
END;
"""


def text_of(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


class Rows:
    """Rows written one after another, two of a conversation in one second now and then."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.n = 0

    def insert(self, table: str, **cells: Any) -> None:
        names, marks = ", ".join(cells), ", ".join("?" * len(cells))
        sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"
        self.connection.execute(sql, tuple(cells.values()))

    def second(self) -> int:
        self.n += 1
        return T0 + self.n // 8


class Crush(Rows):
    """Rows as crush writes them."""

    def session(self, name: str, summary: str | None = None) -> None:
        at = {"created_at": T0, "updated_at": T0}
        self.insert("sessions", id=name, title=name, summary_message_id=summary, **at)

    def message(self, session: str, role: str, *parts: Any, **cells: Any) -> None:
        at = self.second()
        own = {
            "id": f"00000000-0000-4000-8000-{self.n:012}",
            "session_id": session,
            "role": role,
            "parts": text_of([{"type": type_, "data": data} for type_, data in parts]),
            "model": "fake" if role == "assistant" else "",
            "provider": "fake" if role == "assistant" else None,
            "created_at": at,
            "updated_at": at,
            "finished_at": at if role == "assistant" else None,
            "is_summary_message": 0,
        }
        self.insert("messages", **own | cells)

    def say(self, session: str, kind: str, content: Any) -> None:
        stop = ("finish", {"reason": "stop", "time": 0})
        if kind == "call":
            done = {"provider_executed": False, "finished": True}
            given = {"name": "weather", "input": '{"city": "Bern"}'} | done
            calls = [("tool_call", {"id": id_, **given}) for id_ in content]
            end = ("finish", {"reason": "tool_use", "time": T0})
            self.message(session, "assistant", *calls, end)
        elif kind == "result":
            said = {"tool_call_id": content, "name": "weather", "content": "21 degrees"}
            unused = dict.fromkeys(("data", "mime_type", "metadata"), "")
            self.message(
                session, "tool", ("tool_result", said | unused | {"is_error": False}), stop
            )
        elif kind == "says":
            end = ("finish", {"reason": "end_turn", "time": T0})
            self.message(session, "assistant", ("text", {"text": content}), end)
        else:
            self.message(session, "user", ("text", {"text": content}), stop)

    def write(self) -> None:
        for name in talk.TALK:
            self.session(name)
        for step in talk.in_turn():
            self.say(*step)
        # Cut off while the arguments came.
        self.session("cut")
        self.say("cut", "user", "Weather?")
        given = {"name": "weather", "input": '{"ci', "provider_executed": False, "finished": False}
        self.message("cut", "assistant", ("tool_call", {"id": "c8", **given}), finished_at=None)
        self.say("cut", "user", "Hello?")
        # A call before the summary, which the model does not see.
        self.session("summed", "summary-1")
        self.say("summed", "user", "Weather?")
        self.say("summed", "call", ["c9"])
        text = ("text", {"text": "They asked for the weather."})
        self.message("summed", "assistant", text, id="summary-1", is_summary_message=1)
        self.say("summed", "user", "Hello?")


if __name__ == "__main__":
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(SCHEMA)
        Crush(connection).write()
        connection.executescript(
            "UPDATE sessions SET message_count = "
            "(SELECT count(*) FROM messages WHERE session_id = sessions.id)"
        )
        connection.executescript(TRIGGERS)
        for line in connection.iterdump():
            print(line)
