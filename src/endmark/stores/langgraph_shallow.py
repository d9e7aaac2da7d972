"""LangGraph's `ShallowPostgresSaver`: the newest state of a thread alone, written over each time.

https://github.com/langchain-ai/langgraph/tree/main/libs/checkpoint-postgres
"""

from __future__ import annotations

from endmark.stores import message_lists
from endmark.stores._store import Store

STORE = Store(
    name="langgraph-shallow",
    layout="list",
    format="langchain",
    table="checkpoints",
    conversation=("thread_id", "checkpoint_ns"),
    payload="checkpoint",
    without={"checkpoint_ns": ":"},
    fingerprint={
        "checkpoints": frozenset({"thread_id", "checkpoint_ns", "type", "checkpoint", "metadata"}),
        "checkpoint_blobs": frozenset({"thread_id", "checkpoint_ns", "channel", "type", "blob"}),
    },
    databases=("postgresql",),
    refusal=(
        "a shallow saver keeps one state of a thread, so none can be put behind it; "
        f"{message_lists.WAY_OUT}"
    ),
    versions="langgraph-checkpoint-postgres 3.2.0",
    source="https://github.com/langchain-ai/langgraph",
)
