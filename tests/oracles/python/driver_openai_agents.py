"""openai-agents: a Runner on its two SQL sessions, in front of both of OpenAI's APIs."""

from __future__ import annotations

import asyncio
from typing import Any

import talk
from agents import Agent, Runner, SQLiteSession, set_tracing_disabled
from agents.extensions.memory import SQLAlchemySession
from agents.memory import Session
from agents.models.interface import Model
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.models.openai_responses import OpenAIResponsesModel
from openai import AsyncOpenAI

History = list[dict[str, Any]]
set_tracing_disabled(True)


def runs(make_model: type[Model], make_session: Any) -> talk.Way:
    """Store the history as the session does, and let the user go on."""

    async def run(history: History) -> None:
        client = AsyncOpenAI(base_url=talk.ADDRESS, max_retries=0)
        session: Session = make_session()
        await session.add_items([whole(item) for item in history])
        agent = Agent(name="a", model=make_model("gpt-5", client))
        try:
            await Runner.run(agent, talk.MORE, session=session)
        finally:
            await client.close()
            if isinstance(session, SQLAlchemySession):
                await session.engine.dispose()

    return lambda history: asyncio.run(run(history))


def whole(item: dict[str, Any]) -> dict[str, Any]:
    """Give a model's message the id that the converter to chat knows it by."""
    said = item.get("type") == "message" and item.get("role") == "assistant"
    return {"id": "msg_1", "status": "completed", **item} if said else item


def sends(make_model: type[Model]) -> talk.Way:
    """Hand the history to the model without a runner, which prunes what it reads."""

    async def run(history: History) -> None:
        from agents import ModelSettings, ModelTracing

        async with AsyncOpenAI(base_url=talk.ADDRESS, max_retries=0) as client:
            await make_model("gpt-5", client).get_response(
                None,
                [*map(whole, history), {"role": "user", "content": talk.MORE}],
                ModelSettings(),
                [],
                None,
                [],
                ModelTracing.DISABLED,
                previous_response_id=None,
                conversation_id=None,
                prompt=None,
            )

    return lambda history: asyncio.run(run(history))


def sqlalchemy() -> SQLAlchemySession:
    return SQLAlchemySession.from_url("s", url="sqlite+aiosqlite://", create_tables=True)


talk.answer(
    {
        "sqlite": runs(OpenAIResponsesModel, lambda: SQLiteSession("s")),
        "sqlalchemy": runs(OpenAIResponsesModel, sqlalchemy),
        "chat": runs(OpenAIChatCompletionsModel, lambda: SQLiteSession("s")),
        "model": sends(OpenAIResponsesModel),
        "chat-model": sends(OpenAIChatCompletionsModel),
    }
)
