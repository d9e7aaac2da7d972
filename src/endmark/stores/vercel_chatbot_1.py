"""The deprecated `Message` table of vercel/chatbot: a model message of AI SDK 4 a row.

Its role in a column, its content as JSON, results in rows of role `tool`. All messages of a turn
carry the same time, and their ids are random: the template puts those of one time in the order of
a turn when it moves them to `Message_v2`, and so are they read here.
https://github.com/vercel/chatbot/blob/main/lib/db/schema.ts
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="vercel-chatbot-1",
    format="ai-sdk-model",
    table="Message",
    conversation=("chatId",),
    order=("createdAt",),
    payload="content",
    role="role",
    age="createdAt",
    ties=True,
    names={
        "chatId": ("chat_id", "threadId", "thread_id", "conversationId", "conversation_id"),
        "createdAt": ("created_at",),
    },
    fingerprint={"Message": frozenset({"id", "chatId", "role", "content", "createdAt"})},
    types={"content": ("json", "text")},
    versions="until Message_v2 (AI SDK 3 and 4), by its own DDL",
    source="https://github.com/vercel/chatbot/blob/main/lib/db/schema.ts",
)
