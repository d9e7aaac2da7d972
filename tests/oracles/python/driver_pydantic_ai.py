"""pydantic-ai: an agent that goes on with a history, and the requests of four models.

The agent repairs what it is given; `direct` sends a history as its wire mapping writes it.
"""

from __future__ import annotations

from typing import Any

import boto3
import talk
from pydantic_ai import Agent
from pydantic_ai.direct import model_request_sync
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

History = list[dict[str, Any]]


def messages(history: History) -> list[ModelMessage]:
    return ModelMessagesTypeAdapter.validate_python(history)


def agent(history: History) -> None:
    """Go on with a function model, as an application does."""
    model = FunctionModel(lambda *_: ModelResponse([TextPart("fine")]))
    Agent(model).run_sync(talk.MORE, message_history=messages(history))


def direct(model: Model) -> talk.Way:
    def way(history: History) -> None:
        read = messages(history)
        goes_on = read and read[-1].kind == "request"
        read += [] if goes_on else [ModelRequest.user_text_prompt(talk.MORE)]
        model_request_sync(model, read, model_settings={"max_tokens": 9})  # else it streams

    return way


bedrock = boto3.client("bedrock-runtime", endpoint_url=talk.ADDRESS)
openai = OpenAIProvider(base_url=talk.ADDRESS)

talk.answer(
    {
        "agent": agent,
        "openai": direct(OpenAIChatModel("gpt-5", provider=openai)),
        "openai-responses": direct(OpenAIResponsesModel("gpt-5", provider=openai)),
        "anthropic": direct(
            AnthropicModel(
                "claude-sonnet-4-5", provider=AnthropicProvider(api_key="x", base_url=talk.ADDRESS)
            )
        ),
        "google": direct(
            GoogleModel("gemini-3-pro", provider=GoogleProvider(api_key="x", base_url=talk.ADDRESS))
        ),
        "bedrock": direct(
            BedrockConverseModel(
                "anthropic.claude-sonnet-4-5-20250929-v1:0",
                provider=BedrockProvider(bedrock_client=bedrock),
            )
        ),
    }
)
