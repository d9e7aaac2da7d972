"""The rules of OpenAI Chat Completions, as its API states them when a request breaks one.

Results stand directly behind the assistant message with their calls, in any order, one a call. Ids
may come again in later turns. Strict servers of the same format (LiteLLM, vLLM) also parse the
arguments of old calls; OpenAI itself does not, but a history has to pass at both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from endmark.rules import Message, Rule, Turn, Violation, dicts

__all__ = ["RULES", "violations"]

_CALL: Final = "messages[{at}].tool_calls[{n}]"
_ISSUES: Final = "https://github.com/{}/issues/{}"
_ID_LIMIT: Final = 40

MISSING_RESULT: Final = Rule(
    "missing-result",
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
    " 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}",
    _ISSUES.format("BerriAI/litellm", 10083),
)
NO_CALLS_BEFORE: Final = Rule(
    "orphan-result",
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with"
    " 'tool_calls'.",
    _ISSUES.format("openai/openai-go", 43),
)
UNKNOWN_CALL: Final = Rule(
    "orphan-result",
    "Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
    _ISSUES.format("dapr/dapr-agents", 145),
)
DUPLICATE_RESULT: Final = Rule(
    "duplicate-result",
    "Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{first}] and"
    " messages[{at}].",
    _ISSUES.format("agno-agi/agno", 5116),
)
DUPLICATE_ID: Final = Rule(
    "duplicate-id",
    "Duplicate value for 'tool_call_id' of {id} in message[{at}]",
    _ISSUES.format("HKUDS/nanobot", 3945),
)
EMPTY_ID: Final = Rule(
    "empty-id",
    f"Invalid '{_CALL}.id': empty string. Expected a string with minimum length 1, but got an"
    " empty string instead.",
    _ISSUES.format("earendil-works/pi", 4854),
)
ID_TYPE: Final = Rule(
    "empty-id",
    f"Invalid type for '{_CALL}.id': expected a string, but got {{got}} instead.",
    _ISSUES.format("strands-agents/harness-sdk", 1259),
)
RESULT_WITHOUT_ID: Final = Rule(
    "empty-id",
    "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
    _ISSUES.format("langchain-ai/langchain", 22600),
)
LONG_ID: Final = Rule(
    "long-id",
    f"Invalid '{_CALL}.id': string too long. Expected a string with maximum length {_ID_LIMIT},"
    " but got a string with length {length} instead.",
    _ISSUES.format("camel-ai/camel", 2215),
)
EMPTY_NAME: Final = Rule(
    "empty-name",
    f"Invalid '{_CALL}.function.name': empty string. Expected a string with minimum length 1, but"
    " got an empty string instead.",
    _ISSUES.format("continuedev/continue", 5091),
)
ARGUMENTS_TYPE: Final = Rule(
    "bad-arguments",
    f"Invalid type for '{_CALL}.function.arguments': expected a string, but got {{got}} instead.",
    _ISSUES.format("aaif-goose/goose-mobile", 20),
)
ARGUMENTS_JSON: Final = Rule(
    "bad-arguments",
    "Invalid request: messages.{at}.tool_calls.{n}.function.arguments: arguments must be a valid"
    " JSON object string",
    _ISSUES.format("justrach/codegraff", 752),
)
EMPTY_CALLS: Final = Rule(
    "empty-calls",
    "Invalid 'messages[{at}].tool_calls': empty array. Expected an array with minimum length 1,"
    " but got an empty array instead.",
    _ISSUES.format("openai/openai-python", 2061),
)
NULL_CONTENT: Final = Rule(
    "null-content",
    "Invalid value for 'content': expected a string, got null.",
    _ISSUES.format("run-llama/llama_index", 17555),
)
RULES: Final = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))

_SPEAKING: Final = ("system", "developer", "user", "tool")
# what an assistant message may hold instead of content
_INSTEAD: Final = ("tool_calls", "function_call", "refusal", "audio")
_GOT: Final = {dict: "an object", list: "an array", bool: "a boolean", type(None): "null"}


def violations(history: list[Message], provider: str, turn: Turn) -> Iterator[Violation]:
    """Yield what OpenAI Chat Completions refuses; source: the reports linked by the rules.

    >>> [found.message for found in violations([{"role": "user"}], "openai-chat", "over")]
    ["Invalid value for 'content': expected a string, got null."]
    """
    del provider
    block = _Block(-1, [])
    for at, message in enumerate(history):
        yield from _content(at, message)
        if message.get("role") == "tool":
            yield from block.answered_by(at, message)
            continue
        yield from block.unanswered()
        calls = _calls(message)
        yield from _call_faults(at, calls)
        block = _Block(at, [call.get("id") for call in calls])
    if turn == "over":
        yield from block.unanswered()


class _Block:
    """The calls of one assistant message, while the tool messages behind it are read."""

    def __init__(self, at: int, ids: list[Any]) -> None:
        self.at = at
        self.asked = bool(ids)
        self.open = ids
        self.answers: dict[str, int] = {}

    def answered_by(self, at: int, message: Message) -> Iterator[Violation]:
        name = message.get("tool_call_id")
        if not isinstance(name, str) or not name:
            yield RESULT_WITHOUT_ID.broken(at, name)
        if name in self.open:
            self.open.remove(name)
            if isinstance(name, str):
                self.answers[name] = at
        elif isinstance(name, str) and name in self.answers:
            yield DUPLICATE_RESULT.broken(at, name, first=self.answers[name])
        elif not self.asked:
            yield NO_CALLS_BEFORE.broken(at, name)
        elif name:
            yield UNKNOWN_CALL.broken(at, name)

    def unanswered(self) -> Iterator[Violation]:
        ids = ", ".join(str(name) for name in self.open)
        for name in self.open:
            yield MISSING_RESULT.broken(self.at, name, ids=ids)


def _calls(message: Message) -> list[Message]:
    calls = message.get("tool_calls")
    if message.get("role") != "assistant" or calls is None:
        return []
    return dicts(calls, "tool_calls")


def _content(at: int, message: Message) -> Iterator[Violation]:
    role = message.get("role")
    if role == "assistant" and message.get("tool_calls") == []:
        yield EMPTY_CALLS.broken(at)
    if message.get("content") is not None:
        return
    silent = role == "assistant" and not any(message.get(key) for key in _INSTEAD)
    if silent or role in _SPEAKING:
        yield NULL_CONTENT.broken(at, message.get("tool_call_id"))


def _call_faults(at: int, calls: list[Message]) -> Iterator[Violation]:
    seen: set[str] = set()
    for n, call in enumerate(calls):
        name = call.get("id")
        if not isinstance(name, str):
            yield ID_TYPE.broken(at, n=n, got=_got(name))
        elif not name:
            yield EMPTY_ID.broken(at, name, n=n)
        elif name in seen:
            yield DUPLICATE_ID.broken(at, name)
        elif len(name) > _ID_LIMIT:
            yield LONG_ID.broken(at, name, n=n, length=len(name))
        if isinstance(name, str):
            seen.add(name)
        yield from _function_faults(at, n, call)


def _function_faults(at: int, n: int, call: Message) -> Iterator[Violation]:
    """A custom tool's call keeps its name and free-form input under `custom`."""
    function = call.get("custom" if call.get("type") == "custom" else "function")
    function = function if isinstance(function, dict) else {}
    if not function.get("name"):
        yield EMPTY_NAME.broken(at, call.get("id"), n=n)
    if call.get("type") == "custom":
        return
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        yield ARGUMENTS_TYPE.broken(at, call.get("id"), n=n, got=_got(arguments))
    elif not _parses(arguments):
        yield ARGUMENTS_JSON.broken(at, call.get("id"), n=n)


def _parses(arguments: str) -> bool:
    """Blank arguments pass: servers read them as a call without any."""
    if not arguments.strip():
        return True
    try:
        json.loads(arguments)
    except ValueError:
        return False
    except RecursionError:  # too deep for this parser says nothing about the provider's
        return True
    return True


def _got(value: object) -> str:
    return _GOT.get(type(value), "a number")
