"""The rules of the AI SDK's model messages, and of the providers behind it.

First the SDK's own walk, which throws `MissingToolResultsError` from major 6 on: calls open,
results of tool messages close them by id, a user or system message finds the rest. Then what
providers answer to a part that the SDK lets through.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from endmark.rules import Message, Rule, Turn, Violation, dicts
from endmark.rules.ai_sdk_calls import (
    DUPLICATE_ID,
    EMPTY_ERROR,
    EMPTY_ID,
    EMPTY_NAME,
    INPUT_TYPE,
    MISSING_RESULT,
    OPEN_PROVIDER_CALL,
)

__all__ = ["RULES", "violations"]

_ISSUES: Final = "https://github.com/{}/issues/{}"
_ANTHROPIC: Final = "messages.{at}.content.{n}"

MISPLACED_RESULT: Final = Rule(
    "misplaced-result",
    "messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}.",
    _ISSUES.format("anthropics/claude-code", 6836),
)
ORPHAN_RESULT: Final = Rule(
    "orphan-result",
    f"{_ANTHROPIC}: unexpected `tool_use_id` found in `tool_result` blocks: {{id}}. Each"
    " `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    _ISSUES.format("vercel/eve", 1246),
)
BAD_OUTPUT: Final = Rule(
    "bad-result",
    "Invalid prompt: The messages do not match the ModelMessage[] schema.",
    _ISSUES.format("vercel/ai", 7260),
)
EMPTY_MESSAGE: Final = Rule(
    "empty-message",
    "* GenerateContentRequest.contents[{at}].parts: contents.parts must not be empty.",
    _ISSUES.format("vercel/ai", 3775),
)
RULES: Final = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))


def violations(history: list[Message], provider: str, turn: Turn) -> Iterator[Violation]:
    """Yield what the AI SDK, or a provider behind it, refuses; source: the rules' links.

    A call whose approval was asked for is a pause, in either `turn`, until a user goes on.

    >>> call = {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {}}
    >>> asked = {"role": "assistant", "content": [call]}
    >>> [found.message for found in violations([asked], "ai-sdk-model", "over")]
    ['Tool result is missing for tool call c1.']
    """
    del provider
    walk = _Walk()
    for at, message in enumerate(history):
        parts = _parts(at, message)
        if message.get("role") == "assistant":
            yield from walk.asks(at, parts, message)
        elif message.get("role") == "tool":
            yield from walk.answers(at, parts)
        else:
            yield from walk.missing(walk.open)
            yield from walk.passed()
    if turn == "over":
        yield from walk.missing([call for call in walk.open if not call[2]])


def _parts(at: int, message: Message) -> list[Message]:
    content = message.get("content")
    if isinstance(content, str):
        return []
    return dicts([] if content is None else content, f"the content of message {at}")


class _Walk:
    """The calls that wait, while the messages are read."""

    def __init__(self) -> None:
        self.open: list[tuple[int, Any, bool]] = []  # message, id and whether a person is asked
        self.near: set[Any] = set()  # ids that the next tool messages may answer
        self.hosted: list[tuple[int, Any, Any]] = []  # message, id and name of the provider's own

    def asks(self, at: int, parts: list[Message], message: Message) -> Iterator[Violation]:
        if not message.get("content"):
            yield EMPTY_MESSAGE.broken(at)
        for stale in [call for call in self.open if call[1] in self.near]:
            yield MISPLACED_RESULT.broken(stale[0], stale[1])
        self.near = set()
        paused = [p.get("toolCallId") for p in parts if p.get("type") == "tool-approval-request"]
        for n, part in enumerate(parts):
            name = part.get("toolCallId")
            if part.get("type") == "tool-call":
                yield from self._call(at, n, part, name in paused)
            elif part.get("type") == "tool-result":
                mine = [call for call in self.hosted if call[1] == name]
                self.hosted = [call for call in self.hosted if call[1] != name]
                if not mine:
                    yield ORPHAN_RESULT.broken(at, name, n=n)

    def _call(self, at: int, n: int, part: Message, paused: bool) -> Iterator[Violation]:
        name = part.get("toolCallId")
        if not isinstance(name, str) or not name:
            yield EMPTY_ID.broken(at, name, n=n)
        if any(call[:2] == (at, name) for call in self.open):
            yield DUPLICATE_ID.broken(at, name, n=n)
        if not part.get("toolName"):
            yield EMPTY_NAME.broken(at, name, n=n)
        if not isinstance(part.get("input", part.get("args")), dict):
            yield INPUT_TYPE.broken(at, name, n=n)
        if part.get("providerExecuted") is True:
            self.hosted.append((at, name, part.get("toolName")))
            return
        self.open.append((at, name, paused))
        self.near.add(name)

    def answers(self, at: int, parts: list[Message]) -> Iterator[Violation]:
        for n, part in enumerate(parts):
            if part.get("type") != "tool-result":
                continue
            name = part.get("toolCallId")
            if name not in self.near:
                yield ORPHAN_RESULT.broken(at, name, n=n)
            self.near.discard(name)
            self.open = [call for call in self.open if call[1] != name]
            yield from _answer_faults(at, n, part)

    def missing(self, calls: list[tuple[int, Any, bool]]) -> Iterator[Violation]:
        """A message between two calls and their results does not help: they are missing."""
        plural = len(calls) > 1
        for at, name, _ in calls:
            yield MISSING_RESULT.broken(
                at,
                name,
                s_are="s are" if plural else " is",
                s="s" if plural else "",
                ids=", ".join(str(call[1]) for call in calls),
            )

    def passed(self) -> Iterator[Violation]:
        for at, name, tool in self.hosted:
            yield OPEN_PROVIDER_CALL.broken(at, name, name=tool)
        self.open, self.hosted, self.near = [], [], set()


def _answer_faults(at: int, n: int, part: Message) -> Iterator[Violation]:
    name, output = part.get("toolCallId"), part.get("output")
    if output is None and "result" in part:
        if part.get("isError") is True and not part["result"]:
            yield EMPTY_ERROR.broken(at, name, n=n)
        return
    if not isinstance(output, dict) or not isinstance(output.get("type"), str):
        yield BAD_OUTPUT.broken(at, name)
    elif output["type"] == "error-text" and not str(output.get("value") or "").strip():
        yield EMPTY_ERROR.broken(at, name, n=n)
