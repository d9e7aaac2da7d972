"""LlamaIndex's `SQLAlchemyChatStore`, which stands behind `Memory`: a message a row, in `data`.

Ordered by nanoseconds; archived rows are not sent again, and are not read.
https://github.com/run-llama/llama_index/tree/main/llama-index-core/llama_index/core/storage
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="llama-index",
    format="llamaindex",
    table="llama_index_memory",
    conversation=("key",),
    order=("timestamp", "id"),
    order_kind="sequence",
    payload="data",
    age="timestamp",
    only={"status": ("active",)},
    copies={"role": "role"},
    fingerprint={
        "llama_index_memory": frozenset({"id", "key", "timestamp", "role", "status", "data"})
    },
    window=(
        "Memory sends what fits its token limit and archives the rest by messages, so an orphan may "
        "come from the cut: one that is left active is healed, one cut while reading is not stored"
    ),
    versions="llama-index-core 0.14.25 (SQLAlchemyChatStore, Memory)",
    source="https://github.com/run-llama/llama_index",
)
