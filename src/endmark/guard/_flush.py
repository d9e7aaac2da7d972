"""One flush of a guarded session: what is about to be written, put in an order that can be sent.

Calls that stand open in the database are closed at connection level before the flush, so that the
closing rows sort first; what both is in this flush gets closing objects of its own; the rest is
repaired in the rows right after the flush.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection
from sqlalchemy.orm import Session, attributes

from endmark.formats._base import Message
from endmark.guard._changes import changes, reload
from endmark.guard._closing import (
    MICROSECOND,
    Added,
    as_read,
    between,
    in_order,
    object_of,
    places,
    renumber,
    stands_before,
)
from endmark.guard._core import Since, earlier, read_tail, settle, starting_at, time_due
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
    moved: set[Any] = field(default_factory=set)  # where rows were put, or moved, behind the last
    # To be repaired when the flush is done, and from what place on.
    after: dict[Any, Since] = field(default_factory=dict)
    taken: set[Any] = field(default_factory=set)  # of those, where rows were changed or deleted
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
        self._changed: set[Any] = set()  # conversations of which a row is changed or deleted
        self._made: list[Any] = []  # closing objects

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
        for conversation, since in changes(self.handle, self.session, lambda: self.connection):
            self.later(conversation, since, taken=True)
            self._changed.add(conversation)
        groups = self._added()
        # In one order for all writers, or two could each wait for the other's conversation.
        for group in sorted(groups, key=repr) if len(groups) > 1 else groups:
            try:
                self._order(group if group.__class__ is tuple else None, groups[group])
            except BaseException:
                self._take_back()
                raise

    def _added(self) -> dict[Any, list[Added]]:
        """Give the new objects with a message, by conversation."""
        groups: dict[Any, list[Added]] = {}
        cls, mapping = None, None
        for obj in in_order(self.session.new):
            if obj.__class__ is not cls:
                cls = obj.__class__
                mapping = self.handle.mapping(cls)
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
                added = Added(obj, message, mapping, values.get(mapping.order))
                groups.setdefault(group, []).append(added)
        return groups

    def _take_back(self) -> None:
        """Leave no closing object behind a flush that is refused: its call may not be written."""
        for marker in self._made:
            if marker in self.session.new:
                self.session.expunge(marker)

    def later(self, conversation: Any, since: Since = None, *, taken: bool = False) -> None:
        """Note that a conversation is to be repaired, from its end or an earlier place on."""
        if conversation is not None:
            kept = self.handle.kept(self.session)
            kept.after[conversation] = earlier(kept.after.get(conversation), since)
            kept.taken.update([conversation] if taken else ())

    # Both are asked for once, since they are dear to ask; `cached_property` has a lock (3.11).
    @property
    def connection(self) -> Connection:
        """The session's own."""
        if self._connection is None:
            self._connection = self.session.connection(
                bind_arguments={"mapper": self.handle.mapper}
            )
        return self._connection

    @property
    def rows(self) -> Rows:
        if self._rows is None:
            self._rows = self.handle.rows(self.connection)
        return self._rows

    def _order(self, conversation: Any, added: list[Added]) -> None:
        """Put the new objects of one conversation in order behind what is stored."""
        numbers = [each.number for each in added]
        numbered = None not in numbers
        if numbered and numbers[1:]:
            added = [added[k] for k in as_read(numbers)]
        tail = self._tail(conversation, numbered=numbered)
        timed = conversation is not None and self.rows.source.kind == "time"
        if timed and not numbered:
            self._give_times(conversation, added)
        before = numbered and stands_before(added[0].number, tail.last)
        if before or conversation in self._changed:
            # What is closed now could be moved to a row that this flush writes over, or deletes.
            self.later(conversation, starting_at(added[0].number) if before else None)
            self.handle.kept(self.session).tails.pop(conversation, None)
            return
        if not tail.passes([each.message for each in added], added[0].mapping.format):
            self._weigh(conversation, tail, added, timed=timed)
        if numbered:  # they may have been moved on
            tail.last = added[-1].now

    def _weigh(self, conversation: Any, tail: Tail, added: list[Added], *, timed: bool) -> None:
        """Weigh message by message; close what one passes, and note what is to be repaired later."""
        policy = self.handle.policy
        waiting: list[Added] = []  # of the running block
        for each in added:
            message, mapping = each.message, each.mapping
            verdict = weigh(tail, message, mapping.format, policy)
            closed = False
            if verdict.message is None:  # the row is the application's: it is looked at later
                verdict = replace(verdict, message=message, disturbs=True)
            elif verdict.message is not message:
                values = attributes.instance_dict(each.obj)
                for key, value in mapping.put(verdict.message, values).items():
                    setattr(each.obj, key, value)
                report(_plain(conversation), verdict.findings, self.handle.on_repair)
            if verdict.closes:
                closed = self._close(tail, conversation, waiting, each, added, timed=timed)
                tail.block, tail.open = [], False
            # A time may be that of the closing rows.
            unsure = not closed or timed
            if unsure and (verdict.disturbs or verdict.closes):
                self.later(conversation)
            tail.take(weigh(tail, message, mapping.format, policy) if closed else verdict)
            waiting.append(each)

    def _give_times(self, conversation: Any, added: Sequence[Added]) -> None:
        """Where rows came to later times than the database's own, new ones go on behind them."""
        rows, moved = self.rows, conversation in self.handle.kept(self.session).moved
        following = time_due(self.connection, rows, rows.id_of(conversation), moved=moved)
        if following is None:
            return
        for each in added:
            if each.now is None and not each.mapping.has_clock:
                setattr(each.obj, each.mapping.order, following)
                following += MICROSECOND

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
        tail: Tail,
        conversation: Any,
        waiting: Sequence[Added],
        new: Added,
        added: Sequence[Added],
        *,
        timed: bool,
    ) -> bool:
        """Close what is open before an object; False where that has to wait for the flush."""
        if not waiting:
            given = any(each.now is not None for each in added)
            if given and self.rows.source.kind == "shared":
                return False  # the database numbers closing rows: they could take what was given
            self.settle(conversation, "over")
            rows, id_ = self.rows, self.rows.id_of(conversation)
            last, _ = rows.tail(self.connection, id_, 1)
            if rows.numbered and last:
                renumber(added, int(last[0][0] or 0))
            if timed:
                self._give_times(conversation, added)
            return True
        found = examine(tail.block, new.mapping.format, self.handle.policy)
        where = places(found.rebuild(), tail.block, waiting, new)
        if where is None:
            return False
        for marker, before in where:
            self._add_before(marker, before, added)
        report(_plain(conversation), found.findings, self.handle.on_repair)
        return True

    def _add_before(self, message: Message, new: Added, added: Sequence[Added]) -> None:
        """Add an object that the unit of work inserts right before another one."""
        obj, mapping = new.obj, new.mapping
        marker = object_of(mapping, message, obj)
        self.session.add(marker)
        self._made.append(marker)
        # It inserts by this number, and objects have whole ones: each marker halves the gap.
        state: Any = attributes.instance_state(obj)
        low = self._low.get(id(obj), state.insert_order - 1)
        order: Any = (low + state.insert_order) / 2
        self._low[id(obj)] = attributes.instance_state(marker).insert_order = order
        number = new.now
        if number is None:
            return
        at = next(k for k, each in enumerate(added) if each.obj is obj)
        middle = between(added[at - 1].now if at else None, number)
        setattr(marker, mapping.order, number if middle is None else middle)
        if middle is None:
            renumber(added[at:], number)

    def settle(
        self, conversation: Any, turn: Turn, since: Since = None, *, taken: bool = False
    ) -> None:
        """Repair a conversation at connection level, its end or from an earlier place on."""
        rows, policy = self.rows, self.handle.policy
        kept = self.handle.kept(self.session)
        self._fence(rows, conversation)
        try:
            id_ = rows.id_of(conversation)
            done = settle(self.connection, rows, id_, policy, turn, since, taken=taken)
        except UnreadRowError as error:
            self._leave(conversation, error)
            return
        kept.tails.pop(conversation, None)
        if done.stray or done.left:
            tail = self._tail(conversation)
            tail.stray, tail.left = done.stray, tail.left or done.left
        if done.findings:
            kept.moved.add(conversation)
            report(_plain(conversation), done.findings, self.handle.on_repair)
            reload(self.handle, self.session, self.connection, conversation)


def refreshed(handle: Handle, session: Session) -> None:
    """After a flush: repair what could not be put in order before it."""
    kept = session.info.get("endmark.kept", {}).get(handle)
    if kept is None or not (kept.after or kept.nameless):
        return
    after, kept.after = kept.after, {}
    taken, kept.taken = kept.taken, set()
    nameless, kept.nameless = kept.nameless, []
    for obj in nameless:
        mapping = handle.mapping(type(obj))
        values = attributes.instance_dict(obj)
        named = mapping and mapping.conversation_of(values)
        if mapping and named is not None:
            after[named] = earlier(after.get(named), starting_at(values.get(mapping.order)))
    for conversation, since in sorted(after.items(), key=repr):
        flush = Flush(handle, session)
        flush.settle(conversation, "open", since, taken=conversation in taken)


def _plain(conversation: Any) -> Any:
    return conversation[0] if conversation and len(conversation) == 1 else conversation
