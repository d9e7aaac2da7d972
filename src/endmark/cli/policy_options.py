"""The policy as options of a command, or as a TOML file, which the options overrule."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from endmark.errors import EndmarkError, unknown
from endmark.policy import PRESETS, Cause, Policy
from endmark.stores.wrong_values import wrong_value

__all__ = ["PolicyOptions", "read_toml"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PANEL = "What is written"


def _option(*names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL, **more)


@dataclass(frozen=True)
class PolicyOptions:
    """What a user may decide about a repair."""

    marker: Annotated[
        str | None,
        _option(
            "--marker", help=f"Text of a synthesized result, or a preset: {', '.join(PRESETS)}."
        ),
    ] = None
    cause: Annotated[Cause | None, _option("--cause", help="Why the turns ended, if you know.")] = (
        None
    )
    orphans: Annotated[
        str | None,
        _option(
            "--orphans",
            metavar="drop|text",
            help="Results whose call is gone: drop, or keep as text.",
        ),
    ] = None
    late: Annotated[
        str | None,
        _option(
            "--late",
            metavar="replace|keep",
            help="A late result: replace its marker, or keep as text.",
        ),
    ] = None
    pending_tool: Annotated[
        list[str] | None,
        _option(
            "--pending-tool", help="A tool whose last call stays open on purpose (repeatable)."
        ),
    ] = None
    pending_id: Annotated[
        list[str] | None,
        _option("--pending-id", help="The id of a call that stays open on purpose (repeatable)."),
    ] = None
    policy_file: Annotated[
        Path | None, _option("--policy", metavar="FILE.toml", help="The policy as TOML.")
    ] = None

    def build(self, min_age: str | None = None) -> Policy:
        """Make the policy. Raises `EndmarkError` for a wrong value."""
        told: dict[str, Any] = {}
        if self.policy_file is not None:
            told = read_toml(self.policy_file)
            told = told.get("policy", told)
            if not isinstance(told, dict):
                raise EndmarkError(f"{self.policy_file}: policy is no table; write [policy]")
        flags = {
            "marker": self.marker,
            "cause": self.cause,
            "orphans": self.orphans,
            "late": self.late,
            "pending_tools": self.pending_tool,
            "pending_ids": self.pending_id,
            "min_age": None if min_age is None else seconds(min_age),
        }
        told |= {key: value for key, value in flags.items() if value not in (None, [])}
        try:
            return Policy(**told)
        except ValidationError as error:
            raise EndmarkError(f"the policy cannot be used: {_reason(error, told)}") from None


def seconds(text: str) -> float:
    """Read an age: seconds, or a number with s, m, h or d behind it.

    >>> seconds("90m")
    5400.0
    """
    number, unit = (text[:-1], text[-1:]) if text[-1:] in _UNITS else (text, "s")
    try:
        return float(number) * _UNITS[unit]
    except ValueError:
        raise EndmarkError(f"--min-age {text!r} is no age; write 0, 90s, 30m, 1h or 2d") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file. Raises `EndmarkError` with the line that is wrong, `OSError`."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        where = str(error).rpartition("(")[2].rstrip(")") if "(" in str(error) else "its encoding"
        raise EndmarkError(f"{path} is not TOML: see {where}") from None


def _reason(error: ValidationError, told: dict[str, Any]) -> str:
    for one in error.errors(include_url=False, include_input=False):
        if one["type"] == "extra_forbidden":
            place = ".".join(map(str, one["loc"]))
            return unknown("key", place, list(Policy.model_fields))
    return wrong_value(error, told)
