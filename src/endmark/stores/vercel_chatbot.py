"""The `Message_v2` table of vercel/chatbot (formerly ai-chatbot) and of its many forks.

One UI message a row: its parts as JSON, its role in a column. All messages of a turn may carry
the same time. https://github.com/vercel/chatbot/blob/main/lib/db/schema.ts
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="vercel-chatbot",
    format="ai-sdk",
    table="Message_v2",
    conversation=("chatId",),
    order=("createdAt",),
    payload="parts",
    role="role",
    age="createdAt",
    fingerprint={
        "Message_v2": frozenset({"id", "chatId", "role", "parts", "attachments", "createdAt"})
    },
    versions="since Message_v2 (AI SDK 4 parts); forks on SQLite, Turso and Supabase",
    source="https://github.com/vercel/chatbot/blob/main/lib/db/schema.ts",
)
