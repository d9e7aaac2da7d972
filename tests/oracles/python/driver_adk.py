"""google-adk: a Runner on a database of sessions, and the contents that it sends to Gemini."""

from __future__ import annotations

import asyncio
from typing import Any

import talk
from google import genai
from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.models.google_llm import Gemini
from google.adk.runners import Runner
from google.adk.sessions import DatabaseSessionService
from google.genai import types

History = list[dict[str, Any]]
NAMES = {"app_name": "app", "user_id": "u"}


async def run(events: list[Event]) -> None:
    """Store the events and let the user go on with the agent that spoke in them."""
    agents = [event.author for event in events if event.author != "user"]
    agent = LlmAgent(
        name=agents[0] if agents else "a",
        model=Gemini(model="gemini-2.5-pro", base_url=talk.ADDRESS),
    )
    service = DatabaseSessionService("sqlite+aiosqlite://")
    session = await service.create_session(**NAMES, session_id="s")
    for event in events:
        await service.append_event(session, event)
    runner = Runner(agent=agent, app_name="app", session_service=service)
    says = types.Content(role="user", parts=[types.Part(text=talk.MORE)])
    async for answer in runner.run_async(user_id="u", session_id="s", new_message=says):
        if answer.error_code:
            raise RuntimeError(f"{answer.error_code}: {answer.error_message}")
    await service.close()


def stored(history: History) -> None:
    """Run on events as the service stores them, which is under different ids."""
    read = [Event.model_validate({**event, "id": str(k)}) for k, event in enumerate(history)]
    asyncio.run(run(read))


def client(history: History) -> None:
    """Send plain contents with Google's own client."""
    options = types.HttpOptions(base_url=talk.ADDRESS)
    read = [types.Content.model_validate(content) for content in history]
    if not read or read[-1].role != "user":
        read.append(types.Content(role="user", parts=[types.Part(text=talk.MORE)]))
    google = genai.Client(http_options=options)
    google.models.generate_content(model="gemini-2.5-pro", contents=read)


talk.answer({"events": stored, "client": client})
