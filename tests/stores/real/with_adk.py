"""google-adk: DatabaseSessionService (v1 by an async URL, v0 by `v0:URL`), SqliteSessionService.

A v0 database is made as old releases made it: by its own schema, which the package still holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import talk
from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import DatabaseSessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools import FunctionTool
from google.genai import types
from sqlalchemy.ext.asyncio import create_async_engine

OF = {"app_name": "app", "user_id": "u"}
CALL = {"name": "weather", "args": {"city": "Bern"}}


def parts_of(kind: str, content: Any) -> list[dict[str, Any]]:
    if kind == "call":
        return [{"function_call": {**CALL, "id": id_}} for id_ in content]
    if kind == "result":
        said = {"id": content, "name": "weather", "response": {"degrees": 21}}
        return [{"function_response": said}]
    return [{"text": content}]


def require_pairs(contents: list[Any]) -> None:
    parts = [content.parts or [] for content in contents]
    talk.require_pairs(
        [[p.function_call.id for p in ps if p.function_call] for ps in parts],
        [[p.function_response.id for p in ps if p.function_response] for ps in parts],
    )


class Fake(BaseLlm):
    """Refuses half pairs as Gemini does, and says one thing."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        require_pairs(llm_request.contents)
        print(len(llm_request.contents), "contents reach the model;", end=" ")
        said = types.Content(role="model", parts=[types.Part(text="Sunny.")])
        yield LlmResponse(content=said)


def service(url: str) -> Any:
    kind, _, rest = url.partition(":")
    if kind == "sqlite-service":
        return SqliteSessionService(rest)
    own = DatabaseSessionService(url)
    talk.guarded(own.db_engine, "adk")
    return own


async def writing(url: str) -> None:
    if url.startswith("v0:"):
        from google.adk.sessions.schemas import v0

        url = url.removeprefix("v0:")
        async with create_async_engine(url).begin() as connection:
            await connection.run_sync(v0.Base.metadata.create_all)
    own = service(url)
    sessions = {n: await own.create_session(**OF, session_id=n) for n in talk.TALK}
    turns: dict[str, int] = {}
    for name, kind, content in talk.in_turn():
        turns[name] = turns.get(name, 0) + (kind == "user")
        event = Event(
            author="user" if kind == "user" else "bot",
            invocation_id=f"{name}-{turns[name]}",
            content={
                "role": "model" if kind in ("call", "says") else "user",
                "parts": parts_of(kind, content),
            },
        )
        await own.append_event(sessions[name], event)
    waits = Event(
        author="bot",
        invocation_id="waits-1",
        content={"role": "model", "parts": parts_of("call", ["c6"])},
        long_running_tool_ids={"c6"},
    )
    await own.append_event(await own.create_session(**OF, session_id="waits"), waits)


async def going_on(url: str) -> None:
    own = service(url)
    if talk.ASKED["guard"]:
        await asking(own)
    for name in talk.TALK:
        session = await own.get_session(**OF, session_id=name)
        runner = Runner(
            agent=LlmAgent(name="bot", model=Fake(model="fake")),
            app_name="app",
            session_service=own,
        )
        says = types.Content(role="user", parts=[types.Part(text="Go on.")])
        told = [(e.id[-8:], e.timestamp) for e in session.events]
        assert told == sorted(told, key=lambda one: one[1]), told
        try:
            if talk.others_read():
                require_pairs([e.content for e in session.events])
            async for event in runner.run_async(user_id="u", session_id=name, new_message=says):
                if event.content and event.content.parts:
                    print(name, len(told), "events stored:", event.content.parts[0].text)
        except talk.RefusedError as error:
            print(name, "REFUSED", error)


async def weather(city: str) -> dict[str, int]:
    return {"degrees": 21}


class Asking(Fake):
    """Calls the tool first, which a person has to confirm."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part for content in llm_request.contents for part in content.parts or []]
        if any(part.function_response for part in parts):
            async for said in super().generate_content_async(llm_request, stream):
                yield said
            return
        call = types.Part(function_call=types.FunctionCall(name="weather", args={"city": "Bern"}))
        yield LlmResponse(content=types.Content(role="model", parts=[call]))


async def asking(own: Any) -> None:
    """Let a tool wait for a person, who then allows it."""
    await own.create_session(**OF, session_id="asks")
    tool = FunctionTool(weather, require_confirmation=True)
    agent = LlmAgent(name="bot", model=Asking(model="fake"), tools=[tool])
    runner = Runner(agent=agent, app_name="app", session_service=own)
    says = types.Part(text="Weather?")
    for _ in range(2):
        message = types.Content(role="user", parts=[says])
        async for event in runner.run_async(user_id="u", session_id="asks", new_message=message):
            for part in event.content.parts or [] if event.content else []:
                asked = part.function_call
                if asked and asked.name == "adk_request_confirmation":
                    answer = {"id": asked.id, "name": asked.name, "response": {"confirmed": True}}
                    says = types.Part(function_response=types.FunctionResponse(**answer))
                    print("asks a person")
                if part.text:
                    print("asks", part.text)


talk.main(lambda url: asyncio.run(writing(url)), lambda url: asyncio.run(going_on(url)))
