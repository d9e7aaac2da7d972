"""`endmark check` and `endmark repair`: a history in a file, or from standard input."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from endmark import formats
from endmark.cli import files
from endmark.cli.door import grouped, new_app, run, say
from endmark.cli.policy_options import PolicyOptions
from endmark.errors import FormatError, UnreadableError
from endmark.history import Examination, examine
from endmark.model import Finding

__all__ = ["main"]

app = new_app("Check and repair chat histories in files: calls without results, and the like.")


class TurnName(StrEnum):
    """Whether the last turn may still be answered."""

    OVER = "over"
    OPEN = "open"


@dataclass(frozen=True)
class Input:
    """The file, and what it holds."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='JSON array of messages, an object {"messages": [...]} or JSON Lines; '
            "without a file, and for -, standard input.",
        ),
    ] = ""
    format: Annotated[
        str | None, typer.Option(help="Format of the messages; detected when not given.")
    ] = None
    turn: Annotated[
        TurnName, typer.Option(help="'open' leaves the calls of the last turn open.")
    ] = TurnName.OVER

    def examine(self, policy: PolicyOptions) -> tuple[files.HistoryFile, Examination]:
        """Read the file and look for what is wrong. Raises `EndmarkError`, `OSError`."""
        rules = policy.build()
        named = formats.get(self.format) if self.format else None
        if not self.file and sys.stdin.isatty():
            raise UnreadableError(
                "no file is named, and nothing is piped in: name one, or pipe it in"
            )
        given = files.read(self.file or "-")
        if named is not None:
            if shown := formats.foreign(given.messages, named):
                raise FormatError(
                    f"these messages are not of {named.name}: by the looks of them they are of "
                    f"{', '.join(shown)}; name it with --format"
                )
            return given, examine(given.messages, named, rules, self.turn.value)
        likely = formats.candidates(given.messages)
        seen = [examine(given.messages, one, rules, self.turn.value) for one in likely]
        names = ", ".join(one.name for one in likely)
        if len(likely) == 1:
            say(f"format: {names} (detected; --format names another)")
        elif any(found.findings or found.pending for found in seen):
            formats.detect(given.messages)  # it matters which: says so
        else:
            say(f"format: any of {names}: no call tells which")
        return given, seen[0]


@app.command()
@grouped
def check(
    source: Input,
    policy: PolicyOptions,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Say what is wrong with a history. Exit code: 0 clean, 1 findings, 2 error."""
    _, found = source.examine(policy)
    if as_json:
        report = {
            "format": found.format.name,
            "messages": len(found.history),
            "pending": len(found.pending),
            "findings": [
                {
                    "kind": finding.kind.value,
                    "call_id": finding.call_id,
                    "tool_name": finding.tool_name,
                    "message": finding.message,
                    "part": finding.part,
                }
                for finding in found.findings
            ],
        }
        typer.echo(json.dumps(report))
    else:
        for finding in found.findings:
            typer.echo(_line(finding))
        say(_summary(found, "wrong"))
    return 1 if found.findings else 0


@app.command()
@grouped
def repair(
    source: Input,
    policy: PolicyOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help="Write to this file, whole or not at all; default, and -: standard output.",
        ),
    ] = None,
) -> int:
    """Write the history so that it can be sent; the report goes to standard error."""
    given, found = source.examine(policy)
    data = given.with_changes(found.rebuild()) if found.edits else given.data
    if out is None or str(out) == "-":
        left = memoryview(data)
        while left:  # unbuffered (PYTHONUNBUFFERED), one write may take less than all
            left = left[sys.stdout.buffer.write(left) :]
        sys.stdout.buffer.flush()
    else:
        files.write_atomically(out, data)
    for finding in found.findings:
        say(_line(finding))
        if finding.dropped is not None:
            say(f"  dropped: {json.dumps(finding.dropped)}")
    say(_summary(found, "repaired"))
    return 0


def _line(finding: Finding) -> str:
    told = f"messages[{finding.message}]: {finding.kind}"
    told += f" {finding.tool_name}" if finding.tool_name else ""
    return told + (f" (call {finding.call_id})" if finding.call_id else "")


def _summary(found: Examination, verb: str) -> str:
    if not found.findings:
        said = "clean"
    else:
        said = f"{verb}: {counted(finding.kind.value for finding in found.findings)}"
    return said + (f"; {len(found.pending)} pending, left open" if found.pending else "")


def counted(kinds: Iterable[str]) -> str:
    """Count kinds in words.

    >>> counted(["orphan", "dangling", "orphan"])
    '2 orphan, 1 dangling'
    """
    return ", ".join(f"{count} {kind}" for kind, count in Counter(kinds).most_common())


def main() -> None:
    """Run the program."""
    sys.exit(run(app, "endmark"))
