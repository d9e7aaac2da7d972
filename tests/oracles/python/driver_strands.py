"""strands: an agent that goes on with messages of its own and with a stored session."""

from __future__ import annotations

import tempfile
from typing import Any

import boto3
import provider
import talk
from strands import Agent, tool
from strands.models.anthropic import AnthropicModel
from strands.models.bedrock import BedrockModel
from strands.models.openai import OpenAIModel
from strands.session.file_session_manager import FileSessionManager
from strands.types.session import SessionMessage

History = list[dict[str, Any]]
MODEL = "anthropic.claude-sonnet-4-5-20250929-v1:0"


@tool
def look(of: str) -> str:
    """Look."""
    return of


def bedrock() -> BedrockModel:
    return BedrockModel(model_id=MODEL, endpoint_url=talk.ADDRESS, streaming=False)


def agent(history: History) -> None:
    """Hand the messages to an agent as they are."""
    Agent(model=bedrock(), messages=history, tools=[look], callback_handler=None)(says(history))


def session(history: History) -> None:
    """Store them, and let an agent load and repair them."""
    with tempfile.TemporaryDirectory() as folder:
        manager = FileSessionManager("s", storage_dir=folder)
        Agent(model=bedrock(), agent_id="a", session_manager=manager, callback_handler=None)
        for number, message in enumerate(history):
            manager.create_message("s", "a", SessionMessage.from_message(message, number))
        Agent(
            model=bedrock(),
            agent_id="a",
            session_manager=FileSessionManager("s", storage_dir=folder),
            tools=[look],
            callback_handler=None,
        )(says(history))


def openai(history: History) -> None:
    model = OpenAIModel(client_args={"api_key": "x"}, model_id="gpt-5")
    provider.sent.append(("openai-chat", model.format_request(further(history))["messages"]))


def anthropic(history: History) -> None:
    model = AnthropicModel(client_args={"api_key": "x"}, model_id="claude", max_tokens=9)
    provider.sent.append(("anthropic", model.format_request(further(history))["messages"]))


def says(history: History) -> str | None:
    """Let the user go on, unless it is the user who spoke last."""
    return None if history and history[-1]["role"] == "user" else talk.MORE


def further(history: History) -> Any:
    more = says(history)
    return [*history, {"role": "user", "content": [{"text": more}]}] if more else history


def client(history: History) -> None:
    """Send the messages with Amazon's own client, which checks their shape."""
    boto3.client("bedrock-runtime", endpoint_url=talk.ADDRESS).converse(
        modelId=MODEL, messages=further(history)
    )


talk.answer(
    {
        "agent": agent,
        "session": session,
        "openai": openai,
        "anthropic": anthropic,
        "client": client,
    }
)
