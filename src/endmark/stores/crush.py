"""Crush's `crush.db` (and opencode-ai/opencode's, which it comes from): a message a row.

Ordered by the second it was made, then by the order of writing. The model's history begins with
the summary, where the session names one. Triggers count the messages of a session. Since 0.59
Crush answers open calls in what it sends and leaves them open in what it stores; a result that
stands behind later messages it sends where it stands, which providers refuse.
https://github.com/charmbracelet/crush/tree/main/internal/db
"""

from __future__ import annotations

from endmark.stores._store import ConversationTable, Store

STORE = Store(
    name="crush",
    format="crush",
    table="messages",
    conversation=("session_id",),
    order=("created_at", "rowid"),
    order_kind="sequence",
    payload="parts",
    role="role",
    age="updated_at",
    head=ConversationTable(table="sessions", key="id", start="summary_message_id"),
    new={"model": "", "provider": None, "is_summary_message": 0, "finished_at": None},
    optional=("provider", "is_summary_message"),
    databases=("sqlite",),
    fingerprint={
        "messages": frozenset(
            {
                "id",
                "session_id",
                "role",
                "parts",
                "model",
                "created_at",
                "updated_at",
                "finished_at",
            }
        ),
        "sessions": frozenset({"id", "message_count", "summary_message_id", "updated_at"}),
    },
    versions="crush 0.90.0 (migrations to 20260127), by the program itself",
    source="https://github.com/charmbracelet/crush/tree/main/internal/db",
    note=(
        "Since 0.59 crush answers open calls itself when it reads; what is stored stays open, for "
        "its other readers. A late result stops it. Stop crush before a heal."
    ),
)
