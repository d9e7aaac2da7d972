"""openai-agents: SQLiteSession, SQLAlchemySession, EncryptedSession, AdvancedSQLiteSession.

The kind leads the URL: `sqlite-session:FILE`, `advanced:FILE`, `encrypted:FILE`, or a plain one
with an async driver.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator
from typing import Any

import talk
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
from agents.extensions.memory import (
    AdvancedSQLiteSession,
    EncryptedSession,
    SQLAlchemySession,
)
from agents.memory import SQLiteSession
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from sqlalchemy import NullPool
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

CALL = {"type": "function_call", "name": "weather", "arguments": '{"city":"Bern"}'}
APPROVAL = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "server_label": "maps",
    "name": "weather",
    "arguments": "{}",
}
MADE = {
    "user": lambda said: [{"role": "user", "content": said}],
    "says": lambda said: [{"role": "assistant", "content": said}],
    "call": lambda ids: [
        {**CALL, "call_id": i, "id": f"fc_{i}", "status": "completed"} for i in ids
    ],
    "result": lambda i: [{"type": "function_call_output", "call_id": i, "output": "21 degrees"}],
}


@functools.cache
def engine_of(url: str) -> AsyncEngine:
    return create_async_engine(url, poolclass=NullPool)


def session(url: str, name: str) -> Any:
    kind, _, rest = url.partition(":")
    if kind == "sqlite-session":
        return SQLiteSession(name, rest)
    if kind == "advanced":
        return AdvancedSQLiteSession(session_id=name, db_path=rest, create_tables=True)
    if kind == "encrypted":
        return EncryptedSession(name, SQLiteSession(name, rest), encryption_key="a secret")
    engine = talk.guarded(engine_of(url), "openai-agents-sqlalchemy")
    return SQLAlchemySession(name, engine=engine, create_tables=True)


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
            raise talk.RefusedError(f"No tool output found for function call {open_}.")
        said = ResponseOutputText(text="Sunny.", type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id="m", content=[said], role="assistant", status="completed", type="message"
        )
        print(len(items), "items reach the model;", end=" ")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


class Asking(Fake):
    """Calls the tool first, which a person has to approve."""

    async def get_response(
        self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any
    ) -> Any:
        if any(item.get("type") == "function_call_output" for item in input):
            return await super().get_response(system_instructions, input, *args, **kwargs)
        call = ResponseFunctionToolCall(**{**CALL, "call_id": "c10", "id": "fc_c10"})
        return ModelResponse(output=[call], usage=Usage(), response_id=None)


async def weather(city: str) -> str:
    """Tell the weather."""
    return "21 degrees"


async def asking(own: Any) -> None:
    """Let a tool wait for a person, who then allows it."""
    tool = function_tool(weather, needs_approval=True)
    agent = Agent("a", model=Asking(), tools=[tool])
    config = RunConfig(tracing_disabled=True)
    asked = await Runner.run(agent, "Weather?", session=own, run_config=config)
    print(len(asked.interruptions), "waits for a person,", len(await own.get_items()), "stored")
    state = asked.to_state()
    state.approve(asked.interruptions[0])
    done = await Runner.run(agent, state, session=own, run_config=config)
    print("asks", done.final_output)


async def writing(url: str) -> None:
    for name, kind, content in talk.in_turn():
        await session(url, name).add_items(MADE[kind](content))
    if url.startswith("advanced:"):
        await branching(session(url, "forked"))
    if talk.ASKED["guard"]:
        await session(url, "waits").add_items([*MADE["user"]("Weather?"), APPROVAL])


async def branching(own: AdvancedSQLiteSession) -> None:
    """Leave a half pair that two branches share, and one of a branch alone."""
    await own.add_items([*MADE["user"]("Weather?"), *MADE["call"](["c7"])])
    await own.add_items(MADE["user"]("Hello?"))
    await own.create_branch_from_turn(2, "fork")
    await own.add_items([*MADE["user"]("And there?"), *MADE["call"](["c8", "c9"])])
    await own.add_items([*MADE["result"]("c9"), *MADE["user"]("Still there?")])


async def opened(url: str) -> AsyncIterator[tuple[str, Any]]:
    for name in talk.TALK:
        yield name, session(url, name)
    if url.startswith("advanced:"):
        for branch in ("main", "fork"):
            own = session(url, "forked")
            await own.switch_to_branch(branch)
            yield f"forked/{branch}", own


async def going_on(url: str) -> None:
    if talk.ASKED["guard"]:
        await asking(session(url, "asks"))
    async for name, own in opened(url):
        items = await own.get_items()
        try:
            if talk.others_read():
                await Fake().get_response(None, items)
            done = await Runner.run(
                Agent("a", model=Fake()),
                "Go on.",
                session=own,
                run_config=RunConfig(tracing_disabled=True),
            )
            print(name, len(items), "items stored:", done.final_output)
        except talk.RefusedError as error:
            print(name, "REFUSED", error)


talk.main(lambda url: asyncio.run(writing(url)), lambda url: asyncio.run(going_on(url)))
