"""Decide of one conversation whether it is poisoned, and what would be written: never how found.

The one definition is the core's `examine`; what is added here is the frontier's age, and which
rows of an inline format can be judged without their neighbours.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from endmark.errors import UnreadableError
from endmark.heal.report import Item, Options, label
from endmark.heal.sections import joined
from endmark.history import Examination, examine
from endmark.model import Finding, SetId, Turn
from endmark.policy import Policy
from endmark.stores.changes import Change
from endmark.stores.source import Conversation, Row, Section, Source
from endmark.stores.table import Cell


@dataclass(slots=True)
class Verdict:
    """What was found in one conversation, and the changes that would heal it.

    `alone` holds where each row was judged by itself: the rows are then healed by themselves too.
    """

    id: tuple[Cell, ...]
    findings: tuple[Finding, ...] = ()
    changes: list[Change] = field(default_factory=list)
    waits: str | None = None  # why something at the end is left open
    alone: bool = False
    problem: str | None = None

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
        return examine(
            conversation.history,
            self.source.format,
            self.policy,
            turn,
            passed=self.include_frontier,
        )

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
            return bool(examine(conversation.history, format_, policy, "over").pending)
        waiting = [one for one in conversation.sections if one.waits]
        return any(
            self._section(conversation.history[o.start : o.stop], o).pending for o in waiting
        )

    def whole(self, conversation: Conversation) -> Verdict:
        """Judge a conversation from all of its rows."""
        verdict = Verdict(conversation.id, problem=conversation.problem)
        if verdict.problem is not None:
            return verdict
        try:
            examination = self.examine(conversation)
            verdict.findings = examination.findings
            verdict.waits = self._waits(conversation) if examination.pending else None
            if examination.edits:
                verdict.changes = self.source.changes(conversation, examination.rebuild())
        except UnreadableError as error:
            verdict.problem = str(error)
        return verdict

    def alone(self, id_: tuple[Cell, ...], rows: Sequence[Row]) -> Verdict | None:
        """Judge rows of an inline format one by one; None if their neighbours have a say.

        They have where a call may be pending, where the row may be of a turn that goes on, and
        where ids are to be made, which come from the position in the conversation.
        """
        if self.source.format.linked:
            return None
        verdict = Verdict(id_, alone=True)
        for row in rows:
            if self.turn(row.written) == "open":
                return None
            single = Conversation(id_, [row])
            try:
                self.source.decode(row)
                single.history = [row.message or {}]
                examination = self.examine(single)
                if examination.pending or any(isinstance(e, SetId) for e in examination.edits):
                    return None
                if examination.edits:
                    verdict.changes += self.source.changes(single, examination.rebuild())
            except UnreadableError:
                return None
            verdict.findings += examination.findings
        return verdict


def _age(seconds: float) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g} {unit}"
    return f"{seconds:g} s"
