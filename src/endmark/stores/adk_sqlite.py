"""google-adk's `SqliteSessionService`: as v1, the time a float, ties in the order of writing.

What is read is `event_data` alone, so the id and the time in it are the event's.
https://github.com/google/adk-python/blob/main/src/google/adk/sessions/sqlite_session_service.py
"""

from __future__ import annotations

from dataclasses import replace

from endmark.stores.adk import STORE as DATABASE

STORE = replace(
    DATABASE,
    name="adk-sqlite",
    order=("timestamp", "rowid"),
    types={"timestamp": ("real",)},
    versions="google-adk 2.8.0 and 2.13.0 (SqliteSessionService); the library drops half pairs since 2.10",
    databases=("sqlite",),
)
