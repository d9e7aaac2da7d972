"""n8n's Postgres Chat Memory: LangChain.js' flat messages, a message a row.

Its agent reads the last messages only, so pairs may be cut that are whole in the table.
https://github.com/n8n-io/n8n/tree/master/packages/@n8n/nodes-langchain/nodes/memory
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="n8n",
    format="langchain",
    table="n8n_chat_histories",
    conversation=("session_id",),
    order=("id",),
    order_kind="shared",
    payload="message",
    fingerprint={"n8n_chat_histories": frozenset({"id", "session_id", "message"})},
    window=(
        "the agent reads the last messages alone (Context Window Length), so an orphan that is "
        "refused though the rows are sound comes from the cut: make the window longer"
    ),
    versions="n8n 2.x, as its class of @langchain/community 1.1.29 writes; before, no calls",
    databases=("postgresql",),
    source="https://github.com/n8n-io/n8n",
)
