"""pydantic-ai: lists of messages as `ModelMessagesTypeAdapter` dumps them, in an application's tables.

The library keeps none of its own. `chat` has a list a conversation, `run` a list for each run,
`message` a message a row; the one that is gone on with leads the URL: `run:sqlite:///FILE`.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
import talk
from pydantic_ai import Agent, ModelMessagesTypeAdapter
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

DDL = [
    "CREATE TABLE message (id {1}, chat TEXT, message {0}, created_at TIMESTAMP)",
    "CREATE TABLE chat (id TEXT PRIMARY KEY, messages {0}, updated_at TIMESTAMP)",
    "CREATE TABLE run (id INTEGER PRIMARY KEY, chat TEXT, messages {0}, created_at TIMESTAMP)",
]
TABLES = {
    "chat": ("id", "CAST(messages AS TEXT)"),
    "run": ("chat", "CAST(messages AS TEXT)"),
    "message": ("chat", "'[' || CAST(message AS TEXT) || ']'"),
}


def made(kind: str, content: Any) -> ModelMessage:
    if kind == "user":
        return ModelRequest(parts=[UserPromptPart(content)])
    if kind == "says":
        return ModelResponse(parts=[TextPart(content)])
    if kind == "result":
        return ModelRequest(parts=[ToolReturnPart("weather", "21 degrees", content)])
    return ModelResponse(parts=[ToolCallPart("weather", {"city": "Bern"}, id_) for id_ in content])


def answer(messages: list[ModelMessage], info: AgentInfo | None = None) -> ModelResponse:
    """Refuse half pairs as providers do, to whom each part of a request is a message."""
    steps = [
        parts
        for message in messages
        for parts in (
            [message.parts] if message.kind == "response" else ([p] for p in message.parts)
        )
    ]
    calls = [[p.tool_call_id for p in parts if isinstance(p, ToolCallPart)] for parts in steps]
    results = [[p.tool_call_id for p in parts if isinstance(p, ToolReturnPart)] for parts in steps]
    talk.require_pairs(calls, results)
    return ModelResponse(parts=[TextPart("Sunny.")])


def runs(messages: list[ModelMessage]) -> list[list[ModelMessage]]:
    """Cut a history where the user speaks: each run stores what it added."""
    cut: list[list[ModelMessage]] = []
    for message in messages:
        if any(isinstance(part, UserPromptPart) for part in message.parts):
            cut.append([])
        cut[-1].append(message)
    return cut


def write(url: str) -> None:
    told: dict[str, list[ModelMessage]] = {}
    for name, kind, content in talk.in_turn():
        told.setdefault(name, []).append(made(kind, content))
    with sa.create_engine(url.partition(":")[2]).begin() as connection:
        kind = "JSONB" if connection.dialect.name == "postgresql" else "TEXT"
        number = "SERIAL PRIMARY KEY" if kind == "JSONB" else "INTEGER PRIMARY KEY"
        for ddl in DDL:
            connection.execute(sa.text(ddl.format(kind, number)))
        at = f"CAST(:said AS {kind}), '2026-01-01 12:00:00'"
        for name, messages in told.items():
            insert = sa.text(f"INSERT INTO chat VALUES (:id, {at})")
            connection.execute(insert, {"id": name, "said": dumped(messages)})
        for name, kind_, content in talk.in_turn():
            insert = sa.text(
                f"INSERT INTO message (chat, message, created_at) VALUES (:chat, {at})"
            )
            said = dumped([made(kind_, content)])[1:-1]
            connection.execute(insert, {"chat": name, "said": said})
        rows = [(name, run) for name, messages in told.items() for run in runs(messages)]
        for number, (name, run) in enumerate(rows):
            insert = sa.text(f"INSERT INTO run VALUES (:id, :chat, {at})")
            connection.execute(insert, {"id": number, "chat": name, "said": dumped(run)})


def dumped(messages: list[ModelMessage]) -> str:
    return ModelMessagesTypeAdapter.dump_json(messages).decode()


def stored(connection: sa.Connection, table: str) -> dict[str, list[ModelMessage]]:
    told: dict[str, list[ModelMessage]] = {}
    named, cell = TABLES[table]
    for name, said in connection.execute(
        sa.text(f"SELECT {named}, {cell} FROM {table} ORDER BY id")
    ):
        told.setdefault(name, []).extend(ModelMessagesTypeAdapter.validate_json(said))
    return told


def go_on(url: str) -> None:
    table, _, rest = url.partition(":")
    with sa.create_engine(rest).connect() as connection:
        told = stored(connection, table)
    for name, history in told.items():
        try:
            if talk.others_read():
                answer(history)
            done = Agent(FunctionModel(answer)).run_sync("Go on.", message_history=history)
            print(name, len(history), "messages stored:", done.output)
        except (talk.RefusedError, UserError) as error:
            print(name, "REFUSED", error)


talk.main(write, go_on)
