"""What a repair at the write tells: one value a repaired call to the callback, one line to the log.

Ids, tool names and kinds only, never content.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from endmark.model import Finding, Kind

__all__ = ["OnRepair", "Repair", "report"]

LOG = logging.getLogger("endmark")


@dataclass(frozen=True, slots=True)
class Repair:
    """One call that was repaired at the write."""

    conversation_id: object
    kind: Kind
    call_id: str | None
    tool_name: str | None


OnRepair = Callable[[Repair], None]


def report(
    conversation_id: object, findings: Iterable[Finding], on_repair: OnRepair | None
) -> None:
    """Tell of each repaired call once, whatever the number of findings about it."""
    told: dict[object, Finding] = {}
    for finding in findings:
        subject = finding.call_id or (finding.message, finding.part)
        if subject not in told or finding.kind is Kind.DANGLING:
            told[subject] = finding
    for finding in told.values():
        repair = Repair(conversation_id, finding.kind, finding.call_id, finding.tool_name)
        LOG.info(
            "repaired conversation=%s call=%s tool=%s kind=%s",
            conversation_id,
            finding.call_id,
            finding.tool_name,
            finding.kind,
        )
        if on_repair is not None:
            on_repair(repair)
