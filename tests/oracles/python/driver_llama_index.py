"""llama-index: a stored chat, sent by its models of Anthropic and OpenAI."""

from __future__ import annotations

from typing import Any

import talk
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.llms.anthropic import Anthropic
from llama_index.llms.openai import OpenAI, OpenAIResponses

History = list[dict[str, Any]]


def look(of: str) -> str:
    """Look."""
    return of


TOOLS = [FunctionTool.from_defaults(look)]


def asks(model: FunctionCallingLLM) -> talk.Way:
    def way(history: History) -> None:
        read = [ChatMessage.model_validate(row) for row in history]
        model.chat_with_tools(TOOLS, user_msg=talk.MORE, chat_history=read)

    return way


more = {"model": "gpt-4o", "api_base": talk.ADDRESS, "max_retries": 0}
talk.answer(
    {
        "anthropic": asks(Anthropic("claude-sonnet-4-5", base_url=talk.ADDRESS)),
        "openai": asks(OpenAI(**more)),
        "openai-responses": asks(OpenAIResponses(**more)),
    }
)
