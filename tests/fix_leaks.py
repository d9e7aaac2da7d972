"""What a test must not leave behind: event listeners of ours, connections taken and kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlalchemy import pool
from sqlalchemy.orm import Session


@pytest.fixture(autouse=True)
def no_listener_left() -> Iterator[None]:
    """Fail a test that leaves a listener of ours on the Session or Engine class of everybody."""
    yield
    left = [name for kind in (Session, sa.Engine) for name in our_listeners(kind)]
    assert not left, f"listeners left behind: {left}"


def our_listeners(kind: type) -> list[str]:
    """Return `Class.event: module.function` of each listener of ours on `kind` itself.

    SQLAlchemy has no public list of listeners; `_clslevel` is its own since 0.9.
    """
    dispatch = kind.dispatch  # type: ignore[attr-defined]
    return [
        f"{kind.__name__}.{event}: {listener.__module__}.{listener.__qualname__}"
        for event in dispatch._event_names
        for listener in getattr(dispatch, event)._clslevel.get(kind, ())
        if (getattr(listener, "__module__", None) or "").partition(".")[0] == "endmark"
    ]


def assert_all_returned(engine: sa.Engine) -> None:
    """Fail when a connection of `engine` is still taken."""
    if isinstance(engine.pool, pool.QueuePool):
        taken = engine.pool.checkedout()
        assert taken == 0, f"{taken} connections were never returned to {engine!r}"
