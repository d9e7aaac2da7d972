"""Chainlit: the histories that applications keep in the user's session, by its own data layers.

The URL is an async one of SQLAlchemy for `SQLAlchemyDataLayer`; one that begins with
`postgresql://` is for `ChainlitDataLayer`, whose tables its own migrations make elsewhere. Neither
ships its tables: they are made here with the columns that the layers name.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import Any

import talk
from chainlit.data.chainlit_data_layer import ChainlitDataLayer
from chainlit.data.sql_alchemy import SQLAlchemyDataLayer
from chainlit.user import User

CALL = {"name": "weather", "arguments": '{"city": "Zürich"}'}
KEYS = {"middle": "message_history", "late": "chat_history", "end": "messages"}
TABLES = (
    (
        'CREATE TABLE users ("id" UUID PRIMARY KEY, "identifier" TEXT NOT NULL UNIQUE,'
        ' "metadata" JSONB NOT NULL, "createdAt" TEXT)'
    ),
    (
        'CREATE TABLE threads ("id" UUID PRIMARY KEY, "createdAt" TEXT, "name" TEXT, "userId" UUID,'
        ' "userIdentifier" TEXT, "tags" TEXT[], "metadata" JSONB,'
        ' FOREIGN KEY ("userId") REFERENCES users("id") ON DELETE CASCADE)'
    ),
    (
        'CREATE TABLE steps ("id" UUID PRIMARY KEY, "name" TEXT NOT NULL, "type" TEXT NOT NULL,'
        ' "threadId" UUID NOT NULL, "parentId" UUID, "streaming" BOOLEAN NOT NULL,'
        ' "waitForAnswer" BOOLEAN, "isError" BOOLEAN, "metadata" JSONB, "tags" TEXT[], "input" TEXT,'
        ' "output" TEXT, "createdAt" TEXT, "command" TEXT, "start" TEXT, "end" TEXT,'
        ' "generation" JSONB, "showInput" TEXT, "language" TEXT, "indent" INT, "defaultOpen" BOOLEAN,'
        ' "autoCollapse" BOOLEAN, "modes" JSONB, "icon" TEXT,'
        ' FOREIGN KEY ("threadId") REFERENCES threads("id") ON DELETE CASCADE)'
    ),
    (
        'CREATE TABLE elements ("id" UUID PRIMARY KEY, "threadId" UUID, "type" TEXT, "url" TEXT,'
        ' "chainlitKey" TEXT, "name" TEXT NOT NULL, "display" TEXT, "objectKey" TEXT, "size" TEXT,'
        ' "page" INT, "language" TEXT, "forId" UUID, "mime" TEXT, "props" JSONB)'
    ),
    (
        'CREATE TABLE feedbacks ("id" UUID PRIMARY KEY, "forId" UUID NOT NULL,'
        ' "threadId" UUID NOT NULL, "value" INT NOT NULL, "comment" TEXT)'
    ),
)
PRISMA = (
    (
        'CREATE TABLE "User" ("id" TEXT PRIMARY KEY, "createdAt" TIMESTAMP(3) NOT NULL DEFAULT now(),'
        ' "updatedAt" TIMESTAMP(3) NOT NULL DEFAULT now(), "metadata" JSONB NOT NULL,'
        ' "identifier" TEXT NOT NULL UNIQUE)'
    ),
    (
        'CREATE TABLE "Thread" ("id" TEXT PRIMARY KEY, "createdAt" TIMESTAMP(3) NOT NULL DEFAULT'
        ' now(), "updatedAt" TIMESTAMP(3) NOT NULL DEFAULT now(), "deletedAt" TIMESTAMP(3),'
        ' "name" TEXT, "metadata" JSONB NOT NULL, "userId" TEXT, "tags" TEXT[] NOT NULL DEFAULT'
        " ARRAY[]::TEXT[])"
    ),
    (
        'CREATE TABLE "Step" ("id" TEXT PRIMARY KEY, "createdAt" TIMESTAMP(3) NOT NULL DEFAULT now(),'
        ' "updatedAt" TIMESTAMP(3) NOT NULL DEFAULT now(), "parentId" TEXT, "threadId" TEXT,'
        ' "input" TEXT, "metadata" JSONB NOT NULL, "name" TEXT, "output" TEXT, "type" TEXT NOT NULL,'
        ' "showInput" TEXT DEFAULT \'json\', "isError" BOOLEAN DEFAULT false,'
        ' "startTime" TIMESTAMP(3) NOT NULL, "endTime" TIMESTAMP(3) NOT NULL)'
    ),
    'CREATE TABLE "Element" ("id" TEXT PRIMARY KEY, "threadId" TEXT, "stepId" TEXT NOT NULL)',
    (
        'CREATE TABLE "Feedback" ("id" TEXT PRIMARY KEY, "stepId" TEXT, "name" TEXT NOT NULL,'
        ' "value" DOUBLE PRECISION NOT NULL, "comment" TEXT)'
    ),
)


def message(kind: str, content: Any) -> dict[str, Any]:
    if kind == "call":
        calls = [{"id": id_, "type": "function", "function": CALL} for id_ in content]
        return {"role": "assistant", "content": None, "tool_calls": calls}
    if kind == "result":
        return {"role": "tool", "tool_call_id": content, "content": '{"degrees": 21}'}
    return {"role": "user" if kind == "user" else "assistant", "content": content}


def thread_id(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def layer(url: str) -> Any:
    if url.startswith("postgresql://"):
        return ChainlitDataLayer(database_url=url)
    return SQLAlchemyDataLayer(url)


async def writing(url: str) -> None:
    own = layer(url)
    for sql in PRISMA if isinstance(own, ChainlitDataLayer) else TABLES:
        if isinstance(own, ChainlitDataLayer):
            await own.execute_query(sql)
        else:
            await own.execute_sql(sql, {})
    user = await own.create_user(User(identifier="ada", metadata={}))
    for name, steps in talk.TALK.items():
        history = [message(*step) for step in steps]
        # As `to_persistable` gives it: the session's own fields around the application's.
        session = {"id": name, "chat_settings": {}, "chat_profile": None, "client_type": "webapp"}
        kept = {**session, KEYS.get(name, "message_history"): history, "env": {}}
        await own.update_thread(thread_id(name), name, user.id, kept)
    await own.update_thread(thread_id("plain"), "plain", user.id, {"id": "plain", "env": {}})


async def going_on(url: str) -> None:
    own = layer(url)
    for name in talk.TALK:
        history = [*await stored(own, name), {"role": "user", "content": "Go on."}]
        asked = [[c["id"] for c in m.get("tool_calls") or ()] for m in history]
        given = [[m["tool_call_id"]] if m["role"] == "tool" else [] for m in history]
        try:
            talk.require_pairs(asked, given)
        except talk.RefusedError as error:
            print(name, "REFUSED", error)
            continue
        history.append({"role": "assistant", "content": "Sunny."})
        kept = {KEYS.get(name, "message_history"): history}
        await own.update_thread(thread_id(name), metadata=kept)
        again = await stored(own, name)
        print(name, len(again), "messages stored:", again[-1]["content"])


async def stored(own: Any, name: str) -> list[dict[str, Any]]:
    metadata = (await own.get_thread(thread_id(name)))["metadata"]
    metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
    found: list[dict[str, Any]] = metadata[KEYS.get(name, "message_history")]
    return found


talk.main(lambda url: asyncio.run(writing(url)), lambda url: asyncio.run(going_on(url)))
