"""google-adk's schema v0: what an event did is a pickle in each row. Told, and left alone.

https://github.com/google/adk-python/blob/main/src/google/adk/sessions/schemas/v0.py
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="adk-v0",
    format="adk",
    table="events",
    conversation=("app_name", "user_id", "session_id"),
    order=("timestamp", "id"),
    payload="content",
    fingerprint={
        "events": frozenset(
            {"id", "app_name", "user_id", "session_id", "invocation_id", "author", "actions"}
            | {"timestamp", "content"}
        )
    },
    refusal=(
        "schema v0 keeps each event's actions as a pickle, which is neither read nor made here: "
        "run `adk migrate session`, then heal the new database"
    ),
    versions="google-adk up to 1.21",
    source="https://github.com/google/adk-python",
)
