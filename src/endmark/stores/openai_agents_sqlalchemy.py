"""openai-agents' `SQLAlchemySession`: as `SQLiteSession`, ordered by time and then by the id.

Rows of one `add_items` share a time, so payloads move and times stay.
https://github.com/openai/openai-agents-python/tree/main/src/agents/extensions/memory
"""

from __future__ import annotations

from dataclasses import replace

from endmark.stores.openai_agents import STORE as SQLITE

STORE = replace(
    SQLITE,
    name="openai-agents-sqlalchemy",
    order=("created_at", "id"),
    types={"session_id": ("varchar", "character varying")},
    versions="openai-agents 0.7.0 and 0.24.0 (SQLAlchemySession); the library drops half pairs since 0.8",
    databases=("sqlite", "postgresql"),
)
