"""The operations in people's own revisions, and our own revisions, on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable
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

from endmark import Policy, check, heal, stores
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
from fix_databases import Database

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
    "another format": ({**MAPPING, "format": "anthropic"}, "not of anthropic.* of ai-sdk"),
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
