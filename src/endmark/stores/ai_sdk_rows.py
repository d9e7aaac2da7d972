"""Tables of their own that keep UI messages of the AI SDK as `Message_v2` does, under other names.

One message a row: its parts as JSON, its role in a column. Taken for that only where the payloads
are surely of the AI SDK: `messages` with `parts` is what others have too.
https://ai-sdk.dev/docs/ai-sdk-ui/chatbot-message-persistence
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="ai-sdk-rows",
    format="ai-sdk",
    table="messages",
    conversation=("chatId",),
    order=("createdAt",),
    payload="parts",
    role="role",
    age="createdAt",
    names={
        "chatId": (
            "chat_id", "chatid", "threadId", "thread_id", "conversationId", "conversation_id",
            "sessionId", "session_id",
        ),
        "createdAt": ("created_at", "createdat", "timestamp", "created"),
    },
    fingerprint={"messages": frozenset({"id", "chatId", "role", "parts", "createdAt"})},
    versions="AI SDK 4 to 7 parts, by the DDL of forks",
    source="https://ai-sdk.dev/docs/ai-sdk-ui/chatbot-message-persistence",
)  # fmt: skip
