"""agno 3.x: a run a row in `agno_runs`, its messages in `run_data`.

Each run is a history of its own: it was sent alone, with copies of what was before it, and is
continued alone. Paused runs wait for a person; results of tools stand in `tools` too.
https://github.com/agno-agi/agno/tree/main/libs/agno/agno/db
"""

from __future__ import annotations

from endmark.stores._store import Recorded, Store

RUNS = frozenset({"run_id", "session_id", "run_type", "status", "run_index", "run_data"})
PAUSES = {"status": ("PAUSED",)}
ENDED = {"status": ("COMPLETED", "CANCELLED", "ERROR", "REGENERATED")}
RECORDED = (
    Recorded(list="tools", id=("tool_call_id",), value=("result",), error=("tool_call_error",)),
    Recorded(
        list="requirements",
        id=("tool_execution", "tool_call_id"),
        value=("external_execution_result",),
    ),
)
WINDOW = (
    "num_history_messages cuts the history while it is read, so an orphan that is refused though "
    "the rows are sound comes from the cut"
)

STORE = Store(
    name="agno",
    format="agno",
    layout="nested",
    table="agno_runs",
    schemas=("ai",),
    conversation=("session_id",),
    order=("run_index",),
    payload="run_data",
    age="updated_at",
    lists=(
        ("messages",),
        ("member_responses", "*", "messages"),
        ("step_executor_runs", "*", "messages"),
    ),
    pauses=PAUSES,
    ended=ENDED,
    recorded=RECORDED,
    fingerprint={"agno_runs": RUNS},
    window=WINDOW,
    versions="agno 3.1.10; it passes over runs that are paused, cancelled or failed, not over crashed ones",
    source="https://github.com/agno-agi/agno",
)
