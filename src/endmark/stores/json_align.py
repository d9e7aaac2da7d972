"""Which new child is which old child: by identity, by equality, by what they share, by place.

The splicer keeps the text of a child that is still itself, edits the text of one that is the
edited copy of an old child, and writes every other one, in an old one's place or a new place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from endmark.stores.json_spans import is_telling

__all__ = ["align", "is_copy", "is_same"]

_Clues = Callable[[Any], Iterable[object]]


def is_same(old: Any, new: Any) -> bool:
    """Say whether `new` needs no new text: the same object, or an equal scalar of the same type."""
    kind = type(old)
    if old is new or kind is not type(new) or kind is dict or kind is list:
        return old is new
    # By repr: -0.0 is not 0.0, and NaN is NaN.
    return repr(old) == repr(new) if kind is float else bool(old == new)


def is_copy(old: Any, new: Any) -> bool:
    """Say whether two containers of one type share a child by identity: one is an edited copy."""
    if type(old) is dict:
        return any(old.get(key) is child and is_telling(child) for key, child in new.items())
    if any(child is other and is_telling(child) for child, other in zip(old, new, strict=False)):
        return True
    ids = {id(child) for child in old if is_telling(child)}
    return not ids.isdisjoint(map(id, new))


def align(old: list[Any], new: list[Any]) -> list[int | None]:
    """Return for each child of `new` the index of the old child it is, or replaces, else None.

    >>> align(["a", "b", "c"], ["c", "x", "a"])
    [2, None, 0]
    """
    pairs: list[int | None] = [None] * len(new)
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] is new[head]:
        pairs[head] = head
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] is new[-1 - tail]:
        tail += 1
        pairs[-tail] = len(old) - tail
    free = dict.fromkeys(range(head, len(old) - tail))
    wanted = range(head, len(new) - tail)
    if len(free) == len(wanted) == 1:
        pairs[head] = head
        return pairs
    for clues in (_identity, _equality, _children):
        _claim(pairs, free, wanted, old, new, clues)
    _claim_places(pairs, free, wanted, len(old))
    return pairs


def _identity(value: Any) -> Iterable[object]:
    return (id(value),)


def _equality(value: Any) -> Iterable[object]:
    kind = type(value)
    if kind is dict or kind is list:
        return ()
    return ((kind, repr(value) if kind is float else value),)


def _children(value: Any) -> Iterator[object]:
    if type(value) in (dict, list):
        for child in value.values() if type(value) is dict else value:
            if is_telling(child):
                yield type(value), id(child)


def _claim(
    pairs: list[int | None],
    free: dict[int, None],
    wanted: range,
    old: list[Any],
    new: list[Any],
    clues: _Clues,
) -> None:
    """Give each unpaired new child the first free old child with the same clue."""
    missing = [index for index in wanted if pairs[index] is None]
    if not free or not missing:
        return
    holders: dict[object, deque[int]] = {}
    for index in free:
        for clue in clues(old[index]):
            holders.setdefault(clue, deque()).append(index)
    for index in missing:
        for clue in clues(new[index]):
            queue = holders.get(clue)
            while queue and queue[0] not in free:
                queue.popleft()
            if queue:
                pairs[index] = queue[0]
                del free[queue.popleft()]
                break


def _claim_places(pairs: list[int | None], free: dict[int, None], wanted: range, old: int) -> None:
    """Give each new child still unpaired the free old one that stands where it stands."""
    for index in wanted:
        if pairs[index] is not None:
            continue
        before = pairs[index - 1] if index else -1
        after = pairs[index + 1] if index + 1 < len(pairs) else old
        for place in (
            None if before is None else before + 1,
            None if after is None else after - 1,
        ):
            if place is not None and place in free:
                pairs[index] = place
                del free[place]
                break
