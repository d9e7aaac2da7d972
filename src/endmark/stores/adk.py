"""google-adk's `DatabaseSessionService`, schema v1: an event a row, in `event_data`.

Ordered by time, then by id; time and id stand in the event too. `sessions.update_time` is left as
it is: a bump would make every session in memory stale.
https://github.com/google/adk-python/tree/main/src/google/adk/sessions
"""

from __future__ import annotations

from endmark.stores._store import Store

COLUMNS = frozenset(
    {"id", "app_name", "user_id", "session_id", "invocation_id", "timestamp", "event_data"}
)

STORE = Store(
    name="adk",
    format="adk",
    table="events",
    conversation=("app_name", "user_id", "session_id"),
    order=("timestamp", "id"),
    payload="event_data",
    age="timestamp",
    copies={"id": "id", "timestamp": "timestamp", "invocation_id": "invocation_id"},
    fingerprint={"events": COLUMNS},
    types={"timestamp": ("datetime", "timestamp")},
    window=(
        "a session read with num_recent_events or after_timestamp begins anywhere, so an orphan "
        "that is refused though the rows are sound comes from the cut"
    ),
    versions="google-adk 2.8.0 and 2.13.0, schema v1 (since 1.22); the library drops half pairs since 2.10",
    source="https://github.com/google/adk-python",
)
