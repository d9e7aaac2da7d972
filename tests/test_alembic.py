"""The operations in people's own revisions, and our own revisions, on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.util import CommandError

from endmark import Policy, check, heal, repair, stores
from endmark.alembic_ops import (
    GuardPayloadOp,
    HealConversationsOp,
    UndoHealOp,
    UnguardPayloadOp,
    include_object,
    migrate,
    migrations_path,
)
from endmark.errors import HealError, StoreError
from endmark.guard.tables import metadata
from fix_databases import Database, fresh_url

CASES = Path(__file__).parent / "cases" / "ai-sdk"
OPEN = {"type": "tool-f", "toolCallId": "a", "state": "input-available", "input": {}}
CHATBOT = """
CREATE TABLE "Message_v2" (
    id VARCHAR(36) PRIMARY KEY, "chatId" VARCHAR(36) NOT NULL, role VARCHAR NOT NULL,
    parts JSON NOT NULL, attachments JSON NOT NULL, "createdAt" TIMESTAMP NOT NULL
)
"""
MAPPING = {
    "table": "Message_v2",
    "conversation": "chatId",
    "order": "createdAt",
    "payload": "parts",
    "role": "role",
    "format": "ai-sdk",
}


@pytest.fixture
def chatbot(database: Database) -> Database:
    """The table of the chatbot template with one dead thread, and a version of its owner's."""
    row = {"parts": json.dumps([{"type": "step-start"}, OPEN])}
    with database.engine.begin() as connection:
        connection.exec_driver_sql(CHATBOT)
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('theirs')")
        insert = (
            'INSERT INTO "Message_v2" VALUES '
            "('m1', 'c1', 'assistant', :parts, '[]', '2025-01-01 00:00:00')"
        )
        connection.execute(sa.text(insert), row)
    return database


def parts(connection: sa.Connection) -> str:
    text: str = connection.scalar(sa.text('SELECT CAST(parts AS TEXT) FROM "Message_v2"'))
    return text


def op_on(connection: sa.Connection) -> Any:
    return Operations(MigrationContext.configure(connection))


WAYS: dict[str, dict[str, Any]] = {
    "a known store": {"store": "vercel-chatbot"},
    "a table of one's own": MAPPING,
    "whatever is found": {},
    "with a policy": {"policy": Policy(marker="interrupted")},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_revision_heals_and_undoes(way: str, chatbot: Database) -> None:
    with chatbot.engine.begin() as connection:
        before = parts(connection)
        done = op_on(connection).heal_conversations(**WAYS[way])
        assert done.healed == 1
        assert (
            check([{"role": "assistant", "parts": json.loads(parts(connection))}], "ai-sdk") == ()
        )
    with chatbot.engine.begin() as connection:
        undone = op_on(connection).undo_heal(done.run)
        assert (undone.rows_restored, undone.rows_left) == (1, [])
        assert parts(connection) == before


def test_a_revision_that_fails_leaves_nothing(chatbot: Database) -> None:
    with chatbot.engine.connect() as connection:
        before = parts(connection)
        connection.rollback()
        transaction = connection.begin()
        assert op_on(connection).heal_conversations().healed == 1
        transaction.rollback()
        assert parts(connection) == before
    assert heal.runs(chatbot.engine) == []


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown store": ({"store": "vercel"}, "no store is called 'vercel'"),
    "two ways": ({"store": "twenty", **MAPPING}, "either store= or table="),
    "no such table": ({**MAPPING, "table": "chats"}, "no table chats"),
    "no such column": ({**MAPPING, "payload": "body"}, "no column body"),
    "half a mapping": ({"table": "Message_v2"}, "conversation"),
    "a wrong word": ({**MAPPING, "colour": "red"}, "colour"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_mapping(name: str, chatbot: Database) -> None:
    given, said = WRONG[name]
    with chatbot.engine.begin() as connection, pytest.raises(StoreError, match=said):
        op_on(connection).heal_conversations(**given)


def test_no_store_is_here(database: Database) -> None:
    with database.engine.begin() as connection, pytest.raises(StoreError, match="no known store"):
        op_on(connection).heal_conversations()


def test_offline_mode_is_refused_with_the_reason() -> None:
    op: Any = Operations(MigrationContext.configure(dialect_name="sqlite", opts={"as_sql": True}))
    for name, given in {
        "heal_conversations": {"store": "twenty"},
        "undo_heal": {},
        "guard_payload": {"table": "t", "column": "c", "format": "ai-sdk"},
        "unguard_payload": {"table": "t", "column": "c"},
    }.items():
        with pytest.raises(HealError, match=f"{name} .*--sql.*online"):
            getattr(op, name)(**given)


def test_operations_are_turned_round() -> None:
    guarded = GuardPayloadOp("t", "c", "ai-sdk", None, "s")
    assert isinstance(
        HealConversationsOp("twenty", {}, Policy(), heal.Options()).reverse(), UndoHealOp
    )
    assert isinstance(guarded.reverse(), UnguardPayloadOp)
    assert vars(guarded.reverse().reverse()) == vars(guarded)


# --- revisions of their own -------------------------------------------------------------------

ENV = """
from alembic import context
context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
"""
REVISION = """
from alembic import op
import endmark.alembic_ops

revision = {name!r}
down_revision = {below!r}


def upgrade():
    {up}


def downgrade():
    op.undo_heal()
"""


@pytest.fixture
def move(tmp_path: Path, database: Database) -> Callable[..., None]:
    """Run the revisions a, which heals, and b, which heals nothing, up or down."""
    versions = tmp_path / "theirs" / "versions"
    versions.mkdir(parents=True)
    (versions.parent / "env.py").write_text(ENV)
    for name, below, up in (
        ("a", None, 'op.heal_conversations(store="vercel-chatbot")'),
        ("b", "a", "pass"),
    ):
        (versions / f"{name}.py").write_text(REVISION.format(name=name, below=below, up=up))

    def run(way: Callable[..., None], revision: str) -> None:
        config = Config()
        config.set_main_option("script_location", str(versions.parent).replace("%", "%%"))
        with database.engine.begin() as connection:
            config.attributes["connection"] = connection
            way(config, revision)

    return run


def add_dead(database: Database, name: str) -> None:
    with database.engine.begin() as connection:
        connection.execute(
            sa.text(
                "INSERT INTO \"Message_v2\" VALUES (:id, :id, 'assistant', :parts, '[]', "
                "'2025-01-01 00:00:00')"
            ),
            {"id": name, "parts": json.dumps([OPEN])},
        )


def undone(database: Database) -> list[bool]:
    """Say of each run, oldest first, whether it is undone."""
    return [run.undone is not None for run in heal.runs(database.engine)][::-1]


def test_a_revision_undoes_its_own_run_alone(chatbot: Database, move: Callable[..., None]) -> None:
    with chatbot.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
    move(command.upgrade, "b")
    add_dead(chatbot, "later")
    heal.apply(chatbot.engine, [stores.get("vercel-chatbot")])
    assert undone(chatbot) == [False, False]
    move(command.downgrade, "a")  # healed nothing, so it undoes nothing
    assert undone(chatbot) == [False, False]
    move(command.downgrade, "base")
    assert undone(chatbot) == [True, False]
    move(command.upgrade, "b")
    heal.undo(chatbot.engine)  # by hand, before the revision could
    move(command.downgrade, "base")
    assert undone(chatbot) == [True, False, True]


def test_a_revision_does_not_go_on_with_a_run_of_others(
    chatbot: Database, move: Callable[..., None]
) -> None:
    with chatbot.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
    stop = iter([False, True])
    add_dead(chatbot, "also")
    cut_off = heal.apply(
        chatbot.engine,
        [stores.get("vercel-chatbot")],
        options=heal.Options(batch=1),
        stop=lambda: next(stop),
    )
    assert (cut_off.stopped, cut_off.healed) == (True, 1)
    move(command.upgrade, "a")
    move(command.downgrade, "base")
    assert undone(chatbot) == [False, True]


def test_outside_of_a_revision_the_run_is_named(chatbot: Database) -> None:
    with chatbot.engine.begin() as connection:
        assert op_on(connection).heal_conversations().healed == 1
        with pytest.raises(HealError, match="no revision's file; name the run"):
            op_on(connection).undo_heal()


# --- our own revisions -----------------------------------------------------------------------


def version(connection: sa.Connection) -> str | None:
    return connection.scalar(sa.text("SELECT version_num FROM alembic_version"))


def test_own_revisions_up_and_down(chatbot: Database) -> None:
    with chatbot.engine.connect() as connection:
        before = parts(connection)
    migrate(chatbot.engine)
    migrate(chatbot.engine, "head")  # again: nothing to do
    with chatbot.engine.connect() as connection:
        assert '"input-available"' not in parts(connection)
        assert version(connection) == "theirs"
    migrate(chatbot.engine, "0001")
    with chatbot.engine.connect() as connection:
        assert parts(connection) == before
        assert sa.inspect(connection).has_table("endmark_message")
    migrate(chatbot.engine, "base")
    with chatbot.engine.connect() as connection:
        assert not sa.inspect(connection).has_table("endmark_message")
        assert version(connection) == "theirs"


def test_going_down_undoes_our_own_run_only(chatbot: Database) -> None:
    migrate(chatbot.engine)
    with chatbot.engine.begin() as connection:
        connection.exec_driver_sql(
            "INSERT INTO \"Message_v2\" SELECT 'm2', 'c2', role, '[]', '[]', \"createdAt\" "
            'FROM "Message_v2"'
        )
        connection.execute(
            sa.text("UPDATE \"Message_v2\" SET parts = :parts WHERE id = 'm2'"),
            {"parts": json.dumps([OPEN])},
        )
        later = op_on(connection).heal_conversations(store="vercel-chatbot").run
    migrate(chatbot.engine, "0001")
    [kept] = [run for run in heal.runs(chatbot.engine) if run.undone is None]
    assert kept.run == later


def test_own_revisions_without_a_known_store(database: Database) -> None:
    migrate(database.engine)
    assert heal.runs(database.engine) == []
    migrate(database.engine, "base")


def test_the_reference_tables_are_those_of_the_models(database: Database) -> None:
    migrate(database.engine)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_object": include_object, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []


def test_autogenerate_leaves_our_tables_alone(chatbot: Database) -> None:
    theirs = sa.MetaData()
    sa.Table("Message_v2", theirs, autoload_with=chatbot.engine)
    migrate(chatbot.engine)
    with chatbot.engine.connect() as connection:
        options = {"include_object": include_object, "include_schemas": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, theirs) == []


def test_unknown_revisions(database: Database) -> None:
    with pytest.raises(HealError, match="no revision is called '9'; there are base, 0001"):
        migrate(database.engine, "9")
    assert (migrations_path() / "env.py").is_file()


def test_own_revisions_refuse_offline_mode(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE notes (id INTEGER PRIMARY KEY)")
    config = Config()
    config.set_main_option("script_location", str(migrations_path()))
    config.set_main_option("sqlalchemy.url", database.url.replace("%", "%%"))
    with pytest.raises((HealError, CommandError), match="online"):
        command.upgrade(config, "head", sql=True)
    command.upgrade(config, "head")
    with database.engine.connect() as connection:
        assert sa.inspect(connection).has_table("endmark_message")


# --- the CHECK -------------------------------------------------------------------------------

DONE = {
    **OPEN,
    "state": "output-available",
    "output": {"state": "input-available", "parts": [OPEN]},
}
V4 = {"state": "call", "toolCallId": "a", "toolName": "f", "args": {}}
PAYLOADS: dict[str, tuple[Any, bool]] = {
    "text": ([{"type": "text", "text": '"state":"input-available"', "state": "done"}], True),
    "nothing": ([], True),
    "a finished call whose output quotes an open one": ([DONE], True),
    "an error": ([{**OPEN, "state": "output-error", "errorText": "input-available"}], True),
    "an open approval": ([{**OPEN, "state": "approval-requested"}], True),
    "an answered approval": ([{**OPEN, "state": "approval-responded"}], True),
    "an unknown state": ([{**OPEN, "state": "recalled"}], True),
    "a finished call of major 4": (
        [{"type": "tool-invocation", "toolInvocation": {**V4, "state": "result", "result": 1}}],
        True,
    ),
    "another document": ({"state": "input-available"}, True),
    "an open call": ([{"type": "step-start"}, OPEN, {"type": "text", "text": "…"}], False),
    "input on its way": ([{**OPEN, "state": "input-streaming"}], False),
    "a dynamic tool": ([{**OPEN, "type": "dynamic-tool", "toolName": "f"}], False),
    "progress": ([{**DONE, "preliminary": True}], False),
    "a call of major 4": ([{"type": "tool-invocation", "toolInvocation": V4}], False),
    "half a call of major 4": (
        [{"type": "tool-invocation", "toolInvocation": {**V4, "state": "partial-call"}}],
        False,
    ),
    "a whole message": ({"role": "assistant", "parts": [OPEN]}, False),
    "a whole message of major 4": ({"role": "assistant", "toolInvocations": [V4]}, False),
    "a sound message": ({"role": "assistant", "parts": [DONE]}, True),
}
COLUMNS = [
    ("sqlite", "JSON"),
    ("sqlite", "TEXT"),
    ("postgresql", "JSON"),
    ("postgresql", "JSONB"),
    ("postgresql", "TEXT"),
]


def takes(connection: sa.Connection, payload: str | None) -> bool:
    """Say whether the guarded column takes a text."""
    type_ = connection.info["type"]
    insert = sa.text(f"INSERT INTO chat (body) VALUES (CAST(:body AS {type_}))")
    if connection.dialect.name == "sqlite":
        insert = sa.text("INSERT INTO chat (body) VALUES (:body)")
    try:
        with connection.begin_nested():
            connection.execute(insert, {"body": payload})
    except sa.exc.IntegrityError:
        return False
    return True


@pytest.fixture(params=COLUMNS, ids="-".join)
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Connection]:
    """A connection to a table whose payload column is guarded."""
    kind, type_ = request.param
    number = {"sqlite": "INTEGER", "postgresql": "SERIAL"}[kind]
    with fresh_url(kind, request, tmp_path) as url:
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE TABLE chat (id {number} PRIMARY KEY, body {type_})")
            op_on(connection).guard_payload("chat", "body", "ai-sdk")
            connection.info["type"] = type_
            yield connection
        engine.dispose()


def test_the_check_refuses_what_is_unfinished(guarded: sa.Connection) -> None:
    for name, (payload, sound) in PAYLOADS.items():
        assert takes(guarded, json.dumps(payload)) == sound, name
        spaced = json.dumps(payload, indent=1)
        assert takes(guarded, spaced) == sound, name
    assert takes(guarded, None)
    if guarded.info["type"] == "TEXT":
        assert takes(guarded, 'no JSON: "input-available"')
    if guarded.info["type"] != "JSONB":
        assert takes(guarded, '[{"type": "text", "text": "\\u0000 \\ud800"}]')


def test_the_check_takes_what_the_guard_writes(guarded: sa.Connection) -> None:
    refused = 0
    for path in sorted(CASES.glob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        for message in repair(case["history"], case["format"]):
            assert takes(guarded, json.dumps(message)), path.name
            assert takes(guarded, json.dumps(message.get("parts"))), path.name
        refused += not all(takes(guarded, json.dumps(message)) for message in case["history"])
    assert refused >= 5


def test_the_check_goes_again(guarded: sa.Connection) -> None:
    op_on(guarded).unguard_payload("chat", "body")
    assert takes(guarded, json.dumps([OPEN]))
    with pytest.raises((StoreError, sa.exc.ProgrammingError)), guarded.begin_nested():
        op_on(guarded).unguard_payload("chat", "body")


def test_the_check_is_for_inline_formats(database: Database) -> None:
    with database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE chat (id INTEGER PRIMARY KEY, body TEXT)")
        op = op_on(connection)
        with pytest.raises(StoreError, match=r"outside the message of its call.*ai-sdk"):
            op.guard_payload("chat", "body", "openai-chat")
        with pytest.raises(StoreError, match="no column payload"):
            op.guard_payload("chat", "payload", "ai-sdk")
        with pytest.raises(StoreError, match="no table chats"):
            op.guard_payload("chats", "body", "ai-sdk")


def test_rows_that_are_there(database: Database) -> None:
    """PostgreSQL does not look at them; SQLite copies them, so they have to be healed first."""
    copy = "CREATE TABLE _alembic_tmp_chat (id INTEGER)"  # as a try that failed leaves it
    with database.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE chat (id INTEGER PRIMARY KEY, body JSON)")
        insert = sa.text("INSERT INTO chat VALUES (1, :body)")
        connection.execute(insert, {"body": json.dumps([OPEN])})
    with database.engine.connect() as connection:
        if database.name == "postgresql":
            op_on(connection).guard_payload("chat", "body", "ai-sdk", name="no_open_parts")
        else:
            connection.exec_driver_sql(copy)
            with pytest.raises(HealError, match=r"heal first: 1 rows of chat .* in body"):
                op_on(connection).guard_payload("chat", "body", "ai-sdk")
            connection.execute(sa.text("UPDATE chat SET body = :body"), {"body": "[]"})
            op_on(connection).guard_payload("chat", "body", "ai-sdk")
            assert sa.inspect(connection).get_table_names() == ["chat"]
            with pytest.raises(sa.exc.IntegrityError, match="ck_chat_body_endmark"):
                connection.execute(insert, {"body": json.dumps([OPEN])})


TRIGGER = "CREATE TRIGGER count_up AFTER INSERT ON chat BEGIN UPDATE total SET n = n + 1; END"


def test_a_copied_table_keeps_what_it_had(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'chat.db'}")
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE chat (\nid INTEGER PRIMARY KEY AUTOINCREMENT, body JSON NOT NULL, "
            "n INTEGER DEFAULT 3,\nCONSTRAINT few CHECK (n < 10),\nCHECK (n > 0)\n)"
        )
        connection.exec_driver_sql("CREATE TABLE total AS SELECT 0 AS n")
        connection.exec_driver_sql("CREATE INDEX by_n ON chat (n)")
        connection.exec_driver_sql(TRIGGER)
        connection.exec_driver_sql("INSERT INTO chat (body) VALUES ('[1.10]')")
        op = op_on(connection)
        op.guard_payload("chat", "body", "ai-sdk")
        op.unguard_payload("chat", "body")
        op.guard_payload("chat", "body", "ai-sdk")
        connection.exec_driver_sql("DELETE FROM chat")
        connection.exec_driver_sql("INSERT INTO chat (body) VALUES ('[]')")
        assert connection.exec_driver_sql("SELECT id, n FROM chat").all() == [(2, 3)]
        assert connection.scalar(sa.text("SELECT n FROM total")) == 2
        for wrong in ("('[]', 10)", "('[]', 0)", f"('{json.dumps([OPEN])}', 1)"):
            with pytest.raises(sa.exc.IntegrityError), connection.begin_nested():
                connection.exec_driver_sql(f"INSERT INTO chat (body, n) VALUES {wrong}")
        assert [i["name"] for i in sa.inspect(connection).get_indexes("chat")] == ["by_n"]
    engine.dispose()


def test_no_copy_that_would_lose_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'chat.db'}")
    monkeypatch.setattr(sa.Inspector, "get_check_constraints", lambda *_, **__: [])
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE chat (id INTEGER PRIMARY KEY, n INT CHECK (n > 0))"
        )
        with pytest.raises(StoreError, match="a copy would lose them"):
            op_on(connection).guard_payload("chat", "n", "ai-sdk")
    engine.dispose()


def test_no_copy_where_it_would_delete_what_refers_to_it(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'chat.db'}")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE chat (id INTEGER PRIMARY KEY, body JSON)")
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")
        with pytest.raises(StoreError, match="switch PRAGMA foreign_keys off"):
            op_on(connection).guard_payload("chat", "body", "ai-sdk")
    engine.dispose()
