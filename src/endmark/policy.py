"""What a user may decide: the words of a synthesized result, and what is left open or kept.

The text says what is known and nothing more. It is built from fixed sentences only, so that it
can be recognised again by an exact match in formats that have no room for a mark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from endmark.model import Call, Outcome

FRAGMENT = "\nArguments received before the cut: "

KNOWN = {
    Outcome.UNKNOWN: (
        "No result was recorded for this tool call: the turn ended before one arrived. "
        "It may or may not have run."
    ),
    Outcome.NOT_RUN: (
        "This tool call was not run: the turn ended before its arguments were complete."
    ),
    Outcome.DENIED: "This tool call was not run: its approval was refused.",
}


class Cause(StrEnum):
    """Why the turn ended, as far as the caller knows. Never guessed."""

    UNKNOWN = "unknown"
    STOPPED = "stopped"
    CRASHED = "crashed"
    TIMEOUT = "timeout"
    CUT_OFF = "cut_off"


CAUSES = {
    Cause.UNKNOWN: "",
    Cause.STOPPED: " The turn was stopped.",
    Cause.CRASHED: " The turn crashed.",
    Cause.TIMEOUT: " The turn ran out of time.",
    Cause.CUT_OFF: " The turn was cut off by a limit.",
}


class Hint(StrEnum):
    """What is known of a tool; changes the advice, never the outcome."""

    READ_ONLY = "read_only"
    IDEMPOTENT = "idempotent"
    DESTRUCTIVE = "destructive"


ADVICE = {
    None: " Check the current state before repeating it.",
    Hint.READ_ONLY: " It only reads, so it is safe to call again.",
    Hint.IDEMPOTENT: " Repeating it with the same arguments is safe.",
    Hint.DESTRUCTIVE: " It may have changed something: check first, or ask, before repeating it.",
}

# MCP's tool annotations: https://modelcontextprotocol.io/specification/2025-06-18/schema
MCP_HINTS = {
    "readOnlyHint": Hint.READ_ONLY,
    "idempotentHint": Hint.IDEMPOTENT,
    "destructiveHint": Hint.DESTRUCTIVE,
}
MCP_OTHERS = frozenset({"title", "openWorldHint"})  # annotations that say nothing of a repetition

PRESETS = {
    "default": None,
    "not-run": "not run: the turn was interrupted",
    "interrupted": "Tool execution was interrupted.",
    "interrompu": "[interrompu]",
}


@dataclass(frozen=True, slots=True)
class Marker:
    """What a marker callable is told of the call that it writes the result for."""

    call_id: str | None
    tool_name: str | None
    outcome: Outcome
    cause: Cause


class Policy(BaseModel):
    """Say how histories are repaired.

    Fields: `marker` (a preset's name, a text, or a callable `Marker -> str`; the default words
    stand where that gives none), `cause` (why the
    turn ended), `orphans` (`drop` or `text`: what becomes of results whose call is gone), `late`
    (`replace` or `keep`: whether a late real result takes its marker's place, or stays as text
    behind it), `pending` (a predicate on calls), `pending_tools`, `pending_ids` (calls left open
    on the frontier), `tools` (tool name to a hint, a list of hints or MCP annotations), `min_age`
    (seconds that a frontier must be old before heal closes it) and `step_limit` (the most
    call-bearing messages that one turn of the guard may write; None for no limit).

    Raises pydantic's `ValidationError` for unknown fields or wrong values.

    >>> Policy(marker="interrupted", pending_tools={"ask_user"}).late
    'replace'
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ignored_types=(cached_property,))

    marker: str | Callable[[Marker], str] = "default"
    cause: Cause = Cause.UNKNOWN
    orphans: Literal["drop", "text"] = "drop"
    late: Literal["replace", "keep"] = "replace"
    pending: Callable[[Call], bool] | None = None
    pending_tools: frozenset[str] = frozenset()
    pending_ids: frozenset[str] = frozenset()
    tools: Mapping[str, frozenset[Hint]] = Field(default_factory=dict)
    min_age: float = Field(default=3600.0, ge=0)
    step_limit: int | None = Field(default=None, ge=1)

    @field_validator("marker")
    @classmethod
    def _marker_says_something(cls, marker: Any) -> Any:
        # An errored result with an empty text is refused by Anthropic and Bedrock.
        if isinstance(marker, str) and not marker.strip():
            msg = "a text that is not blank"
            raise ValueError(msg)
        return marker

    @field_validator("tools", mode="before")
    @classmethod
    def _hints(cls, tools: Any) -> Any:
        if not isinstance(tools, Mapping):
            return tools
        return {name: _hints_of(given) for name, given in tools.items()}

    def is_pending(self, call: Call) -> bool:
        """Tell whether this call is open on purpose, as far as the policy says."""
        return (
            (call.id is not None and call.id in self.pending_ids)
            or (call.name is not None and call.name in self.pending_tools)
            or (self.pending is not None and bool(self.pending(call)))
        )

    def text(self, call: Call, outcome: Outcome) -> str:
        """Give the text of the result that is written for this call."""
        head = self._head(call.id, call.name, outcome, self.cause)
        fragment = call.arguments
        if outcome is Outcome.NOT_RUN and isinstance(fragment, str) and fragment:
            return head + FRAGMENT + fragment
        return head

    def is_marker(self, text: object, call_id: str | None, tool_name: str | None) -> bool:
        """Tell whether this text is one that this policy, or the default one, writes."""
        if not isinstance(text, str):
            return False
        head = text.partition(FRAGMENT)[0]
        return head in DEFAULT_TEXTS or (
            self.marker != "default" and head in self._variants(call_id, tool_name)
        )

    def _head(
        self, call_id: str | None, tool_name: str | None, outcome: Outcome, cause: Cause
    ) -> str:
        if callable(self.marker):
            said: object = self.marker(Marker(call_id, tool_name, outcome, cause))
        else:
            said = PRESETS.get(self.marker, self.marker)
        # A callable that has nothing to say may not leave a result that providers refuse.
        if isinstance(said, str) and said.strip():
            return said
        return _default_text(outcome, cause, self._hint(tool_name))

    def _hint(self, tool_name: str | None) -> Hint | None:
        hints = self.tools.get(tool_name or "")
        if not hints:
            return None
        # The most careful advice wins where a tool is given several hints.
        return next((hint for hint in _CAREFUL_FIRST if hint in hints), None)

    def _variants(self, call_id: str | None, tool_name: str | None) -> set[str]:
        if not callable(self.marker):
            return {PRESETS.get(self.marker) or self.marker}
        return {
            self._head(call_id, tool_name, outcome, cause) for outcome in Outcome for cause in Cause
        }


_CAREFUL_FIRST = (Hint.DESTRUCTIVE, Hint.READ_ONLY, Hint.IDEMPOTENT)


def _hints_of(given: Any) -> Any:
    """Give the names of hints, in whichever way they are told; what is none is left as it is."""
    if isinstance(given, str):
        return [MCP_HINTS.get(given, given)]
    if isinstance(given, Mapping):
        names = [name for name, said in given.items() if said is True]
    elif isinstance(given, Iterable):
        names = list(given)
    else:
        return given
    texts = [name for name in names if not (isinstance(name, str) and name in MCP_OTHERS)]
    return [MCP_HINTS.get(name, name) if isinstance(name, str) else name for name in texts]


def _default_text(outcome: Outcome, cause: Cause, hint: Hint | None) -> str:
    advice = ADVICE[hint] if outcome is Outcome.UNKNOWN else ""
    return KNOWN[outcome] + CAUSES[cause] + advice


DEFAULT_TEXTS = frozenset(
    _default_text(outcome, cause, hint)
    for outcome in Outcome
    for cause in Cause
    for hint in (None, *Hint)
) | frozenset(text for text in PRESETS.values() if text is not None)

DEFAULT = Policy()
