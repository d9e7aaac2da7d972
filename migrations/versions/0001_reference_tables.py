"""The reference tables, for applications without tables of their own.

As `endmark.guard.tables` declares them; a test compares the two.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
PAYLOAD = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "endmark_conversation",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("epoch", NUMBER, nullable=False, server_default="0"),
        created_at(),
        sa.PrimaryKeyConstraint("id", name="pk_endmark_conversation"),
    )
    op.create_table(
        "endmark_message",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("conversation_id", sa.Text, nullable=False),
        sa.Column("seq", NUMBER, nullable=False),
        sa.Column("message_id", sa.Text),
        sa.Column("payload", PAYLOAD, nullable=False),
        created_at(),
        sa.PrimaryKeyConstraint("id", name="pk_endmark_message"),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["endmark_conversation.id"],
            name="fk_endmark_message_conversation_id",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint(
            "conversation_id", "seq", name="uq_endmark_message_conversation_id_seq"
        ),
        sa.UniqueConstraint(
            "conversation_id", "message_id", name="uq_endmark_message_conversation_id_message_id"
        ),
    )


def created_at() -> sa.Column[object]:
    return sa.Column(
        "created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
    )


def downgrade() -> None:
    op.drop_table("endmark_message")
    op.drop_table("endmark_conversation")
