"""Operations for people's own alembic revisions: heal, undo, and a CHECK on the payload column.

Importing this module registers `op.heal_conversations`, `op.undo_heal`, `op.guard_payload` and
`op.unguard_payload`. Our own revisions are thin callers of the same, with a version table of their
own, so nobody's `alembic_version` is touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.operations import BatchOperations, MigrateOperation, Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from endmark import heal, stores
from endmark.errors import HealError, StoreError
from endmark.heal import Applied, Options, Undone
from endmark.policy import DEFAULT, Policy
from endmark.stores import Store, custom, payload_check
from endmark.stores.table import Table

__all__ = [
    "SCHEMA",
    "VERSION_TABLE",
    "GuardPayloadOp",
    "HealConversationsOp",
    "UndoHealOp",
    "UnguardPayloadOp",
    "include_object",
    "migrate",
    "migrations_path",
]

SCHEMA = "endmark"  # of ours on PostgreSQL; on SQLite the names begin with it
VERSION_TABLE = "endmark_version"

# --- heal and undo ---------------------------------------------------------------------------


@Operations.register_operation("heal_conversations")
class HealConversationsOp(MigrateOperation):
    """Heal the conversations of a store, in the migration's transaction."""

    def __init__(
        self,
        store: str | Store | None,
        mapping: Mapping[str, Any],
        policy: Policy,
        options: Options,
    ) -> None:
        self.store = store
        self.mapping = mapping
        self.policy = policy
        self.options = options

    @classmethod
    def heal_conversations(
        cls,
        operations: Operations,
        *,
        store: str | Store | None = None,
        policy: Policy | None = None,
        include_frontier: bool = False,
        **mapping: Any,
    ) -> Applied:
        """Heal a known store, a table described as for `heal-db`, or the stores that are found.

        `mapping` takes `table`, `conversation`, `order`, `payload`, `format`, `role`, `key`,
        `schema`, `layout`, `path`, `order_kind`, `age`. Journalled: `op.undo_heal()` gives it
        back. Raises `HealError` in offline mode, `StoreError` for a wrong mapping.
        """
        options = Options(include_frontier=include_frontier)
        done: Applied = operations.invoke(cls(store, mapping, policy or DEFAULT, options))
        return done

    def reverse(self) -> UndoHealOp:
        return UndoHealOp(None)

    def stores(self, connection: sa.Connection) -> list[Store]:
        """Give the stores meant. Raises `StoreError`."""
        if self.store is not None and self.mapping.get("table") is not None:
            raise StoreError("op.heal_conversations: give either store= or table=, not both")
        if isinstance(self.store, Store):
            return [self.store]
        if self.store is not None:
            return [stores.get(self.store)]
        if self.mapping:
            return [custom.from_flags(**self.mapping)]
        found: list[Store] = stores.detect(connection)
        if not found:
            raise StoreError(
                "op.heal_conversations: no known store is here; name one with store=, or yours "
                f"with table=, conversation=, payload=, format=; seen: {stores.seen(connection)}"
            )
        return found


@Operations.register_operation("undo_heal")
class UndoHealOp(MigrateOperation):
    """Give back what a heal changed."""

    def __init__(self, run: str | None) -> None:
        self.run = run

    @classmethod
    def undo_heal(cls, operations: Operations, run: str | None = None) -> Undone:
        """Undo a run of heal, the newest when none is named; rows changed since are left alone.

        Raises `HealError` in offline mode, and where there is no such run.
        """
        done: Undone = operations.invoke(cls(run))
        return done


@Operations.implementation_for(HealConversationsOp)
def _heal(operations: Operations, operation: HealConversationsOp) -> Applied:
    connection = _online(operations, "heal_conversations")
    return heal.heal_in(
        connection,
        operation.stores(connection),
        policy=operation.policy,
        options=operation.options,
    )


@Operations.implementation_for(UndoHealOp)
def _undo(operations: Operations, operation: UndoHealOp) -> Undone:
    return heal.undo_in(_online(operations, "undo_heal"), operation.run)


def _online(operations: Operations, name: str) -> sa.Connection:
    context = operations.migration_context
    if context.as_sql or context.connection is None:
        raise HealError(
            f"op.{name} reads rows before it writes, so it cannot be rendered as SQL (--sql); "
            "run this revision online, or run heal-db apply and leave the operation out"
        )
    return context.connection


# --- the CHECK on the payload ----------------------------------------------------------------


class _PayloadOp(MigrateOperation):
    def __init__(
        self, table: str, column: str, format: str, name: str | None, schema: str | None
    ) -> None:
        self.table = table
        self.column = column
        self.format = format
        self.name = name
        self.schema = schema

    @property
    def constraint(self) -> str:
        return self.name or f"ck_{self.table}_{self.column}_endmark"


@Operations.register_operation("guard_payload")
class GuardPayloadOp(_PayloadOp):
    """Refuse unfinished parts from every writer."""

    @classmethod
    def guard_payload(
        cls,
        operations: Operations,
        table: str,
        column: str,
        format: str,
        *,
        name: str | None = None,
        schema: str | None = None,
    ) -> None:
        """Add a CHECK that refuses parts whose call was begun and never ended.

        For inline formats. It takes everything that the guard writes when a turn is over, open
        approvals too; streaming checkpoints and tools that the client answers write unfinished
        parts on purpose, so leave it out where those are used. PostgreSQL: rows that are there
        are not looked at (NOT VALID); SQLite: the table is copied (batch mode), so heal first, and
        the last 16 parts are looked at. Raises `StoreError`, `HealError` in offline mode.
        """
        operations.invoke(cls(table, column, format, name, schema))

    def reverse(self) -> UnguardPayloadOp:
        return UnguardPayloadOp(self.table, self.column, self.format, self.name, self.schema)


@Operations.register_operation("unguard_payload")
class UnguardPayloadOp(_PayloadOp):
    """Take the CHECK away again."""

    @classmethod
    def unguard_payload(
        cls,
        operations: Operations,
        table: str,
        column: str,
        *,
        name: str | None = None,
        schema: str | None = None,
    ) -> None:
        """Drop the CHECK that `op.guard_payload` added."""
        operations.invoke(cls(table, column, "", name, schema))

    def reverse(self) -> GuardPayloadOp:
        return GuardPayloadOp(self.table, self.column, self.format, self.name, self.schema)


@Operations.implementation_for(GuardPayloadOp)
def _guard(operations: Operations, operation: GuardPayloadOp) -> None:
    connection = _online(operations, "guard_payload")
    table = Table(connection, operation.table, operation.schema)
    sql = payload_check.expression(connection, table, operation.column, operation.format)
    if table.dialect == "sqlite":
        with _batch(operations, table) as batch:
            batch.create_check_constraint(operation.constraint, sa.text(sql))
        return
    name = table.quote(operation.constraint)
    connection.exec_driver_sql(
        f"ALTER TABLE {table.ref} ADD CONSTRAINT {name} CHECK ({sql}) NOT VALID"
    )


@Operations.implementation_for(UnguardPayloadOp)
def _unguard(operations: Operations, operation: UnguardPayloadOp) -> None:
    connection = _online(operations, "unguard_payload")
    table = Table(connection, operation.table, operation.schema)
    if table.dialect == "sqlite":
        with _batch(operations, table) as batch:
            batch.drop_constraint(operation.constraint, type_="check")
        return
    name = table.quote(operation.constraint)
    connection.exec_driver_sql(f"ALTER TABLE {table.ref} DROP CONSTRAINT {name}")


@contextmanager
def _batch(operations: Operations, table: Table) -> Iterator[BatchOperations]:
    """Copy a SQLite table with all that a copy would lose: its checks, triggers and counter."""
    connection = operations.get_bind()
    if connection.scalar(sa.text("PRAGMA foreign_keys")):
        raise StoreError(
            f"SQLite copies {table.label} for this and would delete the rows that refer to it; "
            "switch PRAGMA foreign_keys off on the connection of this migration"
        )
    made = sa.text("SELECT type, sql FROM sqlite_master WHERE tbl_name = :name AND sql IS NOT NULL")
    known = connection.execute(made, {"name": table.name}).all()
    checks = sa.inspect(connection).get_check_constraints(table.name, table.schema)
    counter = any(kind == "table" and "autoincrement" in sql.lower() for kind, sql in known)
    with operations.batch_alter_table(
        table.name,
        schema=table.schema,
        recreate="always",
        table_args=tuple(sa.CheckConstraint(sa.text(c["sqltext"]), name=c["name"]) for c in checks),
        table_kwargs={"sqlite_autoincrement": True} if counter else {},
    ) as batch:
        yield batch
    for kind, sql in known:
        if kind == "trigger":
            connection.exec_driver_sql(sql)


# --- our own revisions -----------------------------------------------------------------------


def migrations_path() -> Path:
    """Give the folder of Endmark's own revisions: in the wheel, else beside the sources.

    >>> (migrations_path() / "env.py").is_file()
    True
    """
    package = Path(__file__).parent
    inside = package / "migrations"
    return inside if inside.is_dir() else package.parents[1] / "migrations"


def migrate(engine: sa.Engine, revision: str = "head") -> None:
    """Bring Endmark's own revisions to `revision` ("head", "base", "0001"), up or down.

    Uses the version table `endmark_version`; the application's own stays as it is. Raises
    `HealError` for no such revision.
    """
    config = Config()
    config.set_main_option("script_location", str(migrations_path()).replace("%", "%%"))
    known = [s.revision for s in ScriptDirectory.from_config(config).walk_revisions()][::-1]
    places = {"base": 0, "head": len(known)} | {name: k for k, name in enumerate(known, 1)}
    if revision not in places:
        raise HealError(
            f"no revision is called {revision!r}; there are base, {', '.join(known)}, head"
        )
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        at = _context(connection).get_current_revision() or "base"
        connection.rollback()  # or alembic takes the transaction for the caller's
        move = command.upgrade if places[revision] >= places[at] else command.downgrade
        move(config, revision)


def _context(connection: sa.Connection) -> MigrationContext:
    schema = SCHEMA if connection.dialect.name == "postgresql" else None
    options = {"version_table": VERSION_TABLE, "version_table_schema": schema}
    return MigrationContext.configure(connection, opts=options)


def include_object(
    thing: object, name: str | None, type_: str, reflected: bool, compare_to: object
) -> bool:
    """Keep autogenerate from proposing to drop Endmark's tables, which no model of yours declares.

    Give it to `context.configure(include_object=...)` in your env.py, or call it from your own.

    >>> include_object(sa.table("endmark_version"), "endmark_version", "table", True, None)
    False
    """
    if type_ != "table" or not reflected or compare_to is not None:
        return True
    return getattr(thing, "schema", None) != SCHEMA and not (name or "").startswith("endmark_")
