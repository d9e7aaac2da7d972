"""`op.guard_payload` and `op.unguard_payload`: a CHECK against unfinished parts of inline formats."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from alembic.operations import BatchOperations, MigrateOperation, Operations

from endmark.alembic_ops.conversations import online
from endmark.errors import HealError, StoreError
from endmark.stores import payload_check
from endmark.stores.table import Table

__all__ = ["GuardPayloadOp", "UnguardPayloadOp"]

NAME_LENGTH = 63  # bytes, of a name on PostgreSQL
COPY_NAME = 50  # characters, of the name that alembic gives its copy


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
        are not looked at (NOT VALID); SQLite: the table is copied (batch mode), so rows that are
        unfinished have to be healed first, and the last 16 parts are looked at. Raises
        `StoreError`, `HealError` in offline mode or where something is to be healed first.
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
        format: str = "",
        *,
        name: str | None = None,
        schema: str | None = None,
    ) -> None:
        """Drop the CHECK that `op.guard_payload` added; it takes the same arguments.

        `format` may be left out. Raises `StoreError` where there is no such CHECK, `HealError` in
        offline mode.
        """
        operations.invoke(cls(table, column, format, name, schema))

    def reverse(self) -> GuardPayloadOp:
        return GuardPayloadOp(self.table, self.column, self.format, self.name, self.schema)


@Operations.implementation_for(GuardPayloadOp)
def _guard(operations: Operations, operation: GuardPayloadOp) -> None:
    connection = online(operations, "guard_payload")
    table = Table(connection, operation.table, operation.schema)
    if _cut(table, operation.constraint) in _names(connection, table):
        raise StoreError(
            f"table {table.label} has a constraint {operation.constraint} already: "
            "op.unguard_payload takes it away, name= gives another one its name"
        )
    sql = payload_check.expression(connection, table, operation.column, operation.format)
    if table.dialect == "sqlite":
        _require_healed(connection, table, operation.column, sql)
        with _batch(operations, table) as batch:
            batch.create_check_constraint(operation.constraint, sa.text(sql))
        return
    name = table.quote(operation.constraint)
    ddl = f"ALTER TABLE {table.ref} ADD CONSTRAINT {name} CHECK ({sql}) NOT VALID"
    connection.execute(sa.text(ddl))


@Operations.implementation_for(UnguardPayloadOp)
def _unguard(operations: Operations, operation: UnguardPayloadOp) -> None:
    connection = online(operations, "unguard_payload")
    table = Table(connection, operation.table, operation.schema)
    if table.dialect == "sqlite":
        with _batch(operations, table, without=operation.constraint):
            pass
        return
    _require_there(table, operation.constraint, _names(connection, table))
    name = table.quote(operation.constraint)
    connection.execute(sa.text(f"ALTER TABLE {table.ref} DROP CONSTRAINT {name}"))


def _names(connection: sa.Connection, table: Table) -> set[str]:
    """Give the names of a table's CHECK constraints."""
    found = sa.inspect(connection).get_check_constraints(table.name, table.schema)
    return {check["name"] for check in found if check["name"]}


def _cut(table: Table, name: str) -> str:
    """Give a name as the database keeps it: PostgreSQL cuts long ones off."""
    return (
        name.encode()[:NAME_LENGTH].decode(errors="ignore") if table.dialect != "sqlite" else name
    )


def _require_there(table: Table, name: str, known: set[str]) -> None:
    """Raise `StoreError` where a table has no such constraint."""
    if _cut(table, name) not in known:
        seen = ", ".join(sorted(known)) or "none"
        raise StoreError(f"table {table.label} has no constraint {name}; its constraints: {seen}")


def _require_healed(connection: sa.Connection, table: Table, column: str, sql: str) -> None:
    """Raise `HealError` where rows are there that the CHECK would refuse in the copy."""
    count = f"SELECT count(*) FROM {table.ref} WHERE NOT ({sql})"  # noqa: S608  (names are quoted)
    unfinished = connection.scalar(sa.text(count))
    if unfinished:
        raise HealError(
            f"heal first: {unfinished:,} rows of {table.label} have unfinished parts in {column}, "
            "which the CHECK refuses; run heal-db apply, or op.heal_conversations() before this"
        )


@contextmanager
def _batch(
    operations: Operations, table: Table, without: str | None = None
) -> Iterator[BatchOperations]:
    """Copy a SQLite table with all that a copy would lose: its checks, triggers and counter."""
    connection = operations.get_bind()
    if connection.scalar(sa.text("PRAGMA foreign_keys")):
        raise StoreError(
            f"SQLite copies {table.label} for this and would delete the rows that refer to it; "
            "switch PRAGMA foreign_keys off on the connection of this migration"
        )
    made = sa.text("SELECT type, sql FROM sqlite_master WHERE tbl_name = :name AND sql IS NOT NULL")
    known = [tuple(row) for row in connection.execute(made, {"name": table.name})]
    checks = _checks(connection, table, "".join(sql for kind, sql in known if kind == "table"))
    if without is not None:
        _require_there(table, without, {check["name"] for check in checks if check["name"]})
    # A copy that failed may have been left behind; the table itself is still there.
    place = "" if table.schema is None else f"{table.quote(table.schema)}."
    copy = table.quote(f"_alembic_tmp_{table.name}"[:COPY_NAME])
    connection.execute(sa.text(f"DROP TABLE IF EXISTS {place}{copy}"))
    # SQLAlchemy 2.1 reads named checks itself, 2.0 none.
    read = sa.Table(table.name, sa.MetaData(), schema=table.schema, autoload_with=connection)
    named = {c.name for c in read.constraints if isinstance(c, sa.CheckConstraint)} - {None}
    with operations.batch_alter_table(
        table.name,
        schema=table.schema,
        recreate="always",
        table_args=tuple(
            sa.CheckConstraint(sa.text(check["sqltext"]), name=check["name"])
            for check in checks
            if check["name"] is None or check["name"] not in {*named, without}
        ),
        table_kwargs={"sqlite_autoincrement": any(_counts(sql) for _, sql in known)},
    ) as batch:
        if without is not None and without in named:
            batch.drop_constraint(without, type_="check")
        yield batch
    for kind, sql in known:
        if kind == "trigger":
            connection.exec_driver_sql(sql)


def _checks(connection: sa.Connection, table: Table, sql: str) -> list[Any]:
    found = sa.inspect(connection).get_check_constraints(table.name, table.schema)
    if len(found) != len(re.findall(r"\bcheck\s*\(", sql, re.IGNORECASE)):
        raise StoreError(
            f"SQLAlchemy cannot read the CHECK constraints of {table.label}, so a copy would lose "
            "them; give each a line of its own in CREATE TABLE, or upgrade to SQLAlchemy 2.1"
        )
    return list(found)


def _counts(sql: str) -> bool:
    return sql.lower().startswith("create table") and "autoincrement" in sql.lower()
