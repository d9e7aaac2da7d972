"""Calls that lie beside the payload, where a guard does not see them.

A result whose call is out of sight looks like an orphan, and an orphan's row is taken out: such a
table is refused before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable

from endmark.errors import StoreError
from endmark.formats import Rebuilt
from endmark.formats._base import Format
from endmark.formats._own_message import OwnMessage
from endmark.history import examine
from endmark.model import Kind
from endmark.stores._store import Store
from endmark.stores.conversation import Conversation
from endmark.stores.guess import plain
from endmark.stores.left_out import CALLS

__all__ = ["WAY_OUT", "require_in_sight", "require_named"]

KEEP = (
    "to guard it, keep each message whole in one JSON column, or write through a ChatRepository on "
    "Endmark's own tables"
)
WAY_OUT = f"heal-db heals such a table, described by `fields`; {KEEP}"
TAKEN_OUT = frozenset({Kind.ORPHAN, Kind.EMPTY})


def require_in_sight(store: Store, names: Iterable[str]) -> None:
    """Raises `StoreError` for a table with columns of such names that hold calls beside the payload.

    Without a role of its own a payload is a whole message, and such a column may repeat a part of
    it: what it holds is looked at before anything is taken out.
    """
    if store.role is None:
        return
    used = {store.payload, store.role, *store.conversation, *store.order, *store.key}
    used |= {*store.copies, *store.new, *store.only}
    found = [name for name in dict.fromkeys(names) if name not in used and plain(name) in CALLS]
    if found:
        raise StoreError(
            f"table {store.table} cannot be guarded: it keeps {', '.join(found)} beside "
            f"{store.payload}, and a guard, which reads {store.payload} alone, would take the results "
            f"for orphans and their rows out. {WAY_OUT}. Where {store.payload} holds whole messages, "
            "calls and role too, leave out role"
        )


def require_named(
    store: Store, format_: Format, conversation: Conversation, rebuilt: Rebuilt
) -> None:
    """Raises `StoreError` where a message would be taken out whose call stands somewhere else."""
    if _names_nothing(store, format_, conversation, rebuilt):
        raise StoreError(
            f"table {store.table}: a result names no call in {store.payload}, so what it answers "
            f"stands in another column, and its row would have been taken out. {WAY_OUT}"
        )
    doubt = conversation.doubt
    if doubt is not None and _takes_out(format_, conversation, rebuilt) and (why := doubt()):
        raise StoreError(f"{why}. Nothing was taken out; {KEEP}")


def _names_nothing(
    store: Store, format_: Format, conversation: Conversation, rebuilt: Rebuilt
) -> bool:
    """Tell whether a bare content beside a role would go: what it answers is told elsewhere."""
    if store.role is None or not isinstance(format_, OwnMessage):
        return False
    kept = set(rebuilt.origins)
    return any(
        k not in kept and message.keys() == {"role", format_.body} and format_.is_result(message)
        for k, message in enumerate(conversation.history)
    )


def _takes_out(format_: Format, conversation: Conversation, rebuilt: Rebuilt) -> bool:
    """Tell whether a result goes for want of its call, or a message for want of any content."""
    history = conversation.history
    kept = dict(zip(rebuilt.origins, rebuilt.messages, strict=True))
    changed = {k for k, message in enumerate(history) if kept.get(k) is not message}
    if not changed:
        return False
    findings = examine(history, format_).findings
    return any(one.kind in TAKEN_OUT and one.message in changed for one in findings)
