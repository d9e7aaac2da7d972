"""The rules of Mistral's chat completions, with the strings of its published validator.

The messages are those of OpenAI Chat Completions. Ids have nine letters and digits up to tokenizer
version 11 (any text from 13 on), so a history has nine to pass everywhere. A user message right
behind results is let through, as by mistral-common 1.13.1; older releases refuse it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from endmark.rules import Message, Rule, Turn, Violation, dicts

__all__ = ["RULES", "violations"]

_SOURCE: Final = "https://pypi.org/project/mistral-common/1.13.1/"
_ISSUES: Final = "https://github.com/{}/issues/{}"

COUNT: Final = Rule(
    "missing-result",
    "Not the same number of function calls and responses",
    _ISSUES.format("mistralai/client-ts", 106),
)
UNKNOWN_CALL: Final = Rule("orphan-result", "Unexpected tool call id {id} in tool results", _SOURCE)
DUPLICATE_RESULT: Final = Rule(
    "duplicate-result", "Duplicate tool call id {id} in tool results", _SOURCE
)
TOOL_ROLE: Final = Rule(
    "misplaced-result",
    "Unexpected role 'tool' after role '{role}'",
    _ISSUES.format("charmbracelet/crush", 279),
)
SYSTEM_ROLE: Final = Rule("turn-order", "Unexpected role 'system' after role '{role}'", _SOURCE)
DUPLICATE_ID: Final = Rule(
    "duplicate-id", "Duplicate tool call id {id} in assistant message", _SOURCE
)
BAD_ID: Final = Rule(
    "bad-id",
    "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
    _ISSUES.format("anomalyco/opencode", 1680),
)
NO_ID: Final = Rule("empty-id", "Tool call id has to be defined.", _SOURCE)
BAD_NAME: Final = Rule(
    "empty-name",
    "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a"
    " maximum length of 64.",
    _SOURCE,
)
ARGUMENTS: Final = Rule(
    "bad-arguments",
    "Invalid request: messages.{at}.tool_calls.{n}.function.arguments: arguments must be a valid"
    " JSON object string",
    _ISSUES.format("justrach/codegraff", 752),
)
RULES: Final = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))


def violations(history: list[Message], provider: str, turn: Turn) -> Iterator[Violation]:
    """Yield what Mistral refuses; source: mistral-common 1.13.1 and the reports linked by the rules.

    >>> asked = {"role": "tool", "tool_call_id": "abcdefgh1", "content": "ok"}
    >>> [found.code for found in violations([{"role": "user", "content": "x"}, asked], "mistral", "over")]
    ['misplaced-result', 'orphan-result']
    """
    del provider
    waiting: list[Any] = []
    answered: list[Any] = []
    role, asked_at = None, -1
    for at, message in enumerate(history):
        if message.get("role") == "tool":
            yield from _result(at, message, role, waiting, answered)
        elif message.get("role") == "assistant":
            if waiting:
                yield COUNT.broken(asked_at, waiting[0])
            calls = dicts(message.get("tool_calls") or [], "tool_calls")
            yield from _calls(at, calls)
            waiting, answered, asked_at = [call.get("id") for call in calls], [], at
        elif message.get("role") == "system" and role in ("assistant", "tool"):
            yield SYSTEM_ROLE.broken(at, role=role)
        role = message.get("role")
    if waiting and turn == "over":
        yield COUNT.broken(asked_at, waiting[0])


def _result(
    at: int, message: Message, role: object, waiting: list[Any], answered: list[Any]
) -> Iterator[Violation]:
    name = message.get("tool_call_id")
    if role in ("user", "system"):
        yield TOOL_ROLE.broken(at, name, role=role)
    if name is None:
        yield NO_ID.broken(at)
    elif name in waiting:
        waiting.remove(name)
        answered.append(name)
    elif name in answered:
        yield DUPLICATE_RESULT.broken(at, name)
    else:
        yield UNKNOWN_CALL.broken(at, name)


def _calls(at: int, calls: list[Message]) -> Iterator[Violation]:
    seen: list[Any] = []
    for n, call in enumerate(calls):
        name = call.get("id")
        if not isinstance(name, str) or not re.fullmatch("[a-zA-Z0-9]{9}", name):
            yield BAD_ID.broken(at, name)
        if name in seen:
            yield DUPLICATE_ID.broken(at, name)
        seen.append(name)
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        tool = function.get("name")
        if not isinstance(tool, str) or not re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool):
            yield BAD_NAME.broken(at, name, name=tool)
        if not _parses(function.get("arguments")):
            yield ARGUMENTS.broken(at, name, n=n)


def _parses(arguments: object) -> bool:
    """An object is let through too: mistral-common writes it as text itself."""
    if not isinstance(arguments, str):
        return isinstance(arguments, dict)
    try:
        json.loads(arguments or "{}")
    except ValueError:
        return False
    return True
