"""LiteLLM: chat and Anthropic histories, sent to four providers as it transforms them for each."""

from __future__ import annotations

import asyncio
from typing import Any

import litellm
import talk

History = list[dict[str, Any]]
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
USE = {"name": "look", "description": "Look.", "input_schema": {"type": "object"}}


def further(history: History) -> History:
    """Let the user go on, unless it is the user who spoke last."""
    if history and history[-1]["role"] == "user":
        return history
    return [*history, {"role": "user", "content": talk.MORE}]


def sends(model: str) -> talk.Way:
    def way(history: History) -> None:
        litellm.completion(
            model,
            further(history),
            api_base=talk.ADDRESS,
            api_key=None if model.startswith("bedrock") else "x",
            tools=[LOOK],
            num_retries=0,
        )

    return way


def bridges(model: str) -> talk.Way:
    """Take Anthropic messages, as the `/v1/messages` door of the proxy does."""

    def way(history: History) -> None:
        asyncio.run(
            litellm.anthropic.messages.acreate(
                model=model,
                messages=further(history),
                max_tokens=9,
                api_base=talk.ADDRESS,
                api_key=None if model.startswith("bedrock") else "x",
                tools=[USE],
            )
        )

    return way


MODELS = {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "gemini": "gemini/gemini-2.5-pro",
    "bedrock": "bedrock/converse/anthropic.claude-3-5-sonnet-20240620-v1:0",
}
talk.answer(
    {name: sends(model) for name, model in MODELS.items()}
    | {f"from-anthropic-{name}": bridges(model) for name, model in MODELS.items()}
)
