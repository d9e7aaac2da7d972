"""Which run of heal a revision made: kept beside the journal, so that going down undoes that alone.

Stands between `op.heal_conversations`, which notes its run here, and `op.undo_heal`.
"""

from __future__ import annotations

import sys
from types import FrameType

import sqlalchemy as sa
from alembic.runtime.migration import MigrationContext

from endmark.heal.journal import PREFIX, SCHEMA, Journal

__all__ = ["current", "note", "taken"]

NAME = f"{PREFIX}revision"


def current() -> str | None:
    """Name the revision whose file is running; None outside of one.

    Alembic does not tell an operation, but every revision's file says who it is.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    while frame is not None:
        said = frame.f_globals
        if "down_revision" in said and isinstance(said.get("revision"), str):
            return str(said["revision"])
        frame = frame.f_back
    return None


def note(context: MigrationContext, revision: str, run: str) -> None:
    """Write down that this revision made this run."""
    connection = context.connection
    assert connection is not None
    table = _table(connection)
    table.create(connection, checkfirst=True)
    made = {"run": run, "version_table": context.version_table, "revision": revision}
    connection.execute(table.insert(), made)


def taken(context: MigrationContext, revision: str) -> list[str]:
    """Give the runs of this revision that are not undone yet, newest first, and forget them."""
    connection = context.connection
    assert connection is not None
    table = _table(connection)
    if not sa.inspect(connection).has_table(NAME, schema=table.schema):
        return []
    own = (table.c.version_table == context.version_table) & (table.c.revision == revision)
    made = set(connection.scalars(sa.select(table.c.run).where(own)))
    connection.execute(table.delete().where(own))
    return [run.run for run in Journal(connection).runs() if run.run in made and not run.undone]


def _table(connection: sa.Connection) -> sa.Table:
    return sa.Table(
        NAME,
        sa.MetaData(),
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("version_table", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        schema=SCHEMA if connection.dialect.name == "postgresql" else None,
    )
