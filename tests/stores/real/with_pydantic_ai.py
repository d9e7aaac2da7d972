"""pydantic-ai: the list of a conversation as `ModelMessagesTypeAdapter` dumps it, a list a row.

The library keeps no table of its own; this one is an application's.
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

DDL = "CREATE TABLE chat (id TEXT PRIMARY KEY, messages {}, updated_at TIMESTAMP)"


def made(kind: str, content: Any) -> ModelMessage:
    if kind == "user":
        return ModelRequest(parts=[UserPromptPart(content)])
    if kind == "says":
        return ModelResponse(parts=[TextPart(content)])
    if kind == "result":
        return ModelRequest(parts=[ToolReturnPart("weather", "21 degrees", content)])
    return ModelResponse(parts=[ToolCallPart("weather", {"city": "Bern"}, id_) for id_ in content])


def answer(messages: list[ModelMessage], info: AgentInfo | None = None) -> ModelResponse:
    """Refuse half pairs as providers do, and say one thing."""
    calls = [[p.tool_call_id for p in m.parts if isinstance(p, ToolCallPart)] for m in messages]
    results = [[p.tool_call_id for p in m.parts if isinstance(p, ToolReturnPart)] for m in messages]
    talk.require_pairs(calls, results)
    return ModelResponse(parts=[TextPart("Sunny.")])


def write(url: str) -> None:
    told: dict[str, list[ModelMessage]] = {}
    for name, kind, content in talk.in_turn():
        told.setdefault(name, []).append(made(kind, content))
    with sa.create_engine(url).begin() as connection:
        kind = "JSONB" if connection.dialect.name == "postgresql" else "TEXT"
        connection.execute(sa.text(DDL.format(kind)))
        insert = sa.text(
            f"INSERT INTO chat VALUES (:id, CAST(:said AS {kind}), '2026-01-01 12:00:00')"
        )
        for name, messages in told.items():
            said = ModelMessagesTypeAdapter.dump_json(messages).decode()
            connection.execute(insert, {"id": name, "said": said})


def go_on(url: str) -> None:
    with sa.create_engine(url).connect() as connection:
        rows = connection.execute(sa.text("SELECT id, CAST(messages AS TEXT) FROM chat")).all()
    for name, said in rows:
        history = ModelMessagesTypeAdapter.validate_json(said)
        try:
            answer(history)  # what other readers of the list send
            done = Agent(FunctionModel(answer)).run_sync("Go on.", message_history=history)
            print(name, len(history), "messages stored:", done.output)
        except (ValueError, UserError) as error:
            print(name, "REFUSED", error)


talk.main(write, go_on)
