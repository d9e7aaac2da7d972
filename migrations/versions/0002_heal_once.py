"""Heal the known stores of this database once.

A thin caller of what `heal-db apply` calls; journalled, so going down gives every row back that
nobody has changed since. Which run it was stands in a table beside the journal.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from endmark import stores
from endmark.alembic_ops import SCHEMA

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

NAME = "endmark_heal_once"


def upgrade() -> None:
    found = stores.detect(op.get_bind())
    done = op.heal_conversations() if found else None  # type: ignore[attr-defined]
    runs = op.create_table(NAME, sa.Column("run", sa.Text, primary_key=True), schema=schema())
    if done is not None and done.run is not None:
        op.bulk_insert(runs, [{"run": done.run}])


def downgrade() -> None:
    runs = sa.table(NAME, sa.column("run"), schema=schema())
    for run in op.get_bind().scalars(sa.select(runs.c.run)).all():
        op.undo_heal(run)  # type: ignore[attr-defined]
    op.drop_table(NAME, schema=schema())


def schema() -> str | None:
    return SCHEMA if op.get_bind().dialect.name == "postgresql" else None
