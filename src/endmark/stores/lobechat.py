"""LobeChat: a message a row in `messages`, what a result answers in `message_plugins`.

Results are found by the id of the call, so their order does not matter; a new one gets the time of
its call and a microsecond more for each call before it. Messages outside a topic are not looked at.
https://github.com/lobehub/lobe-chat/tree/main/packages/database
"""

from __future__ import annotations

from endmark.stores._store import Answers, Store

STORE = Store(
    name="lobechat",
    format="lobechat",
    layout="gathered",
    table="messages",
    conversation=("topic_id",),
    order=("created_at", "id"),
    order_kind="time",
    payload="tools",
    role="role",
    age="updated_at",
    answers=Answers(
        table="message_plugins",
        call_id="tool_call_id",
        content="content",
        parent="parent_id",
        thread="thread_id",
        calls="tools",
        answers="tool_call_id",
        told="plugin",
        waits="intervention",
        waiting="pluginIntervention",
        fields={
            "identifier": "identifier",
            "api_name": "apiName",
            "arguments": "arguments",
            "type": "type",
        },
        shared=("user_id", "workspace_id"),
        blank=(
            "reasoning",
            "search",
            "metadata",
            "usage",
            "model",
            "provider",
            "error",
            "trace_id",
            "observation_id",
            "client_id",
            "quota_id",
            "editor_data",
            "summary",
        ),
    ),
    databases=("postgresql",),
    fingerprint={
        "messages": frozenset(
            {"id", "role", "content", "tools", "topic_id", "parent_id", "thread_id", "created_at"}
        ),
        "message_plugins": frozenset({"id", "tool_call_id", "api_name", "identifier", "user_id"}),
    },
    versions="@lobehub/chat 1.143.3",
    source="https://github.com/lobehub/lobe-chat",
    note=(
        "a call whose intervention is pending waits for a person; "
        "messages outside a topic (topic_id is NULL) are not looked at"
    ),
)
