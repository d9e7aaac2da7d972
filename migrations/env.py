"""Runs Endmark's own revisions, online only, with a version table of their own.

`endmark.alembic_ops.migrate` gives the connection; alembic's own commands need `sqlalchemy.url`.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, text

from endmark.alembic_ops import SCHEMA, VERSION_TABLE
from endmark.errors import HealError
from endmark.stores.database import opened


def run(connection: Connection) -> None:
    """Run the revisions asked for, in one transaction where the database can."""
    postgresql = connection.dialect.name == "postgresql"
    if postgresql:
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        connection.commit()
    context.configure(
        connection=connection,
        version_table=VERSION_TABLE,
        version_table_schema=SCHEMA if postgresql else None,
    )
    with context.begin_transaction():
        context.run_migrations()


if context.is_offline_mode():
    msg = (
        "Endmark's revisions read rows, so they cannot be rendered as SQL (--sql); run them online"
    )
    raise HealError(msg)
given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    url = context.config.get_main_option("sqlalchemy.url") or ""
    with opened(url) as engine, engine.connect() as made:
        run(made)
