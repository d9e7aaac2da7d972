"""Heal the known stores of this database once.

A thin caller of what `heal-db apply` calls; journalled, so going down gives every row back that
nobody has changed since.
"""

from __future__ import annotations

from alembic import op

from endmark import stores

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if stores.detect(op.get_bind()):
        op.heal_conversations()  # type: ignore[attr-defined]


def downgrade() -> None:
    op.undo_heal()  # type: ignore[attr-defined]
