"""openai-agents' `AdvancedSQLiteSession`: `message_structure` orders the items, a branch at a time.

Branches share items; sequence numbers are a session's own and need not be unique, so a branch's
rows are put in order without harm to the others. An item without a row of that table is no longer
read. https://github.com/openai/openai-agents-python/tree/main/src/agents/extensions/memory
"""

from __future__ import annotations

from dataclasses import replace

from endmark.stores._store import LinkedTable
from endmark.stores.openai_agents import COLUMNS
from endmark.stores.openai_agents import STORE as SQLITE

STORE = replace(
    SQLITE,
    name="openai-agents-advanced",
    layout="linked",
    table="message_structure",
    conversation=("session_id", "branch_id"),
    order=("sequence_number",),
    order_kind="sequence",
    linked=LinkedTable(
        table="agent_messages",
        by="message_id",
        told={"message_type": ("role", "type")},
        blank=("tool_name",),
        follows=("user_turn_number", "branch_turn_number"),
    ),
    fingerprint={
        "agent_messages": COLUMNS,
        "message_structure": frozenset(
            {"session_id", "message_id", "branch_id", "sequence_number", "message_type"}
        ),
    },
    types={},
    versions="openai-agents 0.24.0 (AdvancedSQLiteSession)",
)
