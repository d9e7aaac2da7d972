"""LlamaIndex: SQLAlchemyChatStore behind Memory (async URL), SQLiteChatStore, PostgresChatStore.

The kind leads the URL: `sqlite-store:FILE`, `array:postgresql://...`, or a plain async one.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence
from typing import Any

import talk
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from sqlalchemy import NullPool
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


def made(kind: str, content: Any) -> ChatMessage:
    if kind == "call":
        calls = [
            ToolCallBlock(tool_call_id=i, tool_name="weather", tool_kwargs={"city": "Bern"})
            for i in content
        ]
        return ChatMessage(role="assistant", blocks=calls)
    if kind == "result":
        said = [TextBlock(text="21 degrees")]
        return ChatMessage(role="tool", blocks=said, additional_kwargs={"tool_call_id": content})
    return ChatMessage(role="user" if kind == "user" else "assistant", content=content)


@functools.cache
def engine_of(url: str) -> AsyncEngine:
    return create_async_engine(url, poolclass=NullPool)


def store(url: str) -> Any:
    kind, _, rest = url.partition(":")
    if kind == "sqlite-store":
        from llama_index.storage.chat_store.sqlite import SQLiteChatStore

        return SQLiteChatStore.from_uri(f"sqlite:///{rest}")
    if kind == "array":
        from llama_index.storage.chat_store.postgres import PostgresChatStore

        return PostgresChatStore.from_uri(rest)
    engine = talk.guarded(engine_of(url), "llama-index")
    return SQLAlchemyChatStore("llama_index_memory", async_engine=engine)


async def writing(url: str) -> None:
    own = store(url)
    for name, kind, content in talk.in_turn():
        if isinstance(own, SQLAlchemyChatStore):
            await own.add_message(name, made(kind, content))
        else:
            own.add_message(name, made(kind, content))
    if isinstance(own, SQLAlchemyChatStore):  # what is archived is not sent again
        await own.add_message("archived", made("user", "Weather?"))
        await own.add_message("archived", made("call", ["c6"]))
        await own.archive_oldest_messages("archived", 2)


class Fake(MockLLM):
    """Refuses half pairs as providers do, and says one thing."""

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        talk.require_pairs(
            [[b.tool_call_id for b in m.blocks if isinstance(b, ToolCallBlock)] for m in messages],
            [[m.additional_kwargs["tool_call_id"]] if m.role == "tool" else [] for m in messages],
        )
        print(len(messages), "messages reach the model;", end=" ")
        return ChatResponse(message=made("says", "Sunny."))


async def going_on(url: str) -> None:
    own = store(url)
    for name in talk.TALK:
        memory: Any
        if isinstance(own, SQLAlchemyChatStore):
            memory = Memory.from_defaults(session_id=name, async_engine=engine_of(url))
        else:
            memory = ChatMemoryBuffer.from_defaults(chat_store=own, chat_store_key=name)
        engine = SimpleChatEngine.from_defaults(llm=Fake(), memory=memory)
        try:
            print(name, (await engine.achat("Go on.")).response)
        except talk.RefusedError as error:
            print(name, "REFUSED", error)


talk.main(lambda url: asyncio.run(writing(url)), lambda url: asyncio.run(going_on(url)))
