"""What heal-db prints: one JSON object or line for machines, a short table for people."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from endmark.cli.door import say
from endmark.heal import Applied, Item, Run, Scan, Shown, Undone
from endmark.stores import Store
from endmark.stores.conversation import Unread

__all__ = [
    "Tally",
    "advice",
    "counts",
    "item_line",
    "nothing_done",
    "partly_read",
    "progress",
    "put_json",
    "put_shown",
    "put_stores",
    "put_table",
    "put_totals",
    "run_cells",
    "skipped_line",
    "store_values",
    "table_of",
    "waiting",
]

OnProgress = Callable[[int, int | None], None]


def put_json(value: Any) -> None:
    """Print one JSON object on one line."""
    typer.echo(_json(value))


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # another encoding, or half a surrogate pair
        return json.dumps(value)
    return text


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


class Tally:
    """Hand items on, and remember of them what is said at the end of a run."""

    def __init__(self, on_item: Callable[[Item], None] | None = None) -> None:
        self.on_item = on_item
        self.waiting: Counter[str] = Counter()
        self.first_skipped: str | None = None

    def __call__(self, item: Item) -> None:
        if item.status == "skipped" and self.first_skipped is None:
            self.first_skipped = item.reason
        if item.status == "pending" and item.reason:
            self.waiting[item.reason] += 1
        if self.on_item is not None:
            self.on_item(item)


def nothing_done(found: Scan, tally: Tally) -> str:
    """Say that every conversation was skipped, and what is probably wrong."""
    told = f"{found.conversations:,} of {found.conversations:,} conversations skipped, the first "
    told += f"because {tally.first_skipped}"
    if found.skipped < found.conversations:
        return f"nothing could be healed: {told}"
    return f"nothing could be read: {told}; check --format, --payload, --layout, --role"


def partly_read(found: Scan) -> str:
    """Say that some conversations were skipped; nothing where none was."""
    if not found.skipped:
        return ""
    return f"{found.skipped:,} could not be read and are not counted as clean (--list says why)"


# What helps against each reason to wait.
_WAYS = [
    ("age unknown", "--age names the column that tells the age of a table of yours"),
    ("younger than", "--min-age says how old is old"),
    ("", "--include-frontier closes all of them"),
]


def advice(found: Scan, tally: Tally) -> str:
    """Say what to do next."""
    said = [partly_read(found)] if found.skipped else []
    said += [waiting(found, tally)] if found.pending else []
    if found.poisoned:
        said.append("heal the poisoned ones with: heal-db apply URL, and the same options")
    return "; ".join(said) or "clean"


def waiting(found: Scan | Applied, tally: Tally) -> str:
    """Say why conversations are left open, and what closes them."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in tally.waiting.items())
    ways = [way for why, way in _WAYS if any(reason.startswith(why) for reason in tally.waiting)]
    return f"{found.pending:,} pending, left open: {reasons} ({', '.join(ways)})"


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


def put_table(headings: Sequence[str], rows: Iterable[Sequence[Any]], wrapped: str) -> None:
    """Print rows as a table without frames; on a terminal one column is wrapped to fit."""
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, no_wrap=heading != wrapped, overflow="fold")
    for row in rows:
        table.add_row(*("" if cell is None else str(cell) for cell in row))
    console = Console(width=None if sys.stdout.isatty() else 10_000, highlight=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        typer.echo(line.rstrip())


def run_cells(one: Run) -> tuple[Any, ...]:
    """Give a run for a table: of each later time only what differs from the first."""
    started = one.started.replace("T", " ")[:16]

    def later(time: str | None) -> str | None:
        if time is None:
            return None
        shown = time.replace("T", " ")[:16]
        return shown[11:] if shown[:10] == started[:10] else shown[5:]

    finished, undone = later(one.finished), later(one.undone)
    if one.rows_left:
        undone = f"all but {one.rows_left:,}"
    return one.run, one.store, started, finished, one.healed, one.rows, undone


def put_shown(shown: Shown) -> None:
    """Print a conversation before and after, a message a line, marked. This shows content."""
    kept = {index: k for k, index in enumerate(shown.origins) if index is not None}
    typer.echo("before:")
    for index, message in enumerate(shown.before):
        _put_unread(one for one in shown.unread if one.at == index)
        gone = bool(shown.findings) and index not in kept
        changed = index in kept and shown.after[kept[index]] is not message
        _put_message("-" if gone else "~" if changed else " ", message)
    _put_unread(one for one in shown.unread if one.at >= len(shown.before))
    if not shown.findings:
        return
    typer.echo("after: (+ new, ~ changed or moved, - gone)")
    for mark, message in zip(_marks(shown), shown.after, strict=True):
        _put_message(mark, message)


def _put_unread(unread: Iterable[Unread]) -> None:
    """Print in the place of what cannot be read which row it is and why; no content."""
    for one in unread:
        typer.echo(f"! {one.reason}")


def _marks(shown: Shown) -> list[str]:
    """Mark what is new, or was changed, or now stands before what it stood behind."""
    marks: list[str] = []
    least = len(shown.before)
    for message, origin in zip(reversed(shown.after), reversed(shown.origins), strict=True):
        if origin is None:
            marks.append("+")
            continue
        same = origin < least and message is shown.before[origin]
        marks.append(" " if same else "~")
        least = min(least, origin)
    return marks[::-1]


def _put_message(mark: str, message: Any) -> None:
    line = _json(message)
    if not sys.stdout.isatty():
        typer.echo(f"{mark} {line}")
        return
    coloured = Syntax(line, "json", background_color="default").highlight(line)
    coloured.rstrip()
    Console().print(Text.assemble((f"{mark} ", "bold"), coloured), soft_wrap=True)


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


def store_values(known: Iterable[Store]) -> list[dict[str, Any]]:
    """Give known stores as JSON values."""
    return [
        {"name": s.name, "format": _format(s), "layout": s.layout, "table": s.table}
        | {"versions": s.versions, "databases": list(s.databases), "source": s.source}
        | {"note": s.note, "window": s.window, "refuses": _refused(s)}
        for s in known
    ]


def put_stores(known: Sequence[Store]) -> None:
    """Print known stores as a table, and below it what is to be known of each."""
    put_table(
        ["store", "format", "table", "databases"],
        [(s.name, _format(s), table_of(s), ", ".join(s.databases)) for s in known],
        wrapped="databases",
    )
    for s in known:
        notes = [("versions", s.versions), ("left alone", s.refusal)]
        notes += [("left alone where", why) for why in s.refuses.values()]
        notes += [("window", s.window), ("note", s.note)]
        for word, said in notes:
            if said:
                say(f"{s.name}: {word}: {said}")


def _refused(store: Store) -> list[str]:
    """Say what of a store is left alone, and why."""
    return [reason for reason in (store.refusal, *store.refuses.values()) if reason]


def table_of(store: Store) -> str:
    """Name a store's table as people write it."""
    return store.table if store.schema is None else f"{store.schema}.{store.table}"


def _format(store: Store) -> str:
    return "any" if store.any_format else store.format
