"""LangChain's message histories: a message a row, nested in Python and flat in JavaScript.

`SQLChatMessageHistory` and `PostgresChatMessageHistory` of langchain-community, langchain-postgres
(UUID sessions) and LangChain.js; every one may name its table otherwise. No session's rows are
numbered by themselves, so payloads move. https://github.com/langchain-ai/langchain-postgres
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="langchain",
    format="langchain",
    table="message_store",
    conversation=("session_id",),
    order=("id",),
    order_kind="shared",
    payload="message",
    fingerprint={"message_store": frozenset({"id", "session_id", "message"})},
    versions="langchain-community 0.4.2, langchain-postgres 0.0.19, @langchain/community 1.1.29",
    source="https://github.com/langchain-ai/langchain-postgres",
    note="A custom converter's columns are described with --table.",
)
