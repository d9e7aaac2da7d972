"""The guard: no row that would make a conversation unsendable is written.

`ChatRepository` (and its async form) for whoever lets Endmark write, `guard` and `GuardedJSON` for
people's own models, `tables` for the reference tables.
"""

from __future__ import annotations

from endmark.guard import tables
from endmark.guard.aio import AsyncChatRepository
from endmark.guard.column import GuardedJSON
from endmark.guard.hook import Handle, guard
from endmark.guard.report import Repair
from endmark.guard.repository import ChatRepository

__all__ = [
    "AsyncChatRepository",
    "ChatRepository",
    "GuardedJSON",
    "Handle",
    "Repair",
    "guard",
    "tables",
]
