"""Layout `checkpoints`: what a heal writes behind a head, what it leaves, and what it leaves alone."""

from __future__ import annotations

import json
import uuid
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import Policy, heal
from endmark.heal import Options
from endmark.heal.judge import Judge
from endmark.stores import Source, checkpoint_ids
from endmark.stores.changes import RowChanged
from endmark.stores.write import execute
from fix_databases import Database
from healing import dump
from test_known_stores import FORCED, LATER, detected, fill, found

DDL = """
CREATE TABLE checkpoints (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
);
CREATE TABLE writes (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
);
"""
FIRST = "1f1ece10-3908-6500-bfff-0123456789ab"
HUMAN = {"content": "Weather?", "additional_kwargs": {}, "id": "m1"}
REAL = {"content": "21 degrees", "tool_call_id": "a", "name": "weather", "status": "success"}


GOES_ON = (
    "INSERT INTO checkpoints SELECT thread_id, checkpoint_ns, 'f' || checkpoint_id, "
    "checkpoint_id, type, checkpoint, metadata FROM checkpoints WHERE thread_id = 'batch' "
    "ORDER BY checkpoint_id DESC LIMIT 1"
)


def asking(*ids: str) -> dict[str, Any]:
    calls = [{"name": "weather", "args": {}, "id": id_, "type": "tool_call"} for id_ in ids]
    return {"content": "", "additional_kwargs": {}, "tool_calls": calls, "id": "m2"}


def told(name: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Make a message as LangGraph.js writes it."""
    id_ = ["langchain_core", "messages", name]
    return {"lc": 1, "type": "constructor", "id": id_, "kwargs": kwargs}


def said(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = {"tool_calls": "AIMessage", "tool_call_id": "ToolMessage"}
    return [
        told(next((kind for key, kind in kinds.items() if key in m), "HumanMessage"), m)
        for m in messages
    ]


@pytest.fixture
def own(tmp_path: Any) -> Any:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'graph.db'}")
    with engine.begin() as connection:
        connection.connection.executescript(DDL)  # type: ignore[attr-defined]
    yield Database("sqlite", str(engine.url), engine)
    engine.dispose()


def put(
    database: Database,
    channels: dict[str, Any],
    *,
    thread: str = "t",
    ns: str = "",
    id_: str = FIRST,
    parent: str | None = None,
    source: str = "loop",
    writes: list[tuple[str, str, Any]] = [],  # noqa: B006 - not changed
    **fields: Any,
) -> None:
    """Write a checkpoint as LangGraph.js does, in JSON."""
    checkpoint = {"v": 4, "id": id_, "ts": "2026-01-01T00:00:00Z", "channel_values": channels}
    checkpoint |= {"channel_versions": dict.fromkeys(channels, 3), "versions_seen": {}} | fields
    metadata = {"source": source, "step": 1, "parents": {}}
    row = (
        thread,
        ns,
        id_,
        parent,
        "json",
        *(json.dumps(v).encode() for v in (checkpoint, metadata)),
    )
    with database.engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        for task, channel, value in writes:
            connection.exec_driver_sql(
                "INSERT INTO writes VALUES (?, ?, ?, ?, 0, ?, 'json', ?)",
                (thread, ns, id_, task, channel, json.dumps(value).encode()),
            )


def heads(database: Database) -> dict[str, Any]:
    """Read the newest checkpoint of every thread, by the test's own eyes."""
    sql = "SELECT thread_id, checkpoint, metadata FROM checkpoints ORDER BY checkpoint_id"
    with database.engine.connect() as connection:
        rows = connection.exec_driver_sql(sql).all()
    return {row[0]: (json.loads(row[1]), json.loads(row[2])) for row in rows}


def what(database: Database, options: Options = LATER) -> dict[str, str]:
    [store] = detected(database)
    return found(database, store, options)


def apply(database: Database, options: Options = LATER) -> heal.Applied:
    return heal.apply(database.engine, detected(database), options=options)


def test_the_new_head_of_a_javascript_thread(own: Database) -> None:
    messages = said(HUMAN, asking("a"))
    put(own, {"messages": messages, "branch:to:tools": None, "topic": "é"})
    before = heads(own)["t"][0]
    assert apply(own).healed == 1
    checkpoint, metadata = heads(own)["t"]
    values = checkpoint["channel_values"]
    assert values["messages"][:2] == messages
    [result] = values["messages"][2:]
    assert result["id"] == ["langchain_core", "messages", "ToolMessage"]
    assert result["kwargs"]["tool_call_id"] == "a"
    assert uuid.UUID(result["kwargs"]["id"])
    assert set(values) == {"messages", "topic"}
    assert checkpoint["id"] > FIRST
    assert checkpoint["channel_versions"] == {"messages": 4, "branch:to:tools": 4, "topic": 3}
    assert checkpoint["versions_seen"] == {"tools": {"branch:to:tools": 3}}
    assert metadata == {"source": "update", "step": 2, "parents": {}}
    with own.engine.connect() as connection:
        sql = "SELECT parent_checkpoint_id, type FROM checkpoints ORDER BY checkpoint_id"
        assert connection.exec_driver_sql(sql).all() == [(None, "json"), (FIRST, "json")]
    heal.undo(own.engine)
    assert heads(own)["t"][0] == before


def test_what_runs_next_stays_where_a_message_came_since(own: Database) -> None:
    messages = said(HUMAN, asking("a"), HUMAN | {"id": "m3"})
    put(own, {"messages": messages, "branch:to:agent": None}, updated_channels=["branch:to:agent"])
    apply(own)
    checkpoint, _ = heads(own)["t"]
    assert "branch:to:agent" in checkpoint["channel_values"]
    assert checkpoint["channel_versions"] == {"messages": 4, "branch:to:agent": 3}
    assert checkpoint["updated_channels"] is None


def test_a_message_that_is_on_its_way_is_not_given_up(own: Database) -> None:
    start = {"messages": said(HUMAN)}
    put(own, {"messages": said(HUMAN, asking("a")), "__start__": start, "branch:to:tools": None})
    apply(own)
    values = heads(own)["t"][0]["channel_values"]
    assert values["__start__"] == start
    assert "branch:to:tools" in values


@pytest.mark.parametrize(("waiting", "stays"), [(["a", "b"], False), (["a"], True)])
def test_a_node_that_waits_for_others_keeps_waiting(
    own: Database, waiting: list[str], stays: bool
) -> None:
    put(own, {"messages": said(HUMAN, asking("x")), "join:a+b:c": waiting})
    apply(own)
    assert ("join:a+b:c" in heads(own)["t"][0]["channel_values"]) is stays


def test_the_result_of_a_finished_task_stands_before_a_made_one(own: Database) -> None:
    writes = [("task-1", "messages", said(REAL)), ("task-2", "__error__", "boom")]
    put(own, {"messages": said(HUMAN, asking("a", "b"))}, writes=writes)
    assert what(own) == {"t/": "poisoned dangling"}
    assert apply(own).findings == {"dangling": 2}
    first, second = heads(own)["t"][0]["channel_values"]["messages"][2:]
    assert first["kwargs"] == REAL | {"id": first["kwargs"]["id"]}
    assert (second["kwargs"]["tool_call_id"], second["kwargs"]["status"]) == ("b", "error")


def test_all_results_were_there_and_none_was_saved(own: Database) -> None:
    writes = [("task-1", "messages", said(REAL)[0])]
    put(own, {"messages": said(HUMAN, asking("a"))}, writes=writes)
    assert apply(own).healed == 1
    [result] = heads(own)["t"][0]["channel_values"]["messages"][2:]
    assert result["kwargs"]["content"] == "21 degrees"


SECOND, THIRD = checkpoint_ids.after(FIRST), checkpoint_ids.after(checkpoint_ids.after(FIRST))


@pytest.mark.parametrize(("source", "real"), [("input", True), ("loop", False), ("fork", False)])
def test_a_result_that_a_new_message_passed_over(own: Database, source: str, real: bool) -> None:
    """Only behind a new message was the step given up; another branch answers its own calls."""
    writes = [("task-1", "messages", said(REAL))]
    put(own, {"messages": said(HUMAN, asking("a"))}, writes=writes)
    broken = {"messages": said(HUMAN, asking("a"), HUMAN)}
    put(own, broken, id_=SECOND, parent=FIRST, source=source)
    put(own, broken, id_=THIRD, parent=SECOND)
    apply(own)
    result = heads(own)["t"][0]["channel_values"]["messages"][2]["kwargs"]
    assert (result["content"] == "21 degrees") is real


def test_every_channel_of_messages_is_healed(own: Database) -> None:
    broken = said(HUMAN, asking("a"), HUMAN)
    put(own, {"read": broken, "messages": broken, "titles": ["x"], "done": said(HUMAN)})
    assert apply(own).findings == {"dangling": 2}
    values = heads(own)["t"][0]["channel_values"]
    assert [len(values[name]) for name in ("messages", "read", "done")] == [4, 4, 1]
    assert values["messages"][2]["kwargs"]["id"] != values["read"][2]["kwargs"]["id"]


@pytest.mark.parametrize("sign", ["__interrupt__", "__resume__"])
def test_a_pause_is_left_as_it_is(own: Database, sign: str) -> None:
    writes = [("task-1", "messages", said(REAL)), ("task-2", sign, [{"value": "May I?"}])]
    put(own, {"messages": said(HUMAN, asking("a", "b"))}, writes=writes)
    before = dump(own)
    applied = apply(own)
    assert (applied.healed, applied.pending) == (0, 1)
    assert dump(own) == before
    assert apply(own, FORCED).healed == 1


def test_a_thread_that_knows_breakpoints_may_stand_at_one(own: Database) -> None:
    cut = {"messages": said(HUMAN, asking("a"))}
    seen = {"__interrupt__": {"messages": 2}}
    put(own, cut, thread="breakpoint", versions_seen=seen)
    put(own, cut, thread="raised", versions_seen=seen, writes=[("task-1", "__error__", "boom")])
    asked = [("task-1", "__interrupt__", [])]
    put(own, cut, thread="asked", writes=asked)
    put(own, cut, thread="asked", id_=SECOND, parent=FIRST, versions_seen=seen)
    over = {"messages": said(HUMAN, asking("a"), HUMAN)}
    put(own, over, thread="over", versions_seen=seen)
    assert what(own) == {
        "breakpoint/": "pending",
        "over/": "poisoned dangling",
        "raised/": "poisoned dangling",
        "asked/": "poisoned dangling",
    }


def test_a_half_done_step_is_not_forgotten(own: Database) -> None:
    """An older damage, while the last step is under way and one of its tasks is done."""
    messages = said(HUMAN, asking("z"), HUMAN, asking("a", "b"))
    put(own, {"messages": messages}, writes=[("task-1", "messages", said(REAL))])
    young = Options(now=(checkpoint_ids.moment(FIRST) or 0) + 60)
    assert "half done" in what(own, young)["t/"]
    assert apply(own, young).healed == 0
    assert apply(own).healed == 1


def test_what_is_left_alone(own: Database) -> None:
    cut = {"messages": said(HUMAN, asking("a"))}
    put(own, cut, thread="call of a subgraph", ns="agent:6a8e")
    put(own, cut, thread="other ids", id_="2026-01-01")
    put(own, cut, thread="other versions", channel_versions={"messages": "new"})
    put(own, cut, thread="words", id_=SECOND)
    with own.engine.begin() as connection:
        sql = "UPDATE checkpoints SET checkpoint = '{]' WHERE thread_id = 'words'"
        connection.exec_driver_sql(sql)
    before = dump(own)
    reasons = what(own, FORCED)
    assert sorted(reasons) == ["other ids/", "other versions/", "words/"]
    assert all(reason.startswith("skipped: ") for reason in reasons.values())
    assert apply(own, FORCED).skipped == 3
    assert dump(own) == before


@pytest.mark.parametrize("table", ["checkpoints", "writes"])
def test_damaged_bytes_are_skipped_or_healed(own: Database, table: str) -> None:
    """Whatever a byte is turned into, the heal comes to its end, and can be undone."""
    with own.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE checkpoints")
        connection.exec_driver_sql("DROP TABLE writes")
    fill(own, "langgraph")
    column = {"checkpoints": "checkpoint", "writes": "value"}[table]
    sql = f"SELECT rowid, {column} FROM {table} WHERE length({column}) > 0"
    with own.engine.connect() as connection:
        rows = connection.exec_driver_sql(sql).all()
    drawn = Random(7)
    for _ in range(40):
        with own.engine.begin() as connection:
            for rowid, data in rows:
                damaged = bytearray(data)
                damaged[drawn.randrange(len(data))] = drawn.randrange(256)
                connection.exec_driver_sql(
                    f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (bytes(damaged), rowid)
                )
        before = dump(own)
        if apply(own).run:
            heal.undo(own.engine)
        assert dump(own) == before


def test_older_states_are_not_read(own: Database) -> None:
    put(own, {"messages": said(HUMAN, asking("a"), HUMAN)}, id_=SECOND, parent=FIRST)
    put(own, {}, thread="t", id_=FIRST)
    with own.engine.begin() as connection:
        sql = "UPDATE checkpoints SET type = 'pickle', checkpoint = 'x' WHERE checkpoint_id = ?"
        connection.exec_driver_sql(sql, (FIRST,))
    assert what(own) == {"t/": "poisoned dangling"}


def test_an_undo_does_not_take_a_state_from_under_the_next(database: Database) -> None:
    name = "langgraph" if database.name == "sqlite" else "langgraph-postgres"
    fill(database, name)
    before = dump(database)
    apply(database)
    with database.engine.begin() as connection:  # the application goes on with one thread
        connection.exec_driver_sql(GOES_ON)
    after = dump(database)
    undone = heal.undo(database.engine)
    assert any("refers to it" in left for left in undone.rows_left)
    left = dump(database)
    assert [line for line in left if "batch" in line] == [line for line in after if "batch" in line]
    assert [line for line in left if "batch" not in line] == [
        line for line in before if "batch" not in line
    ]


def test_a_thread_that_went_on_meanwhile_is_not_overtaken(database: Database) -> None:
    name = "langgraph" if database.name == "sqlite" else "langgraph-postgres"
    fill(database, name)
    [store] = detected(database)
    with database.engine.connect() as connection:
        source = Source(connection, store)
        [found] = source.load(connection, [("batch", "")])
        judge = Judge(source, Policy(), FORCED)
        changes = judge.whole(found).changes
        connection.rollback()
        with database.engine.begin() as application:
            application.exec_driver_sql(GOES_ON)
        with pytest.raises(RowChanged):
            execute(connection, source.tables, changes)
