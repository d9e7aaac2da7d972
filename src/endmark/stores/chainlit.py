"""Chainlit's `SQLAlchemyDataLayer`: the history that an application keeps in the user's session.

Chainlit puts the session into `threads.metadata` when the connection ends, and back when the
thread is resumed; under which key the history stands is the application's own choice, so the
usual ones are looked for. `steps` hold what the page shows, and are left as they are.
https://github.com/Chainlit/chainlit/tree/main/backend/chainlit/data
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="chainlit",
    format="openai-chat",
    any_format=True,
    layout="list",
    table="threads",
    conversation=("id",),
    payload="metadata",
    aside=("message_history", "chat_history", "messages", "history", "memory"),
    age="",  # `createdAt` is the thread's, however young its last turn is
    fingerprint={
        "threads": frozenset({"id", "createdAt", "name", "userId", "userIdentifier", "metadata"}),
        "steps": frozenset({"id", "type", "threadId", "parentId", "input", "output", "createdAt"}),
    },
    versions="chainlit 2.12.0 (SQLAlchemyDataLayer)",
    source="https://github.com/Chainlit/chainlit",
    note=(
        "a history under another key is healed as a table of your own: --table threads "
        "--conversation id --payload metadata --path KEY --format openai-chat"
    ),
)
