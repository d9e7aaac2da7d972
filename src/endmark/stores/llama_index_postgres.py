"""LlamaIndex's `PostgresChatStore`: a conversation a row, its messages in an array of JSON.

https://github.com/run-llama/llama_index/tree/main/llama-index-integrations/storage/chat_store
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="llama-index-postgres",
    format="llamaindex",
    layout="list",
    table="chatstore",
    conversation=("key",),
    payload="value",
    fingerprint={"chatstore": frozenset({"id", "key", "value"})},
    types={"value": ("json[]", "jsonb[]")},
    versions="llama-index-storage-chat-store-postgres 0.5.0",
    databases=("postgresql",),
    source="https://github.com/run-llama/llama_index",
)
