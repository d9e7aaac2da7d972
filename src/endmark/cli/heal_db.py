"""`heal-db`: find, heal and give back conversations in a database.

Thin over `endmark.heal`: only `apply`, `undo`, `migrate` and `demo` write, and only `show` and
`demo` print content.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import sqlalchemy as sa
import typer

from endmark import heal, stores
from endmark.cli import heal_report as report
from endmark.cli.door import INTERRUPTED, WRONG, grouped, new_app, run, say
from endmark.cli.mapping import Mapping
from endmark.cli.policy_options import PolicyOptions
from endmark.cli.run_options import Reach, confirm, require_terminal, stopping
from endmark.errors import EndmarkError, HealError, StoreError
from endmark.heal import Options
from endmark.policy import Policy
from endmark.stores import Store
from endmark.stores.database import opened, safe_url
from endmark.stores.guess import MOST

__all__ = ["main"]

app = new_app("Heal chat databases: find conversations that every provider refuses, and mend them.")

# Said at the end of the help, and to who gives a command what is for others.
BY_JOURNAL = "the journal knows the tables and rows of each run; name a run by its id"

Url = Annotated[
    str, typer.Argument(metavar="URL", help="sqlite:///chat.db, postgresql://user:pass@host/db, …")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@dataclass(frozen=True)
class Target:
    """The database and how its tables are to be read."""

    url: Url


@app.command()
@grouped
def scan(
    target: Target,
    mapping: Mapping,
    policy: PolicyOptions,
    reach: Reach,
    as_json: AsJson = False,
    as_list: Annotated[
        bool, typer.Option("--list", help="One JSON line a conversation that is not clean.")
    ] = False,
) -> int:
    """Find poisoned conversations; nothing is written. Exit code: 0 none, 1 some, 2 error."""
    rules, options = policy.build(reach.min_age), reach.options()
    tally = report.Tally(report.item_line if as_list else None)
    with opened(target.url) as engine, report.progress("scan") as on_progress:
        chosen = _stores(engine, mapping)
        unread = _unread(engine, chosen) if mapping.is_detected else []
        found = heal.scan(
            engine,
            chosen,
            policy=rules,
            options=options,
            on_item=tally,
            on_progress=on_progress,
        )
    totals = report.counts(found)
    if as_json and not as_list:
        report.put_json(totals)
    elif not as_list:
        report.put_totals(totals)
        say(f"read: {', '.join(f'{store.name} in {store.table}' for store in chosen)}")
        for flags in unread:
            say(f"not read, though it looks like messages: {flags}")
        if len(unread) >= MOST:
            say("there may be more such tables: --table names one to read")
    if 0 < found.conversations == found.skipped:
        say(f"heal-db: {report.nothing_done(found, tally)}")
        return WRONG
    said = report.partly_read(found) if as_json or as_list else report.advice(found, tally)
    if said:
        say(said)
    return 1 if found.poisoned else 0


@app.command()
@grouped
def apply(
    target: Target,
    mapping: Mapping,
    policy: PolicyOptions,
    reach: Reach,
    yes: Yes = False,
    as_json: AsJson = False,
) -> int:
    """Heal what `scan` finds, journalled. Ctrl-C ends after the batch; run it again to go on."""
    rules, options = policy.build(reach.min_age), reach.options()
    tally = report.Tally(report.skipped_line)
    with opened(target.url) as engine:
        chosen = _stores(engine, mapping)
        if not yes:
            _ask_to_apply(target.url, engine, chosen, rules, options)
        with stopping() as stop, report.progress("apply") as on_progress:
            done = heal.apply(
                engine,
                chosen,
                policy=rules,
                options=options,
                on_item=tally,
                on_progress=on_progress,
                stop=stop.is_set,
            )
        found = None
        if done.skipped and not (done.healed or done.pending or stop.is_set()):
            # Everything, or so it seems: those that are clean are not counted.
            found = heal.scan(engine, chosen, policy=rules, options=options)
    if as_json:
        report.put_json(report.counts(done))
    else:
        report.put_totals(
            report.counts(done),
            f"to undo: heal-db undo URL {done.run}" if done.run else "nothing to heal",
        )
        if done.pending:
            say(report.waiting(done, tally))
    if stop.is_set():
        say("stopped after the batch; run the same command again to go on")
        return INTERRUPTED
    if found is not None and found.conversations == done.skipped:
        say(f"heal-db: {report.nothing_done(found, tally)}")
        return WRONG
    return 0


@app.command(epilog=BY_JOURNAL)
def undo(
    url: Url,
    which: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="A run; default: the newest not undone.")
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> int:
    """Give back, byte for byte, every row that a run wrote and nobody has changed since."""
    with opened(url) as engine:
        if not yes:
            confirm("undo", f"Give back what run {which or '(the newest)'} changed?")
        with report.progress("undo") as on_progress:
            done = heal.undo(engine, which, on_progress=on_progress)
    if as_json:
        report.put_json(report.counts(done))
        return 0
    report.put_totals(report.counts(done) | {"rows_left": len(done.rows_left)})
    for row in done.rows_left:
        say(f"left alone: {row}")
    if done.rows_left:
        say(f"once they are as the heal left them: heal-db undo URL {done.run}")
    return 0


@app.command(epilog=BY_JOURNAL)
def runs(url: Url, as_json: AsJson = False) -> int:
    """List the runs that this database's journal knows, newest first."""
    with opened(url) as engine:
        known = heal.runs(engine)
    if as_json:
        report.put_json([asdict(one) for one in known])
    elif not known:
        say("no run yet")
    else:
        headings = ("run", "store", "started (UTC)", "finished", "healed", "rows", "undone")
        report.put_table(headings, [report.run_cells(one) for one in known], wrapped="store")
    return 0


@app.command()
@grouped
def show(
    target: Target,
    mapping: Mapping,
    policy: PolicyOptions,
    reach: Reach,
    conversation_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The conversation, as scan --list names it.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show one conversation as it is and as it would be healed. This prints message content."""
    if conversation_id is None and mapping.table is None and mapping.conversation is not None:
        # Without a table --conversation can only mean the conversation itself.
        given = asdict(mapping) | {"conversation": None}
        conversation_id, mapping = mapping.conversation, Mapping(**given)
    if conversation_id is None:
        raise StoreError("name the conversation behind the URL, as scan --list prints it")
    rules, options = policy.build(reach.min_age), reach.options()
    with opened(target.url) as engine:
        found = _find(engine, _stores(engine, mapping), conversation_id, rules, options)
    (chosen, shown), *others = found
    elsewhere = [f"{store.name} ({report.table_of(store)})" for store, _ in others]
    if as_json:
        listed = heal.Item(chosen.name, conversation_id, "poisoned", shown.findings).as_json()
        told: dict[str, Any] = {
            "store": chosen.name,
            "conversation": conversation_id,
            "status": shown.status,
        }
        told |= {"reason": shown.reason, "findings": listed["findings"]}
        told |= {"unread": [asdict(one) for one in shown.unread]}
        told |= {"also_in": elsewhere}
        report.put_json({**told, "before": shown.before, "after": shown.after})
        return 0
    report.put_shown(shown)
    why = f" ({shown.reason})" if shown.reason else ""
    say(f"store: {chosen.name}; status: {shown.status}{why}")
    if elsewhere:
        say(f"{conversation_id} is in {', '.join(elsewhere)} too; --store shows that of another")
    return 0


@app.command("stores")
def list_stores(as_json: AsJson = False) -> int:
    """List the known stores; any other table is described with --table and its columns."""
    known = [stores.get(name) for name in stores.names()]
    if as_json:
        report.put_json(report.store_values(known))
    else:
        report.put_stores(known)
    return 0


@app.command(epilog="it heals the known stores, which it finds itself; apply heals others")
def migrate(
    url: Url,
    to: Annotated[str, typer.Option("--to", help="Revision: head, base, 0001, …")] = "head",
    yes: Yes = False,
) -> int:
    """Run Endmark's own revisions: its reference tables, then one heal of the known stores."""
    from endmark.alembic_ops import migrate as run_revisions

    with opened(url) as engine:
        if not yes:
            confirm("migrate", f"Bring Endmark's own revisions to {to}?")
        before = {one.run: one for one in heal.runs(engine)}
        run_revisions(engine, to)
        changed = [one for one in heal.runs(engine) if before.get(one.run) != one]
    for one in reversed(changed):
        said = "undone" if one.undone else f"healed {one.healed:,} conversations"
        say(f"run {one.run} of {one.store}: {said}")
    say(f"Endmark's revisions are at {to}")
    return 0


@app.command()
def demo(
    undo: Annotated[
        bool, typer.Option("--undo", help="Undo at the end; the file is the same again.")
    ] = False,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Keep the database in this folder.")
    ] = None,
) -> int:
    """Make a chat database with dead threads, and heal it before your eyes."""
    from endmark.cli.demo import perform

    perform(undo=undo, keep=keep)
    return 0


def _ask_to_apply(
    url: str, engine: sa.Engine, chosen: list[Store], policy: Policy, options: Options
) -> None:
    require_terminal("apply")
    with report.progress("scan") as on_progress:
        found = heal.scan(engine, chosen, policy=policy, options=options, on_progress=on_progress)
    where = ", ".join(f"{store.name} ({report.table_of(store)})" for store in chosen)
    confirm(
        "apply",
        f"Heal {found.poisoned:,} of {found.conversations:,} conversations of {where} "
        f"in {safe_url(url)}?",
    )


def _stores(engine: sa.Engine, mapping: Mapping) -> list[Store]:
    with engine.connect() as connection:
        return mapping.stores(connection)


def _unread(engine: sa.Engine, chosen: list[Store]) -> list[str]:
    """Give commands for tables beside the known stores that look like messages too."""
    with engine.connect() as connection:
        return [
            flags
            for schema in dict.fromkeys(store.schema for store in chosen)
            for flags in stores.guessed(connection, schema, besides=chosen)
        ]


def _find(
    engine: sa.Engine, chosen: list[Store], id_: str, policy: Policy, options: Options
) -> list[tuple[Store, heal.Shown]]:
    """Look in each store for the conversation. Raises `HealError` where none has it."""
    found: list[tuple[Store, heal.Shown]] = []
    for store in chosen:
        # What is wrong with another store is no reason to keep back what is found.
        with suppress(EndmarkError if found else HealError):
            found.append((store, heal.show(engine, store, id_, policy=policy, options=options)))
    if found:
        return found
    names = ", ".join(store.name for store in chosen)
    raise HealError(
        f"store {names} has no conversation {id_}; scan --list names those that are not clean"
    )


def main() -> None:
    """Run the program."""
    sys.exit(run(app, "heal-db"))
