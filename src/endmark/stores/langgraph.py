"""LangGraph's `SqliteSaver`, in Python and JavaScript: a row for each state of a thread.

A name space with a colon is of one call of a subgraph, which nothing reads again; without one it is
of a subgraph that remembers.
https://github.com/langchain-ai/langgraph/tree/main/libs/checkpoint-sqlite
"""

from __future__ import annotations

from endmark.stores._store import Store

KEY = frozenset({"thread_id", "checkpoint_ns", "checkpoint_id"})
CHECKPOINTS = KEY | {"parent_checkpoint_id", "type", "checkpoint", "metadata"}
BEFORE = {
    "thread_id": "thread_id",
    "checkpoint_ns": "checkpoint_ns",
    "parent_checkpoint_id": "checkpoint_id",
}

STORE = Store(
    name="langgraph",
    layout="checkpoints",
    format="langchain",
    table="checkpoints",
    conversation=("thread_id", "checkpoint_ns"),
    order=("checkpoint_id",),
    order_kind="shared",
    payload="checkpoint",
    without={"checkpoint_ns": ":"},
    beside={"writes": "writes"},
    before=BEFORE,
    fingerprint={
        "checkpoints": CHECKPOINTS,
        "writes": KEY | {"task_id", "idx", "channel", "type", "value"},
    },
    databases=("sqlite",),
    versions="langgraph 0.2.60 and 1.2.24, langgraph-checkpoint-sqlite 2.0.1 and 3.1.2",
    note="Encrypted, pickled and DeltaChannel threads are left alone, each with its way out.",
    source="https://github.com/langchain-ai/langgraph",
)
