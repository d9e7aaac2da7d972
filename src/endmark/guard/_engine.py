"""An engine as what is guarded: its events, around each statement that it executes."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Engine

from endmark.errors import StoreError
from endmark.guard._beside import WAY_OUT
from endmark.guard._statements import Statements, Work
from endmark.stores._store import Store

__all__ = ["IN_COLUMNS", "engine_of", "listeners", "require_writable"]

IN_COLUMNS = f"its messages lie in several columns, of which a guard sees one. {WAY_OUT}"


def engine_of(target: Any) -> Engine | None:
    """Give the engine that is meant; None for what is none."""
    with_asyncio = sys.modules.get("sqlalchemy.ext.asyncio")
    if with_asyncio is not None and isinstance(target, with_asyncio.AsyncEngine):
        return target.sync_engine  # type: ignore[no-any-return]
    return target if isinstance(target, Engine) else None


def require_writable(store: Store) -> None:
    """Raises `StoreError` for a store that cannot be written to without harm."""
    if refusal := store.refusal or (IN_COLUMNS if store.fields else ""):
        raise StoreError(f"store {store.name} cannot be guarded: {refusal}")
    if store.layout != "rows":
        raise StoreError(
            f"store {store.name} cannot be guarded: only a layout of one message a row can; "
            "pass each history to endmark.repair before it is written"
        )


def listeners(statements: Statements) -> list[tuple[str, Any]]:
    """Give the events of an engine to listen to, and what listens."""
    # What is to be done after the statement that a connection is executing.
    running: weakref.WeakKeyDictionary[Connection, Work] = weakref.WeakKeyDictionary()

    def before(
        connection: Connection,
        statement: Any,
        many: Sequence[dict[str, Any]],
        one: dict[str, Any],
        _options: Any,
    ) -> tuple[Any, Any, Any]:
        if not statements.concerns(statement):
            return statement, many, one
        rows = [dict(row) for row in many or ([one] if one else ())]
        work = running[connection] = statements.before(connection, statement, rows)
        return (work.statement, rows, {}) if many else (work.statement, many, (rows or [one])[0])

    def after(connection: Connection, statement: Any, *_: Any) -> None:
        work = running.get(connection)
        if work is not None and work.statement is statement:
            del running[connection]
            statements.after(connection, work)

    return [("before_execute", before), ("after_execute", after)]
