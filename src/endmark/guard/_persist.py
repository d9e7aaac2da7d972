"""Store a whole history: compare it with what is stored, by content, and write the difference.

Both sides are compared repaired, so that an application which keeps its list unrepaired may
persist it again; of a marker and a real result for one call the real one stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endmark.errors import ContradictionError
from endmark.formats import Rebuilt
from endmark.formats._base import Format, Message
from endmark.guard._core import write
from endmark.guard._frontier import Frontier
from endmark.guard._tail import real_results, require_readable
from endmark.history import examine
from endmark.model import Result, Shape
from endmark.policy import Policy

__all__ = ["persist"]


def persist(frontier: Frontier, messages: Sequence[Message]) -> None:
    """Write what a history has beyond the stored one. Raises `ContradictionError`."""
    rows, policy = frontier.rows, frontier.policy
    stored = rows.segment(frontier.connection, frontier.id, None)
    require_readable(rows.format, messages[len(stored.history) :])
    ours = examine(stored.history, rows.format, policy)
    theirs = examine(messages, rows.format, policy)
    rows.new.require_writable(frontier.id, messages)
    old, new = ours.rebuild(), theirs.rebuild()
    if rows.format.shape is Shape.INLINE and rows.message_id and rows.format.id_field:
        merged, more = _by_id(old, new.messages, rows.format, policy)
    else:
        merged, more = _by_place(old, new.messages, rows.format, policy)
    if stored.rows:
        write(frontier.connection, rows, stored, merged)
    if more:
        _append(frontier, more)
    frontier.memory.tails.pop(frontier.id, None)
    frontier.memory.left.discard(frontier.id)
    if ours.findings or theirs.findings:
        before = _unrepaired(stored.history, messages, old, new, merged, more)
        frontier.tell(examine(before, rows.format, policy).findings)


def _append(frontier: Frontier, more: list[Message]) -> None:
    rows = frontier.rows
    if rows.format.shape is Shape.INLINE:
        rows.put(frontier.connection, frontier.id, more)
        return
    last, _ = rows.tail(frontier.connection, frontier.id, 1)
    rows.append(frontier.connection, frontier.id, more, last[0][0] if last else None)


def _unrepaired(
    stored: Sequence[Message],
    given: Sequence[Message],
    old: Rebuilt,
    new: Rebuilt,
    merged: Rebuilt,
    more: Sequence[Message],
) -> list[Message]:
    """Give what is written as it would be without a repair: only what that needs is told.

    What the given history has wrong was told when it was stored, and is not written again.
    """
    as_given = {
        id(m): given[k] for m, k in zip(new.messages, new.origins, strict=True) if k is not None
    }
    before: list[Message] = []
    for was, now, origin in zip(old.messages, merged.messages, merged.origins, strict=True):
        if now is not was:
            before.append(as_given.get(id(now), now))
        elif origin is not None:
            before.append(stored[origin])
    added = {id(message) for message in more}
    places = zip(new.messages, new.origins, strict=True)
    behind = {k for message, k in places if k is not None and id(message) in added}
    if more:  # with it goes what is dropped behind all that was stored before
        known = (k for k, row in zip(new.origins, old.origins, strict=False) if row is not None)
        last = max((k for k in known if k is not None), default=-1)
        behind |= {k for k in range(last + 1, len(given)) if k not in new.origins}
    return before + [given[k] for k in sorted(behind)]


def _by_id(
    old: Rebuilt, new: list[Message], format_: Format, policy: Policy
) -> tuple[Rebuilt, list[Message]]:
    """Put messages over the stored ones with their id; those of no stored id are added."""
    assert format_.id_field is not None
    given = {m[format_.id_field]: (k, m) for k, m in enumerate(new) if m.get(format_.id_field)}
    merged = Rebuilt()
    for message, origin in zip(old.messages, old.origins, strict=True):
        place = given.pop(message.get(format_.id_field), None)
        chosen = message if place is None else _better(message, place[1], format_, policy)
        if chosen is None:
            raise _contradiction(place[0] if place else 0)
        merged.add(chosen, origin)
    added = {id(message) for _, message in given.values()}
    return merged, [m for m in new if id(m) in added or not m.get(format_.id_field)]


def _better(old: Message, new: Message, format_: Format, policy: Policy) -> Message | None:
    """Choose between two states of one message; None where the new one takes back a result."""
    if old == new:
        return old
    had, has = real_results(old, format_, policy), real_results(new, format_, policy)
    if had.keys() <= has.keys():
        return new
    known = set(format_.call_ids(old)) >= set(format_.call_ids(new))
    return old if has.keys() <= had.keys() and known else None


def _by_place(
    old: Rebuilt, new: list[Message], format_: Format, policy: Policy
) -> tuple[Rebuilt, list[Message]]:
    """Compare place by place; what lies beyond the stored history is added."""
    merged = Rebuilt()
    for k, (message, origin) in enumerate(zip(old.messages, old.origins, strict=True)):
        chosen: Message | None = message
        if k < len(new) and message != new[k]:
            chosen = _same_place(message, new[k], format_, policy)
        if chosen is None:
            raise _contradiction(k)
        merged.add(chosen, origin)
    return merged, new[len(old.messages) :]


def _same_place(old: Message, new: Message, format_: Format, policy: Policy) -> Message | None:
    """Choose between two messages that differ in synthesized results only, else None."""
    had, has = _results(old, format_, policy), _results(new, format_, policy)
    if not had or [r.id for r in had] != [r.id for r in has]:
        return None
    for mine, theirs in zip(had, has, strict=True):
        real = not mine.synthesized and not theirs.synthesized
        if real and mine.value != theirs.value:
            return None
    if format_.shape is Shape.OWN_MESSAGE:
        return new if had[0].synthesized else old
    return _mixed(old, new, had, has, format_)


def _mixed(
    old: Message, new: Message, had: list[Result], has: list[Result], format_: Any
) -> Message | None:
    """Next message formats: of each pair of results in one message the real one stands."""
    mine, theirs = format_.parts(old), format_.parts(new)
    if len(mine) != len(theirs):
        return None
    chosen = list(mine)
    swaps = dict(zip((r.at.part for r in had), has, strict=True))
    markers = {r.at.part for r in had if r.synthesized}
    for k, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        if k in swaps:
            chosen[k] = theirs[swaps[k].at.part] if k in markers else one
        elif one != other:
            return None
    rest = format_.with_parts(old, chosen) == format_.with_parts(new, chosen)
    return format_.with_parts(old, chosen) if rest else None


def _results(message: Message, format_: Format, policy: Policy) -> list[Result]:
    return [e for e in format_.events([message], [0], policy) if isinstance(e, Result)]


def _contradiction(position: int) -> ContradictionError:
    return ContradictionError(
        f"message {position} of the given history is not what is stored there; nothing was "
        "written. Read history() again, or truncate() the stored conversation first"
    )
