"""guard(): the same rules on people's own mapped classes, through the events of their sessions.

It listens on what it is given and nothing wider; all state is on `session.info` and goes with the
transaction.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.orm import (
    Mapper,
    ORMExecuteState,
    Session,
    SessionTransaction,
    scoped_session,
    sessionmaker,
)

from endmark import formats, stores
from endmark.errors import StoreError, unknown
from endmark.guard._bulk import conversations_in, finalized_statement
from endmark.guard._changes import deleted
from endmark.guard._engine import IN_COLUMNS, engine_of, listeners, require_writable
from endmark.guard._flush import Flush, Kept, refreshed
from endmark.guard._mapping import NAMES, Mapping, collections_of, mapping_of, store_of_class
from endmark.guard._rows import Rows, rows_of
from endmark.guard._statements import Statements
from endmark.guard.report import OnRepair
from endmark.model import Shape
from endmark.policy import DEFAULT, Policy
from endmark.stores._store import Store

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

__all__ = ["Handle", "guard"]


def guard(
    target: Any,
    store: Store | type | str,
    *,
    policy: Policy | None = None,
    on_repair: OnRepair | None = None,
    **mapping: Any,
) -> Handle:
    """Guard the rows that sessions, or an engine, write of a mapped class or of a store's table.

    `target` is a `sessionmaker`, `async_sessionmaker`, `scoped_session`, a subclass of `Session`,
    one session, or an engine (`Engine`, `AsyncEngine`): every statement that it executes.
    `store` is a `Store`, the name of a known one, or a mapped class with its attributes, or
    their names: `conversation`, `payload`, `format` and, where there are any, `order` and `role`.
    What it sees and what it misses: docs/doors.md. Raises `StoreError` for a wrong mapping or
    target and for a store that is left alone, `FormatError` for an unknown format.

    >>> from sqlalchemy.orm import sessionmaker
    >>> from endmark.guard.tables import Message
    >>> handle = guard(sessionmaker(), Message, conversation="conversation_id", order="seq",
    ...                payload="payload", format="openai-chat")
    >>> handle.remove()
    """
    if isinstance(store, str):
        store = stores.get(store)
    if not isinstance(store, Store):
        _require_known(mapping)
        store = store_of_class(store, **mapping)
    elif mapping:
        msg = f"a Store says everything itself; leave out {', '.join(mapping)}"
        raise StoreError(msg)
    require_writable(store)
    return Handle(target, store, policy or DEFAULT, on_repair)


def _require_known(mapping: dict[str, Any]) -> None:
    """Raises `StoreError` for what a mapped class cannot be described by."""
    if in_columns := {"fields", "json"} & mapping.keys():
        raise StoreError(f"guard() takes no {', '.join(sorted(in_columns))}: {IN_COLUMNS}")
    if odd := [name for name in mapping if name not in NAMES]:
        raise StoreError(unknown("key", odd[0], NAMES))


class Handle:
    """A guard in place; `remove()` takes it away."""

    def __init__(
        self, target: Any, store: Store, policy: Policy, on_repair: OnRepair | None
    ) -> None:
        self.store = store
        self.policy = policy
        self.on_repair = on_repair
        self._inline = formats.get(store.format).shape is Shape.INLINE
        self._mappings: dict[type, Mapping | None] = {}
        self._collections: dict[type, tuple[str, ...]] = {}
        self.mapper: Mapper[Any] | None = None  # one of those mapped to the store's table
        self._undo: Callable[[], None] | None = None
        self._last: tuple[weakref.ref[Engine], Rows] | None = None  # what was asked for last
        self._statements = Statements(store, policy, on_repair)
        engine = engine_of(target)
        self._target = engine or self._resolve(target)
        self._listeners = listeners(self._statements) if engine else self._of_sessions()
        for name, listener in self._listeners:
            event.listen(self._target, name, listener, retval=name == "before_execute")

    def _of_sessions(self) -> list[tuple[str, Any]]:
        always: list[tuple[str, Any]] = [
            ("before_flush", self._before_flush),
            ("do_orm_execute", self._do_orm_execute),
        ]
        if self._inline:
            return always
        return [
            *always,
            ("after_flush_postexec", self._after_flush),
            ("persistent_to_deleted", self._deleted),
            ("after_soft_rollback", self._after_rollback),
            ("after_transaction_end", self._after_transaction),
        ]

    def remove(self) -> None:
        """Stop guarding; again is no error."""
        for name, listener in self._listeners:
            event.remove(self._target, name, listener)
        self._listeners = []
        if self._undo is not None:
            self._undo()
            self._undo = None

    @contextmanager
    def open_turn(self, session: Session | AsyncSession, conversation_id: Any) -> Iterator[None]:
        """Let unfinished messages of one conversation pass: streaming checkpoints (inline formats).

        The last write, after the block, is finalized again. Raises `StoreError` where an engine is
        guarded, which knows no session.
        """
        if engine_of(self._target) is not None:
            msg = "an engine knows no session: guard a sessionmaker to let open turns pass"
            raise StoreError(msg)
        key = conversation_id if isinstance(conversation_id, tuple) else (conversation_id,)
        info = session.info.setdefault(_OPEN, {})
        info[self, key] = info.get((self, key), 0) + 1
        try:
            yield
        finally:
            info[self, key] -= 1
            if not info[self, key]:
                del info[self, key]
            if not info:
                session.info.pop(_OPEN, None)

    def _resolve(self, target: Any) -> Any:
        # Not imported here: it wants greenlet. Whoever gives one of its classes has loaded it.
        with_asyncio = sys.modules.get("sqlalchemy.ext.asyncio")
        if with_asyncio is not None and isinstance(target, with_asyncio.async_sessionmaker):
            return self._of_async(target)
        if isinstance(target, scoped_session):
            return self._resolve(target.session_factory)
        if with_asyncio is not None and isinstance(target, with_asyncio.AsyncSession):
            return target.sync_session
        is_class = isinstance(target, type) and issubclass(target, Session)
        if is_class or isinstance(target, sessionmaker | Session):
            return target
        msg = (
            f"{target!r} cannot be guarded; give a sessionmaker, an async_sessionmaker, a "
            "scoped_session, a subclass of Session, a session or an engine"
        )
        raise StoreError(msg)

    def _of_async(self, target: async_sessionmaker[Any]) -> type[Session]:
        """An async_sessionmaker takes no events: give it a session class of its own."""
        before = target.kw.get("sync_session_class")
        base: Any = before or target.class_.sync_session_class
        mine: type[Session] = type("GuardedSession", (base,), {})
        target.configure(sync_session_class=mine)

        def undo() -> None:
            if before is None:
                target.kw.pop("sync_session_class", None)
            else:
                target.configure(sync_session_class=before)

        self._undo = undo
        return mine

    def mapping(self, cls: type) -> Mapping | None:
        """Give the mapping of a class; None where its rows are in another table."""
        try:
            return self._mappings[cls]
        except KeyError:
            found = self._mappings[cls] = mapping_of(cls, self.store)
            self.mapper = found.mapper if found else self.mapper
            return found

    def collections(self, cls: type) -> tuple[str, ...]:
        """Name the collections of a class that hold objects of the store's table."""
        if cls not in self._collections:
            self._collections[cls] = collections_of(cls, self.store)
        return self._collections[cls]

    def is_open(self, session: Session, conversation: Any) -> bool:
        return (self, conversation) in session.info.get(_OPEN, {})

    def kept(self, session: Session) -> Kept:
        """Give what is known of the running transaction's conversations."""
        by_guard: dict[Handle, Kept] = session.info.setdefault(_KEPT, {})
        kept = by_guard.get(self)
        if kept is None:
            kept = by_guard[self] = Kept()
        return kept

    def rows(self, connection: Connection) -> Rows:
        """Give the store's rows in a connection's database."""
        if connection.get_execution_options().get("schema_translate_map"):
            return rows_of(connection, self.store)
        engine, last = connection.engine, self._last  # another thread may change the latter
        if last is None or last[0]() is not engine:
            self._last = last = (weakref.ref(engine), rows_of(connection, self.store))
        return last[1]

    def _before_flush(self, session: Session, _context: Any, _instances: Any) -> None:
        flush = Flush(self, session)
        if self._inline:
            flush.finalize()
        else:
            flush.order()

    def _after_flush(self, session: Session, _context: Any) -> None:
        refreshed(self, session)

    def _deleted(self, session: Session, obj: Any) -> None:
        """Hear of orphans too, which a flush deletes by itself."""
        for conversation, since in deleted(self, obj):
            Flush(self, session).later(conversation, since, taken=True)

    def _after_rollback(self, session: Session, _transaction: SessionTransaction) -> None:
        self._forget(session)

    def _after_transaction(self, session: Session, transaction: SessionTransaction) -> None:
        if transaction.parent is None:
            self._forget(session)

    def _forget(self, session: Session) -> None:
        known = session.info.get(_KEPT)
        if known is not None:
            known.pop(self, None)
            if not known:
                del session.info[_KEPT]

    def _do_orm_execute(self, state: ORMExecuteState) -> Any:
        if not (state.is_insert or state.is_update or state.is_delete):
            return None
        mapper = state.bind_mapper
        mapping = self.mapping(mapper.class_) if mapper is not None else None
        if mapping is None:
            return self._core_statement(state)
        if self._inline:
            if not state.is_delete:
                finalized_statement(state, mapping, self.policy, self.on_repair)
            return None
        conversations = conversations_in(state, mapping)
        result = state.invoke_statement()
        flush = Flush(self, state.session)
        for conversation, since in conversations.items():
            flush.settle(conversation, "open", since, taken=not state.is_insert)
        return result

    def _core_statement(self, state: ORMExecuteState) -> Any:
        """A statement on the store's table that no class is mapped to."""
        if not self._statements.concerns(state.statement):
            return None
        connection = state.session.connection(bind_arguments=state.bind_arguments)
        given: Any = state.parameters or ()
        rows = (given,) if isinstance(given, dict) else given
        work = self._statements.before(connection, state.statement, rows)
        state.statement = work.statement
        result = state.invoke_statement()
        self._statements.after(connection, work)
        if not self._inline:
            self.kept(state.session).tails.clear()
        return result


_OPEN = "endmark.open"
_KEPT = "endmark.kept"
