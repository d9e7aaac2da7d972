"""What a conversation is, apart from any format, and what a test sees of a call.

A conversation is a list of turns: a user's words, steps of calls with their results, and a
closing answer. Every text and result carries a token of its own, so that a loss shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One assistant step: calls by id, and the value that answers each (None: open)."""

    calls: tuple[tuple[str, str, str | None], ...]  # id, tool name, token of the result
    says: str = ""


@dataclass(frozen=True)
class Turn:
    """What the user says, the steps that follow, and the answer ('' for none yet)."""

    says: str
    steps: tuple[Step, ...] = ()
    answer: str = ""


@dataclass
class Numbers:
    """Counters for tokens and ids."""

    n: int = field(default=0)

    def token(self, kind: str) -> str:
        self.n += 1
        return f"{kind}-{self.n:04d}"


OPEN = object()


@dataclass(frozen=True)
class Ask:
    """One call as a scenario asks for it; `value` is what the same message says came back."""

    id: str
    name: str = "look"
    cut: bool = False  # its arguments end before they are complete
    hosted: bool = False  # the provider runs it
    value: Any = OPEN

    @property
    def args(self) -> dict[str, str]:
        return {"of": self.name}

    @property
    def written(self) -> str:
        """Give the arguments as text, as far as they came."""
        return f'{{"of": "{self.name}"}}'[: 8 if self.cut else None]


@dataclass
class Seen:
    """A call as a provider would see it; `result` is OPEN where nothing answers it."""

    id: Any
    name: str
    result: Any = OPEN
    error: bool = False


def claim(open_: list[Seen], id_: Any, value: Any, error: bool) -> None:
    """Let this result answer the first open call of its id."""
    for call in open_:
        if call.id == id_ and call.result is OPEN:
            call.result, call.error = value, error
            return
