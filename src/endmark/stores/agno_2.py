"""agno 2.x: a session a row in `agno_sessions`, its runs in one JSON value.

SQLite holds that value as JSON in a JSON string. A database that has a table of runs was brought to
3.x: its column `runs` is but a backup.
https://github.com/agno-agi/agno/tree/v2.0.11/libs/agno/agno/db
"""

from __future__ import annotations

from endmark.stores._store import Store
from endmark.stores.agno import ENDED, PAUSES, RECORDED, RUNS, WINDOW

STORE = Store(
    name="agno-2",
    format="agno",
    layout="nested",
    table="agno_sessions",
    schemas=("ai",),
    conversation=("session_id",),
    key=("session_id",),
    payload="runs",
    age="updated_at",
    lists=(
        ("*", "messages"),
        ("*", "member_responses", "*", "messages"),
        ("*", "step_executor_runs", "*", "messages"),
    ),
    pauses=PAUSES,
    ended=ENDED,
    recorded=RECORDED,
    fingerprint={
        "agno_sessions": frozenset(
            {"session_id", "session_type", "session_data", "agent_data", "team_data", "runs"}
        )
    },
    unless=RUNS,
    window=WINDOW,
    versions="agno 2.0.11",
    source="https://github.com/agno-agi/agno",
)
