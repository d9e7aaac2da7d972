"""Our own revisions: where they are, how to run them, how autogenerate leaves their tables alone."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from endmark.errors import HealError

__all__ = ["SCHEMA", "VERSION_TABLE", "include_object", "migrate", "migrations_path"]

SCHEMA = "endmark"  # of ours on PostgreSQL; on SQLite the names begin with it
VERSION_TABLE = "endmark_version"


def migrations_path() -> Path:
    """Give the folder of Endmark's own revisions: in the wheel, else beside the sources.

    >>> (migrations_path() / "env.py").is_file()
    True
    """
    package = Path(__file__).parents[1]
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
