"""openai-agents: SQLiteSession, SQLAlchemySession, EncryptedSession, AdvancedSQLiteSession.

The kind leads the URL: `sqlite-session:FILE`, `advanced:FILE`, `encrypted:FILE`, or a plain one
with an async driver.
"""

from __future__ import annotations

import asyncio
from typing import Any

import talk
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.extensions.memory import (
    AdvancedSQLiteSession,
    EncryptedSession,
    SQLAlchemySession,
)
from agents.memory import SQLiteSession
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

CALL = {"type": "function_call", "name": "weather", "arguments": '{"city":"Bern"}'}
MADE = {
    "user": lambda said: [{"role": "user", "content": said}],
    "says": lambda said: [{"role": "assistant", "content": said}],
    "call": lambda ids: [
        {**CALL, "call_id": i, "id": f"fc_{i}", "status": "completed"} for i in ids
    ],
    "result": lambda i: [{"type": "function_call_output", "call_id": i, "output": "21 degrees"}],
}


def session(url: str, name: str) -> Any:
    kind, _, rest = url.partition(":")
    if kind == "sqlite-session":
        return SQLiteSession(name, rest)
    if kind == "advanced":
        return AdvancedSQLiteSession(session_id=name, db_path=rest, create_tables=True)
    if kind == "encrypted":
        return EncryptedSession(name, SQLiteSession(name, rest), encryption_key="a secret")
    return SQLAlchemySession.from_url(name, url=url, create_tables=True)


class Fake(Model):
    """Refuses half pairs as providers do, and says one thing."""

    async def get_response(
        self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
    ) -> Any:
        items = input if isinstance(input, list) else []
        calls = [[i["call_id"]] if i.get("type") == "function_call" else [] for i in items]
        results = [[i["call_id"]] if i.get("type") == "function_call_output" else [] for i in items]
        open_ = {id_ for ids in calls for id_ in ids} ^ {id_ for ids in results for id_ in ids}
        if open_:
            raise ValueError(f"No tool output found for function call {open_}.")
        said = ResponseOutputText(text="Sunny.", type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id="m", content=[said], role="assistant", status="completed", type="message"
        )
        print(len(items), "items reach the model;", end=" ")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


async def writing(url: str) -> None:
    for name, kind, content in talk.in_turn():
        await session(url, name).add_items(MADE[kind](content))


async def going_on(url: str) -> None:
    for name in talk.TALK:
        own = session(url, name)
        items = await own.get_items()
        try:
            await Fake().get_response(None, items)  # what other readers of the session send
            done = await Runner.run(
                Agent("a", model=Fake()),
                "Go on.",
                session=own,
                run_config=RunConfig(tracing_disabled=True),
            )
            print(name, len(items), "items stored:", done.final_output)
        except ValueError as error:
            print(name, "REFUSED", error)


talk.main(lambda url: asyncio.run(writing(url)), lambda url: asyncio.run(going_on(url)))
