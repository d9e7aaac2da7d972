"""LangChain: SQLChatMessageHistory, PostgresChatMessageHistory (by a psycopg URL)."""

from __future__ import annotations

import uuid
from typing import Any

import psycopg
import sqlalchemy as sa
import talk
from langchain_community.chat_message_histories import SQLChatMessageHistory
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_postgres import PostgresChatMessageHistory

MADE = {
    "user": HumanMessage,
    "says": AIMessage,
    "result": lambda id_: ToolMessage("21 degrees", tool_call_id=id_, name="weather"),
    "call": lambda ids: AIMessage(
        "", tool_calls=[{"name": "weather", "args": {"city": "Bern"}, "id": i} for i in ids]
    ),
}


class Model(GenericFakeChatModel):
    """Refuses half pairs as providers do."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        talk.require_pairs(
            [[c["id"] for c in getattr(m, "tool_calls", [])] for m in messages],
            [[m.tool_call_id] if isinstance(m, ToolMessage) else [] for m in messages],
        )
        return super()._generate(messages, *args, **kwargs)


def named(word: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, word))


def history(url: str) -> tuple[Any, Any]:
    """Give the history of a session, and how a session is named."""
    if not url.startswith("uuid:"):
        engine = talk.guarded(sa.create_engine(url), "langchain")
        return lambda name: SQLChatMessageHistory(name, connection=engine), str
    connection = psycopg.connect(url.removeprefix("uuid:").replace("+psycopg", ""))
    PostgresChatMessageHistory.create_tables(connection, "chat_history")
    return lambda name: PostgresChatMessageHistory(
        "chat_history", name, sync_connection=connection
    ), named


def write(url: str) -> None:
    of, names = history(url)
    for name, kind, content in talk.in_turn(names):
        of(name).add_message(MADE[kind](content))


def go_on(url: str) -> None:
    of, names = history(url)
    model = Model(messages=iter(AIMessage(f"Answer {n}") for n in range(9)))
    chain = RunnableWithMessageHistory(model, of)
    for name in talk.TALK:
        config: Any = {"configurable": {"session_id": names(name)}}
        says = [HumanMessage("Go on.")]
        try:
            if talk.ASKED["guard"]:  # the guard sees what is written, the chain reads before that
                of(names(name)).add_messages(says)
                says = []
            print(name, chain.invoke(says, config).content)
        except talk.RefusedError as error:
            print(name, "REFUSED", error)


talk.main(write, go_on)
