"""opencode's `opencode.db`: a row for each message and for each part, both in JSON.

Messages are ordered by the time they were made, parts by their ids, which rise. A call and its
result are one part, so a heal changes that part alone. Calls in messages that were compacted away
are closed as well: the model does not see them, the screen does. opencode sends an open call as an
error itself and leaves it open in what it stores.
https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/session/session.sql.ts
"""

from __future__ import annotations

from endmark.stores._store import PartTable, Store

STORE = Store(
    name="opencode",
    format="opencode",
    layout="parts",
    table="message",
    conversation=("session_id",),
    order=("time_created", "id"),
    payload="data",
    age="time_updated",
    parts=PartTable(table="part", message="message_id", order="id", payload="data"),
    pending_tools=frozenset({"question"}),  # asks the person
    databases=("sqlite",),
    fingerprint={
        "message": frozenset({"id", "session_id", "time_created", "time_updated", "data"}),
        "part": frozenset({"id", "message_id", "session_id", "time_created", "data"}),
    },
    versions="opencode 1.18.33",
    source="https://github.com/anomalyco/opencode",
    note=(
        "opencode sends an open call as an error itself; what is stored stays open, on its screen "
        "and for other readers. Stop opencode before a heal."
    ),
)
