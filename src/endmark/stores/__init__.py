"""The known chat stores: one file each, found by name or by what a database looks like.

Others may add stores through the entry-point group `endmark.stores` (a name and a `STORE`). A
store says where rows are; what is in them is a format's business.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module, metadata
from typing import cast

from endmark.errors import StoreError, unknown
from endmark.formats._entry import load
from endmark.stores._detect import detect, elsewhere, guessed, seen
from endmark.stores._store import (
    Answers,
    ConversationTable,
    LinkedTable,
    PartTable,
    Recorded,
    Store,
    Tree,
)
from endmark.stores.conversation import Conversation
from endmark.stores.source import Source

__all__ = [
    "Answers",
    "Conversation",
    "ConversationTable",
    "LinkedTable",
    "PartTable",
    "Recorded",
    "Source",
    "Store",
    "Tree",
    "detect",
    "elsewhere",
    "get",
    "guessed",
    "names",
    "seen",
]

_MODULES = {
    "adk": "endmark.stores.adk",
    "adk-sqlite": "endmark.stores.adk_sqlite",
    "adk-v0": "endmark.stores.adk_v0",
    "agno": "endmark.stores.agno",
    "agno-2": "endmark.stores.agno_2",
    "ai-sdk-rows": "endmark.stores.ai_sdk_rows",
    "chainlit": "endmark.stores.chainlit",
    "chainlit-prisma": "endmark.stores.chainlit_prisma",
    "crush": "endmark.stores.crush",
    "endmark": "endmark.stores.endmark_tables",
    "goose": "endmark.stores.goose",
    "hermes": "endmark.stores.hermes",
    "llama-index": "endmark.stores.llama_index",
    "llama-index-postgres": "endmark.stores.llama_index_postgres",
    "llama-index-sqlite": "endmark.stores.llama_index_sqlite",
    "langchain": "endmark.stores.langchain",
    "langgraph": "endmark.stores.langgraph",
    "langgraph-postgres": "endmark.stores.langgraph_postgres",
    "langgraph-shallow": "endmark.stores.langgraph_shallow",
    "lobechat": "endmark.stores.lobechat",
    "mastra": "endmark.stores.mastra",
    "n8n": "endmark.stores.n8n",
    "open-webui": "endmark.stores.open_webui",
    "open-webui-json": "endmark.stores.open_webui_json",
    "openai-agents": "endmark.stores.openai_agents",
    "openai-agents-advanced": "endmark.stores.openai_agents_advanced",
    "openai-agents-sqlalchemy": "endmark.stores.openai_agents_sqlalchemy",
    "opencode": "endmark.stores.opencode",
    "twenty": "endmark.stores.twenty",
    "vercel-chatbot": "endmark.stores.vercel_chatbot",
    "vercel-chatbot-1": "endmark.stores.vercel_chatbot_1",
}


@cache
def _others() -> dict[str, metadata.EntryPoint]:
    return {entry.name: entry for entry in metadata.entry_points(group="endmark.stores")}


def names() -> tuple[str, ...]:
    """Name every known store, sorted.

    >>> "twenty" in names()
    True
    """
    return tuple(sorted({*_MODULES, *_others()}))


def get(name: str) -> Store:
    """Give the store of that name.

    Raises `StoreError` for a name that no store has, or an entry point that is none.

    >>> get("vercel-chatbot").table
    'Message_v2'
    """
    if name == "endmark":  # holds any format: which, its payloads tell
        from endmark.stores import endmark_tables

        return replace(endmark_tables.store("ai-sdk"), any_format=True)
    if name in _MODULES:
        return cast("Store", import_module(_MODULES[name]).STORE)
    if name in _others():
        return load(_others()[name], Store, StoreError)
    raise StoreError(unknown("store", name, names()))
