"""The one way into a command and out of it: options in groups, errors in one sentence.

Wraps every command of both programs. Whatever goes wrong, the user sees one sentence on standard
error and exit code 2, never a traceback; ENDMARK_DEBUG=1 shows it to those who mend Endmark.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any, get_type_hints

import typer

from endmark.errors import EndmarkError

__all__ = ["INTERRUPTED", "WRONG", "grouped", "new_app", "run", "say"]
STOPPED = "{name}: stopped; nothing more was written"

WRONG = 2
INTERRUPTED = 130
UNREAD = 141  # as of what SIGPIPE ends: neither clean nor wrong is known

# Typer has its own copy of click in newer versions: its usage errors are found by kinship.
_USAGE: type[Exception] = typer.BadParameter.__mro__[2]


def new_app(help: str) -> typer.Typer:
    """Make a program whose errors are left to `run`; without a command it shows its help."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    @app.callback(invoke_without_command=True, help=help)
    def _(
        context: typer.Context,
        of: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    ) -> None:
        if of:
            typer.echo(f"endmark {version('endmark')}")
            raise typer.Exit
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())
            raise typer.Exit(WRONG)

    return app


def say(text: str) -> None:
    """Write a line for people: to standard error, which no machine reads."""
    typer.echo(text, err=True)


def grouped(command: Callable[..., Any]) -> Callable[..., Any]:
    """Spread every parameter that is a dataclass of options into the options themselves."""
    plain: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        if not is_dataclass(parameter.annotation):
            plain.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        groups[name] = parameter.annotation
        hints = get_type_hints(parameter.annotation, include_extras=True)
        plain += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
                annotation=hints[field.name],
            )
            for field in fields(parameter.annotation)
        ]

    @wraps(command)
    def spread(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        return command(**given)

    spread.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
    spread.__annotations__ = {parameter.name: parameter.annotation for parameter in plain}
    return spread


def run(app: typer.Typer, name: str, arguments: Sequence[str] | None = None) -> int:
    """Run a program and give its exit code."""
    for stream, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream) is None:  # closed by the caller: a database could get its number
            setattr(sys, stream, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    try:
        code = app(args=arguments, prog_name=name, standalone_mode=False)
        sys.stdout.flush()
    except _USAGE as error:
        say(f"{name}: {_one_line(_misused(error))} (see {_path(error) or name} --help)")
    except (typer.Abort, KeyboardInterrupt) as error:
        say(STOPPED.format(name=name))
        keys = isinstance(error.__context__ or error, KeyboardInterrupt)
        return INTERRUPTED if keys else WRONG  # WRONG: the answer was no
    except (BrokenPipeError, SystemExit) as error:  # whoever read our output has seen enough
        if not isinstance(error.__context__ or error, BrokenPipeError):
            raise
        for broken in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), broken.fileno())
        return UNREAD
    except Exception as error:  # the last door: nothing leaves as a traceback
        if os.environ.get("ENDMARK_DEBUG"):
            raise
        say(f"{name}: {_sentence(error)}")
        for note in getattr(error, "__notes__", ()) if isinstance(error, EndmarkError) else ():
            say(f"  {note}")
    else:
        if code == INTERRUPTED:  # what typer makes of a Ctrl-C
            say(STOPPED.format(name=name))
        return code if isinstance(code, int) else 0
    return WRONG


def _misused(error: Any) -> str:
    """Say what is wrong with the words of a call; of another command's option, why not here."""
    option: str | None = getattr(error, "option_name", None)
    context: Any = getattr(error, "ctx", None)
    others = getattr(getattr(getattr(context, "parent", None), "command", None), "commands", {})
    having = [n for n, other in others.items() if any(option in p.opts for p in other.params)]
    if not (option and having):
        return str(error.format_message())
    why = f": {epilog}" if (epilog := context.command.epilog) else ""
    return f"{context.info_name} takes no {option} ({', '.join(having)} do){why}"


def _path(error: Exception) -> str | None:
    """Give the command that was called, as far as it was understood."""
    return getattr(getattr(error, "ctx", None), "command_path", None)


def _sentence(error: Exception) -> str:
    if isinstance(error, EndmarkError):
        return _one_line(str(error))
    if isinstance(error, OSError):
        # Only what the system says: a message of our own libraries could hold content.
        where = f"{error.filename}: " if error.filename else ""
        return (
            f"{where}{error.strerror or type(error).__name__}; check the path and its permissions"
        )
    return (
        f"this should not happen ({type(error).__name__}); nothing more was written. Run it again "
        "with ENDMARK_DEBUG=1 and report the last lines"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
