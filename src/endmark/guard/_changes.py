"""What a flush changes of stored rows: whose conversations are to be looked at when it is done.

Objects are told by their histories: a payload, role, place, key or conversation that changed, an
object that came to another parent or lost its own, a deleted one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select
from sqlalchemy.orm import PassiveFlag, Session, attributes

from endmark.guard._core import Since, earlier, starting_at
from endmark.guard._mapping import Mapping

if TYPE_CHECKING:
    from endmark.guard.hook import Handle

__all__ = ["changes", "deleted", "reload"]

Changed = tuple[Any, Since]  # a conversation, and the place from which on it was changed


def changes(
    handle: Handle, session: Session, connect: Callable[[], Connection]
) -> Iterator[Changed]:
    """Give the conversations of changed and deleted objects.

    Where the flush itself will name the new one, the object is noted as one to be asked then.
    """
    moved: list[Any] = []
    for obj in session.dirty:
        for key in handle.collections(obj.__class__):
            moved += _moved(obj, key)
        mapping = handle.mapping(obj.__class__)
        if mapping is not None:
            yield from _changed(obj, mapping, connect)
            moved += [obj] if any(_moved(obj, each.key) for each in mapping.parents) else []
    for obj in moved:
        if obj not in session.new:
            yield from deleted(handle, obj)
            handle.kept(session).nameless.append(obj)
    for obj in session.deleted:
        yield from deleted(handle, obj)


def deleted(handle: Handle, obj: Any) -> Iterator[Changed]:
    """Give the conversation that an object is taken out of."""
    mapping = handle.mapping(obj.__class__)
    if mapping is not None:
        values = attributes.instance_dict(obj)
        yield mapping.conversation_of(values), starting_at(values.get(mapping.order))


def _changed(obj: Any, mapping: Mapping, connect: Callable[[], Connection]) -> Iterator[Changed]:
    """Give the conversations that a changed object is, and was, of, and from what place on."""
    past: dict[str, Any] = {
        name: attributes.get_history(obj, name, PassiveFlag.PASSIVE_NO_INITIALIZE)
        for name in mapping.telling
    }
    if not any(history.added or history.deleted for history in past.values()):
        return
    placing = (*mapping.conversation, mapping.order)
    # By attribute: an expired object is read again.
    now = [getattr(obj, name) for name in placing]
    was: Sequence[Any] = now
    if any(past[name].added for name in placing):
        was = _stored(obj, mapping, placing, connect()) or now
    since = earlier(starting_at(now[-1]), starting_at(was[-1]))
    yield from ((tuple(values[:-1]), since) for values in (now, was))


def _moved(obj: Any, relation: str) -> list[Any]:
    """Give the objects that came to, or left, a relation of a changed one."""
    history = attributes.get_history(obj, relation, PassiveFlag.PASSIVE_NO_INITIALIZE)
    return [each for each in (*history.added, *history.deleted) if each is not None]


def _stored(
    obj: Any, mapping: Mapping, names: Sequence[str], connection: Connection
) -> Sequence[Any] | None:
    """Read what the row has now: an object that was expired does not know what it had."""
    columns = [mapping.mapper.column_attrs[name].columns[0] for name in names]
    identity = attributes.instance_state(obj).identity or ()
    keys = zip(mapping.mapper.primary_key, identity, strict=True)
    query = select(*columns).where(*(column == cell for column, cell in keys))
    return connection.execute(query).first()


def reload(handle: Handle, session: Session, connection: Connection, conversation: Any) -> None:
    """Let objects be read again whose rows were changed behind them; gone ones leave."""
    for obj in list(session.identity_map.values()):
        mapping = handle.mapping(type(obj))
        if mapping is None:
            continue
        if mapping.conversation_of(attributes.instance_dict(obj)) not in {conversation, None}:
            continue
        if _stored(obj, mapping, mapping.key, connection) is None:
            session.expunge(obj)
        else:
            names = [mapping.payload, mapping.order, *filter(None, [mapping.role])]
            session.expire(obj, [n for n in names if n not in mapping.key])
