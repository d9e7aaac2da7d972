"""LlamaIndex's `SQLiteChatStore`: a message a row, in `value`, ordered by one shared id.

https://github.com/run-llama/llama_index/tree/main/llama-index-integrations/storage/chat_store
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="llama-index-sqlite",
    format="llamaindex",
    table="data_chatstore",
    conversation=("key",),
    order=("id",),
    order_kind="shared",
    payload="value",
    fingerprint={"data_chatstore": frozenset({"id", "key", "value"})},
    versions="llama-index-storage-chat-store-sqlite 0.4.0",
    databases=("sqlite",),
    source="https://github.com/run-llama/llama_index",
    note="Its set_messages adds to what is there, so whole histories may stand twice.",
)
