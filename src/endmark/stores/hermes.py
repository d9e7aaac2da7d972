"""hermes-agent's `state.db`: OpenAI chat messages, their fields in columns.

Ordered by id, since its clock may go back. Rows that were taken back or compacted (`active` 0) are
not of the model's history. `message_count` of the session is kept in step here, the indexes for
search by the database's own triggers. hermes mends what it sends, and in part what it stores.
https://github.com/NousResearch/hermes-agent/blob/main/hermes_state.py
"""

from __future__ import annotations

from endmark.stores._store import ConversationTable, Store

STORE = Store(
    name="hermes",
    format="openai-chat",
    table="messages",
    conversation=("session_id",),
    order=("id",),
    role="role",
    age="timestamp",
    fields={
        "content": "content",
        "tool_calls": "tool_calls",
        "tool_call_id": "tool_call_id",
        "tool_name": "name",
        "effect_disposition": "effect_disposition",
        "timestamp": "timestamp",
        "token_count": "token_count",
        "finish_reason": "finish_reason",
        "reasoning": "reasoning",
        "reasoning_content": "reasoning_content",
        "reasoning_details": "reasoning_details",
        "codex_reasoning_items": "codex_reasoning_items",
        "codex_message_items": "codex_message_items",
        "platform_message_id": "platform_message_id",
        "observed": "observed",
        "api_content": "api_content",
    },
    json=frozenset({"tool_calls"}),
    only={"active": ("1",)},
    new={"observed": 0, "effect_disposition": "unknown"},  # hermes' own word for it
    optional=(
        "active",
        "api_content",
        "codex_message_items",
        "codex_reasoning_items",
        "effect_disposition",
        "observed",
        "platform_message_id",
        "reasoning_content",
        "reasoning_details",
    ),
    head=ConversationTable(
        table="sessions",
        key="id",
        counts={"message_count": "messages", "tool_call_count": "calls"},
    ),
    databases=("sqlite",),
    fingerprint={
        "messages": frozenset(
            {
                "id",
                "session_id",
                "role",
                "content",
                "tool_call_id",
                "tool_calls",
                "tool_name",
                "timestamp",
                "finish_reason",
                "reasoning",
            }
        ),
        "sessions": frozenset({"id", "source", "message_count", "tool_call_count"}),
    },
    versions="hermes-agent 0.19.0 (state.db schema 22)",
    source="https://github.com/NousResearch/hermes-agent",
    note=(
        "hermes mends half pairs in what it sends; what is stored stays, for its other readers. "
        "Stop hermes before a heal."
    ),
)
