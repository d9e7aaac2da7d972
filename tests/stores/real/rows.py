"""crush and goose, programs that no package brings: `python rows.py crush|goose > DUMP`.

The tables are as their migrations leave them, triggers too (of goose's sessions just the columns
that matter here); the rows have the shapes of crush 0.90 (internal/message) and of goose at version
17 of sessions.db (conversation/message.rs).
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable
from typing import Any

import talk

T0 = 1772445600

CRUSH = """
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
CRUSH_TRIGGERS = """
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
GOOSE = """
CREATE TABLE schema_version (
    version INTEGER PRIMARY KEY,
    applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    user_set_name BOOLEAN DEFAULT FALSE,
    session_type TEXT NOT NULL DEFAULT 'user',
    working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    extension_data TEXT DEFAULT '{}',
    goose_mode TEXT NOT NULL DEFAULT 'auto'
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT,
    session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL,
    content_json TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    tokens INTEGER,
    metadata_json TEXT
);
CREATE INDEX idx_messages_session ON messages(session_id);
CREATE INDEX idx_messages_timestamp ON messages(timestamp);
CREATE INDEX idx_messages_message_id ON messages(message_id);
CREATE INDEX idx_messages_session_created ON messages(session_id, created_timestamp, id);
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


class Goose(Rows):
    """Rows as goose writes them."""

    def session(self, name: str) -> None:
        at = {"created_at": "2026-03-02 10:00:00", "updated_at": "2026-03-02 10:00:00"}
        self.insert("sessions", id=name, name=name, working_dir="/srv/app", **at)

    def message(self, session: str, role: str, *content: Any, agent: bool = True) -> None:
        at = self.second()
        self.insert(
            "messages",
            message_id=f"msg_{session}_{self.n:04}",
            session_id=session,
            role=role,
            content_json=text_of(content),
            created_timestamp=at,
            timestamp="2026-03-02 10:00:00",
            metadata_json=text_of({"userVisible": True, "agentVisible": agent}),
        )

    def say(self, session: str, kind: str, content: Any, *, agent: bool = True) -> None:
        if kind == "call":
            value = {"name": "weather", "arguments": {"city": "Bern"}}
            asked = {"type": "toolRequest", "toolCall": {"status": "success", "value": value}}
            calls = [{**asked, "id": id_} for id_ in content]
            self.message(session, "assistant", *calls, agent=agent)
        elif kind == "result":
            value = {"content": [{"type": "text", "text": "21 degrees"}], "isError": False}
            told = {"status": "success", "value": value}
            said = {"type": "toolResponse", "id": content, "toolResult": told}
            self.message(session, "user", said, agent=agent)
        else:
            role = "assistant" if kind == "says" else "user"
            self.message(session, role, {"type": "text", "text": content}, agent=agent)

    def write(self) -> None:
        self.insert("schema_version", version=17, applied_at="2026-03-02 10:00:00")
        for name in [*talk.TALK, "asks", "compacted"]:
            self.session(name)
        for step in talk.in_turn():
            self.say(*step)
        # A request that a person has to allow.
        self.say("asks", "user", "Weather?")
        self.say("asks", "call", ["c8"])
        named = {"toolName": "weather", "arguments": {"city": "Bern"}, "prompt": None}
        data = {"actionType": "toolConfirmation", "id": "c8", **named}
        asks = {"type": "actionRequired", "data": data}
        self.message("asks", "assistant", asks, agent=False)
        # Compacted: the agent sees the summary, not the call.
        self.say("compacted", "user", "Weather?", agent=False)
        self.say("compacted", "call", ["c9"], agent=False)
        self.say("compacted", "user", "They asked for the weather.")


def dump(schema: str, triggers: str, write: Callable[[sqlite3.Connection], None]) -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.executescript(schema)
        write(connection)
        connection.executescript(
            "UPDATE sessions SET message_count = "
            "(SELECT count(*) FROM messages WHERE session_id = sessions.id)"
            if triggers
            else ""
        )
        connection.executescript(triggers)
        for line in connection.iterdump():
            print(line)


if __name__ == "__main__":
    if sys.argv[1] == "crush":
        dump(CRUSH, CRUSH_TRIGGERS, lambda connection: Crush(connection).write())
    else:
        dump(GOOSE, "", lambda connection: Goose(connection).write())
