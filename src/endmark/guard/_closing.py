"""Closing objects of one flush: what they look like, and where among the others they go."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter, le
from typing import Any

from sqlalchemy.orm import attributes

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.guard._mapping import Mapping
from endmark.stores.order import place, stamp
from endmark.stores.table import Cell

__all__ = [
    "MICROSECOND",
    "Added",
    "as_read",
    "between",
    "in_order",
    "object_of",
    "places",
    "renumber",
    "stands_before",
    "time_behind",
]

MICROSECOND = timedelta(microseconds=1)


@dataclass(slots=True, eq=False)  # one is made for every row: half the cost of a tuple with names
class Added:
    """A new object, the message that it holds, and the order value that the application gave."""

    obj: Any
    message: Message
    mapping: Mapping
    number: Any

    @property
    def now(self) -> Any:
        """The order value that it has by now."""
        return attributes.instance_dict(self.obj).get(self.mapping.order)


def in_order(objects: Iterable[Any]) -> list[Any]:
    """Give new objects in the order in which the unit of work inserts them."""
    states = sorted(map(attributes.instance_state, objects), key=attrgetter("insert_order"))
    if states[1:] and len({state.insert_order for state in states}) < len(states):
        for number, state in enumerate(states):  # two alike leave no room between them
            state.insert_order = number
    return [state.obj() for state in states]


def as_read(orders: Sequence[Any]) -> Sequence[int]:
    """Give the positions of new rows in the order in which they will be read, however added.

    As they stand where the database is to give an order value, or they cannot be compared.
    """
    at = range(len(orders))
    if None in orders:
        return at
    try:
        return at if all(map(le, orders, orders[1:])) else sorted(at, key=orders.__getitem__)
    except TypeError:
        return at


def stands_before(value: Any, last: Any) -> bool:
    """Tell whether a new row is read before the last one that is there."""
    if value is None or last is None:
        return False
    here, end = place(value), place(last)
    return here is not None and end is not None and here < end


def between(earlier: Any, later: Any) -> datetime | None:
    """Give a time between two that leave room for one; numbers leave none."""
    if not (isinstance(earlier, datetime) and isinstance(later, datetime)):
        return None
    between = earlier + MICROSECOND
    return between if between < later else None


def time_behind(last: Cell) -> datetime | None:
    """Give the time right behind a stored one; None for what is no time."""
    try:
        value, write = stamp(last)
        return datetime.fromisoformat(str(write(value + 1)))
    except (UnreadableError, ValueError):
        return None


def renumber(added: Sequence[Added], last: Any) -> None:
    """Numbers, or times, that the application gave move on behind the closing rows."""
    step: Any = MICROSECOND if isinstance(last, datetime) else 1
    for each in added:
        given = each.now
        if given is None or type(given) is not type(last) or given > last:
            return
        last += step
        setattr(each.obj, each.mapping.order, last)


def places(
    rebuilt: Rebuilt, block: Sequence[Message], waiting: Sequence[Added], new: Added
) -> list[tuple[Message, Added]] | None:
    """Pair each closing message with the object that it goes before; None where none will do."""
    kept = [k for k in rebuilt.origins if k is not None]
    if kept != list(range(len(block))):
        return None
    mine: list[Any] = [None] * len(block) + [*waiting, new]
    mine = mine[-len(block) - 1 :]  # the last objects are the last of the block
    places: list[tuple[Message, Added]] = []
    following = len(block)
    for message, origin in zip(reversed(rebuilt.messages), reversed(rebuilt.origins), strict=True):
        if origin is not None:
            following = origin
            if message is not block[origin]:
                return None
        elif mine[following] is None:
            return None
        else:
            places.append((message, mine[following]))
    return places[::-1]


def object_of(mapping: Mapping, message: Message, like: Any) -> Any:
    """Make an object for a closing message, like the one that it stands before."""
    obj: Any = mapping.mapper.class_manager.new_instance()
    values = attributes.instance_dict(like)
    own = {*mapping.key, mapping.order, *mapping.unshared, *filter(None, [mapping.number])}
    for attribute in mapping.mapper.column_attrs:
        if attribute.key in values and attribute.key not in own:
            setattr(obj, attribute.key, values[attribute.key])
    for name, kind in mapping.drawn.items():
        setattr(obj, name, kind(str(uuid.uuid4())))
    for relation in mapping.parents:
        if values.get(relation.key) is not None:
            setattr(obj, relation.key, values[relation.key])
    for key, value in mapping.put(message, values).items():
        setattr(obj, key, value)
    return obj
