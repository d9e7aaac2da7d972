"""One flush of a guarded session: what is about to be written, put in an order that can be sent.

Calls that stand open in the database are closed at connection level before the flush, so that the
closing rows sort first; what both is in this flush gets closing objects of its own; the rest is
repaired in the rows right after the flush.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select
from sqlalchemy.orm import Session, attributes

from endmark.formats._base import Message
from endmark.guard._closing import (
    as_read,
    between,
    in_order,
    object_of,
    places,
    renumber,
    stands_before,
    time_behind,
)
from endmark.guard._core import Since, earlier, read_tail, settle, starting_at
from endmark.guard._mapping import Mapping
from endmark.guard._rows import Rows, UnreadRowError
from endmark.guard._tail import Tail, weigh
from endmark.guard.report import left_alone, report
from endmark.history import examine
from endmark.model import Turn

if TYPE_CHECKING:
    from endmark.guard.hook import Handle


__all__ = ["Flush", "Kept", "refreshed"]


@dataclass(slots=True)
class Kept:
    """What is known of a transaction's conversations, on `session.info`."""

    tails: dict[Any, Tail] = field(default_factory=dict)
    locked: set[Any] = field(default_factory=set)
    # To be repaired when the flush is done, and from what place on.
    after: dict[Any, Since] = field(default_factory=dict)
    unread: set[Any] = field(default_factory=set)  # what cannot be read, as was said
    nameless: list[Any] = field(default_factory=list)  # objects whose conversation it will tell


class Flush:
    """The guarded objects of one flush."""

    def __init__(self, handle: Handle, session: Session) -> None:
        self.handle = handle
        self.session = session
        self._connection: Connection | None = None
        self._rows: Rows | None = None
        self._low: dict[int, float] = {}

    def finalize(self) -> None:
        """Inline formats: finalize each new and changed object's message in place."""
        mapping_of = self.handle.mapping
        for objects in (self.session.new, self.session.dirty):
            for obj in objects:
                mapping = mapping_of(obj.__class__)
                if mapping is None:
                    continue
                values = attributes.instance_dict(obj)
                if mapping.payload in values:
                    self._finalize(obj, mapping, values)

    def _finalize(self, obj: Any, mapping: Mapping, values: dict[str, Any]) -> None:
        message = mapping.message(values)
        if message is None:
            return
        found = examine([message], mapping.format, self.handle.policy)
        if not found.edits:
            return
        name = mapping.conversation_of(values)
        if self.handle.is_open(self.session, name):
            return
        kept = found.rebuild().messages
        new = kept[0] if kept else {**message, mapping.format.body: []}
        for key, value in mapping.put(new, values).items():
            setattr(obj, key, value)
        report(_plain(name), found.findings, self.handle.on_repair)

    def order(self) -> None:
        """Own message and next message formats: close first, and note what comes after."""
        mapping_of = self.handle.mapping
        groups: dict[Any, list[tuple[Any, Message]]] = {}
        cls, mapping = None, None
        for obj in in_order(self.session.new):
            if obj.__class__ is not cls:
                cls = obj.__class__
                mapping = mapping_of(cls)
            if mapping is None:
                continue
            values = attributes.instance_dict(obj)
            message = mapping.message(values)
            if message is None:
                continue
            group = mapping.group_of(values)
            if group is None:  # in a collection of its parent, without a way back
                self.handle.kept(self.session).nameless.append(obj)
            else:
                groups.setdefault((mapping, group), []).append((obj, message))
        for (mapping, group), given in groups.items():
            named = group if group.__class__ is tuple else None
            self._order(mapping, named, [pair[0] for pair in given], [pair[1] for pair in given])
        for obj in self.session.dirty:
            mapping = mapping_of(obj.__class__)
            if mapping is not None and self._touches(obj, mapping):
                self._later_of(obj, mapping)
        for obj in self.session.deleted:
            mapping = mapping_of(obj.__class__)
            if mapping is not None:
                self._later_of(obj, mapping)

    def _touches(self, obj: Any, mapping: Mapping) -> bool:
        history = attributes.get_history(obj, mapping.payload)
        return bool(history.added or history.deleted)

    def _later_of(self, obj: Any, mapping: Mapping) -> None:
        # By attribute: an expired object is read again.
        conversation = tuple(getattr(obj, name) for name in mapping.conversation)
        self._later(conversation, starting_at(getattr(obj, mapping.order)))

    def _later(self, conversation: Any, since: Since = None) -> None:
        """Note that a conversation is to be repaired, from its end or an earlier place on."""
        if conversation is not None:
            after = self.handle.kept(self.session).after
            after[conversation] = earlier(after.get(conversation), since)

    # Both are asked for once, since they are dear to ask; `cached_property` has a lock (3.11).
    @property
    def connection(self) -> Connection:
        """The session's own."""
        if self._connection is None:
            self._connection = self.session.connection()
        return self._connection

    @property
    def rows(self) -> Rows:
        if self._rows is None:
            self._rows = self.handle.rows(self.connection)
        return self._rows

    def _order(
        self, mapping: Mapping, conversation: Any, objects: list[Any], messages: list[Message]
    ) -> None:
        numbers = [attributes.instance_dict(obj).get(mapping.order) for obj in objects]
        numbered = None not in numbers
        if numbered and numbers[1:]:
            at = as_read(numbers)
            objects, messages = [objects[k] for k in at], [messages[k] for k in at]
            numbers = [numbers[k] for k in at]
        tail = self._tail(conversation, numbered=numbered)
        timed = conversation is not None and self.rows.source.kind == "time"
        if timed and not numbered:
            self._give_time(mapping, conversation, objects[0])
        if numbered and stands_before(numbers[0], tail.last):
            self._later(conversation, starting_at(numbers[0]))
            return
        if tail.passes(messages, mapping.format):
            tail.last = numbers[-1] if numbered else tail.last
            return
        waiting: list[Any] = []  # objects of the running block
        for obj, message in zip(objects, messages, strict=True):
            values = attributes.instance_dict(obj)
            verdict = weigh(tail, message, mapping.format, self.handle.policy)
            closed = False
            if verdict.message is None:  # the row is the application's: it is looked at later
                verdict = replace(verdict, message=message, disturbs=True)
            elif verdict.message is not message:
                for key, value in mapping.put(verdict.message, values).items():
                    setattr(obj, key, value)
                report(_plain(conversation), verdict.findings, self.handle.on_repair)
            if verdict.closes:
                closed = self._close(mapping, tail, conversation, waiting, obj, objects)
                tail.block, tail.open = [], False
            # A time that the database is to give may be that of the closing rows.
            unsure = not closed or (timed and values.get(mapping.order) is None)
            if unsure and (verdict.disturbs or verdict.closes):
                self._later(conversation)
            tail.take(
                weigh(tail, message, mapping.format, self.handle.policy) if closed else verdict
            )
            waiting.append(obj)
        if numbered:  # they may have been moved on
            tail.last = attributes.instance_dict(objects[-1])[mapping.order]

    def _give_time(self, mapping: Mapping, conversation: Any, obj: Any) -> None:
        """Where rows were moved on to later times, the database's own would be before them."""
        rows = self.rows
        last, _ = rows.tail(self.connection, rows.id_of(conversation), 1)
        moved = conversation in self.handle.kept(self.session).locked
        following = time_behind(last[0][0]) if last else None
        if following is None or (rows.postgresql and not moved):
            return
        now = datetime.now(following.tzinfo or UTC).replace(microsecond=0)
        if rows.postgresql or following.replace(tzinfo=now.tzinfo) > now:
            setattr(obj, mapping.order, following)

    def _fence(self, rows: Rows, conversation: Any) -> None:
        locked = self.handle.kept(self.session).locked
        if conversation not in locked:
            rows.fence(self.connection, rows.id_of(conversation))
            locked.add(conversation)

    def _tail(self, conversation: Any, *, numbered: bool = False) -> Tail:
        if conversation is None:
            return Tail()
        kept = self.handle.kept(self.session)
        if conversation not in kept.tails:
            rows, connection = self.rows, self.connection
            id_ = rows.id_of(conversation)
            if not (rows.exact and numbered):  # else a second writer's number is refused
                self._fence(rows, conversation)
            try:
                tail = read_tail(connection, rows, id_, self.handle.policy)
            except UnreadRowError as error:
                self._leave(conversation, error)
                tail = Tail()
            kept.tails[conversation] = tail
        return kept.tails[conversation]

    def _leave(self, conversation: Any, error: UnreadRowError) -> None:
        """Leave a conversation as it is that has a row which cannot be read, and say so once."""
        unread = self.handle.kept(self.session).unread
        if conversation not in unread:
            unread.add(conversation)
            left_alone(_plain(conversation), error)

    def _close(
        self,
        mapping: Mapping,
        tail: Tail,
        conversation: Any,
        waiting: Sequence[Any],
        obj: Any,
        objects: Sequence[Any],
    ) -> bool:
        """Close what is open before an object; False where that has to wait for the flush."""
        given = any(
            attributes.instance_dict(each).get(mapping.order) is not None for each in objects
        )
        if not waiting and given and self.rows.source.kind == "shared":
            return False  # the database numbers closing rows: they could take what was given
        if not waiting:
            self.settle(conversation, "over")
            rows, id_ = self.rows, self.rows.id_of(conversation)
            last, _ = rows.tail(self.connection, id_, 1)
            if rows.numbered and last:
                renumber(mapping, objects, int(last[0][0] or 0))
            return True
        found = examine(tail.block, mapping.format, self.handle.policy)
        where = places(found.rebuild(), tail.block, waiting, obj)
        if where is None:
            return False
        for marker, before in where:
            self._add_before(mapping, marker, before, objects)
        report(_plain(conversation), found.findings, self.handle.on_repair)
        return True

    def _add_before(
        self, mapping: Mapping, message: Message, obj: Any, objects: Sequence[Any]
    ) -> None:
        """Add an object that the unit of work inserts right before another one."""
        marker = object_of(mapping, message, obj)
        self.session.add(marker)
        # It inserts by this number, and objects have whole ones: each marker halves the gap.
        state: Any = attributes.instance_state(obj)
        low = self._low.get(id(obj), state.insert_order - 1)
        order: Any = (low + state.insert_order) / 2
        self._low[id(obj)] = attributes.instance_state(marker).insert_order = order
        number = attributes.instance_dict(obj).get(mapping.order)
        if number is None:
            return
        at = list(objects).index(obj)
        earlier = attributes.instance_dict(objects[at - 1]).get(mapping.order) if at else None
        middle = between(earlier, number)
        setattr(marker, mapping.order, number if middle is None else middle)
        if middle is None:
            renumber(mapping, objects[at:], number)

    def settle(self, conversation: Any, turn: Turn, since: Since = None) -> None:
        """Repair a conversation at connection level, its end or from an earlier place on."""
        rows, policy = self.rows, self.handle.policy
        kept = self.handle.kept(self.session)
        self._fence(rows, conversation)
        try:
            done = settle(self.connection, rows, rows.id_of(conversation), policy, turn, since)
        except UnreadRowError as error:
            self._leave(conversation, error)
            return
        kept.tails.pop(conversation, None)
        if done.stray or done.left:
            tail = self._tail(conversation)
            tail.stray, tail.left = done.stray, tail.left or done.left
        if done.findings:
            report(_plain(conversation), done.findings, self.handle.on_repair)
            self._reload(conversation)

    def _reload(self, conversation: Any) -> None:
        """Let objects be read again whose rows were changed behind them; gone ones leave."""
        for obj in list(self.session.identity_map.values()):
            mapping = self.handle.mapping(type(obj))
            if mapping is None:
                continue
            values = attributes.instance_dict(obj)
            if mapping.conversation_of(values) not in {conversation, None}:
                continue
            table = mapping.table
            key = attributes.instance_state(obj).identity or ()
            columns = mapping.mapper.primary_key
            there = select(columns[0]).where(
                *(column == cell for column, cell in zip(columns, key, strict=True))
            )
            if self.connection.execute(there.select_from(table)).first() is None:
                self.session.expunge(obj)
            else:
                names = [mapping.payload, mapping.order, *filter(None, [mapping.role])]
                self.session.expire(obj, [n for n in names if n not in mapping.key])


def refreshed(handle: Handle, session: Session) -> None:
    """After a flush: repair what could not be put in order before it."""
    kept = session.info.get("endmark.kept", {}).get(handle)
    if kept is None or not (kept.after or kept.nameless):
        return
    after, kept.after = kept.after, {}
    nameless, kept.nameless = kept.nameless, []
    for obj in nameless:
        mapping = handle.mapping(type(obj))
        named = mapping and mapping.conversation_of(attributes.instance_dict(obj))
        if named is not None:
            after.setdefault(named, None)
    for conversation, since in after.items():
        Flush(handle, session).settle(conversation, "open", since)


def _plain(conversation: Any) -> Any:
    return conversation[0] if conversation and len(conversation) == 1 else conversation
