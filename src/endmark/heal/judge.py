"""Decide of one conversation whether it is poisoned, and what would be written: never how found.

The one definition is the core's `examine`; what is added here is the frontier's age, and which
rows of an inline format can be judged without their neighbours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.heal.branches import examine_all
from endmark.heal.report import Item, Options, label
from endmark.heal.sections import joined
from endmark.history import Examination, examine
from endmark.model import Finding, SetId, Turn
from endmark.policy import Policy
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row, Section
from endmark.stores.source import Source
from endmark.stores.table import Cell

Id = tuple[Cell, ...]


@dataclass(slots=True)
class Verdict:
    """What was found in one conversation, and the changes that would heal it.

    `alone` holds where each row was judged by itself: the rows are then healed by themselves too.
    """

    id: Id
    findings: tuple[Finding, ...] = ()
    changes: list[Change] = field(default_factory=list)
    waits: str | None = None  # why something at the end is left open
    alone: bool = False
    problem: str | None = None
    rows: int = 0  # that it was judged from

    def item(self, store: str) -> Item | None:
        """Give the report of this conversation; None for a clean one."""
        name = label(self.id)
        if self.problem is not None:
            return Item(store, name, "skipped", reason=self.problem)
        if self.findings:
            return Item(store, name, "poisoned", self.findings)
        return Item(store, name, "pending", reason=self.waits) if self.waits else None


class Judge:
    """Judge the conversations of one store by one policy and one clock."""

    def __init__(self, source: Source, policy: Policy, options: Options) -> None:
        pending = policy.pending_tools | source.store.pending_tools
        self.source = source
        self.policy = policy.model_copy(update={"pending_tools": pending})
        self.include_frontier = options.include_frontier
        self.now = time.time() if options.now is None else options.now

    def turn(self, written: float | None) -> Turn:
        """Tell whether the last turn counts as over: a row of unknown age may be young."""
        if self.include_frontier:
            return "over"
        young = written is None or self.now - written < self.policy.min_age
        return "open" if young else "over"

    def examine(self, conversation: Conversation) -> Examination:
        if conversation.sections:
            return joined(conversation, self.source.format, self._section)
        turn = self.turn(conversation.written)
        return examine_all(
            conversation,
            self.source.format,
            self.policy,
            turn,
            passed=self.include_frontier,
        )

    def rebuilt(self, conversation: Conversation, examination: Examination) -> Rebuilt:
        """Give the repaired history; results that are stored beside it stand before made ones."""
        open_ = {call.id for call in examination.pending}
        aside = [result for id_, result in conversation.aside.items() if id_ not in open_]
        if not aside or not examination.edits:
            return examination.rebuild()
        whole = replace(conversation, history=[*conversation.history, *aside])
        made = self.examine(whole).rebuild()
        size = len(conversation.history)
        origins = [k if k is not None and k < size else None for k in made.origins]
        return Rebuilt.of(made.messages, origins)

    def _section(self, history: list[Any], section: Section) -> Examination:
        """Examine one section; what waits for a person is left whole."""
        turn = "over" if section.ended else self.turn(section.row.written)
        waits = section.waits and not self.include_frontier
        found = examine(
            history,
            self.source.format,
            self.policy,
            "open" if waits else turn,
            passed=self.include_frontier,
        )
        return replace(found, findings=(), edits=()) if waits else found

    def _waits(self, conversation: Conversation) -> str:
        """Say why calls at the end are left open: what age cannot close waits on purpose."""
        if self._on_purpose(conversation):
            return "waits on purpose"
        if conversation.written is None:
            return "age unknown"
        return f"younger than {_age(self.policy.min_age)}"

    def _on_purpose(self, conversation: Conversation) -> bool:
        format_, policy = self.source.format, self.policy
        if not conversation.sections:
            pending = examine_all(conversation, format_, policy, "over").pending
            return conversation.paused or bool(pending)
        waiting = [one for one in conversation.sections if one.waits]
        return any(
            self._section(conversation.history[o.start : o.stop], o).pending for o in waiting
        )

    def whole(self, conversation: Conversation) -> Verdict:
        """Judge a conversation from all of its rows."""
        verdict = Verdict(
            conversation.id, problem=conversation.problem, rows=len(conversation.rows)
        )
        if verdict.problem is None and self.source.mixed is not None:
            verdict.problem = self.source.mixed.why(conversation.history)
        if verdict.problem is not None:
            return verdict
        try:
            seen = [(c, self.examine(c)) for c in (conversation, *conversation.others)]
            verdict.findings = tuple(f for _, examination in seen for f in examination.findings)
            waits = any(examination.pending for _, examination in seen)
            if conversation.paused and not self.include_frontier:
                waits, verdict.findings = waits or bool(verdict.findings), ()
            verdict.waits = self._waits(conversation) if waits else None
            if verdict.findings and any(examination.edits for _, examination in seen):
                for history, examination in seen:
                    history.rebuilt = self.rebuilt(history, examination)
                assert conversation.rebuilt is not None
                verdict.changes = self.source.changes(conversation, conversation.rebuilt)
        except UnreadableError as error:
            verdict.problem = str(error)
        return verdict

    def alone(self, found: Mapping[Id, Sequence[Row]]) -> dict[Id, Verdict]:
        """Judge rows of an inline format without their neighbours, those of many conversations.

        Left out are conversations whose neighbours have a say: where a call may be pending, where
        a row may be of a turn that goes on or cannot be read, and where ids are to be made, which
        come from the position in the conversation.
        """
        old = {
            id_: rows
            for id_, rows in found.items()
            if not self.source.format.linked
            and all(self.turn(row.written) == "over" for row in rows)
        }
        try:
            return self._at_once(old)
        except UnreadableError:  # one of them: the others are judged each by themselves
            verdicts: dict[Id, Verdict] = {}
            for id_, rows in old.items():
                with suppress(UnreadableError):
                    verdicts |= self._at_once({id_: rows})
            return verdicts

    def _at_once(self, found: Mapping[Id, Sequence[Row]]) -> dict[Id, Verdict]:
        """Judge rows as one history in which no user speaks: a third of the time."""
        is_user, decode = self.source.format.is_user, self.source.decode
        singles: list[Conversation] = []
        for id_, rows in found.items():
            for row in rows:
                decode(row)
            history = [row.message or {} for row in rows]
            if not any(map(is_user, history)):
                singles.append(Conversation(id_, list(rows), history))
        everything = [message for single in singles for message in single.history]
        examination = examine(
            everything, self.source.format, self.policy, passed=self.include_frontier
        )
        return dict(self._parted(singles, examination))

    def _parted(
        self, singles: list[Conversation], examination: Examination
    ) -> Iterator[tuple[Id, Verdict]]:
        """Part what was found, and the edits, by conversation."""
        near = {e.event.at.message for e in examination.edits if isinstance(e, SetId)}
        near |= {call.at.message for call in examination.pending}
        findings: dict[int, list[Finding]] = {}
        for finding in examination.findings:
            findings.setdefault(finding.message, []).append(finding)
        rebuilt = examination.rebuild()
        kept = dict(zip(rebuilt.origins, rebuilt.messages, strict=True))
        start = 0
        for single in singles:
            span = range(start, start + len(single.rows))
            start = span.stop
            if not near.isdisjoint(span):
                continue
            verdict = Verdict(single.id, alone=True)
            verdict.findings = tuple(f for index in span for f in findings.get(index, ()))
            own = Rebuilt()
            for k, index in enumerate(span):
                if index in kept:
                    own.add(kept[index], k)
            if verdict.findings:
                verdict.changes = self.source.changes(single, own)
            yield single.id, verdict


def _age(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g} {unit}"
    return f"{seconds:g} s"
