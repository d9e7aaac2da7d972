"""What heal-db prints: one JSON object or line for machines, a short table for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.syntax import Syntax
from rich.table import Table

from endmark.cli.door import say
from endmark.heal import Applied, Item, Scan, Undone

__all__ = [
    "counts",
    "item_line",
    "messages",
    "progress",
    "put_json",
    "put_table",
    "put_totals",
    "skipped_line",
]

OnProgress = Callable[[int, int | None], None]


def put_json(value: Any) -> None:
    """Print one JSON object on one line."""
    typer.echo(json.dumps(value))


def counts(told: Scan | Applied | Undone) -> dict[str, Any]:
    """Give a report of counts as JSON has it."""
    made = dict(vars(told))
    if "findings" in made:
        made["findings"] = dict(made["findings"])
    return made


def item_line(item: Item) -> None:
    """Print one conversation that is not clean as a JSON line; no content."""
    put_json(item.as_json())


def skipped_line(item: Item) -> None:
    """Say of a conversation that was left alone why."""
    if item.status == "skipped":
        say(f"skipped: {item.conversation} of {item.store}: {item.reason}")


def put_totals(totals: dict[str, Any], advice: str = "") -> None:
    """Print counts for people: a line each, kinds of findings indented."""
    for name, value in totals.items():
        if isinstance(value, dict):
            for kind, count in value.items():
                typer.echo(f"  {kind:<18}{count:>9,}")
        elif value is not None and not isinstance(value, bool):
            shown = f"{value:>9,}" if isinstance(value, int) else value
            typer.echo(f"{name.replace('_', ' '):<20}{shown}")
    if advice:
        say(advice)


def put_table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as a table without frames; a pipe gets it whole, never cut to a width."""
    table = Table(*headings, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row))
    Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False).print(table)


def messages(title: str, history: Sequence[Any]) -> None:
    """Print messages, one a line, coloured on a terminal. This shows content."""
    typer.echo(title)
    for message in history:
        line = json.dumps(message, ensure_ascii=not sys.stdout.isatty())
        if sys.stdout.isatty():
            Console().print(Syntax(line, "json", word_wrap=True, background_color="default"))
        else:
            typer.echo(line)


@contextmanager
def progress(what: str) -> Iterator[OnProgress | None]:
    """Show a bar on a terminal; give what is to be called with `(done, total)`, else None."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
