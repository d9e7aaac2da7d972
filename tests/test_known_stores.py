"""Known stores as their own libraries write them: told by their columns, healed, and given back.

`stores/NAME/*.sql` are dumps of what a library wrote, at the version that its store names, and
`case.json` says what is found in them; `stores/real` has the programs that wrote them;
`test_real_libraries.py`, `test_oracle_langgraph.py` and `test_real_programs.py` have these go on with
what is healed.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import check, heal, stores
from endmark.cli.mapping import Mapping
from endmark.heal import Item, Options
from endmark.stores import Source, Store
from endmark.stores.custom import from_flags
from endmark.stores.doubts import doubt
from endmark.stores.order import moment
from fix_databases import Database
from healing import dump

FOLDER = Path(__file__).parent / "stores"
CASES: dict[str, dict[str, Any]] = {
    path.parent.name: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*/case.json"))
}
FILES = {name: FOLDER / case.get("folder", name) for name, case in CASES.items()}
WRITTEN = [(name, path.stem) for name in CASES for path in sorted(FILES[name].glob("*.sql"))]
LATER = Options(now=1e10)  # a row is too old to be of an open turn, where its age is known
EARLIER = Options(now=0)
FORCED = Options(include_frontier=True)


def fill(database: Database, name: str) -> None:
    sql = (FILES[name] / f"{database.name}.sql").read_text()
    connection: Any = database.engine.raw_connection()
    if database.name == "sqlite":
        connection.executescript(sql)
    else:
        connection.execute(sql)
    connection.commit()
    connection.detach()  # a dump sets the search path of its session
    connection.close()


def detected(database: Database) -> list[Store]:
    with database.engine.connect() as connection:
        return stores.detect(connection)


def store_of(database: Database, name: str) -> Store:
    """Tell the store of a case by its columns; a table that no library has is described."""
    mapping = CASES[name].get("mapping")
    [store] = [from_flags(**mapping)] if mapping else detected(database)
    return store


def found(database: Database, store: Store, options: Options) -> dict[str, str]:
    """Scan, and say of every conversation that is not clean what it is and why."""
    items: list[Item] = []
    heal.scan(database.engine, [store], options=options, on_item=items.append)
    return {item.conversation: said(item) for item in items}


def said(item: Item) -> str:
    if item.status == "skipped" and item.reason:
        reason = re.sub("^row [^:]*: ", "", item.reason)
        return f"{item.status}: {reason}"
    kinds = sorted({finding.kind.value for finding in item.findings})
    return " ".join([item.status, *kinds])


def histories(database: Database, store: Store, names: list[str]) -> dict[str, Any]:
    shown = {name: heal.show(database.engine, store, name, options=FORCED) for name in names}
    return {name: one.before for name, one in shown.items() if one.status != "skipped"}


@pytest.mark.parametrize(("name", "database"), WRITTEN, indirect=["database"])
def test_a_store_that_its_library_wrote(name: str, database: Database) -> None:
    case = CASES[name]
    fill(database, name)
    before = dump(database)
    store = store_of(database, name)
    assert (store.name, store.table) == (case["store"], case["table"])
    with database.engine.connect() as connection:  # as if a user had described it
        assert store.refusal or doubt(Source(connection, store), connection) is None
    young = case["found"] | dict.fromkeys(case["open"], "pending")
    assert found(database, store, EARLIER) == young
    old = case["found"] | dict.fromkeys(case.get("waits", []), "pending")
    assert found(database, store, LATER) == (old if case["aged"] else young)
    assert found(database, store, FORCED) == case["found"]

    applied = heal.apply(database.engine, [store], options=FORCED)
    dead = [name for name, what in case["found"].items() if what.startswith("poisoned")]
    left = {name: what for name, what in case["found"].items() if name not in dead}
    assert (applied.healed, applied.skipped) == (len(dead), len(left))
    assert found(database, store, FORCED) == left
    after = histories(database, store, dead)
    for history in after.values():
        assert check(history, store.format, turn="over") == ()
    assert_copies_agree(database, store, case.get("copies", {}))
    with database.engine.connect() as connection:  # what is derived is in step: nothing is found
        for sql in case.get("nothing", []):
            assert connection.exec_driver_sql(sql).all() == []
    for held, wanted in case.get("holds", {}).items():  # so that no real result is overlooked
        assert [w for w in wanted if not any(w.items() <= m.items() for m in after[held])] == []

    if dead:
        heal.undo(database.engine)
    assert dump(database) == before
    assert heal.apply(database.engine, [store], options=FORCED).healed == len(dead)
    assert histories(database, store, dead) == after


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_what_is_added_among_rows_of_one_second_finds_its_place(database: Database) -> None:
    """Crush stamps seconds, and a fast model answers within one."""
    fill(database, "crush")
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE messages SET created_at = 1796089430")
    before, [store], dead = dump(database), detected(database), CASES["crush"]["found"]
    assert found(database, store, FORCED) == dead
    heal.apply(database.engine, [store], options=FORCED)
    for history in histories(database, store, list(dead)).values():
        assert check(history, store.format, turn="over") == ()
    heal.undo(database.engine)
    assert dump(database) == before


def assert_copies_agree(
    database: Database, store: Store, copies: dict[str, str], ahead: int = 0
) -> None:
    if not copies:
        return
    with database.engine.connect() as connection:
        source = Source(connection, store)
        names = ", ".join(source.table.quote(c) for c in (*copies, store.payload))
        rows = connection.exec_driver_sql(f"SELECT {names} FROM {source.table.ref}").all()
    for *cells, payload in rows:
        fields = json.loads(payload) if isinstance(payload, str) else payload
        for cell, field in zip(cells, copies.values(), strict=True):
            value = fields[field]
            if isinstance(value, str):
                assert str(cell) == value
            else:  # a database keeps microseconds
                assert moment(str(cell)) == pytest.approx(value + ahead, rel=0, abs=1e-6)


def test_a_copy_in_the_run_of_a_team_is_healed_with_its_run(database: Database) -> None:
    fill(database, "agno")
    [store] = detected(database)
    ref = "ai.agno_runs" if database.name == "postgresql" else "agno_runs"
    kind = "JSONB" if database.name == "postgresql" else "TEXT"
    said = f"SELECT CAST(run_data AS TEXT) FROM {ref} WHERE run_id = 'end-0'"
    with database.engine.begin() as connection:
        run = json.loads(connection.exec_driver_sql(said).scalar_one())
        team = {"messages": [], "status": "COMPLETED", "member_responses": [run]}
        sql = f"UPDATE {ref} SET session_id = 'end', run_data = CAST(:run AS {kind}) "
        sql += "WHERE run_id = 'sound-1'"
        connection.execute(sa.text(sql), {"run": json.dumps(team)})
    before = dump(database)
    assert found(database, store, EARLIER)["end"] == "pending"  # not one without the other
    assert found(database, store, LATER)["end"] == "poisoned dangling"
    heal.apply(database.engine, [store], options=LATER)
    history = heal.show(database.engine, store, "end").before
    assert [message["role"] for message in history] == ["user", "assistant", "tool"] * 2
    assert history[:3] == history[3:]
    heal.undo(database.engine)
    assert dump(database) == before


def test_a_result_in_a_later_run_goes_to_its_call_and_to_the_copy_of_it(database: Database) -> None:
    fill(database, "agno")
    [store] = detected(database)
    ref = "ai.agno_runs" if database.name == "postgresql" else "agno_runs"
    kind = "JSONB" if database.name == "postgresql" else "TEXT"
    late = {"role": "tool", "tool_call_id": "c8", "content": "real", "from_history": False}
    run = json.dumps({"status": "COMPLETED", "messages": [late]})
    sql = f"UPDATE {ref} SET session_id = 'copies', run_index = 2, run_data = CAST(:run AS {kind}) "
    with database.engine.begin() as connection:
        connection.execute(sa.text(sql + "WHERE run_id = 'sound-1'"), {"run": run})
    assert found(database, store, EARLIER)["copies"] == "pending"  # the result is still there
    heal.apply(database.engine, [store], options=FORCED)
    history = heal.show(database.engine, store, "copies", options=FORCED).before
    answers = [(m["content"], m["from_history"]) for m in history if m["role"] == "tool"]
    assert answers == [("real", False), ("real", True)]


def test_a_column_that_a_newer_version_left_behind_is_not_read(database: Database) -> None:
    fill(database, "agno")
    [store] = detected(database)
    place = "ai." if database.name == "postgresql" else ""
    with database.engine.begin() as connection:
        connection.exec_driver_sql(f"ALTER TABLE {place}agno_sessions ADD COLUMN runs JSON")
    assert detected(database) == [store]


def test_a_store_that_is_named_is_looked_for_where_it_may_be(database: Database) -> None:
    fill(database, "agno")
    with database.engine.connect() as connection:
        assert Mapping(store="agno").stores(connection) == detected(database)


def test_lists_in_lists_by_flags(database: Database) -> None:
    fill(database, "agno-2")
    flags = {"table": "agno_sessions", "conversation": "session_id", "payload": "runs"}
    flags |= {"format": "agno", "key": "session_id"}
    if database.name == "postgresql":
        flags["schema"] = "ai"
    wanted = CASES["agno-2"]["found"]
    assert found(database, from_flags(**flags, path="*.messages"), FORCED) == wanted
    wrong = found(database, from_flags(**flags, path="runs.*.messages"), FORCED)
    assert set(wrong.values()) == {"skipped: there is no runs"}


DIFFERENT = ("langchain", "openai-agents-sqlalchemy", "adk", "llama-index")


def test_several_stores_under_other_names(database: Database) -> None:
    wanted = {}
    for number, name in enumerate(DIFFERENT):
        fill(database, name)
        with database.engine.begin() as connection:
            table = f"Chat {number}%"
            connection.exec_driver_sql(
                f'ALTER TABLE {CASES[name]["table"]} RENAME TO "{table.replace("%", "%%")}"'
                if database.name == "postgresql"
                else f'ALTER TABLE {CASES[name]["table"]} RENAME TO "{table}"'
            )
        wanted[table] = CASES[name]["store"]
    assert {store.table: store.name for store in detected(database)} == wanted
    applied = heal.apply(database.engine, detected(database), options=FORCED)
    dead = sum(len(CASES[name]["found"]) for name in DIFFERENT)
    assert (applied.healed, applied.skipped) == (dead, 0)
    assert heal.apply(database.engine, detected(database), options=FORCED).healed == 0


# Events a microsecond apart leave no room; old releases wrote the hours of where they ran.
CLOCKS = {"dense": (timedelta(microseconds=1), 0), "local": (timedelta(seconds=1), 7200)}


@pytest.mark.parametrize("clock", CLOCKS)
def test_an_event_and_its_row_say_the_same_time(database: Database, clock: str) -> None:
    step, ahead = CLOCKS[clock]
    fill(database, "adk")
    start = datetime.fromisoformat("2026-01-01 12:00:00.000001")
    with database.engine.begin() as connection:
        ids = (
            connection.exec_driver_sql("SELECT id FROM events ORDER BY session_id, timestamp")
            .scalars()
            .all()
        )
        for k, id_ in enumerate(ids):
            when = start + k * step
            said = (when - timedelta(seconds=ahead)).replace(tzinfo=UTC).timestamp()
            old = connection.execute(
                sa.text("SELECT event_data FROM events WHERE id = :id"), {"id": id_}
            ).scalar_one()
            fields = (json.loads(old) if isinstance(old, str) else old) | {"timestamp": said}
            values = {"id": id_, "at": str(when), "said": json.dumps(fields)}
            as_ = "JSONB" if database.name == "postgresql" else "TEXT"
            at = "TIMESTAMP" if database.name == "postgresql" else "TEXT"
            connection.execute(
                sa.text(
                    f"UPDATE events SET timestamp = CAST(:at AS {at}), "
                    f"event_data = CAST(:said AS {as_}) WHERE id = :id"
                ),
                values,
            )
    before = dump(database)
    [store] = detected(database)
    assert heal.apply(database.engine, [store], options=FORCED).healed == 4
    assert_copies_agree(database, store, CASES["adk"]["copies"], ahead)
    assert found(database, store, FORCED) == {}
    heal.undo(database.engine)
    assert dump(database) == before


def test_a_question_of_goose_to_a_person_waits_whatever_its_age(tmp_path: Path) -> None:
    """1.52.0 stores none that is open; the shape is that of its source."""
    database = Database("sqlite", "", sa.create_engine(f"sqlite:///{tmp_path / 'sessions.db'}"))
    fill(database, "goose")
    [store] = detected(database)
    data = {"actionType": "toolConfirmation", "id": "call_0", "toolName": "shell"}
    asks = json.dumps([{"type": "actionRequired", "data": data}], separators=(",", ":"))
    insert = (
        "INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json) "
        "VALUES ('20261130_3', 'assistant', :asks, 1796078000, :seen)"
    )
    seen = '{"userVisible":true,"agentVisible":false}'
    with database.engine.begin() as connection:
        connection.execute(sa.text(insert), {"asks": asks, "seen": seen})
    assert found(database, store, LATER)["20261130_3"] == "pending"
    assert found(database, store, FORCED)["20261130_3"] == "poisoned dangling"
    database.engine.dispose()


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_tree_whose_table_has_no_key_as_older_releases_made_it(database: Database) -> None:
    fill(database, "open-webui")
    [store] = detected(database)
    with database.engine.begin() as connection:
        sql = "SELECT sql FROM sqlite_master WHERE name = 'chat'"
        ddl = connection.exec_driver_sql(sql).scalar_one()
        keyless = re.sub(r",\s*(CONSTRAINT \S+ )?(PRIMARY KEY|UNIQUE) \([^)]*\)", "", ddl)
        assert keyless != ddl
        connection.exec_driver_sql("ALTER TABLE chat RENAME TO keyed")
        connection.exec_driver_sql(keyless)
        connection.exec_driver_sql("INSERT INTO chat SELECT * FROM keyed")
        connection.exec_driver_sql("DROP TABLE keyed")
    assert found(database, store, FORCED) == CASES["open-webui"]["found"]
    before = dump(database)
    heal.apply(database.engine, [store], options=FORCED)
    heal.undo(database.engine)
    assert dump(database) == before


# A case, a conversation of it, what breaks one row there, the row's key, and where that stood; of
# a layout with a whole history in a row nothing is left.
BROKEN: list[tuple[str, str, str, str, str, slice]] = [
    ("langchain", "sqlite", "middle", "message_store SET message = :odd WHERE id = 5", "id=5", slice(1, 2)),
    ("opencode", "sqlite", "ses_dd2797e6fffe9WSvdQvJi2L82r",
     "part SET data = :odd WHERE id = 'prt_22d86a77c001VJSm75oj1XPbDE'", "id=msg_22d869309001sDTzFYknBXl35j", slice(1, 2)),
    ("openai-agents-advanced", "sqlite", "middle/main", "agent_messages SET message_data = :odd WHERE id = 6", "id=6", slice(2, 3)),
    ("lobechat", "postgresql", "middle", "messages SET tools = to_jsonb(CAST(:odd AS text)) WHERE id = 'middle-1'", "id=middle-1", slice(1, 2)),
    ("hermes", "sqlite", "middle", "messages SET tool_calls = :odd WHERE id = 5", "id=5", slice(1, 2)),
    ("chainlit", "sqlite", "202f5af2-55a2-5574-8e78-1fe05f62fcdd", "threads SET metadata = :odd WHERE id LIKE '202f5af2%'", "id=202f5af2-55a2-5574-8e78-1fe05f62fcdd", slice(None)),
    ("agno", "sqlite", "middle", "agno_runs SET run_data = :odd WHERE run_id = 'middle-0'", "run_id=middle-0", slice(0, 3)),
    ("open-webui", "sqlite", "sound", "chat SET chat = :odd WHERE id = 'sound'", "id=sound", slice(None)),
    ("langgraph", "sqlite", "batch/", "checkpoints SET checkpoint = :odd WHERE thread_id = 'batch'", "", slice(None)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "database", "thread", "breaks", "key", "gone"),
    [pytest.param(*row, id=row[0]) for row in BROKEN],
    indirect=["database"],
)
def test_a_row_that_cannot_be_read_is_named_in_its_place(
    name: str, database: Database, thread: str, breaks: str, key: str, gone: slice
) -> None:
    fill(database, name)
    store = store_of(database, name)
    whole = heal.show(database.engine, store, thread).before
    with database.engine.begin() as connection:
        assert connection.execute(sa.text(f"UPDATE {breaks}"), {"odd": '{"SECRET'}).rowcount
    shown = heal.show(database.engine, store, thread)
    assert shown.status == "skipped"
    assert shown.before == [m for k, m in enumerate(whole) if k not in range(len(whole))[gone]]
    [one] = shown.unread
    assert (one.at, one.reason) == (gone.start or 0, shown.reason)
    assert one.reason.startswith(f"row {key}: " if key else "")
    assert "SECRET" not in one.reason
