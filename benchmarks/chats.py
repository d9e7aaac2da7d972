"""Tables of many chats to heal: a message of about 1 KB a row, 1 % of the blocks poisoned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from sqlalchemy import Engine, text

from benchmarks.core import BUILDERS
from endmark.stores import Store

CHAT = 20  # messages a conversation
FILL = " ".join(f"word{k}" for k in range(140))
OLD = "2026-01-01 00:00:00"


def messages(format: str, rows: int) -> Iterator[tuple[int, int, str]]:
    """Give (conversation, position, payload) for about so many rows.

    Inline: 1 % of the rows are poisoned. Own message: one block in 1 % of the conversations.
    """
    inline = format == "ai-sdk"
    build = BUILDERS[format]
    blocks = CHAT // 4
    healthy = [_text(message) for message in build(blocks, 0)]
    poisoned = [_text(message) for message in build(blocks, CHAT)]  # the first block is broken
    head = poisoned[: 2 if inline else 3]
    whole = len(head) if inline else 4
    every = 100 // CHAT if inline else 100
    for chat in range(rows // CHAT):
        payloads = healthy
        if chat % every == 0:
            at = chat // every % (CHAT // whole) * whole
            payloads = [*healthy[:at], *head, *healthy[at + whole :]]
        for position, payload in enumerate(payloads):
            yield chat, position, payload


def _text(message: dict[str, Any]) -> str:
    """Give about 1 KB of JSON for a message that says something."""
    return json.dumps(_grown(message))


def _grown(message: dict[str, Any]) -> dict[str, Any]:
    if "parts" in message:
        last = message["parts"][-1]
        return {**message, "parts": [*message["parts"][:-1], {**last, "text": last["text"] + FILL}]}
    if isinstance(message.get("content"), str):
        return {**message, "content": message["content"] + FILL}
    return message


def store(format: str) -> Store:
    """Describe the table."""
    return Store(
        format=format,
        table="chat",
        conversation="conversation",
        order="position",
        payload="payload",
        age="at",
    )


def load(engine: Engine, format: str, rows: int, column: str) -> None:
    """Make the table anew and fill it."""
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE IF EXISTS chat"))
        serial = "BIGSERIAL" if engine.dialect.name == "postgresql" else "INTEGER"
        connection.execute(
            text(
                f"CREATE TABLE chat (id {serial} PRIMARY KEY, conversation INTEGER NOT NULL, "
                f"position INTEGER NOT NULL, at TIMESTAMP, payload {column})"
            )
        )
        _fill(connection, messages(format, rows))
        connection.execute(text("CREATE INDEX chat_order ON chat (conversation, position)"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(
            text("VACUUM ANALYZE chat" if engine.dialect.name == "postgresql" else "ANALYZE chat")
        )


def _fill(connection: Any, rows: Iterator[tuple[int, int, str]]) -> None:
    if connection.dialect.name == "postgresql":
        cursor = connection.connection.driver_connection.cursor()
        with cursor.copy("COPY chat (conversation, position, at, payload) FROM STDIN") as copy:
            for chat, position, payload in rows:
                copy.write_row((chat, position, OLD, payload))
        return
    sql = "INSERT INTO chat (conversation, position, at, payload) VALUES (?, ?, ?, ?)"
    while batch := [(c, p, OLD, payload) for c, p, payload in islice(rows, 20_000)]:
        connection.exec_driver_sql(sql, batch)
