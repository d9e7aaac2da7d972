"""openai-agents' `SQLiteSession`: an item of the Responses API a row, ordered by one shared id.

`AsyncSQLiteSession` has the same tables; both take other names for them.
https://github.com/openai/openai-agents-python/tree/main/src/agents/memory
"""

from __future__ import annotations

from endmark.stores._store import Store

COLUMNS = frozenset({"id", "session_id", "message_data", "created_at"})
ENCRYPTED = (
    "the session is encrypted (EncryptedSession): only its own key reads it. Read its items through "
    "that class with a ttl that reaches back to them, pass them to endmark.repair, and write them "
    "back with clear_session and add_items"
)
WINDOW = (
    "a session read with limit= (SessionSettings.limit) begins anywhere, so an orphan that is "
    "refused though the rows are sound comes from the cut: raise the limit"
)

STORE = Store(
    name="openai-agents",
    format="openai-responses",
    table="agent_messages",
    conversation=("session_id",),
    order=("id",),
    order_kind="shared",
    payload="message_data",
    age="created_at",
    fingerprint={"agent_messages": COLUMNS},
    types={"session_id": ("text",)},
    refuses={"__enc__": ENCRYPTED},
    window=WINDOW,
    versions="openai-agents 0.7.0 and 0.24.0 (SQLiteSession); the library itself drops half pairs since 0.8",
    databases=("sqlite",),
    source="https://github.com/openai/openai-agents-python",
)
