"""`op.heal_conversations` and `op.undo_heal`: a heal in the transaction of a migration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic.operations import MigrateOperation, Operations

from endmark import heal, stores
from endmark.alembic_ops import _made
from endmark.errors import HealError, StoreError
from endmark.heal import Applied, Options, Undone
from endmark.policy import DEFAULT, Policy
from endmark.stores import Store, custom

__all__ = ["HealConversationsOp", "UndoHealOp", "online"]


@Operations.register_operation("heal_conversations")
class HealConversationsOp(MigrateOperation):
    """Heal the conversations of a store, in the migration's transaction."""

    def __init__(
        self,
        store: str | Store | None,
        mapping: Mapping[str, Any],
        policy: Policy,
        options: Options,
    ) -> None:
        self.store = store
        self.mapping = mapping
        self.policy = policy
        self.options = options

    @classmethod
    def heal_conversations(
        cls,
        operations: Operations,
        *,
        store: str | Store | None = None,
        policy: Policy | None = None,
        include_frontier: bool = False,
        **mapping: Any,
    ) -> Applied:
        """Heal a known store, a table described as for `heal-db`, or the stores that are found.

        `mapping` takes `table`, `conversation`, `order`, `payload`, `format`, `role`, `key`,
        `schema`, `layout`, `path`, `order_kind`, `age`. Journalled: `op.undo_heal()` in the same
        revision gives it back. Raises `HealError` in offline mode, `StoreError` for a wrong mapping.
        """
        options = Options(include_frontier=include_frontier)
        done: Applied = operations.invoke(cls(store, mapping, policy or DEFAULT, options))
        return done

    def reverse(self) -> UndoHealOp:
        return UndoHealOp(None)

    def stores(self, connection: sa.Connection) -> list[Store]:
        """Give the stores meant. Raises `StoreError`."""
        if self.store is not None and self.mapping.get("table") is not None:
            raise StoreError("op.heal_conversations: give either store= or table=, not both")
        if isinstance(self.store, Store):
            return [self.store]
        if self.store is not None:
            return [stores.get(self.store)]
        if self.mapping:
            try:
                return [custom.from_flags(**self.mapping)]
            except TypeError as error:  # a word too many, or too few
                said = str(error).removeprefix("from_flags() ")
                raise StoreError(f"op.heal_conversations: {said}") from None
        found: list[Store] = stores.detect(connection)
        if not found:
            raise StoreError(
                "op.heal_conversations: no known store is here; name one with store=, or yours "
                f"with table=, conversation=, payload=, format=; seen: {stores.seen(connection)}"
            )
        return found


@Operations.register_operation("undo_heal")
class UndoHealOp(MigrateOperation):
    """Give back what a heal changed."""

    def __init__(self, run: str | None) -> None:
        self.run = run

    @classmethod
    def undo_heal(cls, operations: Operations, run: str | None = None) -> Undone:
        """Undo what this revision healed, or the run named; rows changed since are left alone.

        Never another's run: where this revision healed nothing, nothing is done. Raises
        `HealError` in offline mode, where there is no such run, and outside of a revision's file
        if none is named.
        """
        done: Undone = operations.invoke(cls(run))
        return done


@Operations.implementation_for(HealConversationsOp)
def _heal(operations: Operations, operation: HealConversationsOp) -> Applied:
    connection = online(operations, "heal_conversations")
    done = heal.heal_in(
        connection,
        operation.stores(connection),
        policy=operation.policy,
        options=operation.options,
    )
    revision = _made.current()
    if revision is not None and done.run is not None:
        _made.note(operations.migration_context, revision, done.run)
    return done


@Operations.implementation_for(UndoHealOp)
def _undo(operations: Operations, operation: UndoHealOp) -> Undone:
    connection = online(operations, "undo_heal")
    if operation.run is not None:
        return heal.undo_in(connection, operation.run)
    revision = _made.current()
    if revision is None:
        raise HealError(
            "op.undo_heal() undoes what its own revision healed, and this is no revision's file; "
            "name the run (heal-db runs lists them)"
        )
    all_of_it = Undone("")
    for run in _made.taken(operations.migration_context, revision):
        one = heal.undo_in(connection, run)
        all_of_it.run = ", ".join(filter(None, [all_of_it.run, run]))
        all_of_it.rows_restored += one.rows_restored
        all_of_it.rows_left += one.rows_left
    return all_of_it


def online(operations: Operations, name: str) -> sa.Connection:
    """Give the connection of a migration. Raises `HealError` in offline mode."""
    context = operations.migration_context
    if context.as_sql or context.connection is None:
        raise HealError(
            f"op.{name} reads rows before it writes, so it cannot be rendered as SQL (--sql); "
            "run this revision online, or run heal-db apply and leave the operation out"
        )
    return context.connection
