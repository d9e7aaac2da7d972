"""Ids and versions of LangGraph checkpoints: both grow, and neither is drawn by lot here.

A checkpoint's id is a UUID of version 6, which begins with the time; the newest is the greatest.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from endmark.errors import UnreadableError

SINCE_1582 = 0x01B21DD213814000  # from the epoch of UUIDs to that of Unix, in steps of 100 ns
_TIME = (1 << 60) - 1


def _time(id_: Any) -> int | None:
    """Give the time in an id, in steps of 100 ns; None for another sort of id."""
    try:
        made = uuid.UUID(id_)
    except (AttributeError, TypeError, ValueError):
        return None
    if made.version != 6 or str(made) != id_:
        return None
    return made.int >> 80 << 12 | made.int >> 64 & 0xFFF


def moment(id_: Any) -> float | None:
    """Give the time of a checkpoint, in seconds since the epoch; None where unknown."""
    time = _time(id_)
    return None if time is None else (time - SINCE_1582) / 1e7


def after(id_: Any) -> str:
    """Make the id right behind this one: the same on every run, and before any that may come.

    Raises `UnreadableError` for an id of another sort.
    """
    time = _time(id_)
    if time is None or time == _TIME:
        msg = "the checkpoint's id is no UUID of version 6, so none can be made behind it"
        raise UnreadableError(msg)
    time += 1
    rest = uuid.UUID(id_).int & ((1 << 64) - 1)
    return str(uuid.UUID(int=time >> 12 << 80 | 6 << 76 | (time & 0xFFF) << 64 | rest))


def next_version(versions: Mapping[str, Any], seed: str) -> Any:
    """Make a version of a channel that is greater than all: a number, or `NNN.0.NNN` as theirs are.

    Raises `UnreadableError` for versions of another sort.
    """
    given = list(versions.values())
    if all(isinstance(version, int | float) for version in given):
        return int(max(given, default=0)) + 1
    try:
        newest = max(int(str(version).split(".")[0]) for version in given)
    except ValueError:
        msg = "the versions of its channels are no numbers"
        raise UnreadableError(msg) from None
    drawn = uuid.uuid5(uuid.NAMESPACE_URL, f"endmark:{seed}").int % 10**16
    return f"{newest + 1:032}.0.{drawn:016}"
