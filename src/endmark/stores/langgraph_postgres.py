"""LangGraph's `PostgresSaver`: as on SQLite, with the greater channels in rows of their own.

https://github.com/langchain-ai/langgraph/tree/main/libs/checkpoint-postgres
"""

from __future__ import annotations

from dataclasses import replace

from endmark.stores import langgraph
from endmark.stores.langgraph import CHECKPOINTS, KEY

STORE = replace(
    langgraph.STORE,
    name="langgraph-postgres",
    beside={"blobs": "checkpoint_blobs", "writes": "checkpoint_writes"},
    fingerprint={
        "checkpoints": CHECKPOINTS,
        "checkpoint_blobs": frozenset(
            {"thread_id", "checkpoint_ns", "channel", "version", "type", "blob"}
        ),
        "checkpoint_writes": KEY | {"task_id", "idx", "channel", "type", "blob"},
    },
    databases=("postgresql",),
    versions=(
        "langgraph 1.2.24, langgraph-checkpoint-postgres 3.2.0; "
        "@langchain/langgraph 1.7.3, its checkpoint-postgres 1.0.5"
    ),
)
