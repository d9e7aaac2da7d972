"""LangGraph's check of a history, and the requests that LangChain's four chat models send."""

from __future__ import annotations

from typing import Any

import talk
from langchain_anthropic import ChatAnthropic
from langchain_aws import ChatBedrockConverse
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.load import load
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, messages_from_dict
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from langgraph.prebuilt import create_react_agent

History = list[dict[str, Any]]


def messages(history: History) -> list[AnyMessage]:
    """Read stored rows, nested, flat or as `dumpd` writes them, and let the user go on."""
    read = [
        load(row)
        if "lc" in row
        else messages_from_dict([row if "data" in row else {"type": row["type"], "data": row}])[0]
        for row in history
    ]
    return read if read and read[-1].type == "human" else [*read, HumanMessage(talk.MORE)]


LOOK = {
    "title": "look",
    "description": "Look.",
    "type": "object",
    "properties": {"of": {"type": "string"}},
}


class Fake(FakeMessagesListChatModel):
    """A model that takes tools."""

    def bind_tools(self, *_: object, **__: object) -> Fake:
        return self


def agent(history: History) -> None:
    """Run LangGraph's prebuilt agent, which checks the history before the model sees it."""
    model = Fake(responses=[AIMessage("fine")])
    create_react_agent(model, []).invoke({"messages": messages(history)})


def asks(model: BaseChatModel) -> talk.Way:
    """Ask a model that has a tool: langchain-aws writes calls as text without one."""
    bound = model.bind_tools([LOOK])
    return lambda history: bound.invoke(messages(history)) and None


talk.answer(
    {
        "agent": agent,
        "openai": asks(ChatOpenAI(model="gpt-5", base_url=talk.ADDRESS, max_retries=0)),
        "openai-responses": asks(
            ChatOpenAI(model="gpt-5", base_url=talk.ADDRESS, max_retries=0, use_responses_api=True)
        ),
        "anthropic": asks(
            ChatAnthropic(model="claude-sonnet-4-5", base_url=talk.ADDRESS, max_retries=0)
        ),
        "google": asks(
            ChatGoogleGenerativeAI(model="gemini-3-pro", base_url=talk.ADDRESS, max_retries=0)
        ),
        "aws": asks(
            ChatBedrockConverse(
                model="anthropic.claude-sonnet-4-5-20250929-v1:0", base_url=talk.ADDRESS
            )
        ),
    }
)
