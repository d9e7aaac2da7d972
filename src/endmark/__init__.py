"""Endmark keeps chat histories sendable.

`check` says what is wrong with a history, `repair` gives one that can be sent, `finalize` closes
one message. The guard at the write is in `endmark.guard`, the heal of a database in
`endmark.heal`; importing this package loads neither SQLAlchemy nor alembic.
"""

from __future__ import annotations

import logging

from endmark.errors import (
    ContradictionError,
    DatabaseError,
    EndmarkError,
    FormatError,
    HealError,
    StaleTurnError,
    StepLimitError,
    StoreError,
    UnreadableError,
)
from endmark.history import check, finalize, is_synthesized, repair
from endmark.model import Finding, Kind, Outcome
from endmark.policy import Cause, Hint, Marker, Policy

__all__ = [
    "Cause",
    "ContradictionError",
    "DatabaseError",
    "EndmarkError",
    "Finding",
    "FormatError",
    "HealError",
    "Hint",
    "Kind",
    "Marker",
    "Outcome",
    "Policy",
    "StaleTurnError",
    "StepLimitError",
    "StoreError",
    "UnreadableError",
    "check",
    "finalize",
    "is_synthesized",
    "repair",
]

logging.getLogger("endmark").addHandler(logging.NullHandler())
