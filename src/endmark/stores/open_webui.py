"""Open WebUI: the tree of a chat in `chat.chat`, and its messages again in `chat_message`.

The application answers from the rows of `chat_message` where there are any, and shows the tree:
both are written in one transaction, as it does itself. `currentId` and `current_message_id` stay,
and so do the times: answering a call moves no chat up its list.
https://github.com/open-webui/open-webui/tree/main/backend/open_webui/models
"""

from __future__ import annotations

from endmark.stores._store import Store, Tree

CHAT = frozenset({"id", "user_id", "title", "chat", "created_at", "updated_at", "share_id"})

STORE = Store(
    name="open-webui",
    format="open-webui",
    layout="tree",
    table="chat",
    conversation=("id",),
    payload="chat",
    path=("history", "messages"),
    age="updated_at",
    tree=Tree(
        parent="parentId",
        lists=("messages",),
        table="chat_message",
        conversation="chat_id",
        fields={
            "role": "role",
            "parent_id": "parentId",
            "content": "content",
            "output": "output",
            "done": "done",
        },
        json=frozenset({"content", "output"}),
        prefixed=True,
    ),
    fingerprint={
        "chat": CHAT,
        "chat_message": frozenset(
            {"id", "chat_id", "role", "parent_id", "content", "output", "done", "created_at"}
        ),
    },
    versions="open-webui 0.9.5 and 0.12.4; it leaves half pairs out when it reads since 0.9.6",
    source="https://github.com/open-webui/open-webui",
    note=(
        "a call whose status is pending, queued or requires_approval, and a question of ask_user, "
        "waits for a person; reload tabs that are open: they hold the chat in memory"
    ),
)
