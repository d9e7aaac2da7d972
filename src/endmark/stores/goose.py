"""goose's `sessions.db`: a message a row, its content in JSON.

Ordered by the second it was made, then by id. Rows that the agent does not see (compacted ones,
notes for the user) are not of the model's history. goose leaves half pairs out of what it sends,
so that the model is asked for the same again.
https://github.com/block/goose/blob/main/crates/goose/src/session/session_manager.rs
"""

from __future__ import annotations

from endmark.stores._store import Store

STORE = Store(
    name="goose",
    format="goose",
    table="messages",
    conversation=("session_id",),
    order=("created_timestamp", "id"),
    order_kind="sequence",
    payload="content_json",
    role="role",
    age="created_timestamp",
    without={"metadata_json": '"agentVisible":false'},
    signs={"content_json": '"type":"actionRequired"'},  # for the user's eyes only, and it waits
    new={"message_id": "msg_{conversation}_{id}", "tokens": None},
    optional=("message_id", "metadata_json"),
    databases=("sqlite",),
    fingerprint={
        "messages": frozenset(
            {"id", "session_id", "role", "content_json", "created_timestamp", "timestamp", "tokens"}
        )
    },
    versions="goose 1.52.0 (version 16 of sessions.db), by the program itself",
    source="https://github.com/block/goose",
    note=(
        "goose leaves half pairs out of what it sends; what is stored stays, for its other "
        "readers. Stop goose before a heal."
    ),
)
