"""Take out the end of a conversation; the real results of calls that stay, stay with them."""

from __future__ import annotations

from collections.abc import Sequence

from endmark.errors import StoreError
from endmark.formats import Rebuilt
from endmark.formats._base import Format, Message
from endmark.formats._next_message import NextMessage
from endmark.guard._core import write
from endmark.guard._frontier import Frontier
from endmark.guard._rows import Rows
from endmark.model import Shape
from endmark.pairing import pair
from endmark.policy import Policy
from endmark.stores.conversation import Row

__all__ = ["truncate"]


def truncate(frontier: Frontier, after: str | int) -> None:
    """Take out what is behind a message. Raises `StoreError` where there is no such message."""
    is_known = frontier.require_current(create=False)
    rows, connection = frontier.rows, frontier.connection
    conversation = rows.segment(connection, frontier.id, None)
    stay = _staying(conversation.rows, after, rows)
    if not is_known:
        return
    kept = _results_behind(conversation.history, stay, rows.format, frontier.policy)
    behind = enumerate(conversation.rows[stay:], stay)
    rows.delete(connection, [row for k, row in behind if k not in kept])
    if any(conversation.history[k] is not message for k, message in kept.items()):
        left = rows.segment(connection, frontier.id, None)
        rebuilt = Rebuilt()
        for k, message in enumerate([*left.history[:stay], *kept.values()]):
            rebuilt.add(message, k)
        write(connection, rows, left, rebuilt)
    frontier.begin()
    frontier.settle("over")


def _staying(stored: Sequence[Row], after: str | int, rows: Rows) -> int:
    """Tell how many of the stored rows stay."""
    if isinstance(after, bool) or not isinstance(after, str | int):
        msg = f"after must be a message's id or a position, not {type(after).__name__}"
        raise TypeError(msg)
    if isinstance(after, int):
        if -1 <= after < len(stored):
            return after + 1
        msg = f"there is no message at position {after}: {len(stored)} are stored"
        raise StoreError(msg)
    field = rows.format.id_field
    for k, row in enumerate(stored):
        if field and row.message is not None and row.message.get(field) == after:
            return k + 1
    msg = f"no stored message has the id {after!r}; nothing was taken out"
    raise StoreError(msg)


def _results_behind(
    history: Sequence[Message], stay: int, format_: Format, policy: Policy
) -> dict[int, Message]:
    """Give the messages behind the cut that answer calls before it, with nothing but the answers."""
    if format_.shape is Shape.INLINE:
        return {}
    events = format_.events(history, range(len(history)), policy)
    pairing = pair(events, keep_markers=policy.late == "keep", joint=format_.joint)
    parts: dict[int, list[int]] = {}
    for block in pairing.blocks:
        for call, answer in zip(block.calls, block.answers, strict=True):
            if answer is None or answer.synthesized:
                continue
            if call.at.message < stay <= answer.at.message:
                parts.setdefault(answer.at.message, []).append(answer.at.part)
    return {k: _only(history[k], parts[k], format_) for k in sorted(parts)}


def _only(message: Message, places: Sequence[int], format_: Format) -> Message:
    """Give a message with these parts alone, where results share it with what was said."""
    if not isinstance(format_, NextMessage):
        return message
    given = format_.parts(message)
    kept = [given[k] for k in sorted(places)]
    return message if len(kept) == len(given) else format_.with_parts(message, kept)
