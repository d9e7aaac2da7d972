"""Mastra's `mastra_messages`: a message a row, its parts as JSON in a text.

`createdAt` and its twin `createdAtZ` order; no row is ever added, since a result is in its part.
`mastra_threads.updatedAt` is left as it is: nothing was said. Rows of `type` other than v2 are of the old format.
https://github.com/mastra-ai/mastra/tree/main/stores
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="mastra",
    format="mastra",
    table="mastra_messages",
    conversation=("thread_id",),
    order=("createdAt",),
    payload="content",
    role="role",
    age="createdAt",
    fingerprint={
        "mastra_messages": frozenset(
            {"id", "thread_id", "content", "role", "type", "createdAt", "resourceId"}
        )
    },
    window=(
        "lastMessages cuts the history while it is read, but never through a call and its result: "
        "both are in one message"
    ),
    versions=(
        "@mastra/core 1.71.0, @mastra/libsql 1.23.1, @mastra/pg 1.27.1; it leaves open calls out "
        "of the prompt, other readers do not"
    ),
    source="https://github.com/mastra-ai/mastra",
)
