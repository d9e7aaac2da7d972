"""openai-agents' `AdvancedSQLiteSession`: branches that share rows. Told, and left alone.

https://github.com/openai/openai-agents-python/tree/main/src/agents/extensions/memory
"""

from __future__ import annotations

from dataclasses import replace

from endmark.stores.openai_agents import COLUMNS
from endmark.stores.openai_agents import STORE as SQLITE

STORE = replace(
    SQLITE,
    name="openai-agents-advanced",
    fingerprint={
        "agent_messages": COLUMNS,
        "message_structure": frozenset(
            {"session_id", "message_id", "branch_id", "sequence_number"}
        ),
    },
    types={},
    refuses={},
    refusal=(
        "branches of an AdvancedSQLiteSession share their rows, and message_structure orders them: "
        "read a branch with get_items, pass it to endmark.repair, and add_items to a new session"
    ),
    versions="openai-agents 0.24.0 (AdvancedSQLiteSession)",
)
