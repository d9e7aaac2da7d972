"""Every error of Endmark, as one tree.

```
EndmarkError
├── FormatError            the format is unknown, or cannot be told from the payload
├── UnreadableError        a payload is not a history of its format
├── StoreError             a store, table, column or mapping is not what was said
├── DatabaseError          the database refused: unreachable, locked, read-only, no driver
├── ContradictionError     persist() was given a history that denies what is stored
├── StaleTurnError         another turn of this conversation has begun since
├── StepLimitError         a turn wrote as many messages with calls as the policy allows
└── HealError              a heal run cannot go on: no such run, rows changed, offline mode
```

A message says what happened, where, and the way out. It never holds message content or a password.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

__all__ = [
    "ContradictionError",
    "DatabaseError",
    "EndmarkError",
    "FormatError",
    "HealError",
    "StaleTurnError",
    "StepLimitError",
    "StoreError",
    "UnreadableError",
]


class EndmarkError(Exception):
    """The root: catch this to catch all of ours."""


class FormatError(EndmarkError):
    """The format is unknown, or cannot be told from the payload."""


class UnreadableError(EndmarkError):
    """A payload is not a history of its format; it was left alone."""


class StoreError(EndmarkError):
    """A store, table, column or mapping is not what was said."""


class DatabaseError(EndmarkError):
    """The database refused: unreachable, locked, read-only, or its driver is missing."""


class ContradictionError(EndmarkError):
    """`persist` was given a history that denies what is stored; nothing was written."""


class StaleTurnError(EndmarkError):
    """Another turn of this conversation has begun since; nothing was written."""


class StepLimitError(EndmarkError):
    """A turn wrote as many messages with calls as `Policy.step_limit` allows."""


class HealError(EndmarkError):
    """A heal run cannot go on; what was written before stays whole and journalled."""


def unknown(what: str, name: str, known: Sequence[str], *, page: str | None = None) -> str:
    """Say that nothing of a kind has this name (a key is told with those above it), and what has.

    Where too many have one, `page` names them.

    >>> unknown("key", "late_", ["late", "cause"])
    "no key is called 'late_' (late?); the keys are late, cause"
    """
    all_ = f"{page} has all {what}s" if page else f"the {what}s are {', '.join(known)}"
    return f"no {what} is called {name!r}{meant(name, known)}; {all_}"


def meant(name: str, known: Sequence[str]) -> str:
    """Ask for the one of these names that is likely meant; nothing where none is."""
    likely = get_close_matches(name.rpartition(".")[2], known, 1)
    return f" ({likely[0]}?)" if likely else ""


# Of JSON and TOML; what stands first counts.
_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "text"),
    ((list, tuple), "a list"),
    (dict, "an object"),
    (type(None), "null"),
)


def kind_of(value: Any) -> str:
    """Say of what kind a value of a payload or a file is, and nothing of what it holds.

    >>> kind_of([1]), kind_of(True)
    ('a list', 'true or false')
    """
    return next((name for type_, name in _KINDS if isinstance(value, type_)), "a date or time")
