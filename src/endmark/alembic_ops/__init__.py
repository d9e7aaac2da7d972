"""Operations for people's own alembic revisions: heal, undo, and a CHECK on the payload column.

Importing this package registers `op.heal_conversations`, `op.undo_heal`, `op.guard_payload` and
`op.unguard_payload`. Our own revisions are thin callers of the same, with a version table of their
own, so nobody's `alembic_version` is touched.
"""

from __future__ import annotations

from endmark.alembic_ops.conversations import HealConversationsOp, UndoHealOp
from endmark.alembic_ops.payload import GuardPayloadOp, UnguardPayloadOp
from endmark.alembic_ops.revisions import (
    SCHEMA,
    VERSION_TABLE,
    include_object,
    migrate,
    migrations_path,
)

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
