"""What a heal says of itself: counts and names, never the content of a message.

Only `Shown` holds messages; it is made by `show` alone, when somebody asks for one conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from endmark.model import Finding
from endmark.stores.conversation import Unread
from endmark.stores.table import Cell

Status = Literal["poisoned", "pending", "skipped"]
OnProgress = Callable[[int, int | None], None]


def label(id_: tuple[Cell, ...]) -> str:
    """Name a conversation as reports do: its columns joined by slashes."""
    return "/".join(map(str, id_))


@dataclass(frozen=True)
class Options:
    """Say how a heal goes about it.

    Fields: `include_frontier` (close what is open at the very end however young it is, and also
    what waits on purpose), `shard` (i, n: only every n-th conversation, the i-th of them), `batch`
    (conversations a transaction), `now` (seconds since the epoch; None: the clock).
    """

    include_frontier: bool = False
    shard: tuple[int, int] | None = None
    batch: int = 500
    now: float | None = None

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise ValueError("batch must be 1 or more")
        if self.shard and not (self.shard[1] >= 1 and 0 <= self.shard[0] <= self.shard[1]):
            raise ValueError("a shard is i/n with 1 <= i <= n")


@dataclass(frozen=True)
class Item:
    """One conversation that is not clean."""

    store: str
    conversation: str
    status: Status
    findings: tuple[Finding, ...] = ()
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Give what `scan --list` prints: no indexes, no content."""
        found = [
            {"kind": str(f.kind), "call_id": f.call_id, "tool_name": f.tool_name}
            for f in self.findings
        ]
        given = {"store": self.store, "conversation": self.conversation, "status": self.status}
        return given | {"findings": found} | ({"reason": self.reason} if self.reason else {})


OnItem = Callable[[Item], None]
USUAL = Options()


@dataclass
class _Counts:
    def as_json(self) -> dict[str, Any]:
        """Give the counts as one object."""
        return asdict(self)


@dataclass
class Scan(_Counts):
    """What a scan found: numbers of conversations, and of findings by kind."""

    conversations: int = 0
    poisoned: int = 0
    pending: int = 0
    skipped: int = 0
    findings: dict[str, int] = field(default_factory=Counter)

    def add(self, item: Item) -> None:
        setattr(self, item.status, getattr(self, item.status) + 1)
        if item.status == "poisoned":
            count(self.findings, item)


@dataclass
class Applied(_Counts):
    """What an apply did; `run` is None when nothing was to be written."""

    run: str | None = None
    healed: int = 0
    rows_changed: int = 0
    rows_inserted: int = 0
    rows_deleted: int = 0
    skipped: int = 0
    pending: int = 0
    findings: dict[str, int] = field(default_factory=Counter)
    stopped: bool = False

    def add(self, item: Item) -> None:
        if item.status == "poisoned":
            self.healed += 1
            count(self.findings, item)
        elif item.status == "pending":
            self.pending += 1
        else:
            self.skipped += 1


@dataclass
class Undone(_Counts):
    """What an undo did; `rows_left` names each row that was left alone, and why."""

    run: str
    rows_restored: int = 0
    rows_left: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """One run as the journal has it; times are ISO 8601 in UTC, None while not yet.

    `rows_left`: how many rows an undo left alone; the next one tries these.
    """

    run: str
    store: str
    started: str
    finished: str | None
    healed: int
    rows: int
    undone: str | None
    rows_left: int = 0


@dataclass(frozen=True)
class Shown:
    """One conversation before and after; the only report that holds messages.

    `origins[k]` is the index that `after[k]` has in `before`, None where it is new. `unread` says
    what `before` lacks: before which index, and why it cannot be read.
    """

    before: list[Any]
    after: list[Any]
    findings: tuple[Finding, ...]
    status: Literal["clean", "poisoned", "pending", "skipped"]
    reason: str | None = None
    origins: tuple[int | None, ...] = ()
    unread: tuple[Unread, ...] = ()


def count(findings: dict[str, int], item: Item) -> None:
    """Add a conversation's findings to the counts by kind."""
    for finding in item.findings:
        kind = str(finding.kind)
        findings[kind] = findings.get(kind, 0) + 1
