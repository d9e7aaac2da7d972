"""How far a run of heal goes, when it asks first, and how it stops."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event
from typing import Annotated, Any

import typer

from endmark.cli.door import say
from endmark.errors import HealError
from endmark.heal import Options

__all__ = ["Reach", "confirm", "require_terminal", "stopping"]


def _option(*names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="How far", **more)


@dataclass(frozen=True)
class Reach:
    """Which conversations, and how many at once."""

    min_age: Annotated[
        str | None,
        _option(
            "--min-age", metavar="1h", help="Age from which an unanswered last turn is healed."
        ),
    ] = None
    include_frontier: Annotated[
        bool,
        _option(
            "--include-frontier",
            help="Heal the last turn whatever its age, also calls that wait on purpose "
            "(approvals, pending tools).",
        ),
    ] = False
    shard: Annotated[
        str | None, _option("--shard", metavar="i/n", help="Only the i-th of n shares, from 1.")
    ] = None
    batch: Annotated[int, _option("--batch", min=1, help="Conversations a transaction.")] = 500

    def options(self) -> Options:
        """Make the options of a run. Raises `HealError`."""
        return Options(
            include_frontier=self.include_frontier, shard=_shard(self.shard), batch=self.batch
        )


@contextmanager
def stopping() -> Iterator[Event]:
    """Let the first Ctrl-C end the run after its batch; a second one ends it at once."""
    asked = Event()

    def ask(number: int, frame: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)
        say("stopping after this batch (Ctrl-C again stops at once)")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def confirm(command: str, question: str) -> None:
    """Ask on a terminal. Raises `HealError` without one, `typer.Abort` for a no."""
    require_terminal(command)
    if not typer.confirm(question, err=True):
        raise typer.Abort


def require_terminal(command: str) -> None:
    """Raise `HealError` where nobody can be asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise HealError(
            f"{command} writes to the database; without a terminal to ask on, add --yes"
        )


def _shard(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    number, _, of = text.partition("/")
    if not (number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise HealError(f"--shard {text!r} is no share; write 1/4, 2/4, 3/4 or 4/4")
    return int(number), int(of)
