"""What a repair at the write tells: one value a repaired call to the callback, one line to the log.

The log has ids, tool names and kinds only, never content.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from endmark.errors import UnreadableError
from endmark.model import Finding, Kind

__all__ = ["OnRepair", "Repair", "left_alone", "report"]

TAKEN_OUT = frozenset({Kind.ORPHAN, Kind.DUPLICATE})
LOG = logging.getLogger("endmark")


@dataclass(frozen=True, slots=True)
class Repair:
    """One call that was repaired at the write.

    `dropped` holds what the results say that were taken out (orphans, duplicates), since a guard
    keeps no journal; it is not part of the representation.
    """

    conversation_id: object
    kind: Kind
    call_id: str | None
    tool_name: str | None
    dropped: tuple[object, ...] = field(default=(), repr=False, compare=False)


OnRepair = Callable[[Repair], None]


def report(
    conversation_id: object, findings: Iterable[Finding], on_repair: OnRepair | None
) -> None:
    """Tell of each repaired call once, whatever the number of findings about it."""
    told: dict[object, Finding] = {}
    dropped: dict[object, list[object]] = {}
    for finding in findings:
        subject = finding.call_id or (finding.message, finding.part)
        if subject not in told or finding.kind is Kind.DANGLING:
            told[subject] = finding
        if finding.kind in TAKEN_OUT and finding.dropped is not None:  # None: kept as text
            dropped.setdefault(subject, []).append(finding.dropped)
    for about, finding in told.items():
        content = tuple(dropped.get(about, ()))
        repair = Repair(conversation_id, finding.kind, finding.call_id, finding.tool_name, content)
        LOG.info(
            "repaired conversation=%s call=%s tool=%s kind=%s",
            conversation_id,
            finding.call_id,
            finding.tool_name,
            finding.kind,
        )
        if on_repair is not None:
            on_repair(repair)


def left_alone(conversation_id: object, error: UnreadableError) -> None:
    """Say that a conversation was written to without a look at it, since a row cannot be read."""
    LOG.warning("conversation=%s was written to as it is: %s", conversation_id, error)
