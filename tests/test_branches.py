"""Layout `linked`: branches of a conversation that share messages are each healed by themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal, stores
from endmark.errors import StoreError
from endmark.guard import guard
from endmark.heal import Options
from endmark.stores import Store
from fix_databases import Database
from healing import dump

DUMP = Path(__file__).parent / "stores" / "openai-agents-advanced" / "sqlite.sql"
FORCED = Options(include_frontier=True)
CALL = "SELECT id FROM agent_messages WHERE message_data LIKE '%fc_c7%'"


@pytest.fixture
def branches(tmp_path: Path) -> Iterator[Database]:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'test.db'}")
    connection: Any = engine.raw_connection()
    connection.executescript(DUMP.read_text())
    connection.close()
    yield Database("sqlite", "", engine)
    engine.dispose()


def store(database: Database) -> Store:
    with database.engine.connect() as connection:
        [found] = stores.detect(connection)
    return found


def run(database: Database, sql: str) -> list[Any]:
    with database.engine.begin() as connection:
        result = connection.exec_driver_sql(sql)
        return list(result) if result.returns_rows else []


def items(database: Database, session: str, branch: str) -> list[tuple[int, int, dict[str, Any]]]:
    """Read a branch as the library does: with the key and the turn of each item."""
    sql = (
        "SELECT m.id, s.user_turn_number, m.message_data FROM agent_messages m JOIN "
        f"message_structure s ON m.id = s.message_id WHERE m.session_id = '{session}' "
        f"AND s.branch_id = '{branch}' ORDER BY s.sequence_number"
    )
    return [(key, turn, json.loads(text)) for key, turn, text in run(database, sql)]


def healed(database: Database) -> heal.Applied:
    return heal.apply(database.engine, [store(database)], options=FORCED)


def test_a_shared_message_is_not_changed_under_another_branch(branches: Database) -> None:
    run(
        branches,
        """UPDATE agent_messages SET message_data = replace(message_data, '{\\"city\\":\\"Bern\\"}',
        '{\\"ci') WHERE message_data LIKE '%fc_c7%'""",
    )
    before = dump(branches)
    [(key,)] = run(branches, CALL)
    assert healed(branches).healed == 5
    calls = [items(branches, "forked", branch)[1] for branch in ("main", "fork")]
    assert [json.loads(call["arguments"]) for _, _, call in calls] == [{}, {}]
    assert len({key, *(own for own, _, _ in calls)}) == 3
    assert healed(branches).healed == 0
    heal.undo(branches.engine)
    assert dump(branches) == before


def test_what_comes_to_stand_in_a_turn_is_counted_to_it(branches: Database) -> None:
    assert [turn for _, turn, _ in items(branches, "late", "main")] == [1, 1, 2, 2]
    healed(branches)
    told = [(turn, item.get("type", item.get("role"))) for _, turn, item in items(
        branches, "late", "main"
    )]  # fmt: skip
    assert told == [(1, "user"), (1, "function_call"), (1, "function_call_output"), (2, "user")]
    types = (
        "SELECT DISTINCT message_type, tool_name FROM message_structure WHERE session_id = 'end'"
    )
    assert sorted(run(branches, types)) == [
        ("function_call", "weather"), ("function_call_output", None), ("user", None),
    ]  # fmt: skip


def test_a_result_that_goes_stays_in_its_table(branches: Database) -> None:
    run(
        branches,
        "DELETE FROM message_structure WHERE session_id = 'sound' AND message_type = 'function_call'",
    )
    before = dump(branches)
    kept = run(branches, "SELECT * FROM agent_messages WHERE session_id = 'sound'")
    assert healed(branches).rows_deleted == 1
    told = [item.get("role") for _, _, item in items(branches, "sound", "main")]
    assert told == ["user", "assistant", "user"]
    assert run(branches, "SELECT * FROM agent_messages WHERE session_id = 'sound'") == kept
    heal.undo(branches.engine)
    assert dump(branches) == before


def test_another_name_of_the_messages(branches: Database) -> None:
    run(branches, "ALTER TABLE agent_messages RENAME TO said")
    found = store(branches)
    assert found.linked is not None
    assert (found.name, found.linked.table) == ("openai-agents-advanced", "said")
    assert healed(branches).healed == 5


def test_it_cannot_be_guarded(branches: Database) -> None:
    with pytest.raises(StoreError, match="one message a row"):
        guard(branches.engine, store(branches))
